/** Looking at processes, and ending them. */

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

/** A process that lives until the end of the block, and is none of this one's ancestors. */
export function sleeper(...through: readonly string[]): Disposable & { readonly pid: number } {
  const [command, ...args] = [...through, "sleep", "60"];
  const child = new Deno.Command(command!, { args, stdout: "null", stderr: "null" }).spawn();
  return { pid: child.pid, [Symbol.dispose]: () => child.kill("SIGKILL") };
}

/** Ends a process at once, and waits until it is gone. */
export async function killNow(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has left.
  }
  await child.status;
}

/** Asks a process to leave, and waits until it is gone. */
export async function end(child: Deno.ChildProcess): Promise<Deno.CommandStatus> {
  try {
    child.kill("SIGTERM");
  } catch {
    // It has left.
  }
  return await child.status;
}
