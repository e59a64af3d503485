import { oneOf, optional, text, toggle, usually } from "../flags.ts";
import { group, verb } from "../verb.ts";

const load = () => import("../actions/db.ts");

export const db = group({
  verbs: {
    path: verb({
      load: async () => (await load()).databasePath,
      brief: "Print the path of the database",
      about:
        "Prints the path of the database that counts in this folder; with --json also what chose it.",
      examples: ["conclaude db path", 'sqlite3 "$(conclaude db path)" .tables'],
    }),
    check: verb({
      load: async () => (await load()).check,
      brief: "Read the whole database and look for faults",
      about:
        "Checks pages, references, schema, search index and permissions, and changes nothing. Hooks may have to\n" +
        "wait, or spool, while the index is compared with what it is made of. Exit status 1 when there is a fault.",
      examples: ["conclaude db check", "conclaude db check --json"],
    }),
    migrate: verb({
      load: async () => (await load()).migrateDatabase,
      brief: "Bring the schema up to this program's",
      about:
        "Makes the database when it is missing, and brings an older schema up to date; hooks do the same by\n" +
        "themselves. A database of a newer program is left alone.",
      examples: ["conclaude db migrate"],
    }),
    backup: verb({
      load: async () => (await load()).backup,
      args: [
        optional(text("Where to; ~/.conclaude/backups/conclaude-<time>.db when not given", "file")),
      ],
      brief: "Copy the database into a file",
      about:
        "Copies the database while hooks go on, into a file that only you can read, and checks the copy. A\n" +
        "file that is there is not replaced.",
      examples: ["conclaude db backup", "conclaude db backup before-upgrade.db"],
    }),
    restore: verb({
      person: "db restore",
      load: async () => (await load()).restore,
      args: [text("A backup", "file")],
      brief: "Put a backup in the place of the database",
      about:
        "Checks the backup, sets the present database aside under a dated name, and puts a copy of the\n" +
        "backup in its place. Nothing is deleted.",
      examples: ["conclaude db restore ~/.conclaude/backups/conclaude-2026-01-31T09-30-00Z.db"],
    }),
    vacuum: verb({
      load: async () => (await load()).vacuum,
      brief: "Give free pages back to the disk",
      about:
        "Makes the database file smaller after much was removed. Hooks wait, or spool, meanwhile.",
      examples: ["conclaude db vacuum"],
    }),
    checkpoint: verb({
      load: async () => (await load()).checkpointDatabase,
      flags: {
        mode: usually(
          "truncate",
          oneOf(
            ["passive", "full", "restart", "truncate"],
            "passive waits for nobody; truncate also empties the log file",
          ),
        ),
      },
      brief: "Move the write-ahead log into the database file",
      about:
        "Moves what was written lately from the log (-wal) into the database file; hooks do it now and then.",
      examples: ["conclaude db checkpoint", "conclaude db checkpoint --mode passive"],
    }),
    stats: verb({
      load: async () => (await load()).stats,
      brief: "Show sizes and row counts",
      about: "Shows the size of the database and its log, free pages, and the rows of every table.",
      examples: ["conclaude db stats", "conclaude db stats --json"],
    }),
    reset: verb({
      person: "db reset",
      load: async () => (await load()).reset,
      flags: { yes: toggle("Do not ask") },
      brief: "Set the database aside and begin a new one",
      about:
        "Gives the database another, dated name in the same folder and makes a new, empty one. Nothing is\n" +
        "deleted. Asks first; without a terminal it needs --yes.",
      examples: ["conclaude db reset", "conclaude db reset --yes --json"],
    }),
  },
  examples: ["conclaude db check", "conclaude db backup", "conclaude db stats --json"],
});
