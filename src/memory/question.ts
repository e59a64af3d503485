/** What a question asks for beside its words: a time, files, what one of the two said. */
import { spokenTime } from "./dates.ts";
import type { TimeSpan } from "./spans.ts";
import { MAX_QUERY_CHARS, type MemoryQuery, readQuery } from "./query.ts";

/** A question as it is answered. */
export interface MemoryQuestion {
  readonly query: MemoryQuery;
  /** The time that it speaks of. */
  readonly time: TimeSpan | null;
  /** What looks like a file in it, in small letters. */
  readonly paths: readonly string[];
  /** Whose words answer it: what the person told of themselves, or what Claude proposed; null when it does not say. */
  readonly speaker: "person" | "claude" | null;
}

/** Claude is asked what it said: "which library did you suggest?". */
const OF_CLAUDE =
  /\b(?:did|had|have|were|was) you\b(?! (?:know|remember))|\byou(?:'ve| have| had)? (?:said|suggested|recommended|proposed|advised|told|mentioned|gave|found|wrote|listed|explained|showed)\b|\byour (?:advice|suggestion|recommendation|answer|proposal|explanation)s?\b/;
/** The person asks what they told of themselves. */
const OF_PERSON = /\b(?:my|mine|me|am i|i am|i'm|i'd|i've|i)\b/;

/** Reads a question. It never fails. */
export function readQuestion(whole: string, nowMs: number): MemoryQuestion {
  const text = whole.slice(0, MAX_QUERY_CHARS);
  const lower = text.toLowerCase();
  const time = spokenTime(text, nowMs);
  const query = readQuery(text);
  const untimed = time !== null && time.isRelative ? readQuery(without(text, time.words)) : query;
  return {
    query: untimed.terms.length === 0 ? query : untimed,
    time,
    paths: (lower.match(/[\w@-][\w@./\\-]*\.[a-z]\w{0,7}\b/g) ?? [])
      .map((path) => path.replaceAll("\\", "/")),
    speaker: OF_CLAUDE.test(lower) ? "claude" : OF_PERSON.test(lower) ? "person" : null,
  };
}

/** A text without a part that is found in it whatever its case. */
function without(text: string, part: string): string {
  const lower = text.toLowerCase();
  const at = lower.indexOf(part);
  return lower.length === text.length && at >= 0
    ? `${text.slice(0, at)} ${text.slice(at + part.length)}`
    : lower.replace(part, " ");
}
