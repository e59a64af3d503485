/** `conclaude migrate`: brings over what the older daemon, coven, has. */
import "../../config_sections.ts";
import type { DatabaseSync } from "node:sqlite";
import { plain } from "../../capture/plain.ts";
import { compileRedactPatterns } from "../../secrets/redact.ts";
import { readLayer } from "../../config/layer.ts";
import { isMapping, type Plain, readYaml } from "../../config/yaml_tree.ts";
import { configSchema } from "../../config/config_schema.ts";
import { type ConfigEntry, planCovenFiles, writeCopy } from "../../engine/coven_files.ts";
import {
  covenNamed,
  covenPid,
  type CovenPlace,
  findCoven,
  stateFiles,
  workOf,
} from "../../engine/coven_place.ts";
import { messageOf, UserError } from "../../errors.ts";
import { isSameValue } from "../../likeness.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { type ArrivingRow, takeRows } from "../../maintenance/import.ts";
import { writeAdvice } from "../../maintenance/write_advice.ts";
import type { NotTaken } from "../../engine/coven_fields.ts";
import { type NewTask, readCoven } from "../../engine/coven_tasks.ts";
import { lookAtProcesses } from "../../process/identity.ts";
import { recordEvent } from "../../store/events.ts";
import { readImportMark, readOrigins, writeImportMark } from "../../store/import_marks.ts";
import { withoutBody, writeHistory } from "../../store/task_changes.ts";
import { readTask } from "../../store/tasks.ts";
import { documentOf, targetOf, withEntries, writeTarget } from "../config_target.ts";
import { confirmOrThrow } from "../terminal.ts";
import { type CliContext, typedPath } from "../context.ts";
import { hintsHere } from "../next_command.ts";
import { lookIntoStore, openKept, openKeptStore } from "../store.ts";
import { usageError } from "../usage.ts";
import type { View } from "../view.ts";

/** What `migrate` is called with. */
export interface MigrateFlags {
  readonly from?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly fresh: boolean;
}

type Counts = Readonly<Record<"tasks" | "files", number>>;
const NOTHING: Counts = { tasks: 0, files: 0 };

/** Who is named in histories and events. */
const MIGRATE = "migrate";
/** So many ids are named in the text; a program gets all of them. */
const MAX_NAMED = 10;
const HEAD = " How the daemon works through tasks: `conclaude config schema` knows every key.";
/** Why a status does not stay. */
const WHY: Readonly<Record<string, string>> = {
  "in_progress open": "nobody here has claimed it",
  "in_progress blocked": "its worktree is still there, so that nobody begins anew",
  "pending_merge blocked": "its merge was not finished",
};

type Plan = Awaited<ReturnType<typeof planAll>>;

/** `conclaude migrate` */
export async function migrate(context: CliContext, flags: MigrateFlags): Promise<View> {
  const place = placeOf(context, flags);
  if (flags.fresh) return await beginFresh(context, place, flags);
  const plan = await planAll(context, place);
  if (plan.filesRead === 0) {
    throw new UserError(`Nothing can be brought over from "${place.folder}"`, {
      why: plan.notTaken.length === 0
        ? "there is no file of the older daemon in it; nothing was changed"
        : `${linesOf(plan.notTaken).join("; ")}; nothing was changed`,
      next: "conclaude migrate --from DIR",
    });
  }
  const { process, globals, environment } = context;
  const canAsk = !globals.json && environment.isTerminal("stdin") &&
    environment.isTerminal("stdout");
  const text = planText(plan);
  const unwritten = (last: string, exitCode: 0 | 1): View => ({
    json: {
      plan: planJson(plan),
      imported: NOTHING,
      alreadyThere: plan.present,
      ...exitCode === 0 ? {} : { needs: "--yes" },
    },
    text: `${text}\n\n${last}`,
    exitCode,
  });
  if (!flags.yes && plan.isDone) return unwritten("Nothing is left to do.", 0);
  if (flags.dryRun) return unwritten("Nothing was written.", 0);
  if (!flags.yes && !canAsk) {
    const last = "give the command again with --yes, or with --dry-run only to look.";
    return unwritten(`Nothing was written: ${last}`, 1);
  }
  if (!globals.json) process.stdout.write(`${text}\n\n`);
  if (!flags.yes) {
    confirmOrThrow(context, {
      what: "bring the older state over",
      ask: "Bring this over?",
      again: "conclaude migrate --yes",
    });
  }
  const imported = await carryOut(context, plan);
  const tell = (counts: Counts) =>
    Object.entries(counts).map(([name, n]) => `${n} ${name}`).join(", ");
  return {
    json: { plan: planJson(plan), imported, alreadyThere: plan.present },
    text: [
      `Brought over: ${tell(imported)}.`,
      `There already: ${tell(plan.present)}.`,
      `${plain(place.folder)} is as it was.`,
    ].join("\n"),
  };
}

/** @throws {UserError} When there is nothing of the older daemon. */
function placeOf(context: CliContext, { from }: Pick<MigrateFlags, "from">): CovenPlace {
  const { cwd } = context;
  const named = from === undefined ? null : typedPath(context, from);
  const place = named === null ? findCoven(cwd) : covenNamed(named);
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
  place: CovenPlace,
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
async function planAll(context: CliContext, place: CovenPlace) {
  const files = planCovenFiles(place);
  const { here, mark } = await lookIntoStore(context, (db) => ({
    here: readOrigins(db, `${place.origin}:task:`),
    mark: readImportMark(db, place.origin),
  }));
  const state = readCoven({
    files: stateFiles(place.folder),
    origin: `${place.origin}:task:`,
    here,
    isFinished: mark === "imported",
    home: {
      project_dir: place.root,
      repository: findRepository(lookUpwards(place.root))?.commonDir ?? null,
    },
    workOf: (taskId, worktree) => workOf(place, taskId, worktree),
    nowMs: Date.now(),
  });
  const config = planConfig(context, place.root, files.entries);
  const pid = covenPid(place);
  const isAlive = pid !== null && (await lookAtProcesses([pid])).get(pid)?.alive === true;
  const isChanged = config.text !== null;
  const fresh: Counts = {
    tasks: state.newTasks.size,
    files: files.writes.length + (isChanged ? 1 : 0),
  };
  const present: Counts = {
    tasks: state.here,
    files: files.present.length + (!isChanged && config.kept.length > 0 ? 1 : 0),
  };
  return {
    place,
    files,
    state,
    config,
    fresh,
    present,
    isDone: mark === "imported" && Object.values(fresh).every((n) => n === 0),
    notTaken: [...state.notTaken, ...files.notTaken, ...config.notTaken],
    notes: [...state.notes, ...files.notes],
    filesRead: state.filesRead + files.filesRead,
    livePid: isAlive ? pid : null,
  };
}

/** What the project's configuration file gets: what it does not say yet, and what is no default. */
function planConfig(context: CliContext, root: string, entries: readonly ConfigEntry[]) {
  const target = targetOf({ ...context, cwd: root }, "project");
  const [present, usual] = [readYaml(target.text).root ?? {}, configSchema().schema.parse({})];
  const notTaken: NotTaken[] = [];
  const kept: string[] = [];
  const added = entries.filter(({ path, value }) => {
    const name = path.join(".");
    const isKept = valueAt(present, path) !== undefined;
    const why = isSameValue(valueAt(usual, path), value)
      ? "it is the default here"
      : isSameValue(valueAt(valuesRead(path, value), path), value)
      ? null
      : "its value is not allowed here";
    if (isKept) kept.push(name);
    else if (why !== null) notTaken.push({ name, why });
    return !isKept && why === null;
  });
  const text = added.length === 0
    ? null
    : withEntries(target, documentOf(target), { added, head: HEAD });
  return { target, text, added, kept, notTaken };
}

/** What our configuration makes of one value. */
function valuesRead(path: readonly string[], value: Plain): unknown {
  const text = JSON.stringify(path.reduceRight<Plain>((inner, key) => ({ [key]: inner }), value));
  return readLayer({ layer: "project", path: "", text }).values;
}

function valueAt(values: unknown, path: readonly string[]): Plain | undefined {
  return path.reduce<unknown>(
    (at, key) => isMapping(at as Plain) ? (at as Record<string, unknown>)[key] : undefined,
    values,
  ) as Plain | undefined;
}

/** Rows first, then files; that it was carried out is kept last, so that what was ended in the middle is begun again. */
async function carryOut(context: CliContext, { place, state, files, config, fresh }: Plan) {
  const { db, place: { config: { redactPatterns } } } = await openKeptStore(
    context,
    "bring the older state over",
  );
  const rows = state.rows.map((row) => ({ ...row, line: 0, text: JSON.stringify(row.columns) }));
  const { imported } = takeRows(db, rows, {
    rules: compileRedactPatterns(redactPatterns),
    dryRun: false,
    onNew: (row) => tellNew(db, row, state.newTasks),
  });
  for (const file of files.writes) {
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
  writeImportMark(db, place.origin, "imported");
  return { tasks: imported.tasks, files: fresh.files };
}

/** Writes the event that a task is here, and what is different from how it was there. */
function tellNew(
  db: DatabaseSync,
  { type, columns }: ArrivingRow,
  newTasks: ReadonlyMap<string, NewTask>,
): void {
  const entityId = String(columns["id"]);
  const task = newTasks.get(entityId);
  if (type !== "task" || task === undefined) return;
  const [by, atMs] = [MIGRATE, Date.now()];
  const changes = [
    { field: "origin", old: null, new: task.id },
    { field: "status", old: task.was, new: task.status },
    { field: "claimed_by", old: task.claimedBy, new: null },
  ].filter((change) => change.old !== change.new);
  writeHistory(db, entityId, changes, { by, atMs });
  const data = { task: withoutBody(readTask(db, entityId)!), by, origin: columns["origin"] };
  recordEvent(db, { type: "task.created", entityType: "task", entityId, data, atMs });
}

/** Tasks that change their status, by the one that it was and the one that it becomes. */
function statusesOf({ state }: Plan) {
  const changed = [...state.newTasks.values()]
    .filter(({ was, status, isDeleted }) => was !== status && !isDeleted);
  return [...Map.groupBy(changed, ({ was, status }) => `${was} ${status}`)].map(([key, group]) => ({
    from: group[0]!.was,
    to: group[0]!.status,
    why: WHY[key] ?? "",
    tasks: group.map(({ id }) => id),
  }));
}

/** The plan for programs. */
function planJson(plan: Plan) {
  const { place, files, config, notTaken, notes, livePid } = plan;
  return {
    from: place.folder,
    project: place.root,
    ...plan.fresh,
    files: [
      ...files.writes.map(({ from, to }) => ({ from, to })),
      ...config.text === null
        ? []
        : [{ to: config.target.path, added: config.added.map(({ path }) => path.join(".")) }],
    ],
    statuses: statusesOf(plan),
    config: { path: config.target.path, kept: config.kept },
    notTaken,
    notes,
    ...livePid === null ? {} : { olderDaemon: livePid },
  };
}

/** The plan for people. */
function planText(plan: Plan): string {
  const { place, files, config, fresh, present, livePid } = plan;
  const isNewConfig = config.text !== null && config.target.isNew;
  return [
    `From ${place.folder}, which stays as it is:`,
    ...(Object.keys(fresh) as (keyof Counts)[]).map((name) => {
      const there = present[name] === 0 ? "" : `, ${present[name]} there already`;
      return `  ${name.padEnd(10)} ${fresh[name]} to bring over${there}`;
    }),
    ...section("Files:", [
      ...files.writes.map(({ to }) => to),
      ...config.added.map(({ path, value }) =>
        `${config.target.path}: ${path.join(".")}: ${JSON.stringify(value)}`
      ),
    ]),
    ...section(
      "Tasks that change their status:",
      statusesOf(plan).map(({ from, to, why, tasks }) => {
        const more = tasks.length > MAX_NAMED ? ` and ${tasks.length - MAX_NAMED} more` : "";
        return `${from} becomes ${to} (${why}): ${tasks.slice(0, MAX_NAMED).join(", ")}${more}`;
      }),
    ),
    ...section(
      isNewConfig
        ? "With its first configuration file the project has conclaude's guards too: `conclaude guard list`."
        : "",
      [],
    ),
    ...section("Stays as your configuration says it:", config.kept),
    ...section("To know:", plan.notes),
    ...section("Not brought over:", linesOf(plan.notTaken)),
    ...section(
      livePid === null
        ? ""
        : `The older daemon still runs (process ${livePid}): stop it first, or it goes on writing.`,
      [],
    ),
  ].map(plain).join("\n");
}

function linesOf(notTaken: readonly NotTaken[]): string[] {
  return notTaken.map(({ name, why }) => `${name}: ${why}`);
}

/** A title with rows below it; nothing where there is neither a row nor a sentence. */
function section(title: string, rows: readonly string[]): string[] {
  const isShown = rows.length > 0 || /[.`]$/.test(title);
  return isShown ? ["", title, ...rows.map((row) => `  ${row}`)] : [];
}
