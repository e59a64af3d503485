import "../config_sections.ts";
import { readConfigFiles } from "../../config/discover.ts";
import { parseConfig } from "../../config/parse.ts";
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { lookUpwards } from "../../system/git/repository.ts";
import {
  keptByDaemon,
  keptByHooks,
  NOTHING,
  previewRetention,
  type RetentionCounts,
  type RetentionOptions,
  retentionSteps,
} from "../../upkeep/care/retention.ts";
import { workCaptures } from "../capture_work.ts";
import { toggle } from "../flags.ts";
import { progressLine } from "../terminal.ts";
import { openStore } from "../open_store.ts";
import { group, verb } from "../verb.ts";

const run = verb({
  flags: { dryRun: toggle("Say what would be removed, and remove nothing") },
  brief: "Remove what is older than the retention time",
  about:
    "Removes what is older than the keys of `store` and `memory` that end in RetentionDays, RetentionHours or " +
    "SoftDeleteDays say (0 keeps everything): ended sessions with their audit trail, captures and counters; " +
    "observations; closed tasks; workflows; events. What runs or waits for a person stays. The daemon does this hourly.",
  examples: ["conclaude retention run --dry-run", "conclaude retention run --json"],
  async run(context, { dryRun }) {
    const { db, place } = await openStore(context, dryRun ? "read" : "write");
    const { config, database } = place;
    const { config: { store }, hook: { unreadable } } = parseConfig(
      readConfigFiles(lookUpwards(context.cwd), context.locations),
    );
    if (unreadable !== "") {
      throw new UserError("Cannot tell what is to be kept", {
        why: `${unreadable}; nothing was removed`,
        next: "conclaude config validate",
      });
    }
    const { memoryEnabled, memoryRetentionDays, sessionRetentionDays: retentionDays } = config;
    const progress = progressLine(context);
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
    let removed: RetentionCounts = dryRun ? previewRetention(db, options) : NOTHING;
    if (!dryRun) {
      for (removed of retentionSteps(db, options)) {
        progress.tell(`removed ${countsText(removed, { ...OF_SESSIONS, ...OF_MEMORY })} …`);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
    progress.end();
    const [has, deleted] = dryRun ? ["Would remove", "would delete"] : ["Removed", "deleted"];
    const told = (nouns: Nouns, days: number, key: string) =>
      days === 0
        ? `No ${Object.values(nouns)[0]} is removed, since ${key} is 0.`
        : `${has} ${countsText(removed, nouns)} (kept: ${count(days, "day")}).`;
    const texts = [
      told(OF_SESSIONS, retentionDays, "store.sessionRetentionDays"),
      told(OF_MEMORY, memoryRetentionDays, "memory.retentionDays"),
      `${has} ${countsText(removed, OF_TASKS)} for good; ${deleted} ` +
      `${count(removed.deletedTasks, "closed task")}, which can be restored.`,
    ];
    return { json: { dryRun, removed, retentionDays }, text: texts.join("\n") };
  },
});

export const retention = group({ verbs: { run }, examples: ["conclaude retention run --dry-run"] });

type Nouns = { readonly [Name in keyof RetentionCounts]?: string };

const OF_SESSIONS: Nouns = {
  sessions: "session",
  executions: "audit row",
  captures: "capture",
  counters: "counter",
};
const OF_MEMORY: Nouns = { observations: "observation" };
const OF_TASKS: Nouns = {
  tasks: "task",
  agents: "agent",
  questions: "question",
  workflows: "workflow",
  events: "event",
  folders: "output folder",
};

function countsText(counts: RetentionCounts, nouns: Nouns): string {
  return Object.entries(nouns)
    .map(([name, noun]) => count(counts[name as keyof RetentionCounts], noun)).join(", ");
}
