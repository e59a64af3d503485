import { UserError } from "../errors.ts";
import { quoteWord } from "../settings/hooks.ts";
import { SCHEMA_VERSION } from "../store/database.ts";
import { type DatabaseFile, identifyDatabase } from "../store/identity.ts";
import { VERSION } from "../version.ts";

/** What may be wrong with a file that is to be worked on. */
type Unfit = Exclude<DatabaseFile["kind"], "ours" | "older">;

/** Why, and the way out, by what the file is. */
const REFUSALS: Readonly<Record<Unfit, (path: string, file: DatabaseFile) => Refusal>> = {
  missing: () => ({
    why: "there is no such file",
    next: "run `conclaude db path` to see the path; the first hook makes the database",
  }),
  empty: () => ({
    why: "the file is empty: nothing has been written yet",
    next: "run `conclaude db migrate` to make the tables",
  }),
  folder: (path) => ({
    why: "it is a folder",
    next: `move it away: \`mv ${quoteWord(path)} ${quoteWord(`${path}.folder`)}\``,
  }),
  special: () => ({
    why: "it is no regular file",
    next: "name another one, for example `conclaude --db ~/.conclaude/conclaude.db doctor`",
  }),
  unreadable: (path, file) => ({
    why: file.kind === "unreadable" ? file.why : "it cannot be read",
    next: `look at its permissions: \`ls -l ${quoteWord(path)}\``,
  }),
  garbage: () => ({
    why: "the file is not a SQLite database",
    next: "run `conclaude doctor`, which names the way out; nothing was changed",
  }),
  damaged: (_path, file) => ({
    why: file.kind === "damaged" ? `the file is damaged: ${file.why}` : "the file is damaged",
    next: "run `conclaude doctor`, which names the way out; nothing was changed",
  }),
  foreign: () => ({
    why: "it is another program's database",
    next: "name another file with `--db PATH`, or set `database.path`; nothing was changed",
  }),
  newer: (_path, file) => ({
    why: `a newer conclaude has been here: schema version ${
      file.kind === "newer" ? file.version : "unknown"
    }, and ${VERSION} knows ${SCHEMA_VERSION}`,
    next: "install the newest conclaude; nothing was changed",
  }),
};

interface Refusal {
  readonly why: string;
  readonly next: string;
}

/**
 * Makes sure that a file is a database that this program may work on.
 *
 * @param what Begins the error: `Cannot restore`.
 * @returns Its schema version, at most this program's.
 * @throws {UserError} With the reason and the way out. The file is left untouched.
 */
export function requireOurs(what: string, path: string): number {
  const file = identifyDatabase(path);
  if (file.kind === "ours" || file.kind === "older") return file.version;
  throw new UserError(`${what} "${path}"`, REFUSALS[file.kind](path, file));
}

/**
 * Makes sure that a file may be set aside for another one: anything but what belongs to somebody else.
 *
 * @returns What is there.
 * @throws {UserError} For a folder, a device, another program's database, or what cannot be looked at.
 */
export function requireReplaceable(what: string, path: string): DatabaseFile {
  const file = identifyDatabase(path);
  switch (file.kind) {
    case "folder":
    case "special":
    case "foreign":
    case "unreadable":
      throw new UserError(`${what} "${path}"`, REFUSALS[file.kind](path, file));
    default:
      return file;
  }
}
