/**
 * Which processes live, and whether a number still means the same process. A process number alone proves nothing: the
 * system gives it out again.
 */

/** What is known of one process number. */
export interface ProcessState {
  readonly alive: boolean;
  /** The moment the process was started, in the system's own words; null where the system does not tell. */
  readonly mark: string | null;
}

/**
 * Looks at processes, in one call of a system tool for all of them.
 *
 * A process of another user is alive like any other. Where the start cannot be read (no `cat`, no `ps`), `mark` is null
 * and only life itself is told.
 *
 * @param pids Process numbers; 0 and below are left out.
 */
export async function lookAtProcesses(
  pids: readonly number[],
): Promise<ReadonlyMap<number, ProcessState>> {
  const asked = [...new Set(pids.filter((pid) => Number.isSafeInteger(pid) && pid > 0))];
  if (asked.length === 0) return new Map();
  const marks = Deno.build.os === "linux"
    ? startsFromProc(asked)
    : Deno.build.os === "windows"
    ? new Map<number, string>()
    : startsFromPs(asked);
  const states = new Map<number, ProcessState>();
  for (const pid of asked) {
    const mark = marks.get(pid) ?? null;
    states.set(pid, { alive: mark !== null || await exists(pid), mark });
  }
  return states;
}

/**
 * Linux: field 22 of `/proc/PID/stat`, in clock ticks since boot. Read with `cat`, because the runtime lets a program
 * read `/proc` only when it may do everything.
 */
function startsFromProc(pids: readonly number[]): Map<number, string> {
  const marks = new Map<number, string>();
  for (const line of outputOf("/bin/cat", pids.map((pid) => `/proc/${pid}/stat`)).split("\n")) {
    const pid = Number.parseInt(line);
    // The second field is the command in brackets and may hold anything, so count from its end.
    const start = line.slice(line.lastIndexOf(")") + 2).split(" ")[19];
    if (pid > 0 && start) marks.set(pid, start);
  }
  return marks;
}

/** macOS and the BSDs: the start in full seconds, as `ps` prints it. */
function startsFromPs(pids: readonly number[]): Map<number, string> {
  const marks = new Map<number, string>();
  for (
    const line of outputOf("/bin/ps", ["-o", "pid=,lstart=", "-p", pids.join(",")]).split("\n")
  ) {
    const [, pid, start] = /^\s*(\d+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid && start) marks.set(Number(pid), start);
  }
  return marks;
}

function outputOf(program: string, args: readonly string[]): string {
  try {
    const { stdout } = new Deno.Command(program, {
      args: [...args],
      clearEnv: true,
      env: { LC_ALL: "C" },
      stdin: "null",
      stderr: "null",
    }).outputSync();
    return new TextDecoder().decode(stdout);
  } catch {
    return "";
  }
}

/** Asking for a process's priority needs no right over it, and fails only when there is no such process. */
async function exists(pid: number): Promise<boolean> {
  const { getPriority } = await import("node:os");
  try {
    getPriority(pid);
    return true;
  } catch (thrown) {
    return !/ESRCH/.test(String(thrown));
  }
}
