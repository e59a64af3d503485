import { count } from "../../counts.ts";
import { plain } from "../../capture/plain.ts";
import { MIGRATIONS } from "../../../migrations/mod.ts";
import { UserError } from "../../errors.ts";
import { backUp, defaultBackupPath } from "../../maintenance/backup.ts";
import { checkDatabase } from "../../maintenance/database_check.ts";
import { resetDatabase, restoreDatabase } from "../../maintenance/replace.ts";
import { requireOurs, requireReplaceable } from "../../maintenance/require_ours.ts";
import { resolvePath } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { compactDatabase, measureDatabase } from "../../store/care.ts";
import { checkpoint, SCHEMA_VERSION } from "../../store/database.ts";
import { identifyDatabase, openToLook } from "../../store/identity.ts";
import { checkLines, databaseFrom } from "../check_text.ts";
import { confirmOrThrow, withProgress } from "../terminal.ts";
import type { CliContext } from "../context.ts";
import { withoutDraftsLeft } from "../drafts_on_signal.ts";
import { checksHere } from "../next_command.ts";
import { openStore, type Place, placeOf } from "../store.ts";
import { bytesText, tableText } from "../table.ts";
import type { View } from "../view.ts";

type NoFlags = Readonly<Record<never, never>>;

/** `conclaude db path` */
export async function databasePath(context: CliContext): Promise<View> {
  const { database, config } = await placeOf(context);
  return {
    json: {
      path: database,
      from: databaseFrom(context, config),
      exists: identifyDatabase(database).kind !== "missing",
    },
    text: plain(database),
  };
}

/** `conclaude db check` */
export async function check(context: CliContext): Promise<View> {
  const { database } = await placeOnDisk(context, "db check");
  const found = await withProgress(
    context,
    "Reading the whole database",
    () => checkDatabase(database),
  );
  const checks = checksHere(found, context.globals);
  const ok = checks.every(({ status }) => status !== "fail");
  return {
    json: { ok, path: database, checks },
    text: [plain(database), ...checkLines(checks, context.globals)].join("\n"),
    exitCode: ok ? 0 : 1,
  };
}

/** `conclaude db migrate` */
export async function migrateDatabase(context: CliContext): Promise<View> {
  const { database } = await placeOnDisk(context, "db migrate");
  const present = requireReplaceable("Cannot migrate", database);
  if (present.kind !== "missing" && present.kind !== "empty") {
    requireOurs("Cannot migrate", database);
  }
  const from = present.kind === "older" || present.kind === "ours" ? present.version : 0;
  const { db } = await openStore(context, "write");
  db.close();
  const applied = MIGRATIONS.filter(({ version }) => version > from).map(({ name }) => name);
  return {
    json: { path: database, from, to: SCHEMA_VERSION, applied },
    text: applied.length === 0
      ? `The schema is up to date: version ${SCHEMA_VERSION}`
      : `Migrated ${plain(database)} from version ${from} to ${SCHEMA_VERSION}: ${
        applied.join(", ")
      }`,
  };
}

/** `conclaude db backup [FILE]` */
export async function backup(context: CliContext, _flags: NoFlags, name?: string): Promise<View> {
  const { database } = await placeOnDisk(context, "db backup");
  const file = name === undefined
    ? defaultBackupPath(context.locations.dataFolder, Date.now())
    : resolvePath(name, { folder: context.cwd, home: context.locations.home ?? undefined });
  const { bytes } = await withProgress(
    context,
    "Copying the database and checking the copy",
    () => withoutDraftsLeft(() => backUp(database, file)),
  );
  return {
    json: { path: database, file, bytes },
    text: `Backed up ${plain(database)}\nto ${plain(file)} (${bytesText(bytes)}, checked)`,
  };
}

/** `conclaude db restore FILE` */
export async function restore(context: CliContext, _flags: NoFlags, name: string): Promise<View> {
  const { database } = await placeOnDisk(context, `db restore ${quoteWord(name)}`);
  const file = resolvePath(name, {
    folder: context.cwd,
    home: context.locations.home ?? undefined,
  });
  const { aside, schemaVersion } = await withProgress(
    context,
    "Checking the backup and copying it",
    () =>
      restoreDatabase(database, {
        file,
        dataFolder: context.locations.dataFolder,
        nowMs: Date.now(),
      }),
  );
  return {
    json: { path: database, file, aside, schemaVersion },
    text: [`Restored ${plain(database)}\nfrom ${plain(file)}`, ...asideLine(aside)].join("\n"),
  };
}

/** `conclaude db vacuum` */
export async function vacuum(context: CliContext): Promise<View> {
  const { database } = await placeOnDisk(context, "db vacuum");
  requireOurs("Cannot compact", database);
  const { db } = await openStore(context, "write");
  checkpoint(db, "TRUNCATE");
  const before = Deno.statSync(database).size;
  const done = await withProgress(context, "Compacting the database", () => compactDatabase(db));
  db.close();
  if (!done) {
    throw new UserError(`Cannot compact "${database}"`, {
      why: "it was made without auto_vacuum, and the runtime forbids VACUUM to this program",
      next: `sqlite3 ${quoteWord(database)} VACUUM`,
    });
  }
  const after = Deno.statSync(database).size;
  return {
    json: { path: database, bytesBefore: before, bytesAfter: after },
    text: `Compacted ${plain(database)}: ${bytesText(before)} before, ${bytesText(after)} now`,
  };
}

/** `conclaude db checkpoint` */
export async function checkpointDatabase(
  context: CliContext,
  flags: { readonly mode: "passive" | "full" | "restart" | "truncate" },
): Promise<View> {
  const { database } = await placeOnDisk(context, "db checkpoint");
  requireOurs("Cannot checkpoint", database);
  const { db } = await openStore(context, "write");
  const mode = flags.mode.toUpperCase() as Uppercase<typeof flags.mode>;
  const report = checkpoint(db, mode);
  db.close();
  if (report.busy) {
    throw new UserError(`Cannot move the whole log into "${database}"`, {
      why: `another process is using it: ${report.movedPages} of ${
        count(report.walPages, "page is", "pages are")
      } moved`,
      next: `conclaude db checkpoint --mode ${flags.mode}`,
    });
  }
  return {
    json: { path: database, mode: flags.mode, ...report },
    text: "The write-ahead log is in the database file",
  };
}

/** `conclaude db stats` */
export async function stats(context: CliContext): Promise<View> {
  const { database } = await placeOnDisk(context, "db stats");
  const schemaVersion = requireOurs("Cannot measure", database);
  const db = openToLook(database);
  try {
    const size = measureDatabase(db);
    const bytes = sizeOf(database);
    const walBytes = sizeOf(`${database}-wal`);
    const free = bytesText(size.freePages * size.pageBytes);
    return {
      json: { path: database, bytes, walBytes, schemaVersion, ...size },
      text: [
        `path      ${plain(database)}`,
        `schema    version ${schemaVersion}`,
        `file      ${bytesText(bytes)} (${count(size.pages, "page")} of ${size.pageBytes} B)`,
        `free      ${free} (${count(size.freePages, "page")})`,
        `log       ${bytesText(walBytes)}`,
        "",
        tableText(size.tables, [
          { title: "TABLE", value: (table) => table.name },
          { title: "ROWS", value: (table) => table.rows, align: "right" },
        ], { empty: "No tables.", color: context.globals.color }),
      ].join("\n"),
    };
  } finally {
    db.close();
  }
}

/** `conclaude db reset` */
export async function reset(context: CliContext, flags: { readonly yes: boolean }): Promise<View> {
  const { database, config } = await placeOnDisk(context, "db reset");
  const present = requireReplaceable("Cannot reset", database);
  if (present.kind !== "missing" && !flags.yes) {
    confirmOrThrow(context, {
      what: "reset the database",
      again: "conclaude db reset --yes",
      ask: `Set ${plain(database)} aside and begin a new one?`,
    });
  }
  const { aside, schemaVersion } = await resetDatabase(database, {
    nowMs: Date.now(),
    busyTimeoutMs: config.busyTimeoutMs,
  });
  return {
    json: { path: database, aside, schemaVersion },
    text: [`Made a new database: ${plain(database)}`, ...asideLine(aside)].join("\n"),
  };
}

/** @throws {UserError} When the database is switched off: there is no file to care for. */
async function placeOnDisk(context: CliContext, verb: string): Promise<Place> {
  const place = await placeOf(context);
  if (place.database !== ":memory:") return place;
  throw new UserError("Cannot work on the database", {
    why: context.globals.noDb
      ? "--no-db keeps everything in memory"
      : "the configuration has `database.enabled: false`",
    next: context.globals.noDb ? `conclaude ${verb}` : "conclaude config show",
  });
}

function asideLine(aside: string | null): string[] {
  return aside === null ? [] : [`The former one is ${plain(aside)}`];
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}
