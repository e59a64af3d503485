/** Asks git, the audit trail and the files about changes. Loaded only where something has changed. */
import type { DatabaseSync } from "node:sqlite";
import { resolvePath } from "../../base/paths.ts";
import { keepFile, keptText } from "../../config/store.ts";
import {
  broughtFiles,
  isAsInStash,
  isBefore,
  isInBranch,
  isInCommit,
  isInRemote,
  sizesIn,
} from "../../system/git/brought_files.ts";
import { readText } from "../../system/on_disk.ts";
import { changesPolicy } from "../guards/protected.ts";
import { readShellUse } from "../files/shell_lookup.ts";
import { isOwned } from "./compare.ts";
import { allowedSince } from "./effects_table.ts";
import { riskyLines } from "./git_settings.ts";
import type { Change, Snapshot, WatchedRule } from "./types.ts";
import type { PolicyKind, ProtectedBranches, WatchPlace } from "./watched.ts";

/** Longer policy files are not kept, in bytes. */
const MAX_TEXT_BYTES = 262_144;

export interface Changed {
  readonly changes: readonly Change[];
  readonly before: Snapshot;
  readonly now: Snapshot;
  readonly kinds: ReadonlyMap<string, PolicyKind>;
  readonly branches: ProtectedBranches;
  readonly sessionId: string;
  /** The command that has run; null between tool uses. */
  readonly command: string | null;
}

/** The changes that nothing allowed. */
export async function violatedAmong(
  db: DatabaseSync,
  changed: Changed,
  { place, rules }: { readonly place: WatchPlace; readonly rules: readonly WatchedRule[] },
): Promise<Change[]> {
  const { changes, before, command, sessionId } = changed;
  const told = allowedSince(db, { sessionId, sinceMs: before.atMs });
  const around = { folder: place.projectDir, home: place.home ?? undefined };
  const edited = new Set(told.files.map((path) => resolvePath(path, around)));
  const files = changes.filter(({ kind }) => kind === "file").map(({ subject }) => subject);
  const brought = await broughtByGit(files, changed, place);
  const ran = files.length === 0 ? [] : [...command === null ? [] : [command], ...told.commands];
  const commands = (await Promise.all(ran.map(takenApart(place)))).flat();
  const isWritten = (rule: number | null) => {
    const by = rule === null ? null : rules[rule]?.writtenBy ?? null;
    return by !== null && commands.some((one) => new RegExp(by, "s").test(one));
  };
  const isAllowed: Readonly<
    Record<Change["kind"], (change: Change) => boolean | Promise<boolean>>
  > = {
    policy: ({ subject }) =>
      !isPolicyChange(db, subject, { ...changed, isEdited: edited.has(subject) }),
    ref: (change) => movedRightly(change, changed, place),
    file: ({ subject, rule }) =>
      brought.has(subject) || edited.has(subject) || isWritten(rule) || isOwned(subject, commands),
  };
  const allowed = await Promise.all(changes.map((change) => isAllowed[change.kind](change)));
  return changes.filter((_, i) => !allowed[i]);
}

/** The files that git has brought, from a commit or a stash. */
async function broughtByGit(
  files: readonly string[],
  { before, now }: Changed,
  { repository, environment }: WatchPlace,
): Promise<ReadonlySet<string>> {
  if (files.length === 0 || repository === undefined) return new Set();
  const brought = new Set(await broughtFiles(repository, files, { since: before, environment }));
  if (now.stash !== before.stash && now.stash !== "") {
    // A stash made from a changed file holds another size than the file had before: git has not restored it.
    const sizes = await sizesIn(repository, { commit: now.stash, paths: files }, environment);
    for (const [path, size] of sizes) {
      if (before.files[path]?.split(" ", 1)[0] !== size) brought.delete(path);
    }
    for (const path of files.filter((path) => now.files[path] === "")) {
      const untracked = { commit: `${now.stash}^3`, path };
      if (await isInCommit(repository, untracked, environment)) brought.add(path);
    }
  }
  for (const path of before.stash === "" ? [] : files) {
    const stashed = { commit: before.stash, path };
    if (await isAsInStash(repository, stashed, environment)) brought.add(path);
  }
  return brought;
}

/** Whether the change of a policy file is one of policy. If not, the new text is kept for undoing later changes. */
function isPolicyChange(
  db: DatabaseSync,
  path: string,
  { kinds, now, isEdited }: Pick<Changed, "kinds" | "now"> & { readonly isEdited: boolean },
): boolean {
  if (now.held.includes(path)) return true;
  const kind = kinds.get(path) ?? "other";
  if (kind === "program") return true;
  const kept = keptText(db, path) ?? null;
  const text = readText(path, MAX_TEXT_BYTES);
  if (kept === text) return false;
  const matters = !isEdited && (
    kind === "settings"
      ? changesPolicy(kept, text ?? "{}")
      : kind === "git config"
      ? riskyLines(kept ?? "").join("\n") !== riskyLines(text ?? "").join("\n")
      : true
  );
  if (!matters) keepFile(db, path, { text, atMs: now.atMs });
  return matters;
}

/** Keeps policy files as they are, where none is kept. */
export function keepPolicy(db: DatabaseSync, paths: Iterable<string>, atMs: number): void {
  for (const path of paths) {
    const text = readText(path, MAX_TEXT_BYTES);
    if (text !== null || keptText(db, path) !== undefined) keepFile(db, path, { text, atMs });
  }
}

/**
 * Whether a branch may have moved so: its remote has the commit; or no rule names the branch, and it was checked out and
 * lost no commit that its remote has.
 */
async function movedRightly(
  { subject, before, after }: Change,
  { branches, before: was, now }: Changed,
  { repository, environment }: WatchPlace,
): Promise<boolean> {
  if (repository === undefined) return true;
  if (after !== "" && await isInRemote(repository, after, environment)) return true;
  if (branches.isNamed) return false;
  // A branch that got another name loses nothing.
  if (after === "") return await isInBranch(repository, before, environment);
  const isCheckedOut = [was.head, now.head].some((name) => `refs/heads/${name}` === subject);
  if (!isCheckedOut) return false;
  return await isBefore(repository, { earlier: before, later: after }, environment) ||
    !await isInRemote(repository, before, environment);
}

function takenApart({ projectDir, home }: WatchPlace) {
  return async (command: string): Promise<string[]> => {
    try {
      const { steps } = await readShellUse(command, { folder: projectDir, home });
      return steps.flatMap(({ commands }) => commands.map((words) => words.join(" ")));
    } catch {
      return [command];
    }
  };
}
