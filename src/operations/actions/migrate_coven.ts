/** `conclaude migrate`: brings over what the older daemon, coven, has. */
import "../config_sections.ts";
import { plain } from "../../base/plain.ts";
import { configSchema } from "../../config/config_schema.ts";
import { readLayer } from "../../config/layer.ts";
import { type Plain, valueAt } from "../../config/yaml_tree.ts";
import {
  findCoven,
  type NotTaken,
  planCovenFiles,
  readCoven,
} from "../../upkeep/transfer/coven.ts";
import { UserError } from "../../base/errors.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isSameValue } from "../../base/likeness.ts";
import { takeRows } from "../../upkeep/transfer/import.ts";
import { compileRedactPatterns } from "../../secrets/redact.ts";
import { readTask, recordEvent, withoutBody, writeHistory } from "../../work/store.ts";
import { readImportMark, readOrigins, writeImportMark } from "../../upkeep/store.ts";
import {
  type ConfigEntry,
  planEntries,
  targetOf,
  writePlanned,
  writeTarget,
} from "../config_target.ts";
import { confirmOrThrow } from "../terminal.ts";
import { type CliContext, typedPath } from "../context.ts";
import { lookIntoStore, openKept, openKeptStore } from "../open_store.ts";
import type { View } from "../view.ts";

/** What `migrate` is called with. */
export interface MigrateFlags {
  readonly from?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly fresh: boolean;
}

const HEAD = " How the daemon works through tasks: `conclaude config schema` knows every key.";

/** `conclaude migrate` @throws {UserError} When there is nothing of the older daemon, or the answer is no. */
export async function migrate(context: CliContext, flags: MigrateFlags): Promise<View> {
  const start = flags.from === undefined ? context.cwd : typedPath(context, flags.from);
  const place = findCoven(start, flags.from !== undefined);
  if (place === null) {
    throw new UserError("There is nothing to bring over", {
      why: `"${start}" has no .coven${flags.from === undefined ? ", and no folder above it" : ""}`,
      next: "conclaude migrate --from DIR",
    });
  }
  if (flags.fresh) {
    const db = await openKept(context, "begin without the older state");
    writeImportMark(db, place.origin, "fresh");
    const text = `${place.folder} is left alone. It can still be brought over: conclaude migrate`;
    return { json: { fresh: true, folder: place.folder }, text };
  }
  const { here, mark } = await lookIntoStore(context, (db) => ({
    here: readOrigins(db, `${place.origin}:task:`),
    mark: readImportMark(db, place.origin),
  }));
  const repository = findRepository(lookUpwards(place.root))?.commonDir ?? null;
  const state = readCoven(place, { here, isFinished: mark === "imported", repository });
  const files = planCovenFiles(place);
  const config = planConfig(context, place.root, files.entries);
  const newTasks = state.rows.flatMap(({ columns, was }) =>
    was === undefined || was.isHere
      ? []
      : [{ ...was, becomes: columns["status"], key: columns["id"] }]
  );
  const notTaken = [...state.notTaken, ...files.notTaken, ...config.notTaken];
  const left = notTaken.map(({ name, why }) => `  ${name}: ${why}`);
  if (state.filesRead + files.filesRead === 0) {
    throw new UserError(`Nothing can be brought over from "${place.folder}"`, {
      why: `no file in it can be used; nothing was changed\n${left.join("\n")}`.trimEnd(),
      next: "conclaude migrate --from DIR",
    });
  }
  const changed = newTasks.filter(({ status, becomes }) => status !== becomes)
    .map(({ id, status, becomes }) => ({ id, from: status, to: becomes }));
  const plan = {
    from: place.folder,
    project: place.root,
    tasks: newTasks.length,
    files: [
      ...files.writes.map(({ to }) => to),
      ...config.file === null ? [] : [config.target.path],
    ],
    statuses: changed,
    config: { path: config.target.path, added: config.file?.added ?? [], kept: config.kept },
    notTaken,
  };
  const isSaid = config.file === null && config.kept.length > 0;
  const alreadyThere = { tasks: here.size, files: files.present + Number(isSaid) };
  const valueOf = (key: string) =>
    JSON.stringify(files.entries.find(({ name }) => name === key)!.value);
  const lines = [
    `From ${place.folder}, which stays as it is:`,
    `  tasks  ${plan.tasks} to bring over, ${alreadyThere.tasks} there already`,
    `  files  ${plan.files.length} to bring over, ${alreadyThere.files} there already`,
    ...plan.files.map((path) => `         ${path}`),
    ...plan.config.added.map((key) => `         ${config.target.path}: ${key}: ${valueOf(key)}`),
    ...changed.map(({ id, from, to }) => `  task ${id}: ${from} becomes ${to}`),
    ...config.kept.map((key) => `  ${key} stays as your configuration says it`),
    ...left.length === 0 ? [] : ["", "Not brought over:", ...left],
  ].map(plain);
  const view = (imported: { tasks: number; files: number }, last: string): View => ({
    json: { plan, imported, alreadyThere },
    text: [...lines, "", last].join("\n"),
  });
  if (flags.dryRun) return view({ tasks: 0, files: 0 }, "Nothing was written.");
  if (!flags.yes) {
    if (!context.globals.json) context.process.stdout.write(`${lines.join("\n")}\n\n`);
    const ask = { what: "bring the older state over", ask: "Bring this over?" };
    confirmOrThrow(context, { ...ask, again: "conclaude migrate --yes" });
  }
  const { db, place: kept } = await openKeptStore(context, "bring the older state over");
  const tasks = new Map(newTasks.map((task) => [task.key, task]));
  const rows = state.rows.map((row) => ({ ...row, line: 0, text: JSON.stringify(row.columns) }));
  const { imported } = takeRows(db, rows, {
    rules: compileRedactPatterns(kept.config.redactPatterns),
    dryRun: false,
    onNew: ({ type, columns }) => {
      const [key, task] = [String(columns["id"]), tasks.get(columns["id"])];
      if (type !== "task" || task === undefined) return;
      const [by, atMs] = ["migrate", Date.now()];
      const changes = [
        { field: "origin", old: null, new: task.id },
        { field: "status", old: task.status, new: String(task.becomes) },
        { field: "claimed_by", old: task.claimedBy, new: null },
      ];
      writeHistory(db, key, changes.filter((one) => one.old !== one.new), { by, atMs });
      const data = { task: withoutBody(readTask(db, key)!), by, origin: columns["origin"] };
      recordEvent(db, { type: "task.created", entityType: "task", entityId: key, data, atMs });
    },
  });
  for (const { to, text } of files.writes) writeTarget({ path: to, mode: 0o644 }, text);
  if (config.file !== null) writePlanned([config.file]);
  // Kept last, so that a run that was ended in the middle is begun again.
  writeImportMark(db, place.origin, "imported");
  const counts = { tasks: imported.tasks, files: plan.files.length };
  return view(counts, `Brought over: ${counts.tasks} tasks, ${counts.files} files.`);
}

/** What the project's configuration file gets: what it does not say yet, and what is no default. */
function planConfig(context: CliContext, root: string, entries: readonly ConfigEntry[]) {
  const usual = configSchema().schema.parse({});
  const notTaken: NotTaken[] = [];
  const wanted = entries.filter(({ name, path, value }) => {
    const layer = path.reduceRight<Plain>((inner, key) => ({ [key]: inner }), value);
    const read = readLayer({ layer: "project", path: "", text: JSON.stringify(layer) }).values;
    const why = isSameValue(valueAt(usual, path), value)
      ? "it is the default here"
      : isSameValue(valueAt(read, path), value)
      ? null
      : "its value is not allowed here";
    if (why !== null) notTaken.push({ name, why });
    return why === null;
  });
  const target = targetOf({ ...context, cwd: root }, "project");
  return { ...planEntries(target, wanted, { head: HEAD }), target, notTaken };
}
