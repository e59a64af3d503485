import "../../config_sections.ts";
import { readConfigFiles } from "../../config/discover.ts";
import { parseConfig } from "../../config/parse.ts";
import { count } from "../../counts.ts";
import { UserError } from "../../errors.ts";
import { lookUpwards } from "../../git/repository.ts";
import { previewMemoryRetention, removeOldMemory } from "../../maintenance/memory_retention.ts";
import {
  type OrchestrationCounts,
  previewOrchestrationRetention,
  runOrchestrationRetention,
} from "../../maintenance/orchestration_retention.ts";
import { previewRetention, runRetention } from "../../maintenance/retention.ts";
import { drainAlone } from "../../recall/drain_lock.ts";
import type { RowCounts } from "../../store/retention.ts";
import { toggle } from "../flags.ts";
import { progressLine } from "../terminal.ts";
import { openStore } from "../store.ts";
import { group, verb } from "../verb.ts";

const run = verb({
  flags: { dryRun: toggle("Say what would be removed, and remove nothing") },
  brief: "Remove what is older than the retention time",
  about: [
    "Removes sessions that ended longer ago than store.sessionRetentionDays (30; 0 keeps everything), with their",
    "audit trail, captures and counters, and older rows that belong to no session. Active sessions stay.",
    "Closed tasks are deleted after store.taskRetentionDays, and removed for good, with their agents and output,",
    "store.taskSoftDeleteDays later; workflows go store.workflowRetentionDays after their end, events after",
    "store.eventRetentionHours. What runs, or waits for a person, stays. The daemon does the same every hour.",
    "It may be stopped at any time; SessionEnd does a little of the same.",
  ].join("\n"),
  examples: ["conclaude retention run --dry-run", "conclaude retention run --json"],
  async run(context, { dryRun }) {
    const { db, place: { config, database } } = await openStore(context, dryRun ? "read" : "write");
    const { config: { store }, hook: { unreadable } } = parseConfig(
      readConfigFiles(lookUpwards(context.cwd), context.locations),
    );
    if (unreadable !== "") {
      throw new UserError("Cannot tell what is to be kept", {
        why: `${unreadable}; nothing was removed`,
        next: "conclaude config validate",
      });
    }
    const retentionDays = config.sessionRetentionDays;
    const nowMs = Date.now();
    const progress = progressLine(context);
    const { memoryEnabled, memoryRetentionDays } = config;
    // Captures must be in memory before they are removed.
    if (!dryRun && memoryEnabled) {
      drainAlone(db, database, {
        home: context.locations.home,
        now: Date.now,
        onProgress: (worked) => progress.tell(`worked ${count(worked, "capture")} into memory …`),
      });
    }
    const ofSessions = dryRun ? previewRetention(db, { nowMs, retentionDays }) : runRetention(db, {
      nowMs,
      retentionDays,
      captures: memoryEnabled ? "worked" : "all",
      batchRows: config.retentionBatchRows,
      orphans: true,
      onProgress: (step) => progress.tell(`removed ${sessionsText(step)} …`),
    }).removed;
    const ofMemory = { nowMs, retentionDays: memoryRetentionDays };
    const observations = dryRun ? previewMemoryRetention(db, ofMemory) : removeOldMemory(db, {
      ...ofMemory,
      onProgress: (removed) => progress.tell(`removed ${count(removed, "observation")} …`),
    });
    const options = { database, store, nowMs };
    const ofTasks = dryRun
      ? previewOrchestrationRetention(db, options)
      : await runOrchestrationRetention(db, options);
    progress.end();
    const texts = [
      retentionDays === 0
        ? "Everything of sessions is kept for ever (store.sessionRetentionDays is 0)."
        : `${dryRun ? "Would remove" : "Removed"} ${sessionsText(ofSessions)} (kept: ${
          count(retentionDays, "day")
        }).`,
      memoryRetentionDays === 0
        ? "Everything in memory is kept for ever (memory.retentionDays is 0)."
        : `${dryRun ? "Would remove" : "Removed"} ${count(observations, "observation")} (kept: ${
          count(memoryRetentionDays, "day")
        }).`,
      `${dryRun ? "Would remove" : "Removed"} ${tasksText(ofTasks)}; ${
        dryRun ? "would delete" : "deleted"
      } ${count(ofTasks.deletedTasks, "closed task")}, which can be restored.`,
    ];
    return {
      json: { dryRun, removed: { ...ofSessions, observations, ...ofTasks }, retentionDays },
      text: texts.join("\n"),
    };
  },
});

export const retention = group({ verbs: { run }, examples: ["conclaude retention run --dry-run"] });

function sessionsText({ sessions, executions, captures, counters }: RowCounts): string {
  return [
    count(sessions, "session"),
    count(executions, "audit row"),
    count(captures, "capture"),
    count(counters, "counter"),
  ].join(", ");
}

function tasksText(counts: OrchestrationCounts): string {
  const { tasks, workflows, agents, questions, events, folders } = counts;
  const gone = count(tasks, "task");
  const history = [
    count(workflows, "workflow"),
    count(events, "event"),
    count(folders, "folder") + " of output",
  ];
  const withThem = `${count(agents, "agent")} and ${count(questions, "question")}`;
  return `${gone} for good with ${withThem}, ${history.join(", ")}`;
}
