/** Which database files may be worked on, and which may be set aside for another one. */
import { UserError } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { type DatabaseFile, identifyDatabase } from "../../db/database_identity.ts";
import { drainLockPath } from "../../db/process_lock.ts";
import { VERSION } from "../../base/version.ts";
import { isThere } from "./whole_file.ts";

type Unfit = Exclude<DatabaseFile, { kind: "ours" | "older" }>;

const DOCTOR = "conclaude doctor";
const UNCHANGED = "; nothing was changed";

/** Why a file may not be worked on, and the way out. */
function refusal(path: string, file: Unfit): readonly [why: string, next: string] {
  switch (file.kind) {
    case "missing":
      return ["there is no such file", "conclaude db migrate"];
    case "empty":
      // A drain leaves its lock: then there was something in the file.
      return isThere(drainLockPath(path))
        ? ["the file is empty, and it was not before: something has cut it to nothing", DOCTOR]
        : ["the file is empty: nothing has been written yet", "conclaude db migrate"];
    case "folder":
      return ["it is a folder", `mv ${quoteWord(path)} ${quoteWord(`${path}.folder`)}`];
    case "special":
      return ["it is no regular file", DOCTOR];
    case "unreadable":
      return [file.why, `ls -l ${quoteWord(path)}`];
    case "garbage":
      return [`the file is not a SQLite database${UNCHANGED}`, DOCTOR];
    case "damaged":
      return [`the file is damaged: ${file.why}${UNCHANGED}`, DOCTOR];
    case "foreign":
      return [`it is another program's database${UNCHANGED}`, DOCTOR];
    case "newer":
      return [
        `a newer conclaude has been here: schema version ${file.version}, and ${VERSION} knows ${SCHEMA_VERSION}${UNCHANGED}`,
        "Install the newest conclaude",
      ];
  }
}

/**
 * Makes sure that a file is a database that this program may work on.
 *
 * @param what Begins the error: `Cannot restore`.
 * @param options `instead`: the way out when it is the wrong file; without it, that of the database that counts.
 * @returns Its schema version, at most this program's.
 * @throws {UserError} With the reason and the way out. The file is left untouched.
 */
export function requireOurs(
  what: string,
  path: string,
  { instead }: { readonly instead?: string } = {},
): number {
  const file = identifyDatabase(path);
  if (file.kind === "ours" || file.kind === "older") return file.version;
  const [why, next] = refusal(path, file);
  const isWrongFile = file.kind !== "newer" && file.kind !== "unreadable";
  throw new UserError(`${what} "${path}"`, { why, next: isWrongFile ? instead ?? next : next });
}

/**
 * Makes sure that a file may be set aside for another one: anything but what belongs to somebody else.
 *
 * @returns What is there.
 * @throws {UserError} For a folder, a device, another program's database, or what cannot be looked at.
 */
export function requireReplaceable(what: string, path: string): DatabaseFile {
  const file = identifyDatabase(path);
  if (!["folder", "special", "foreign", "unreadable"].includes(file.kind)) return file;
  const [why, next] = refusal(path, file as Unfit);
  throw new UserError(`${what} "${path}"`, { why, next });
}
