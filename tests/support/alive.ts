/** Whether a process is there and has not ended. */
export function isAlive(pid: number | string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}
