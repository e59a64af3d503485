/** What claude-mem remembers, as observations. */
import { MAX_TIME_MS } from "../time.ts";
import { digestOf } from "./fnv.ts";
import type { ObservationKind, ObservedFacts, ObservedFile } from "./observation.ts";
import { pathInProject } from "./paths.ts";
import { headAndTail, titleLine } from "./text.ts";

/** A row of claude-mem. */
export interface RememberedRow {
  readonly table: "observations" | "session_summaries" | "user_prompts";
  readonly id: number;
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
  const told = row.table === "observations"
    ? tellObservation(row.texts)
    : row.table === "session_summaries"
    ? tellSummary(row.texts)
    : tellPrompt(row.texts);
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
  const atMs = told <= MAX_TIME_MS ? told : Date.parse(createdAt ?? "");
  return atMs >= 0 && atMs <= MAX_TIME_MS ? Math.floor(atMs) : 0;
}

/** A number that tells a time: it may count seconds, or parts of one. */
function inMs(epoch: number): number {
  const { times, by } = UNITS.find(({ least }) => epoch >= least)!;
  return epoch * times / by;
}
