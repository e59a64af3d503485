/** Tells the person in a new folder that its repository is known from another folder, which is gone. */
import { quickIdentity } from "../system/git/identity.ts";
import { folderOfProject } from "../memory/project_paths.ts";
import { formerFolders } from "../memory/store.ts";
import { moveCommand } from "../operations/next_command.ts";
import type { HookWork } from "./handler.ts";

/** Returns the notice; null when the project did not move. @throws {Error} The error of SQLite. */
export function movedNotice({ db, repository, hide }: HookWork): string | null {
  if (db === null || repository === undefined) return null;
  const { commonDir } = repository;
  const identity = { ...quickIdentity(commonDir), onlyIfNew: true };
  const [former] = formerFolders(db, commonDir, identity).map((folder) => hide(folder)!);
  if (former === undefined) return null;
  const command = moveCommand(former, hide(folderOfProject(commonDir))!);
  return `conclaude: this repository is known from ${former}, which is gone. If it moved, run \`${command}\`, and ` +
    "sessions here are told what is known of it.";
}
