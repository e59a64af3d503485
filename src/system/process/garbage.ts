/**
 * Collects garbage now, in about 10 ms: the engine does not see what libraries hold outside of its heap. Does nothing
 * unless the engine was started with `--expose-gc`, as the program is.
 */
export function collectGarbage(): void {
  (globalThis as { readonly gc?: () => void }).gc?.();
}

/**
 * Returns a function to call with each batch of rows; it collects garbage whenever enough rows or bytes have gone by.
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
