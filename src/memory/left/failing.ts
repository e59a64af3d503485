/** What is said of a failure goes with it: whether what a session said still fails has passed since. */
import type { Tellable } from "../context_text.ts";
import { once } from "../once.ts";
import { isUnmended, newestOfEach, openEndRank } from "../open_ends.ts";
import { saysItFails, type SoughtItem, withoutWordsOfFailing, wordsOf } from "../sought_item.ts";

/** What has to be known of an observation. */
export interface MaybeFailure extends Omit<Tellable, "sessionId" | "repeats" | "stale"> {
  /** Epoch milliseconds; what was seen once only was seen then. */
  readonly createdAtMs?: number;
}

/** A failure, what it is about, and when that has passed; null where it has not. */
interface Failure {
  readonly words: ReadonlySet<string>;
  readonly failedAtMs: number;
  readonly passedAtMs: number | null;
}

/** Whether something that was said at a time has passed after it. */
export type PassedSince = (item: SoughtItem, saidAtMs: number) => boolean;

/** Says as well that something fails. */
const DOES_NOT =
  /\b(?:do|does|is|are)(?: not|n['’]t) (?:yet )?(?:pass|build|compile|start|run|green)(?:ing)?\b/i;
/** Words for what fails, whatever that is. */
const ANY = once(() =>
  wordsOf([
    "test tests suite unit build compile compilation check checks lint linter type types typecheck run rerun " +
    "command script new all both some there here them these those one it now again local locally",
  ])
);

/**
 * Tells of what is said to fail whether it has passed: of the failures that it names, or of all where it names none
 * (`the tests still fail`), those that stood when it was said are mended since, and at least one did.
 *
 * @param parts Of a session, with the commands that may have passed.
 */
export function passedSinceIn(parts: readonly MaybeFailure[]): PassedSince {
  const read = once(() => failuresIn(parts));
  return (item, saidAtMs) => {
    if (!saysItFails(item) && !DOES_NOT.test(item.text)) return false;
    const stood = read().filter(({ failedAtMs, passedAtMs }) =>
      failedAtMs <= saidAtMs && (passedAtMs === null || passedAtMs > saidAtMs)
    );
    const about = withoutWordsOfFailing(item.what).difference(ANY());
    const isAny = about.size === 0;
    const named = isAny ? item.what : about;
    const meant = stood.filter(({ words }) => !words.isDisjointFrom(named));
    const spoken = meant.length === 0 && isAny ? stood : meant;
    return spoken.length > 0 && spoken.every(({ passedAtMs }) => passedAtMs !== null);
  };
}

/** What failed and is open, or was until it passed: not what failed in another way since. */
function failuresIn(parts: readonly MaybeFailure[]): Failure[] {
  const open = new Set(newestOfEach(parts.filter((one) => openEndRank(one) !== null)));
  const seenAtMs = new Map(parts.map(({ id, updatedAtMs }) => [id, updatedAtMs]));
  return parts.filter((one) =>
    open.has(one) || one.resolvedBy !== null && isUnmended({ ...one, resolvedBy: null })
  ).map(({ title, files, facts, createdAtMs, updatedAtMs, resolvedBy }) => ({
    words: wordsOf([
      title,
      ...files,
      facts.command ?? "",
      facts.error ?? "",
      ...facts.failing ?? [],
    ]),
    failedAtMs: createdAtMs ?? updatedAtMs,
    // What another session has mended is none of these.
    passedAtMs: resolvedBy === null ? null : seenAtMs.get(resolvedBy) ?? Infinity,
  }));
}
