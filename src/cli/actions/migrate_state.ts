/** `conclaude migrate`: brings over what the older daemon has. */
import { lookAtProcesses } from "../../process/identity.ts";
import { messageOf, UserError } from "../../errors.ts";
import { writeCopy } from "../../engine/migration/copied_files.ts";
import { type ImportReport, importRows } from "../../engine/migration/import.ts";
import {
  findOldPlace,
  oldDaemonPid,
  type OldPlace,
  oldPlaceIn,
} from "../../engine/migration/old_files.ts";
import { lookForPresent, planMigration } from "../../engine/migration/plan.ts";
import { writeAdvice } from "../../maintenance/write_advice.ts";
import { writeImportMark } from "../../store/import_marks.ts";
import { writeTarget } from "../config_target.ts";
import { confirmOrThrow } from "../confirm.ts";
import { type CliContext, typedPath } from "../context.ts";
import { hintsHere } from "../next_command.ts";
import { lookIntoStore, openKept, openKeptStore } from "../store.ts";
import { maskerOf } from "../task_text.ts";
import { usageError } from "../usage.ts";
import type { View } from "../view.ts";
import { planConfig } from "./migrate_config.ts";
import {
  countOfFiles,
  isDone,
  type Migration,
  NOTHING,
  planJson,
  planText,
  type Report,
  reportText,
  skippedLines,
} from "./migrate_text.ts";

/** What `migrate` is called with. */
export interface MigrateFlags {
  readonly from?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly fresh: boolean;
}

/** `conclaude migrate` */
export async function migrate(context: CliContext, flags: MigrateFlags): Promise<View> {
  const place = placeOf(context, flags);
  if (flags.fresh) return await beginFresh(context, place, flags);
  const migration = await planAll(context, place);
  const { plan } = migration;
  if (plan.filesRead === 0) {
    const [first] = plan.skipped;
    throw new UserError(`Nothing can be brought over from "${place.folder}"`, {
      why: first === undefined
        ? "there is no file of the older daemon in it; nothing was changed"
        : `${skippedLines(plan).join("; ")}; nothing was changed`,
      next: "conclaude migrate --from DIR",
    });
  }
  if (flags.dryRun) return unwritten(migration, { exitCode: 0 });
  const { process, globals, environment } = context;
  const canAsk = !globals.json && environment.isTerminal("stdin") &&
    environment.isTerminal("stdout");
  if (!flags.yes && isDone(migration)) return unwritten(migration, { exitCode: 0 });
  if (!flags.yes && !canAsk) return unwritten(migration, { exitCode: 1 });
  if (!globals.json) process.stdout.write(`${planText(migration)}\n\n`);
  if (!flags.yes) {
    confirmOrThrow(context, {
      what: "bring the older state over",
      ask: "Bring this over?",
      again: "conclaude migrate --yes",
    });
  }
  const report = await carryOut(context, migration);
  for (const line of skippedLines(plan)) process.stderr.write(`skipped: ${line}\n`);
  return {
    json: { plan: planJson(migration), ...report, skipped: plan.skipped },
    text: reportText(migration, report),
  };
}

/** @throws {UserError} When there is nothing of the older daemon. */
function placeOf(
  context: CliContext,
  { from }: Pick<MigrateFlags, "from">,
): OldPlace {
  const { cwd } = context;
  const named = from === undefined ? null : typedPath(context, from);
  const place = named === null ? findOldPlace(cwd) : oldPlaceIn(named);
  if (place !== null) return place;
  throw new UserError("There is nothing to bring over", {
    why: named === null
      ? `neither "${cwd}" nor a folder above it has a .coven`
      : `"${named}" is no .coven, and has none`,
    next: "conclaude migrate --from DIR",
  });
}

/** `--fresh` */
async function beginFresh(
  context: CliContext,
  place: OldPlace,
  { dryRun }: MigrateFlags,
): Promise<View> {
  if (dryRun) {
    throw usageError("Cannot begin fresh and only look", {
      why: "`--fresh` brings nothing over, so there is nothing to show",
      next: "conclaude migrate --dry-run",
    });
  }
  const db = await openKept(context, "begin without the older state");
  writeImportMark(db, place.origin, "fresh");
  return {
    json: { fresh: true, folder: place.folder },
    text: `${place.folder} is left alone, and you are told of it no more.\n` +
      hintsHere("It can still be brought over: `conclaude migrate`.", context.globals),
  };
}

/** Reads and plans; nothing is written. */
async function planAll(context: CliContext, place: OldPlace): Promise<Migration> {
  const plan = planMigration(place);
  const config = planConfig(context, { root: place.root, entries: plan.files.entries });
  const present = await lookIntoStore(context, (db) => lookForPresent(db, plan));
  const pid = oldDaemonPid(place);
  const isAlive = pid !== null && (await lookAtProcesses([pid])).get(pid)?.alive === true;
  return { plan, config, present, livePid: isAlive ? pid : null };
}

/** What is told when nothing was written: 0 when that was wanted, 1 when a yes is missing. */
function unwritten(migration: Migration, { exitCode }: { readonly exitCode: 0 | 1 }): View {
  const { isFinished: _isFinished, isThere: _isThere, ...there } = migration.present;
  const last = isDone(migration)
    ? "Nothing is left to do."
    : exitCode === 0
    ? "Nothing was written."
    : "Nothing was written: give the command again with --yes, or with --dry-run only to look.";
  return {
    json: {
      plan: planJson(migration),
      imported: NOTHING,
      alreadyThere: { ...there, files: countOfFiles(migration).present },
      skipped: migration.plan.skipped,
      ...exitCode === 0 ? {} : { needs: "--yes" },
    },
    text: `${planText(migration)}\n\n${last}`,
    exitCode,
  };
}

/** Rows first, then files; that it was carried out is kept last, so that what was ended in the middle is begun again. */
async function carryOut(context: CliContext, { plan, config }: Migration): Promise<Report> {
  const { db, place } = await openKeptStore(context, "bring the older state over");
  const mask = await maskerOf(place.config);
  const rows: ImportReport = importRows(db, plan, { mask, nowMs: Date.now() });
  const { writes, present } = plan.files;
  for (const file of writes) {
    try {
      writeCopy(file);
    } catch (thrown) {
      throw new UserError(`Cannot write "${file.to}"`, {
        why: `${messageOf(thrown)}; what was brought over before it stays`,
        next: writeAdvice(file.to, thrown),
        cause: thrown,
      });
    }
  }
  if (config.text !== null) writeTarget(config.target, config.text);
  writeImportMark(db, plan.place.origin, "imported");
  const hasKept = config.text === null && config.kept.length > 0;
  return {
    imported: { ...rows.imported, files: writes.length + (config.text === null ? 0 : 1) },
    alreadyThere: { ...rows.alreadyThere, files: present.length + (hasKept ? 1 : 0) },
    notes: rows.notes,
  };
}
