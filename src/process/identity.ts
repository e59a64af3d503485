/**
 * Which processes live, and whether a number still means the same process. A process number alone proves nothing: the
 * system gives it out again.
 */

/** The number of this process. */
export const OWN_PID = Deno.pid;

/** What is known of one process number. */
export interface ProcessState {
  readonly alive: boolean;
  /** When the process was started, in the system's own format; null where the system does not tell. */
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
  const found = readProcesses(asked);
  const states = new Map<number, ProcessState>();
  for (const pid of asked) {
    const facts = found.get(pid);
    const alive = facts === undefined ? await exists(pid) : !facts.hasEnded;
    states.set(pid, { alive, mark: facts?.mark ?? null });
  }
  return states;
}

/**
 * {@linkcode lookAtProcesses} without starting a tool, in 0.1 ms instead of 1.4: no marks, and a process that has ended
 * counts as alive until its parent takes note of that.
 */
export async function lookForLife(
  pids: readonly number[],
): Promise<ReadonlyMap<number, ProcessState>> {
  const states = new Map<number, ProcessState>();
  for (const pid of new Set(pids)) states.set(pid, { alive: await exists(pid), mark: null });
  return states;
}

/** What the system tells of a process that is there. */
export interface ProcessFacts {
  /** As in {@linkcode ProcessState}. */
  readonly mark: string;
  /** The number of the process that started it, or that took it over. */
  readonly parent: number;
  /** The leader of its session, which opened its terminal; null where the system does not tell. */
  readonly leader: number | null;
  /** Its controlling terminal, as the system names it; null when it has none. */
  readonly terminal: string | null;
  /** Whether it has ended, and only its number is still kept, until its parent takes note of that. */
  readonly hasEnded: boolean;
}

/** How a state begins that `ps` and `/proc` show of a process that has ended: a zombie, or one that is going. */
const ENDED = /^[ZX]/i;

/** The processes that are there, of those asked for; empty where the system does not tell. */
export function readProcesses(pids: readonly number[]): ReadonlyMap<number, ProcessFacts> {
  if (Deno.build.os === "windows" || pids.length === 0) return new Map();
  return Deno.build.os === "linux" ? factsFromProc(pids) : factsFromPs(pids);
}

/**
 * Linux: fields 3, 4, 6, 7 and 22 of `/proc/PID/stat`, the last being the start in clock ticks since boot. Read with `cat`,
 * because the runtime lets a program read `/proc` only when it may do everything.
 */
function factsFromProc(pids: readonly number[]): Map<number, ProcessFacts> {
  const facts = new Map<number, ProcessFacts>();
  for (const line of outputOf("/bin/cat", pids.map((pid) => `/proc/${pid}/stat`)).split("\n")) {
    const pid = Number.parseInt(line);
    // The second field is the command in brackets and may hold anything, so count from its end.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const [state, parent, , leader, terminal] = fields;
    const mark = fields[19];
    if (pid > 0 && state && mark) {
      facts.set(pid, {
        mark,
        parent: Number(parent),
        leader: Number(leader),
        terminal: terminal === "0" ? null : terminal ?? null,
        hasEnded: ENDED.test(state),
      });
    }
  }
  return facts;
}

/** macOS and the BSDs: the start in full seconds, as `ps` prints it, and a terminal of `??` where there is none. */
function factsFromPs(pids: readonly number[]): Map<number, ProcessFacts> {
  const facts = new Map<number, ProcessFacts>();
  const words = ["-o", "pid=,ppid=,stat=,tty=,lstart=", "-p", pids.join(",")];
  for (const line of outputOf("/bin/ps", words).split("\n")) {
    const [, pid, parent, state, terminal, mark] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid && state && mark) {
      facts.set(Number(pid), {
        mark,
        parent: Number(parent),
        leader: null,
        terminal: /^[?-]+$/.test(terminal ?? "?") ? null : terminal ?? null,
        hasEnded: ENDED.test(state),
      });
    }
  }
  return facts;
}

/** Clock ticks in a second, on every Linux that a program is built for. */
const TICKS = 100;

/**
 * When a process was started, in epoch milliseconds, exact to a second.
 *
 * @param mark As in {@linkcode ProcessFacts}. @returns Null where its mark does not tell.
 */
export function startedAtMs(mark: string): number | null {
  if (Deno.build.os !== "linux") return Date.parse(mark) || null;
  const boot = /^btime (\d+)$/m.exec(outputOf("/bin/cat", ["/proc/stat"]))?.[1];
  return boot === undefined ? null : (Number(boot) + Number(mark) / TICKS) * 1000;
}

/** The environments of those processes that belong to this user: `NAME=value` texts in any order. */
export function readEnvironments(pids: readonly number[]): string {
  if (Deno.build.os === "windows" || pids.length === 0) return "";
  return Deno.build.os === "linux"
    ? outputOf("/bin/cat", pids.map((pid) => `/proc/${pid}/environ`))
    : outputOf("/bin/ps", ["-Eww", "-o", "command=", "-p", pids.join(",")]);
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

/** The command line of a process, its words with spaces between; null where the system does not tell. */
export function readCommandLine(pid: number): string | null {
  const line = Deno.build.os === "linux"
    ? outputOf("/bin/cat", [`/proc/${pid}/cmdline`])
    : outputOf("/bin/ps", ["-o", "args=", "-p", String(pid)]);
  return line.replaceAll("\0", " ").trim() || null;
}
