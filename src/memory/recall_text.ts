/** What Claude is told while it works: a few lines, each with a number that opens the whole. */
import { headed, plain } from "../capture/plain.ts";
import { relativeTime } from "../time.ts";
import { isSuperseded, type ObservationKind } from "./observation.ts";
import { type Stale, staleText } from "./stale.ts";
import { shortened } from "./text.ts";

/** About 250 tokens. */
const MAX_RECALL_CHARS = 870;
/** So many are told at most. */
export const MAX_RECALLED = 4;
const MAX_TITLE_CHARS = 150;
/** What a snippet has at least; it takes what room the other lines leave. */
const MIN_SNIPPET_CHARS = 90;

/** Something that is told. */
export interface Recalled {
  readonly id: number;
  readonly kind: ObservationKind;
  readonly title: string;
  /** Empty where the title says it all. */
  readonly snippet: string;
  readonly outcome: "success" | "failure" | null;
  readonly resolvedBy: number | null;
  readonly createdAtMs: number;
  /** What was done about the same after it was said, by its number; null where nothing was, or nobody said it. */
  readonly doneSince: number | null;
  /** What has become of its file; null where that is as it was. */
  readonly stale: Stale | null;
}

/** Kinds that help whoever begins something; what was merely run or looked at does not. */
export const HELPFUL_KINDS: ReadonlySet<ObservationKind> = new Set([
  "fix",
  "decision",
  "note",
  "commit",
  "failure",
  "test",
  "summary",
  "edit",
]);

/**
 * The lines that fit, the first ones first.
 *
 * @param about `Remembered about this`. @returns The empty text, and nothing told, when there is nothing.
 */
export function recallText(
  about: string,
  recalled: readonly Recalled[],
  nowMs: number,
): { readonly text: string; readonly told: readonly number[] } {
  let text = `${headed(about)}:`;
  const told: number[] = [];
  const lines = recalled.slice(0, MAX_RECALLED);
  for (const [at, one] of lines.entries()) {
    const room = Math.floor((MAX_RECALL_CHARS - text.length) / (lines.length - at));
    const line = `\n- ${lineOf(one, { nowMs, maxChars: room - "\n- ".length })}`;
    if (text.length + line.length > MAX_RECALL_CHARS) continue;
    text += line;
    told.push(one.id);
  }
  return told.length === 0 ? { text: "", told } : { text, told };
}

function lineOf(
  { id, kind, title, snippet, outcome, resolvedBy, createdAtMs, doneSince, stale }: Recalled,
  { nowMs, maxChars }: { readonly nowMs: number; readonly maxChars: number },
): string {
  const state = isSuperseded({ kind, resolvedBy })
    ? " (superseded)"
    : doneSince !== null
    ? ` (worked on since: #${doneSince})`
    : outcome !== "failure"
    ? ""
    : resolvedBy === null
    ? " (open)"
    : resolvedBy === 0
    ? " (mended)"
    : ` (mended: #${resolvedBy})`;
  const head = `#${id} ${relativeTime(createdAtMs, nowMs)}, ${kind}: ${
    shortened(title, MAX_TITLE_CHARS)
  }${staleText(stale)}${state}`;
  const rest = restOf(snippet, title);
  const more = rest === ""
    ? ""
    : ` — ${shortened(rest, Math.max(MIN_SNIPPET_CHARS, maxChars - head.length - " — ".length))}`;
  return plain(head + more);
}

/** What a snippet says beside the title, which may be its beginning; empty when that is nothing. */
function restOf(snippet: string, title: string): string {
  const start = title.replace(/…$/, "");
  if (snippet.startsWith(start)) return snippet.slice(start.length).trim();
  return title.includes(snippet.slice(0, 40)) ? "" : snippet;
}
