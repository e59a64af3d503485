/** What claude-mem, or claude-mem-lite, remembers, as observations. */
import { MAX_TIME_MS } from "../time.ts";
import { digestOf } from "./fnv.ts";
import type { ObservationKind, ObservedFacts, ObservedFile } from "./observation.ts";
import { pathInProject } from "./paths.ts";
import { headAndTail, titleLine } from "./text.ts";

/** A row of claude-mem. */
export interface RememberedRow {
  readonly table:
    | "observations"
    | "session_summaries"
    | "user_prompts"
    | "lite_observations"
    | "lite_sessions"
    | "lite_learnings";
  readonly id: number | string;
  readonly sessionId: string;
  /** Epoch milliseconds, or seconds, and the same as text; null where there is none. */
  readonly epoch: number | null;
  readonly createdAt: string | null;
  readonly texts: Readonly<Record<string, string | null>>;
}

/** An observation without the project that it belongs to. */
export interface Remembered {
  /** {@linkcode rememberedUid} */
  readonly uid: string;
  readonly kind: ObservationKind;
  readonly title: string;
  readonly text: string;
  readonly files: readonly ObservedFile[];
  readonly facts: ObservedFacts;
  readonly atMs: number;
}

/** What claude-mem calls things; what it has no word for here is a note. */
const KINDS: ReadonlyMap<string, ObservationKind> = new Map([
  ["bugfix", "fix"],
  ["decision", "decision"],
  ["feature", "edit"],
  ["refactor", "edit"],
  ["change", "edit"],
]);

/** claude-mem-lite has no kinds, but the tool that was used. */
const TOOL_KINDS: ReadonlyMap<string, ObservationKind> = new Map([
  ...["Edit", "Write", "MultiEdit", "NotebookEdit"].map((tool) => [tool, "edit"] as const),
  ...["Read", "Grep", "Glob", "LS"].map((tool) => [tool, "search"] as const),
  ...["WebFetch", "WebSearch"].map((tool) => [tool, "fetch"] as const),
  ["Bash", "command"],
]);
/** What claude-mem-lite writes where it has nothing to say of a session. */
const NO_SUMMARY = "No observations captured.";

const KEPT = { head: 48_000, tail: 16_000 };
const MAX_FILES = 200;

/** From which number on a time is counted in nanoseconds, microseconds, milliseconds (1973 is the first year), seconds. */
const UNITS = [
  { least: 100_000_000_000_000_000, times: 1, by: 1_000_000 },
  { least: 100_000_000_000_000, times: 1, by: 1_000 },
  { least: 100_000_000_000, times: 1, by: 1 },
  { least: 0, times: 1_000, by: 1 },
] as const;

/**
 * A row as an observation.
 *
 * @param options `mask`: takes out what must not be kept. `root`: the project's folder; null when it is not known.
 * @returns Null when there is nothing to remember.
 */
export function rememberedRow(
  row: RememberedRow,
  { mask, root }: { readonly mask: (text: string) => string; readonly root: string | null },
): Remembered | null {
  const told = TELLERS[row.table](row.texts);
  const text = mask(told.text);
  // Nothing but marks of what was taken out.
  if (text.replace(/\[(?:private removed|redacted:[a-z\d-]+)\]/g, "").trim() === "") return null;
  const heading = mask(told.heading).replace(/^\[private removed\]\s*/, "");
  return {
    uid: rememberedUid(row),
    kind: told.kind,
    title: titleLine(heading.trim() === "" ? text : heading),
    text: headAndTail(text, KEPT),
    files: filesOf(told.files, { mask, root }),
    facts: { tool: "claude-mem" },
    atMs: momentOf(row),
  };
}

/** What a row is known by once it was taken over; of the row and its session: another database has other rows under the same numbers. */
export function rememberedUid(row: RememberedRow): string {
  const { table, id, sessionId } = row;
  return `claude-mem/${table}/${id}/${digestOf(`${sessionId} ${momentOf(row)}`).slice(0, 8)}`;
}

interface Told {
  readonly kind: ObservationKind;
  readonly heading: string;
  readonly text: string;
  readonly files: readonly (string | null | undefined)[];
}

type Texts = RememberedRow["texts"];

function tellObservation(texts: Texts): Told {
  const { title, subtitle, narrative, text, facts, concepts, files_modified, files_read } = texts;
  const body = [subtitle, narrative ?? text, ...listOf(facts).map((fact) => `- ${fact}`)];
  const words = listOf(concepts);
  return {
    kind: KINDS.get(texts["type"] ?? "") ?? "note",
    heading: title ?? subtitle ?? "",
    text: lines([title, ...body, words.length === 0 ? null : `Concepts: ${words.join(", ")}`]),
    files: [files_modified, files_read],
  };
}

function tellSummary(texts: Texts): Told {
  const sections = [
    ["Asked", texts["request"]],
    ["Investigated", texts["investigated"]],
    ["Learned", texts["learned"]],
    ["Done", texts["completed"]],
    ["Next", texts["next_steps"]],
    ["Notes", texts["notes"]],
  ] as const;
  const told = sections.map(([name, text]) => [name, text?.trim() ?? ""] as const)
    .filter(([, text]) => text !== "");
  const about = told[0]?.[1] ?? "";
  return {
    kind: "summary",
    heading: about === "" ? "" : `Session: ${about}`,
    text: told.map(([name, text]) => `${name}:\n${text}`).join("\n"),
    files: [texts["files_edited"], texts["files_read"]],
  };
}

/** @param texts `functions_changed` is a JSON list of objects. */
function tellLiteObservation(texts: Texts): Told {
  const { tool_name, title, summary, detail, files_touched } = texts;
  const functions = functionsOf(texts["functions_changed"]);
  return {
    kind: TOOL_KINDS.get(tool_name ?? "") ?? "note",
    heading: title ?? "",
    text: lines([
      title,
      summary,
      detail,
      functions.length === 0 ? null : `Functions: ${functions.join(", ")}`,
    ]),
    files: [files_touched],
  };
}

function functionsOf(text: string | null | undefined): string[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return (Array.isArray(value) ? value : []).flatMap((one) => {
      const { name, action } = Object(one) as {
        readonly name?: unknown;
        readonly action?: unknown;
      };
      if (typeof name !== "string" || name.trim() === "") return [];
      return [typeof action === "string" ? `${name} (${action})` : name];
    });
  } catch {
    return [];
  }
}

function tellLiteSession({ summary }: Texts): Told {
  const text = summary?.trim() ?? "";
  const isEmpty = text === "" || text === NO_SUMMARY;
  return {
    kind: "summary",
    heading: isEmpty ? "" : `Session: ${text}`,
    text: isEmpty ? "" : text,
    files: [],
  };
}

function tellLearning({ category, content }: Texts): Told {
  const text = content?.trim() ?? "";
  const isTold = text !== "" && category !== null && category !== undefined;
  return {
    kind: "note",
    heading: text,
    text: lines([text, isTold ? `Category: ${category}` : null]),
    files: [],
  };
}

const TELLERS: Readonly<Record<RememberedRow["table"], (texts: Texts) => Told>> = {
  observations: tellObservation,
  session_summaries: tellSummary,
  user_prompts: tellPrompt,
  lite_observations: tellLiteObservation,
  lite_sessions: tellLiteSession,
  lite_learnings: tellLearning,
};

/** What Claude Code itself sends in a person's place (`<task-notification>`) is a message. */
function tellPrompt({ prompt_text }: Texts): Told {
  const text = (prompt_text ?? "").trim();
  const kind = /^<(?!private)[a-z-]+>/.test(text) ? "message" : "prompt";
  return { kind, heading: text, text, files: [] };
}

function lines(parts: readonly (string | null | undefined)[]): string {
  return parts.map((part) => part?.trim() ?? "").filter((part) => part !== "").join("\n");
}

/** A JSON list of texts, as most versions have it; else what is there, line by line. */
function listOf(text: string | null | undefined): string[] {
  if (text === null || text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text.split("\n");
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) =>
    typeof item === "string" && item.trim() !== "" ? [item.trim()] : []
  );
}

function filesOf(
  lists: Told["files"],
  { mask, root }: Parameters<typeof rememberedRow>[1],
): ObservedFile[] {
  const paths = lists.flatMap(listOf).map((path) => pathInProject(mask(path), root));
  return [...new Set(paths)].slice(0, MAX_FILES).map((path) => ({ path, digest: null }));
}

function momentOf({ epoch, createdAt }: RememberedRow): number {
  const told = epoch !== null && epoch > 0 ? Math.floor(inMs(epoch)) : NaN;
  // SQLite's own times name no zone, and are of UTC.
  const text = (createdAt ?? "").replace(
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/,
    "$1T$2Z",
  );
  const atMs = told <= MAX_TIME_MS ? told : Date.parse(text);
  return atMs >= 0 && atMs <= MAX_TIME_MS ? Math.floor(atMs) : 0;
}

/** A number that tells a time: it may count seconds, or parts of one. */
function inMs(epoch: number): number {
  const { times, by } = UNITS.find(({ least }) => epoch >= least)!;
  return epoch * times / by;
}
