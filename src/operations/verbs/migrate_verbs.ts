/** `conclaude migrate`: imports tasks, files and configuration of the older daemon, coven. */
import "../config_sections.ts";
import { UserError } from "../../base/errors.ts";
import { readMeta, writeMeta } from "../../db/statement.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { CovenPlan, findCoven, planCovenFiles, planCovenTasks } from "../../work/coven.ts";
import { type ArrivingRow, takeRows } from "../../upkeep/transfer/import.ts";
import { readOrigins, readTask, recordTaskEvent, writeHistory } from "../../work/store.ts";
import { planEntries } from "../../config/config_edit.ts";
import { targetOf, writePlanned, writeTarget } from "../config_target.ts";
import { typedPath } from "../context.ts";
import { lookIntoStore, openStore } from "../open_store.ts";
import { notTakenLines, takeOver } from "../take_over.ts";
import { confirmOrThrow } from "../terminal.ts";
import { optional, parsed, SHARED, toggle } from "../flags.ts";
import { verb, type View } from "../verb.ts";

const HEAD = " How the daemon works through tasks: `conclaude config schema` knows every key.";

export const migrate = verb({
  flags: {
    from: optional(
      parsed(String, "The project, or its `.coven`, instead of the nearest one upwards", "dir"),
    ),
    dryRun: toggle("Only say what would be brought over"),
    yes: SHARED.yes,
    fresh: toggle("Bring nothing over, and be told of it no more"),
  },
  async run(context, flags) {
    const nothing = (why: string) =>
      new UserError("There is nothing to bring over", {
        why,
        next: "conclaude migrate --from DIR",
      });
    const start = flags.from === undefined ? context.cwd : typedPath(context, flags.from);
    const place = findCoven(start);
    if (place === null) throw nothing(`"${start}" has no .coven, and no folder above it`);
    if (flags.fresh) {
      const { db } = await openStore(context, "write", "begin without the older state");
      writeMeta(db, place.mark, "fresh");
      const text = `${place.folder} is left alone. It can still be brought over: conclaude migrate`;
      return { json: { fresh: true, folder: place.folder }, text };
    }
    const before = await lookIntoStore(context, (db) => ({
      here: readOrigins(db, place.origin),
      isFinished: readMeta(db, place.mark) === "imported",
    }));
    const repository = findRepository(lookUpwards(place.root))?.commonDir ?? null;
    const found = new CovenPlan();
    planCovenTasks(place, found, { ...before, repository });
    planCovenFiles(place, found);
    const target = targetOf({ ...context, cwd: place.root }, "project");
    const { file, kept } = planEntries(target, found.entries, { head: HEAD });
    const added = file?.added ?? [];
    const left = notTakenLines("Not brought over, or not as it was:", found.notTaken);
    if (found.filesRead === 0) throw nothing(["none of its files can be used", ...left].join("\n"));
    const plan = {
      from: place.folder,
      project: place.root,
      tasks: found.tasks.length,
      files: [...found.writes.map(({ to }) => to), ...file === null ? [] : [target.path]],
      config: { path: target.path, added, kept },
      notTaken: found.notTaken,
    };
    const isConfigured = file === null && kept.length > 0;
    const alreadyThere = { tasks: before.here.size, files: found.present + Number(isConfigured) };
    const lines = [
      `From ${place.folder}, which stays as it is:`,
      `  tasks  ${plan.tasks} to bring over, ${alreadyThere.tasks} there already`,
      `  files  ${plan.files.length} to bring over, ${alreadyThere.files} there already`,
      ...plan.files.map((path) => `         ${path}`),
      ...found.entries.filter(({ name }) => added.includes(name))
        .map(({ name, value }) => `         ${name}: ${JSON.stringify(value)}`),
      ...kept.map((key) => `  ${key} stays as your configuration says it`),
      ...left,
    ];
    const view = (imported: { tasks: number; files: number }, last: string): View => ({
      json: { plan, imported, alreadyThere },
      text: [...lines, "", last],
    });
    if (flags.dryRun) return view({ tasks: 0, files: 0 }, "Nothing was written.");
    if (!flags.yes) {
      confirmOrThrow(context, {
        what: "bring the older state over",
        shows: [...lines, ""],
        ask: "Bring this over?",
        again: "conclaude migrate --yes",
      });
    }
    const tasks = new Map(found.tasks.map((task) => [task.row["id"], task]));
    const rows = [...found.tasks.map(({ row }) => ({ type: "task", columns: row })), ...found.parts]
      .map((row) => ({ ...row, line: 0, text: JSON.stringify(row.columns) }));
    const counts = await takeOver(context, { dryRun: false }, (db, options) => {
      const onNew = ({ type, columns }: ArrivingRow) => {
        if (type !== "task") return;
        const { changes } = tasks.get(columns["id"]!)!;
        const [key, author] = [String(columns["id"]), { by: "migrate", atMs: Date.now() }];
        writeHistory(db, key, changes, author);
        const { origin } = columns;
        recordTaskEvent(db, "task.created", readTask(db, key)!, { ...author, origin });
      };
      const { imported } = takeRows(db, rows, { ...options, onNew });
      for (const { to, text } of found.writes) writeTarget({ path: to, mode: 0o644 }, text);
      if (file !== null) writePlanned([file]);
      // The mark is written last, so that the next run repeats one that was stopped.
      writeMeta(db, place.mark, "imported");
      return { tasks: imported.tasks, files: plan.files.length };
    });
    return view(counts, `Brought over: ${counts.tasks} tasks, ${counts.files} files.`);
  },
});
