/** Whether a process is there and has not ended. */
export function isAlive(pid: number | string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

/** The number of a process that is there no more. */
export async function endedPid(): Promise<number> {
  const child = new Deno.Command("true").spawn();
  await child.status;
  return child.pid;
}
