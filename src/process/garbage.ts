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
