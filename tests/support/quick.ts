/** Asserts that work takes time in proportion to its input, also on a slow or busy machine. */
import assert from "node:assert/strict";

/** What {@linkcode referenceMs} takes on the machine for which the limits were chosen. */
const REFERENCE_MS = 25;
const TEXT = "user: ana, token of 12 letters; see src/app/main.ts:40\n".repeat(20_000);

/**
 * Asserts that some work is done in time, the fastest of several attempts counting: a rule that looks at the rest from each
 * place takes many times as long. Where this machine is slower than the one the limit was chosen for, or others want its
 * processors, the limit grows with what a fixed piece of work takes at that moment.
 *
 * @param maxMs Well above what it takes, in milliseconds.
 */
export function assertQuick(
  what: string,
  work: () => unknown,
  { maxMs = 2_000, attempts = 3 }: { readonly maxMs?: number; readonly attempts?: number } = {},
): void {
  let [elapsed, limit] = [Infinity, maxMs];
  for (let attempt = 0; attempt < attempts && elapsed >= limit; attempt++) {
    elapsed = Math.min(elapsed, timeOf(work));
    if (elapsed >= maxMs) limit = Math.max(limit, maxMs * referenceMs() / REFERENCE_MS);
  }
  assert.ok(
    elapsed < limit,
    `${what} took ${Math.round(elapsed)} ms of ${Math.round(limit)}`,
  );
}

/** How long expressions as those that are measured take for a text of a megabyte. */
function referenceMs(): number {
  return timeOf(() => {
    for (const pattern of [/\b[a-z]{3,}: ?\w+/g, /(?:\w+\/){1,4}\w+\.ts/g, /[^;\n]*;/g]) {
      TEXT.match(pattern);
    }
  });
}

function timeOf(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}
