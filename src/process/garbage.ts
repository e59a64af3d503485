/**
 * Collects garbage now, in some 10 ms. The engine by itself lets its heap double first, and knows nothing of what
 * libraries hold outside of it, such as the state of a compressor: thousands of dead ones lie until something else is a
 * reason to look.
 *
 * Does nothing where the engine was not started with `--expose-gc`, as the program is.
 */
export function collectGarbage(): void {
  (globalThis as { readonly gc?: () => void }).gc?.();
}

/**
 * Collects garbage now and then during long work.
 *
 * @param limit After so many rows that were worked at, or bytes of them, whichever comes first.
 * @returns To be told of each batch of the work.
 */
export function collectEvery(
  limit: { readonly rows: number; readonly bytes: number },
): (batch: readonly { readonly rawBytes: number }[]) => void {
  let rows = 0;
  let bytes = 0;
  return (batch) => {
    rows += batch.length;
    bytes += batch.reduce((sum, { rawBytes }) => sum + rawBytes, 0);
    if (rows < limit.rows && bytes < limit.bytes) return;
    rows = bytes = 0;
    collectGarbage();
  };
}
