/** What claude-mem, or claude-mem-lite, remembers, as observations. */
import { normalizeSessionId, UNKNOWN_SESSION_ID } from "../ids.ts";
import { digestOf } from "../memory/fnv.ts";
import type { ObservationKind } from "../memory/observation.ts";
import { pathInProject } from "../memory/paths.ts";
import { headAndTail, titleLine } from "../memory/text.ts";
import type { ClaudeMemRow, ClaudeMemTable } from "../store/claude_mem.ts";
import { MAX_TIME_MS } from "../time.ts";
import type { ArrivingRow } from "./import.ts";
import { termsOf } from "./import_redaction.ts";

/** Where what is taken over belongs. */
export interface MemoryPlace {
  /** The common git directory, or the folder where there is none. */
  readonly project: string;
  /** The folder that its paths are told from. */
  readonly root: string;
}

/** A part of a text, made of the first of these columns that holds something. */
interface Part {
  readonly from: readonly string[];
  readonly as: (text: string) => string;
}

/** What a table becomes. */
interface Telling {
  readonly kind: (texts: ClaudeMemRow["texts"]) => ObservationKind;
  /** What the title begins with. */
  readonly begin?: string;
  readonly parts: readonly Part[];
  readonly files?: readonly string[];
}

const plain = (...from: string[]): Part => ({ from, as: (text) => text });
const section = (name: string, column: string): Part => ({
  from: [column],
  as: (text) => `${name}:\n${text}`,
});
const bullets = (column: string): Part => ({
  from: [column],
  as: (text) => listIn(text).map((item) => `- ${item}`).join("\n"),
});
const named = (name: string, column: string, separator = "\n"): Part => ({
  from: [column],
  as: (text) => {
    const items = listIn(text, separator);
    return items.length === 0 ? "" : `${name}: ${items.join(", ")}`;
  },
});

/** What claude-mem calls things, and which tools claude-mem-lite saw; everything else is a note. */
const KINDS: Readonly<Record<string, ObservationKind>> = {
  bugfix: "fix",
  decision: "decision",
  ...each(["feature", "refactor", "change", "Edit", "Write", "MultiEdit", "NotebookEdit"], "edit"),
  ...each(["Read", "Grep", "Glob", "LS"], "search"),
  ...each(["WebFetch", "WebSearch"], "fetch"),
  Bash: "command",
};
const kindBy = (column: string) => (texts: ClaudeMemRow["texts"]): ObservationKind => {
  const name = texts[column] ?? "";
  return Object.hasOwn(KINDS, name) ? KINDS[name]! : "note";
};

const TELLINGS: Readonly<Record<ClaudeMemTable, Telling>> = {
  observations: {
    kind: kindBy("type"),
    parts: [
      plain("title"),
      plain("subtitle"),
      plain("narrative", "text"),
      bullets("facts"),
      named("Concepts", "concepts"),
    ],
    files: ["files_modified", "files_read"],
  },
  session_summaries: {
    kind: () => "summary",
    begin: "Session: ",
    parts: [
      section("Asked", "request"),
      section("Investigated", "investigated"),
      section("Learned", "learned"),
      section("Done", "completed"),
      section("Next", "next_steps"),
      section("Notes", "notes"),
    ],
    files: ["files_edited", "files_read"],
  },
  user_prompts: {
    // What Claude Code itself sends in a person's place (`<task-notification>`) is a message.
    kind: ({ prompt_text }) =>
      /^\s*<(?!private)[a-z-]+>/.test(prompt_text ?? "") ? "message" : "prompt",
    parts: [plain("prompt_text")],
  },
  lite_observations: {
    kind: kindBy("tool_name"),
    parts: [
      plain("title"),
      plain("summary"),
      plain("detail"),
      named("Functions", "functions_changed", ""),
    ],
    files: ["files_touched"],
  },
  lite_sessions: {
    kind: () => "summary",
    begin: "Session: ",
    // What claude-mem-lite writes where it has nothing to say of a session.
    parts: [{
      from: ["summary"],
      as: (text) => text === "No observations captured." ? "" : text,
    }],
  },
  lite_learnings: { kind: () => "note", parts: [plain("content"), named("Category", "category")] },
};

/** Columns that say nothing without the others of their row. */
const BESIDE: ReadonlySet<string> = new Set(["category"]);

const KEPT = { head: 48_000, tail: 16_000 };
const MAX_FILES = 200;

/** From which number on a time is counted in nanoseconds, microseconds, milliseconds (1973 is the first year), seconds. */
const UNITS = [[1e17, 1e-6], [1e14, 1e-3], [1e11, 1], [0, 1_000]] as const;

/**
 * A row as a row of `observations`.
 *
 * @param options `mask`: takes out what must not be kept. `place`: where the project lies; null when it is not known.
 * @returns Null when there is nothing to remember.
 */
export function observationOf(
  row: ClaudeMemRow,
  { mask, place }: { readonly mask: (text: string) => string; readonly place: MemoryPlace | null },
): ArrivingRow | null {
  const { kind, begin = "", parts, files = [] } = TELLINGS[row.table];
  const found = parts.flatMap(({ from, as }) => {
    const column = from.find((name) => (row.texts[name] ?? "").trim() !== "");
    if (column === undefined) return [];
    const text = as(row.texts[column]!.trim());
    return text === "" ? [] : [{ column, text }];
  });
  const first = found.find(({ column }) => !BESIDE.has(column));
  const text = mask(found.map((part) => part.text).join("\n"));
  // Nothing but marks of what was taken out.
  const isEmpty = text.replace(/\[(?:private removed|redacted:[a-z\d-]+)\]/g, "").trim() === "";
  if (first === undefined || isEmpty) return null;
  const heading = mask(row.texts[first.column]!.trim()).replace(/^\[private removed\]\s*/, "");
  const paths = files.flatMap((name) => listIn(row.texts[name] ?? ""))
    .map((path) => pathInProject(mask(path), place?.root ?? null));
  const told = [...new Set(paths)].slice(0, MAX_FILES);
  const atMs = momentOf(row);
  const name = mask(row.project) || null;
  const project = place?.project ?? name;
  const columns = {
    uid: uidOf(row, atMs),
    session_id: normalizeSessionId(row.sessionId) ?? UNKNOWN_SESSION_ID,
    project,
    kind: kind(row.texts),
    title: titleLine(heading.trim() === "" ? text : begin + heading),
    text: headAndTail(text, KEPT),
    files: JSON.stringify(told),
    observed_files: JSON.stringify(told.map((path) => ({ path, digest: null }))),
    facts: JSON.stringify({ tool: "claude-mem" }),
    created_at_ms: atMs,
    // A row whose place is known is the newer version of the row that only has a name.
    updated_at_ms: project === name ? atMs : atMs + 1,
  };
  return {
    type: "observation",
    columns: { ...columns, terms: termsOf(columns) },
    line: 0,
    text: columns.title + columns.text,
  };
}

/** Also of the session and its time: another database has other rows under the same numbers. */
function uidOf({ table, id, sessionId }: ClaudeMemRow, atMs: number): string {
  return `claude-mem/${table}/${id}/${digestOf(`${sessionId} ${atMs}`).slice(0, 8)}`;
}

/**
 * A JSON list of texts or of `{name, action}`, as most versions have it.
 *
 * @param separator What stands between the items of what is no JSON; nothing where that is no list.
 */
function listIn(text: string, separator = "\n"): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = separator === "" ? [] : text.split(separator);
  }
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => {
    const { name, action } = Object(item) as Readonly<Record<string, unknown>>;
    const told = typeof name === "string" && typeof action === "string"
      ? `${name} (${action})`
      : typeof name === "string"
      ? name
      : item;
    return typeof told === "string" && told.trim() !== "" ? [told.trim()] : [];
  });
}

function momentOf({ epoch, createdAt }: ClaudeMemRow): number {
  const unit = UNITS.find(([least]) => (epoch ?? 0) >= least);
  const told = epoch !== null && epoch > 0 ? Math.floor(epoch * unit![1]) : NaN;
  // SQLite's own times name no zone, and are of UTC.
  const text = (createdAt ?? "").replace(
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/,
    "$1T$2Z",
  );
  const atMs = told <= MAX_TIME_MS ? told : Date.parse(text);
  return atMs >= 0 && atMs <= MAX_TIME_MS ? Math.floor(atMs) : 0;
}

function each(names: readonly string[], kind: ObservationKind): Record<string, ObservationKind> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}
