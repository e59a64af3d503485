/** Tells which processes live, and whether a number still belongs to the same process: systems reuse the numbers. */

export const OWN_PID = Deno.pid;

export interface ProcessState {
  readonly alive: boolean;
  /** When the process was started, in the system's own format; null where the system does not tell. */
  readonly mark: string | null;
}

/** Looks at processes with one call of a system tool. `mark` is null where the start cannot be read. */
export async function lookAtProcesses(
  pids: readonly number[],
): Promise<ReadonlyMap<number, ProcessState>> {
  const unique = [...new Set(pids.filter((pid) => Number.isSafeInteger(pid) && pid > 0))];
  if (unique.length === 0) return new Map();
  const found = readProcesses(unique);
  const states = new Map<number, ProcessState>();
  for (const pid of unique) {
    const facts = found.get(pid);
    const alive = facts === undefined ? await exists(pid) : !facts.hasEnded;
    states.set(pid, { alive, mark: facts?.mark ?? null });
  }
  return states;
}

/** Looks faster than {@linkcode lookAtProcesses} (0.1 ms, not 1.4): it reads no marks, and a zombie counts as alive. */
export async function lookForLife(
  pids: readonly number[],
): Promise<ReadonlyMap<number, ProcessState>> {
  const states = new Map<number, ProcessState>();
  for (const pid of new Set(pids)) states.set(pid, { alive: await exists(pid), mark: null });
  return states;
}

export interface ProcessFacts {
  readonly mark: string;
  /** The process that started it, or that took it over. */
  readonly parent: number;
  /** The leader of its session; null where the system does not tell. */
  readonly leader: number | null;
  /** Its controlling terminal; null when it has none. */
  readonly terminal: string | null;
  /** Whether it is a zombie: ended, but its parent has not taken note. */
  readonly hasEnded: boolean;
}

/** How `ps` and `/proc` show the state of a zombie. */
const ENDED = /^[ZX]/i;

/** Returns the facts about the processes that exist; empty where the system does not tell. */
export function readProcesses(pids: readonly number[]): ReadonlyMap<number, ProcessFacts> {
  if (Deno.build.os === "windows" || pids.length === 0) return new Map();
  const isLinux = Deno.build.os === "linux";
  const text = isLinux
    ? outputOf("/bin/cat", pids.map((pid) => `/proc/${pid}/stat`))
    : outputOf("/bin/ps", ["-o", "pid=,ppid=,stat=,tty=,lstart=", "-p", pids.join(",")]);
  const factsOf = isLinux ? factsOfStat : factsOfPs;
  return new Map(
    text.split("\n").flatMap((line) => {
      const { pid, state, mark, ...others } = factsOf(line);
      if (!(Number(pid) > 0) || !state || !mark) return [];
      return [[Number(pid), { ...others, mark, hasEnded: ENDED.test(state) }]];
    }),
  );
}

/**
 * Reads fields 3, 4, 6, 7 and 22 of Linux's `/proc/PID/stat`; the last is the start in clock ticks since boot. `cat`
 * reads the file, because the runtime lets a program read `/proc` only with all permissions.
 */
function factsOfStat(line: string) {
  // The command in brackets may hold anything, so the fields are counted from its end.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [state, parent, , leader, terminal = null] = fields;
  return {
    pid: Number.parseInt(line),
    state,
    mark: fields[19],
    parent: Number(parent),
    leader: Number(leader),
    terminal: terminal === "0" ? null : terminal,
  };
}

/** Reads what `ps` prints on macOS and the BSDs: the start in full seconds, and `??` where there is no terminal. */
function factsOfPs(line: string) {
  const [, pid, parent, state, terminal = "?", mark] =
    /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
  const none = /^[?-]+$/.test(terminal);
  return {
    pid,
    state,
    mark,
    parent: Number(parent),
    leader: null,
    terminal: none ? null : terminal,
  };
}

/** Clock ticks in a second, on every Linux. */
const TICKS = 100;

/** Returns when a process was started, in epoch milliseconds, exact to a second; null where its mark does not tell. */
export function startedAtMs(mark: string): number | null {
  if (Deno.build.os !== "linux") return Date.parse(mark) || null;
  const boot = /^btime (\d+)$/m.exec(outputOf("/bin/cat", ["/proc/stat"]))?.[1];
  return boot === undefined ? null : (Number(boot) + Number(mark) / TICKS) * 1000;
}

/** Returns the environments of those processes that belong to this user, as `NAME=value` texts in any order. */
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

/** Tells whether a process exists: asking for its priority needs no rights, and fails only without the process. */
async function exists(pid: number): Promise<boolean> {
  const { getPriority } = await import("node:os");
  try {
    getPriority(pid);
    return true;
  } catch (thrown) {
    return !/ESRCH/.test(String(thrown));
  }
}

/** Returns the command line of a process, with spaces between its words; null where the system does not tell. */
function readCommandLine(pid: number): string | null {
  const line = Deno.build.os === "linux"
    ? outputOf("/bin/cat", [`/proc/${pid}/cmdline`])
    : outputOf("/bin/ps", ["-o", "args=", "-p", String(pid)]);
  return line.replaceAll("\0", " ").trim() || null;
}

/** Tells whether a process lives and has the given mark and command; what the system does not tell is not compared. */
export async function livesOn(
  { pid, processMark }: { readonly pid: number; readonly processMark: string | null },
  isCommand: (line: string) => boolean,
): Promise<boolean> {
  const state = (await lookAtProcesses([pid])).get(pid);
  if (state === undefined || !state.alive) return false;
  if (processMark !== null && state.mark !== null && state.mark !== processMark) return false;
  const line = readCommandLine(pid);
  return line === null || isCommand(line);
}
