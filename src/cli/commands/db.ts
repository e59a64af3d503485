import { command, group, someText } from "../command.ts";

const load = () => import("../actions/db.ts");

const FILE = { parse: someText, placeholder: "file" } as const;

/** `conclaude db …` */
export const db = group({
  verbs: {
    path: command({
      load: async () => (await load()).databasePath,
      parameters: { flags: {} },
      brief: "Print the path of the database",
      about:
        "Prints the path of the database that counts in this folder; with --json also what chose it.",
      examples: ["conclaude db path", 'sqlite3 "$(conclaude db path)" .tables'],
    }),
    check: command({
      load: async () => (await load()).check,
      parameters: { flags: {} },
      brief: "Read the whole database and look for faults",
      about:
        "Checks pages, references, schema, search index and permissions, and changes nothing. Hooks may have to\n" +
        "wait, or spool, while the index is compared with what it is made of. Exit status 1 when there is a fault.",
      examples: ["conclaude db check", "conclaude db check --json"],
    }),
    migrate: command({
      load: async () => (await load()).migrateDatabase,
      parameters: { flags: {} },
      brief: "Bring the schema up to this program's",
      about:
        "Makes the database when it is missing, and brings an older schema up to date; hooks do the same by\n" +
        "themselves. A database of a newer program is left alone.",
      examples: ["conclaude db migrate"],
    }),
    backup: command({
      load: async () => (await load()).backup,
      parameters: {
        flags: {},
        positional: {
          kind: "tuple",
          parameters: [{
            ...FILE,
            brief: "Where to; ~/.conclaude/backups/conclaude-<time>.db when not given",
            optional: true,
          }],
        },
      },
      brief: "Copy the database into a file",
      about:
        "Copies the database while hooks go on, into a file that only you can read, and checks the copy. A\n" +
        "file that is there is not replaced.",
      examples: ["conclaude db backup", "conclaude db backup before-upgrade.db"],
    }),
    restore: command({
      person: "db restore",
      load: async () => (await load()).restore,
      parameters: {
        flags: {},
        positional: { kind: "tuple", parameters: [{ ...FILE, brief: "A backup" }] },
      },
      brief: "Put a backup in the place of the database",
      about:
        "Checks the backup, sets the present database aside under a dated name, and puts a copy of the\n" +
        "backup in its place. Nothing is deleted.",
      examples: ["conclaude db restore ~/.conclaude/backups/conclaude-2026-01-31T09-30-00Z.db"],
    }),
    vacuum: command({
      load: async () => (await load()).vacuum,
      parameters: { flags: {} },
      brief: "Give free pages back to the disk",
      about:
        "Makes the database file smaller after much was removed. Hooks wait, or spool, meanwhile.",
      examples: ["conclaude db vacuum"],
    }),
    checkpoint: command({
      load: async () => (await load()).checkpointDatabase,
      parameters: {
        flags: {
          mode: {
            kind: "enum",
            values: ["passive", "full", "restart", "truncate"],
            default: "truncate",
            brief: "passive waits for nobody; truncate also empties the log file",
          },
        },
      },
      brief: "Move the write-ahead log into the database file",
      about:
        "Moves what was written lately from the log (-wal) into the database file; hooks do it now and then.",
      examples: ["conclaude db checkpoint", "conclaude db checkpoint --mode passive"],
    }),
    stats: command({
      load: async () => (await load()).stats,
      parameters: { flags: {} },
      brief: "Show sizes and row counts",
      about: "Shows the size of the database and its log, free pages, and the rows of every table.",
      examples: ["conclaude db stats", "conclaude db stats --json"],
    }),
    reset: command({
      person: "db reset",
      load: async () => (await load()).reset,
      parameters: {
        flags: { yes: { kind: "boolean", default: false, brief: "Do not ask" } },
      },
      brief: "Set the database aside and begin a new one",
      about:
        "Gives the database another, dated name in the same folder and makes a new, empty one. Nothing is\n" +
        "deleted. Asks first; without a terminal it needs --yes.",
      examples: ["conclaude db reset", "conclaude db reset --yes --json"],
    }),
  },
  brief: "The database: check, back up, restore, compact",
  examples: [
    "conclaude db check",
    "conclaude db backup",
    "conclaude db stats --json",
  ],
});
