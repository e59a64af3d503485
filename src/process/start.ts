/**
 * Starts what a person has configured, in the environment that Claude Code gave this process.
 *
 * The program may start the system's shell and nothing else by name: the shell's script is fixed, and what it becomes is
 * handed over as arguments, never as text of the script.
 */
import { type Environment, readVariable } from "../environment.ts";

/** How something is started. It has a process group of its own. */
export interface StartOptions {
  readonly folder: string;
  /** Variables beside those of the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whose variables are passed on; by default those of this process. */
  readonly environment?: Pick<Environment, "passedOn">;
  readonly stdout: "piped" | "null";
  readonly stderr: "piped" | "null";
  /** Without it, standard input is empty. */
  readonly stdin?: "piped";
}

/** Variables that the runtime passes on only to programs that may start anything: they change what is loaded. */
const LOADING = /^(?:LD|DYLD)_/;

const ON_WINDOWS = Deno.build.os === "windows";

/** What ends this process from outside: Claude Code, a terminal that is closed, a person at it. */
export const ENDING_SIGNALS: readonly Deno.Signal[] = ON_WINDOWS
  ? ["SIGINT"]
  : ["SIGTERM", "SIGINT", "SIGHUP"];

/**
 * Starts a program, and does not wait for it.
 *
 * @param words The program and its arguments.
 * @throws {Error} When it cannot be started: no such folder, arguments that are too long.
 */
export function startWords(words: readonly string[], options: StartOptions): Deno.ChildProcess {
  const passedOn = options.environment?.passedOn ?? null;
  if (passedOn !== null) {
    const variables = { ...passedOn, ...options.variables };
    return spawn(words, [], { ...options, variables, clearEnv: true });
  }
  try {
    return spawn(words, [], { ...options, clearEnv: false });
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotCapable)) throw thrown;
  }
  const environment = environmentOfThisProcess();
  const passed = environment.filter(([name]) => !LOADING.test(name));
  const loading = environment.filter(([name]) => LOADING.test(name));
  return spawn(words, loading.map(([name, value]) => `${name}=${value}`), {
    ...options,
    clearEnv: true,
    variables: { ...Object.fromEntries(passed), ...options.variables },
  });
}

function spawn(
  words: readonly string[],
  assignments: readonly string[],
  options: StartOptions & { readonly clearEnv: boolean },
): Deno.ChildProcess {
  const become = assignments.length === 0 ? 'exec "$@"' : 'exec env "$@"';
  const [program, args] = ON_WINDOWS
    ? [words[0]!, words.slice(1)]
    : ["/bin/sh", ["-c", become, "sh", ...assignments, ...words]];
  return new Deno.Command(program, {
    args,
    cwd: options.folder,
    clearEnv: options.clearEnv,
    env: options.variables,
    stdin: options.stdin ?? "null",
    stdout: options.stdout,
    stderr: options.stderr,
    detached: !ON_WINDOWS,
  }).spawn();
}

/**
 * Gives a process a text on its standard input, and ends that. A program that does not read to the end closes the pipe;
 * that is its right.
 */
export async function feed(child: Deno.ChildProcess, text: string): Promise<void> {
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // It has closed it.
  }
}

/** The environment, read past the runtime, which lets this program see only what it names; where it can be read. */
function environmentOfThisProcess(): (readonly [name: string, value: string])[] {
  try {
    const { stdout } = new Deno.Command("/bin/cat", {
      args: [`/proc/${Deno.pid}/environ`],
      clearEnv: true,
      stdin: "null",
      stderr: "null",
    }).outputSync();
    const found = new TextDecoder().decode(stdout).split("\0")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const)
      .filter(([name]) => name !== "");
    if (found.length > 0) return found;
  } catch {
    // Not on this system.
  }
  return ["PATH", "HOME", "USERPROFILE", "TEMP"]
    .map((name) => [name, readVariable(name)] as const)
    .filter((pair): pair is readonly [string, string] => pair[1] !== undefined);
}

/**
 * Asks all processes of a group to leave, and ends those that are still there after some tenths of a second. One that has
 * left but that nobody has asked about yet still counts as there for `kill`, so Linux is asked for their state. There, what
 * has left the group is found by a variable of its environment as well.
 */
const END_GROUP = `group=$1 rounds=$2 mark=$3
lives() {
  kill -s 0 -- "-$group" 2>/dev/null || return 1
  [ -r /proc/self/stat ] || return 0
  for stat in /proc/[0-9]*/stat; do
    read -r line 2>/dev/null <"$stat" || continue
    case $line in *") "[!ZX]" "[0-9]*" $group "*) return 0 ;; esac
  done
  return 1
}
marked() {
  [ -z "$mark" ] || grep -lsxzF -e "$mark" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n'
}
tell() {
  kill -s "$1" -- "-$group" 2>/dev/null
  for pid in $(marked); do kill -s "$1" "$pid" 2>/dev/null; done
}
lives || [ -n "$(marked)" ] || exit 0
tell TERM
n=0
while [ "$n" -lt "$rounds" ]; do
  sleep 0.1
  lives || [ -n "$(marked)" ] || exit 0
  n=$((n + 1))
done
tell KILL`;

/** How long a process may take to leave when it is asked to, in milliseconds. */
const GRACE_MS = 1500;

/**
 * Ends a process that was started with a group of its own, and all that is in the group.
 *
 * @param mark As in {@linkcode endGroupOf}.
 */
export async function endGroup(child: Deno.ChildProcess, mark = ""): Promise<void> {
  try {
    if (ON_WINDOWS) return child.kill();
  } catch {
    // It has left.
  }
  await endGroupOf(child.pid, { mark });
}

/**
 * Ends all processes of a group: whoever ends this process does not end them, and must not save them either. Never throws.
 *
 * @param group The number of the process that the group began with, which need not live any more.
 * @param options.mark `NAME=value` in the environment of what belongs to it, also when it has left the group.
 */
export async function endGroupOf(
  group: number,
  { graceMs = GRACE_MS, mark = "" }: { readonly graceMs?: number; readonly mark?: string } = {},
): Promise<void> {
  try {
    // Detached, which `output()` would pass over: whoever ends this process must not save the other one.
    await new Deno.Command("/bin/sh", {
      args: ["-c", END_GROUP, "sh", String(group), String(Math.ceil(graceMs / 100)), mark],
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn().status;
  } catch {
    // Without a shell nothing was started either.
  }
}

/** Asks one process to leave, and nothing else of its group. Never throws. */
export async function askToLeave(pid: number): Promise<void> {
  try {
    await new Deno.Command("/bin/sh", {
      args: ["-c", 'kill -s TERM "$1"', "sh", String(pid)],
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn().status;
  } catch {
    // Without a shell there is no answer.
  }
}
