/** Waiting for what other processes do. */

/** How long something may take to come about, in milliseconds. */
const PATIENCE_MS = 120_000;

/** Waits for some milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Waits until something is there, or holds.
 *
 * @returns What `look` gave at last.
 * @throws {Error} When it gives nothing for two minutes.
 */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
): Promise<NonNullable<Value>> {
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs;) {
    const value = await look();
    if (value) return value;
    await pause(50);
  }
  throw new Error(`not in ${PATIENCE_MS / 1000} s: ${what}`);
}

/** Waits until what is looked at has one of these statuses. @returns It. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
export async function untilOneOf(statuses: readonly string[], look: () => Promise<any>) {
  for (const endMs = performance.now() + PATIENCE_MS;;) {
    const seen = await look();
    if (statuses.includes(seen?.status)) return seen;
    if (performance.now() > endMs) {
      throw new Error(`not ${statuses.join(" or ")}: ${JSON.stringify(seen, null, 1)}`);
    }
    await pause(50);
  }
}
