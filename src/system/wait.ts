/** Stands still for so many milliseconds, and everything in this process with it. */
export function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
