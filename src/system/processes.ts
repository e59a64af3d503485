/** Signals and ends processes, and waits. */

export const { addSignalListener, execPath, exit, removeSignalListener } = Deno;

export type Signal = Deno.Signal;

/** Blocks the whole process for some milliseconds. */
export function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
