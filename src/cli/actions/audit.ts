import type { ExecutionStatus } from "../../store/captures.ts";
import { type ExecutionRow, listExecutions, summarizeHooks } from "../../store/executions.ts";
import { shortSessionId } from "../../ids.ts";
import { relativeTime } from "../../time.ts";
import { limitOf } from "../command.ts";
import type { CliContext } from "../context.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { openStore } from "../store.ts";
import { tableText } from "../table.ts";
import type { View } from "../view.ts";

/** Longest note in a table, in characters. */
const MAX_NOTE_CHARS = 60;

/** `conclaude audit list` */
export async function listAudit(
  context: CliContext,
  flags: {
    readonly session?: string;
    readonly hook?: string;
    readonly tool?: string;
    readonly status?: ExecutionStatus;
    readonly since?: number;
    readonly limit?: number;
  },
): Promise<View> {
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
  return {
    json: { executions },
    text: tableText(executions, [
      { title: "WHEN", value: (row) => relativeTime(row.createdAtMs, now) },
      { title: "SESSION", value: (row) => shortSessionId(row.sessionId) },
      { title: "HOOK", value: (row) => row.hookName },
      { title: "TOOL", value: (row) => row.toolName },
      { title: "STATUS", value: (row) => row.status },
      { title: "MS", value: (row) => row.durationMs.toFixed(1), align: "right" },
      { title: "NOTE", value: noteOf },
    ], { empty: "No hook events match.", color: context.globals.color }),
  };
}

/** `conclaude audit stats` */
export async function showAuditStats(
  context: CliContext,
  flags: { readonly since?: number },
): Promise<View> {
  const { db } = await openStore(context, "read");
  const hooks = summarizeHooks(db, flags.since ?? null);
  const ms = (value: number | null) => value?.toFixed(1) ?? null;
  return {
    json: { hooks },
    text: tableText(hooks, [
      { title: "HOOK", value: (row) => row.hookName },
      { title: "COUNT", value: (row) => row.count, align: "right" },
      { title: "FAILURES", value: (row) => row.failures, align: "right" },
      { title: "BLOCKED", value: (row) => row.blocked, align: "right" },
      { title: "P50 MS", value: (row) => ms(row.p50Ms), align: "right" },
      { title: "P95 MS", value: (row) => ms(row.p95Ms), align: "right" },
      { title: "P99 MS", value: (row) => ms(row.p99Ms), align: "right" },
      { title: "MAX MS", value: (row) => ms(row.maxMs), align: "right" },
    ], { empty: "No hook events yet.", color: context.globals.color }),
  };
}

/** What is worth a person's look in what a hook noted, by the name of the note; an empty text for nothing. */
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

/** The error, what was noted beside it, and the first file that the event was about. */
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
