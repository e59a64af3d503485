import { count, sumOf } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import type { DatabaseSync } from "node:sqlite";
import { sessionTitle, tellingId } from "../../db/sessions.ts";
import { observationLine } from "../../memory/search/observation_view.ts";
import { readObservations } from "../../memory/store.ts";
import { readTask, readWorkflow } from "../../work/store.ts";
import {
  firstToGo,
  keptByDaemon,
  keptByHooks,
  NOTHING,
  previewRetention,
  type RetentionCounts,
  type RetentionOptions,
  retentionSteps,
} from "../../upkeep/care/retention.ts";
import { workCaptures } from "../capture_work.ts";
import { configHere } from "../context.ts";
import { hearSignals } from "../drafts_on_signal.ts";
import { SHARED, toggle } from "../flags.ts";
import { nameOf } from "../task_view.ts";
import { askAtTerminal, isAtTerminal, listFirst, NAMED_ROWS, progressLine } from "../terminal.ts";
import { workflowName } from "../workflow_view.ts";
import { openStore } from "../open_store.ts";
import { group, verb } from "../verb.ts";

const run = verb({
  flags: { dryRun: toggle("Say what would be removed, and remove nothing"), yes: SHARED.yes },
  async run(context, { dryRun, yes }) {
    const { db, place } = await openStore(context, dryRun ? "read" : "write");
    const { config, database } = place;
    const { config: { store }, hook: { unreadable } } = await configHere(context);
    if (unreadable !== "") {
      const why = `${unreadable}; nothing was removed`;
      const next = "conclaude config validate";
      throw new UserError("Cannot tell what is to be kept", { why, next });
    }
    const { memoryEnabled, memoryRetentionDays, sessionRetentionDays: retentionDays } = config;
    using progress = progressLine(context);
    // Captures must be in memory before they are removed.
    if (!dryRun && memoryEnabled) await workCaptures(context, { db, place, progress });
    const ofHooks = keptByHooks(config);
    const options: RetentionOptions = {
      nowMs: Date.now(),
      database,
      kept: { ...ofHooks, orphans: ofHooks.sessions ?? 0, ...keptByDaemon(store) },
      captures: memoryEnabled ? "worked" : "all",
      batchRows: config.retentionBatchRows,
    };
    const isAsked = !dryRun && !yes && isAtTerminal(context);
    const preview = dryRun || isAsked ? previewRetention(db, options) : NOTHING;
    const lines = dryRun || isAsked ? namesOf(db, options, preview) : [];
    if (isAsked && sumOf(preview) > 0) {
      progress.end();
      askAtTerminal(context, {
        what: "remove what is older than the retention time",
        shows: lines,
        ask: `Remove ${countsText(preview, KINDS.filter((kind) => preview[kind] > 0))}?`,
      });
    }
    let removed: RetentionCounts = dryRun ? preview : NOTHING;
    if (!dryRun) {
      for (removed of retentionSteps(db, options)) {
        const of = isAsked && { of: sumOf(preview) };
        progress.tell("Removing rows", { done: sumOf(removed), ...of });
        await hearSignals();
      }
    }
    const [has, deleted] = dryRun ? ["Would remove", "would delete"] : ["Removed", "deleted"];
    const textOf = (kinds: readonly [Kind, ...Kind[]], days: number, key: string) =>
      days === 0
        ? `No ${NOUNS[kinds[0]]} is removed, since ${key} is 0.`
        : `${has} ${countsText(removed, kinds)} (kept: ${count(days, "day")}).`;
    const text = [
      textOf(OF_SESSIONS, retentionDays, "store.sessionRetentionDays"),
      textOf(OF_MEMORY, memoryRetentionDays, "memory.retentionDays"),
      `${has} ${countsText(removed, OF_TASKS)} for good; ${deleted} ` +
      `${count(removed.deletedTasks, "closed task")}, which can be restored.`,
      ...dryRun ? lines : [],
    ].join("\n");
    return { json: { dryRun, removed, retentionDays }, text };
  },
});

export const retention = group({ run });

type Kind = keyof RetentionCounts;

const NOUNS: Readonly<Record<Kind, string>> = {
  sessions: "session",
  executions: "audit row",
  captures: "capture",
  counters: "counter",
  observations: "observation",
  tokenUse: "token count",
  tasks: "task",
  agents: "agent",
  questions: "question",
  workflows: "workflow",
  events: "event",
  folders: "output folder",
  deletedTasks: "closed task",
};

const KINDS = Object.keys(NOUNS) as Kind[];
const OF_SESSIONS = ["sessions", "executions", "captures", "counters"] as const;
const OF_MEMORY = ["observations", "tokenUse"] as const;
const OF_TASKS = ["tasks", "agents", "questions", "workflows", "events", "folders"] as const;

function countsText(counts: RetentionCounts, kinds: readonly Kind[]): string {
  return kinds.map((kind) => count(counts[kind], NOUNS[kind])).join(", ");
}

const taskLine = (db: DatabaseSync, id: string) => nameOf(readTask(db, id)!);

const LINES: Readonly<Partial<Record<Kind, (db: DatabaseSync, id: string) => string>>> = {
  sessions: (db, id) => `${tellingId(db, id)}  ${sessionTitle(db, id) ?? ""}`,
  observations: (db, id) => observationLine(readObservations(db, [Number(id)])[0]!, Date.now()),
  workflows: (db, id) => workflowName(readWorkflow(db, id)!),
  tasks: taskLine,
  deletedTasks: taskLine,
};

function namesOf(db: DatabaseSync, options: RetentionOptions, all: RetentionCounts): string[] {
  const first = firstToGo(db, { ...options, limit: NAMED_ROWS });
  return (Object.keys(LINES) as Kind[]).flatMap((kind) => {
    const ids = first[kind] ?? [];
    const linesOf = (some: readonly string[]) => some.map((id) => LINES[kind]!(db, id));
    const lines = listFirst(ids, linesOf, all[kind]);
    return ids.length === 0 ? [] : [`${countsText(all, [kind])}:`, ...lines];
  });
}
