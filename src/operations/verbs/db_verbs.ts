import { MIGRATIONS } from "../../../migrations/mod.ts";
import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { backUp, backupsOf, defaultBackupPath } from "../../upkeep/care/backup.ts";
import { checkDatabase } from "../../upkeep/care/database_check.ts";
import { resetDatabase, restoreDatabase } from "../../upkeep/care/replace.ts";
import { noteCopy } from "../../db/notes.ts";
import { requireOurs, requireReplaceable } from "../../upkeep/care/require_ours.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { measureDatabase } from "../../upkeep/store.ts";
import { giveBackSpace, spaceUse } from "../../db/disk_space.ts";
import { checkpoint } from "../../db/database.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { identifyDatabase, mayBeWritten, openToLook } from "../../db/database_identity.ts";
import { checkLines, databaseFrom } from "../check_text.ts";
import { confirmOrThrow, tellSpace, withProgress } from "../terminal.ts";
import { type CliContext, typedPath } from "../context.ts";
import { withoutDraftsLeft } from "../drafts_on_signal.ts";
import { oneOf, SHARED, text, textFlag, usually } from "../flags.ts";
import { checksHere } from "../next_command.ts";
import { keptPlace, openStore, placeOf } from "../open_store.ts";
import { bytesText, factLines, tableText } from "../table.ts";
import { agoText } from "../list_and_show.ts";
import { group, verb } from "../verb.ts";
import { fileSize } from "../../system/on_disk.ts";

const path = verb({
  async run(context) {
    const { database, config } = await placeOf(context);
    const from = databaseFrom(context, config);
    const exists = identifyDatabase(database).kind !== "missing";
    return { json: { path: database, from, exists }, text: [database], quoted: true };
  },
});

const check = verb({
  async run(context) {
    const { database } = await keptPlace(context, "check the database");
    const look = () => checkDatabase(database);
    const found = await withProgress(context, "Reading the whole database", look);
    const checks = checksHere(found, context.globals);
    const ok = checks.every(({ status }) => status !== "fail");
    return {
      json: { ok, path: database, checks },
      text: [plain(database), ...checkLines(checks, context.globals)].join("\n"),
      exitCode: ok ? 0 : 1,
    };
  },
});

const migrate = verb({
  async run(context) {
    const { database } = await keptPlace(context, "migrate the database");
    const present = requireReplaceable("Cannot migrate", database);
    if (present.kind !== "missing" && present.kind !== "empty") {
      requireOurs("Cannot migrate", database);
    }
    const from = mayBeWritten(present) ? present.version : 0;
    await openStore(context, "write");
    const to = SCHEMA_VERSION;
    const applied = MIGRATIONS.filter(({ version }) => version > from).map(({ name }) => name);
    return {
      json: { path: database, from, to, applied },
      text: applied.length === 0
        ? `The schema is up to date: version ${to}`
        : [`Migrated ${database} from version ${from} to ${to}: ${applied.join(", ")}`],
    };
  },
});

const backup = verb({
  args: [textFlag("Where to; ~/.conclaude/backups/conclaude-<time>.db when not given", "file")],
  async run(context, _flags, name) {
    const { database } = await keptPlace(context, "back up the database");
    const file = name === undefined
      ? defaultBackupPath(context.locations.dataFolder, Date.now())
      : typedPath(context, name);
    const copy = () => withoutDraftsLeft(() => backUp(database, file));
    const doing = "Copying the database and checking the copy";
    const { bytes } = await withProgress(context, doing, copy);
    if (name !== undefined) {
      noteCopy((await openStore(context, "read")).db, { path: file, atMs: Date.now() });
    }
    return {
      json: { path: database, file, bytes },
      text: [`Backed up ${database}`, `to ${file} (${bytesText(bytes)}, checked)`],
    };
  },
});

const backups = verb({
  async run(context) {
    const { database } = await keptPlace(context, "list the backups");
    const found = backupsOf(context.locations, database)
      .map((one) => ({ ...one, bytes: fileSize(one.path) }));
    return {
      json: { path: database, backups: found },
      text: tableText(
        context,
        found,
        {
          MADE: ({ atMs }) => agoText(atMs),
          SIZE: [({ bytes }) => bytesText(bytes)],
          FILE: ({ path }) => path,
        },
        "No backups. The daily one comes with the next drain; `conclaude db backup` makes one now.",
      ),
    };
  },
});

const restore = verb({
  person: "db restore",
  args: [text("A backup", "file")],
  async run(context, _flags, name) {
    const { database } = await keptPlace(context, "restore the database");
    const file = typedPath(context, name);
    const { dataFolder } = context.locations;
    const copy = () => restoreDatabase(database, { file, dataFolder, nowMs: Date.now() });
    const doing = "Checking the backup and copying it";
    const { aside, schemaVersion } = await withProgress(context, doing, copy);
    return {
      json: { path: database, file, aside, schemaVersion },
      text: [`Restored ${database}`, `from ${file}`, formerLine(aside)],
    };
  },
});

const vacuum = verb({
  async run(context) {
    const { database, open } = await ownDatabase(context, "compact");
    const db = await open();
    checkpoint(db, "TRUNCATE");
    const bytesBefore = fileSize(database);
    const { canShrink } = spaceUse(db);
    await withProgress(
      context,
      "Compacting the database",
      (progress) => giveBackSpace(db, { minFreeShare: 0, onProgress: tellSpace(progress) }),
    );
    db.close();
    if (canShrink === 0) {
      throw new UserError(`Cannot compact "${database}"`, {
        why: "it was made without auto_vacuum, and the runtime forbids VACUUM to this program",
        next: `sqlite3 ${quoteWord(database)} VACUUM`,
      });
    }
    const bytesAfter = fileSize(database);
    const sizes = `${bytesText(bytesBefore)} before, ${bytesText(bytesAfter)} now`;
    const json = { path: database, bytesBefore, bytesAfter };
    return { json, text: [`Compacted ${database}: ${sizes}`] };
  },
});

const moveLog = verb({
  flags: {
    mode: usually(
      "truncate",
      oneOf(
        ["passive", "full", "restart", "truncate"],
        "passive waits for nobody; truncate also empties the log file",
      ),
    ),
  },
  async run(context, { mode }) {
    const { database, open } = await ownDatabase(context, "checkpoint");
    const report = checkpoint(await open(), mode.toUpperCase() as Uppercase<typeof mode>);
    if (report.busy) {
      const pages = count(report.walPages, "page is", "pages are");
      throw new UserError(`Cannot move the whole log into "${database}"`, {
        why: `another process is using it: ${report.movedPages} of ${pages} moved`,
        next: `conclaude db checkpoint --mode ${mode}`,
      });
    }
    const text = "The write-ahead log is in the database file";
    return { json: { path: database, mode, ...report }, text };
  },
});

const stats = verb({
  async run(context) {
    const { database, schemaVersion } = await ownDatabase(context, "measure");
    using db = openToLook(database);
    const size = measureDatabase(db);
    const bytes = fileSize(database);
    const walBytes = fileSize(`${database}-wal`);
    const free = bytesText(size.freePages * size.pageBytes);
    const text = tableText(context, size.tables, {
      TABLE: ({ name }) => name,
      ROWS: [({ rows }) => rows],
    }, "No tables.");
    const facts = factLines([
      ["path", database],
      ["schema", `version ${schemaVersion}`],
      ["file", `${bytesText(bytes)} (${count(size.pages, "page")} of ${size.pageBytes} B)`],
      ["free", `${free} (${count(size.freePages, "page")})`],
      ["log", bytesText(walBytes)],
    ], 10);
    return {
      json: { path: database, bytes, walBytes, schemaVersion, ...size },
      text: [...facts, "", text].join("\n"),
    };
  },
});

const reset = verb({
  person: "db reset",
  flags: { yes: SHARED.yes },
  async run(context, { yes }) {
    const { database, config: { busyTimeoutMs } } = await keptPlace(context, "reset the database");
    const present = requireReplaceable("Cannot reset", database);
    if (present.kind !== "missing" && !yes) {
      confirmOrThrow(context, {
        what: "reset the database",
        again: "conclaude db reset --yes",
        ask: `Set ${database} aside and begin a new one?`,
      });
    }
    const made = await resetDatabase(database, { nowMs: Date.now(), busyTimeoutMs });
    return {
      json: { path: database, aside: made.aside, schemaVersion: made.schemaVersion },
      text: [`Made a new database: ${database}`, formerLine(made.aside)],
    };
  },
});

export const db = group({
  path,
  check,
  migrate,
  backup,
  backups,
  restore,
  vacuum,
  checkpoint: moveLog,
  stats,
  reset,
});

function formerLine(aside: string | null): string | null {
  return aside && `The former one is ${aside}`;
}

/** Finds the database and requires that conclaude made it. @param verb The action, for the error: `compact`. */
async function ownDatabase(context: CliContext, verb: string) {
  const { database } = await keptPlace(context, `${verb} the database`);
  const schemaVersion = requireOurs(`Cannot ${verb}`, database);
  return { database, schemaVersion, open: async () => (await openStore(context, "write")).db };
}
