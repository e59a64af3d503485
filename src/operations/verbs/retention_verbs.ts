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
import { drainAlone } from "../../memory/drain/capture_drain.ts";
import { toggle } from "../flags.ts";
import { progressLine } from "../terminal.ts";
import { openStore } from "../open_store.ts";
import { group, verb } from "../verb.ts";
import { removeForgottenAgain } from "../../upkeep/store.ts";

const run = verb({
  flags: { dryRun: toggle("Say what would be removed, and remove nothing") },
  brief: "Remove what is older than the retention time",
  about:
    "Removes what is older than the keys of `store` and `memory` that end in RetentionDays, RetentionHours or " +
    "SoftDeleteDays say (0 keeps everything): ended sessions with their audit trail, captures and counters; " +
    "observations; closed tasks; workflows; events. What runs or waits for a person stays. The daemon does this hourly.",
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
        withoutForgotten: removeForgottenAgain,
        onProgress: (worked) => progress.tell(`worked ${count(worked, "capture")} into memory …`),
      });
    }
    const ofHooks = keptByHooks(config);
    const options: RetentionOptions = {
      nowMs,
      database,
      kept: { ...ofHooks, orphans: ofHooks.sessions ?? 0, ...keptByDaemon(store) },
      captures: memoryEnabled ? "worked" : "all",
      batchRows: config.retentionBatchRows,
    };
    let removed: RetentionCounts = dryRun ? previewRetention(db, options) : NOTHING;
    if (!dryRun) {
      for (removed of retentionSteps(db, options)) {
        progress.tell(
          `removed ${sessionsText(removed)}, ${count(removed.observations, "observation")} …`,
        );
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
    progress.end();
    const [has, deleted] = dryRun ? ["Would remove", "would delete"] : ["Removed", "deleted"];
    const texts = [
      retentionDays === 0
        ? "Everything of sessions is kept for ever (store.sessionRetentionDays is 0)."
        : `${has} ${sessionsText(removed)} (kept: ${count(retentionDays, "day")}).`,
      memoryRetentionDays === 0
        ? "Everything in memory is kept for ever (memory.retentionDays is 0)."
        : `${has} ${count(removed.observations, "observation")} (kept: ${
          count(memoryRetentionDays, "day")
        }).`,
      `${has} ${tasksText(removed)}; ${deleted} ${
        count(removed.deletedTasks, "closed task")
      }, which can be restored.`,
    ];
    return {
      json: { dryRun, removed, retentionDays },
      text: texts.join("\n"),
    };
  },
});

export const retention = group({ verbs: { run }, examples: ["conclaude retention run --dry-run"] });

function sessionsText({ sessions, executions, captures, counters }: RetentionCounts): string {
  return [
    count(sessions, "session"),
    count(executions, "audit row"),
    count(captures, "capture"),
    count(counters, "counter"),
  ].join(", ");
}

function tasksText(counts: RetentionCounts): string {
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
