import { quietly } from "../../base/errors.ts";
import { tellingId } from "../../db/sessions.ts";
import {
  type ExecutionRow,
  hookTimes,
  listExecutions,
  summarizeHooks,
} from "../../db/executions.ts";
import { lookAtSettings, timesByLane } from "../../claude/settings/installed_hooks.ts";
import { hooksPlace } from "../own_program.ts";
import { TOOLS } from "../../claude/tool_names.ts";
import { oneOfFlag, proposing, SHARED, textFlag } from "../flags.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { agoText, listVerb } from "../list_and_show.ts";
import { group } from "../verb.ts";
import { briefDenial } from "../denial_text.ts";
import { violationText } from "../../memory/tell/session_steps.ts";

const list = listVerb({
  flags: {
    session: SHARED.session,
    hook: textFlag("Only of this hook event, for example PostToolUse", "name"),
    tool: proposing(TOOLS, textFlag("Only of this tool, for example Bash", "name")),
    status: oneOfFlag(
      ["success", "blocked", "failure", "timeout", "skipped"],
      "Only with this status",
    ),
    since: SHARED.since,
    until: SHARED.until,
    limit: SHARED.limit,
  },
  name: "executions",
  rows({ db }, { hook = null, tool = null, status = null, since = null, ...flags }, { limit }) {
    const named = { sessionId: sessionFilterOf(db, flags.session), hookName: hook, toolName: tool };
    return listExecutions(db, { ...named, status, sinceMs: since, untilMs: flags.until, limit });
  },
  columns: ({ db }) => ({
    WHEN: (row) => agoText(row.createdAtMs),
    SESSION: (row) => tellingId(db, row.sessionId),
    HOOK: (row) => row.hookName,
    TOOL: (row) => row.toolName,
    STATUS: (row) => row.status,
    MS: [(row) => row.durationMs.toFixed(1)],
    NOTE: noteOf,
  }),
  empty: "No hook events match.",
});

const ms = (value: number | null) => value?.toFixed(1) ?? null;

const stats = listVerb({
  flags: { since: SHARED.since },
  name: "hooks",
  rows: ({ db, context }, { since }) => {
    const place = hooksPlace(context);
    const installed = { looks: lookAtSettings(place), program: place.program };
    const times = Map.groupBy(hookTimes(db, since ?? null), ({ hookName }) => hookName);
    return summarizeHooks(db, since ?? null).map((row) => ({
      ...row,
      ...timesByLane(times.get(row.hookName) ?? [], installed),
    }));
  },
  columns: {
    HOOK: (row) => row.hookName,
    COUNT: [(row) => row.count],
    FAILURES: [(row) => row.failures],
    BLOCKED: [(row) => row.blocked],
    "P50 MS": [(row) => ms(row.p50Ms)],
    "P95 MS": [(row) => ms(row.p95Ms)],
    "P99 MS": [(row) => ms(row.p99Ms)],
    "MAX MS": [(row) => ms(row.maxMs)],
    "WAITED": [(row) => (row.waited.ms / 1000).toFixed(1)],
  },
  empty: "No hook events yet.",
});

export const audit = group({ list, stats });

/** Formats each note of a hook, by the note's name. An empty text leaves the note out. */
const NOTES: Readonly<Record<string, (value: unknown) => string>> = {
  violated: (all) => `violated: ${listOf(all).map((one) => violationText(Object(one))).join(", ")}`,
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
};

/** Patterns for the fields of a tool's input that tell what the use is about. The first found counts. */
const ABOUT = "file_path notebook_path command pattern url query skill description subject prompt"
  .split(" ").map((field) => new RegExp(`"${field}":("(?:[^"\\\\]|\\\\.)*)`));

/** Returns what an event is about: from the whole `tool_input`, else from the cut `input`, else from its own texts. */
function aboutOf({ tool_input: whole, input, ...own }: ExecutionRow["metadata"]): string {
  const words = Object.entries(own).filter(([, value]) => typeof value === "string");
  const text = typeof input === "string"
    ? input
    : JSON.stringify(whole ?? Object.fromEntries(words));
  const found = ABOUT.map((field) => field.exec(text)?.[1]).find((value) => value !== undefined);
  const value = found && quietly(() => String(JSON.parse(`${found}"`)));
  return value ?? String(listOf(own["files"])[0] ?? "");
}

function noteOf({ status, errorMessage, metadata }: ExecutionRow): string {
  const notes = Object.entries(NOTES)
    .map(([key, textOf]) => Object.hasOwn(metadata, key) ? textOf(metadata[key]) : "");
  const error = errorMessage ?? "";
  const why = status === "blocked" ? briefDenial(error, metadata["rules"]) : error;
  return [why, ...notes, aboutOf(metadata)].filter((text) => text !== "").join("; ");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Tells how a configured command failed; empty if it succeeded. */
function failureOf(run: unknown): string {
  const { rule, end = "succeeded" } = Object(run);
  return end === "succeeded" ? "" : `${rule} ${end}`;
}
