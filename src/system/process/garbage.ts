/**
 * Collects garbage now, which takes about 10 ms. By itself the engine waits until its heap has doubled, and it does not
 * see what libraries hold outside of it, such as the state of a compressor.
 *
 * Does nothing unless the engine was started with `--expose-gc`, as the program is.
 */
export function collectGarbage(): void {
  (globalThis as { readonly gc?: () => void }).gc?.();
}

/**
 * Collects garbage now and then during long work.
 *
 * @param limit After so many rows, or bytes of rows, whichever comes first.
 *
 * @returns A function to call with each batch of the work.
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
