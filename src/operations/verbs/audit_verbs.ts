import { shortSessionId } from "../../base/ids.ts";
import { type ExecutionRow, listExecutions, summarizeHooks } from "../../db/executions.ts";
import { relativeTime } from "../../base/time.ts";
import {
  LIMIT_FLAG,
  limitOf,
  oneOf,
  optional,
  SESSION_FLAG,
  SINCE_FLAG,
  textFlag,
} from "../flags.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { openStore } from "../open_store.ts";
import { listView } from "../table.ts";
import { group, verb } from "../verb.ts";

const list = verb({
  flags: {
    session: SESSION_FLAG,
    hook: textFlag("Only of this hook event, for example PostToolUse", "name"),
    tool: textFlag("Only of this tool, for example Bash", "name"),
    status: optional(
      oneOf(["success", "blocked", "failure", "timeout", "skipped"], "Only with this status"),
    ),
    since: SINCE_FLAG,
    limit: LIMIT_FLAG,
  },
  brief: "List handled hook events, newest first",
  about: "Lists the hook events that were handled and what became of them, newest first.",
  examples: [
    "conclaude audit list --since 2h --status failure",
    "conclaude audit list --session 01980c5e --tool Bash --json",
  ],
  async run(context, flags) {
    const { db } = await openStore(context, "read");
    const executions = listExecutions(db, {
      sessionId: sessionFilterOf(db, flags.session),
      hookName: flags.hook ?? null,
      toolName: flags.tool ?? null,
      status: flags.status ?? null,
      sinceMs: flags.since ?? null,
      limit: limitOf(context, flags.limit),
    });
    const now = Date.now();
    return listView(context, { executions }, {
      WHEN: (row) => relativeTime(row.createdAtMs, now),
      SESSION: (row) => shortSessionId(row.sessionId),
      HOOK: (row) => row.hookName,
      TOOL: (row) => row.toolName,
      STATUS: (row) => row.status,
      MS: [(row) => row.durationMs.toFixed(1)],
      NOTE: noteOf,
    }, "No hook events match.");
  },
});

const stats = verb({
  flags: { since: SINCE_FLAG },
  brief: "Show how often hooks ran and how long they took",
  about: [
    "Counts handled events by hook, with failures (timeouts are failures), blocks, and the time from the start",
    "of the hook's process to its write: the median, the 95th and 99th percentile (nearest rank), the longest.",
  ].join("\n"),
  examples: ["conclaude audit stats", "conclaude audit stats --since 3d --json"],
  async run(context, flags) {
    const { db } = await openStore(context, "read");
    const hooks = summarizeHooks(db, flags.since ?? null);
    const ms = (value: number | null) => value?.toFixed(1) ?? null;
    return listView(context, { hooks }, {
      HOOK: (row) => row.hookName,
      COUNT: [(row) => row.count],
      FAILURES: [(row) => row.failures],
      BLOCKED: [(row) => row.blocked],
      "P50 MS": [(row) => ms(row.p50Ms)],
      "P95 MS": [(row) => ms(row.p95Ms)],
      "P99 MS": [(row) => ms(row.p99Ms)],
      "MAX MS": [(row) => ms(row.maxMs)],
    }, "No hook events yet.");
  },
});

export const audit = group({
  verbs: { list, stats },
  examples: ["conclaude audit list --since 2h --status failure", "conclaude audit stats --json"],
});

const MAX_NOTE_CHARS = 60;

/** How each note of a hook reads for a person, by the note's name; an empty text leaves it out. */
const NOTES: Readonly<Record<string, (value: unknown) => string>> = {
  letThrough: (why) => `let through ${why}`,
  paused: (what) => Array.isArray(what) ? `paused: ${what.join(", ")}` : "paused",
  allowedBy: (rule) => `allowed by ${rule}`,
  doubts: (doubts) => `unsure: ${listOf(doubts).join("; ")}`,
  unsure: () => "unsure what it means for requirements",
  requirements: (why) => `requirements: ${why}`,
  unknown: (whys) =>
    Object.entries(Object(whys)).map(([name, why]) => `${name}: ${why}`).join("; "),
  unproven: (names) => `unproven: ${listOf(names).join(", ")}`,
  warned: (names) => `warned: ${listOf(names).join(", ")}`,
  skipped: (key) => `kept out by ${key}`,
  missing: (paths) => `no such file: ${listOf(paths).join(", ")}`,
  commands: (runs) => listOf(runs).map(failureOf).filter((text) => text !== "").join("; "),
  files: (files) => String(listOf(files)[0] ?? ""),
};

/** The error of an event, the notes beside it, and the first file that the event names. */
function noteOf({ errorMessage, metadata }: ExecutionRow): string {
  const notes = Object.entries(NOTES)
    .map(([key, textOf]) => Object.hasOwn(metadata, key) ? textOf(metadata[key]) : "");
  const note = [errorMessage ?? "", ...notes].filter((text) => text !== "").join("; ");
  return note.length <= MAX_NOTE_CHARS ? note : `${note.slice(0, MAX_NOTE_CHARS - 1)}…`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** How a command of the configuration ended, unless it succeeded. */
function failureOf(run: unknown): string {
  const { rule, end } = Object(run) as { readonly rule?: unknown; readonly end?: unknown };
  return end === undefined || end === "succeeded" ? "" : `${rule} ${end}`;
}
