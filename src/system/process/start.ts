/**
 * Starts programs that a person has configured, in the environment that Claude Code gave this process.
 *
 * This program may start only the system's shell by name. So the shell runs a fixed script, and gets the program that
 * it becomes as arguments, never as text of the script.
 */
import { type Environment, readVariable } from "../environment.ts";
import { readEnvironments } from "./process_identity.ts";

/** How a program is started; it gets a process group of its own. */
export interface StartOptions {
  readonly folder: string;
  /** Variables added to those of the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** The environment whose variables are passed on; by default that of this process. */
  readonly environment?: Pick<Environment, "passedOn">;
  readonly stdout: "piped" | "null";
  readonly stderr: "piped" | "null";
  /** Without it, standard input is empty. */
  readonly stdin?: "piped";
}

/** Variables that change which libraries a program loads; the runtime passes them on only if it may start anything. */
const LOADING = /^(?:LD|DYLD)_/;

const ON_WINDOWS = Deno.build.os === "windows";

/** The signals that end this process from outside: from Claude Code, a closed terminal, a person. */
export const ENDING_SIGNALS: readonly Deno.Signal[] = ON_WINDOWS
  ? ["SIGINT"]
  : ["SIGTERM", "SIGINT", "SIGHUP"];

/** Calls `callback` for the signals that end this process, instead of letting them end it, until the block ends. */
export function onEndingSignals(callback: (signal: Deno.Signal) => void): Disposable {
  return onSignals(ENDING_SIGNALS, callback);
}

/** Calls `callback` when the size of the terminal changes, until the block ends. */
export function onResize(callback: () => void): Disposable {
  // Not every runtime emits `resize` on standard output, and Windows has no such signal.
  if (!ON_WINDOWS) return onSignals(["SIGWINCH"], callback);
  process.stdout.on("resize", callback);
  return { [Symbol.dispose]: () => void process.stdout.off("resize", callback) };
}

function onSignals(
  signals: readonly Deno.Signal[],
  callback: (signal: Deno.Signal) => void,
): Disposable {
  const listeners = signals.map((signal) => [signal, () => callback(signal)] as const);
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return {
    [Symbol.dispose]() {
      for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}

/** Starts a program, and does not wait for it. @throws {Error} For a missing folder, or arguments that are too long. */
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
  const script = assignments.length === 0 ? 'exec "$@"' : 'exec env "$@"';
  const [program, args] = ON_WINDOWS
    ? [words[0]!, words.slice(1)]
    : ["/bin/sh", ["-c", script, "sh", ...assignments, ...words]];
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

/** Writes a text to the standard input of a process and closes it. The process may close the pipe earlier. */
export async function feed(child: Deno.ChildProcess, text: string): Promise<void> {
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // The process has closed the pipe.
  }
}

/** Returns the whole environment; the runtime shows this program only the variables that its permissions name. */
function environmentOfThisProcess(): (readonly [name: string, value: string])[] {
  const lines = Deno.build.os === "linux" ? readEnvironments([Deno.pid]).split("\0") : [];
  const found = lines
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const)
    .filter(([name]) => name !== "");
  return found.length > 0 ? found : Object.entries(usualVariables(readVariable));
}

/** Returns the variables that a program needs at least, those that are set. */
export function usualVariables(read: Environment["variable"]): Readonly<Record<string, string>> {
  return Object.fromEntries(["PATH", "HOME", "USERPROFILE", "TEMP"].flatMap((name) => {
    const value = read(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/**
 * Asks all processes of a group to end, and kills those that live on for `rounds` tenths of a second. `kill` counts
 * zombies as alive, so on Linux the script reads the state of each process. There it also finds, by a variable of their
 * environment, the processes that have left the group.
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

const GRACE_MS = 1500;

/** Ends the group that a process was started with. @param mark As in {@linkcode endGroupOf}. */
export async function endGroup(child: Deno.ChildProcess, mark = ""): Promise<void> {
  try {
    if (ON_WINDOWS) return child.kill();
  } catch {
    // The process has ended.
  }
  await endGroupOf(child.pid, { mark });
}

/** Ends all processes of a group. Never throws. @param options `mark`: a variable of those that have left the group. */
export async function endGroupOf(
  group: number,
  { graceMs = GRACE_MS, mark = "" }: { readonly graceMs?: number; readonly mark?: string } = {},
): Promise<void> {
  await runScript(END_GROUP, String(group), String(Math.ceil(graceMs / 100)), mark);
}

/** Asks one process to end, and no other of its group. Never throws. */
export async function askToLeave(pid: number): Promise<void> {
  await runScript('kill -s TERM "$1"', String(pid));
}

/** Runs a script about processes. It is detached, so it goes on when this process is ended. */
async function runScript(script: string, ...args: readonly string[]): Promise<void> {
  try {
    // `output()` would ignore `detached`.
    await new Deno.Command("/bin/sh", {
      args: ["-c", script, "sh", ...args],
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn().status;
  } catch {
    // Without a shell no process was started either.
  }
}

/** Becomes `bash`, for which people write scripts, or `/bin/sh` where there is no bash. */
const PICK_SHELL = `if command -v bash >/dev/null 2>&1; then exec bash -c "$@"; fi
exec /bin/sh -c "$@"`;

/** Returns the words that run a script of a person. @param args What the script sees as `$1` and up. */
export function shellWords(script: string, args: readonly string[] = []): string[] {
  const words = [script, "conclaude", ...args];
  return ON_WINDOWS ? ["bash", "-c", ...words] : ["/bin/sh", "-c", PICK_SHELL, "sh", ...words];
}

/** Appends the output to a log that only this user can read, and becomes the program with the user's own umask. */
const INTO_LOG = 'log=$1; shift; (umask 077; : >>"$log"); exec "$@" >>"$log" 2>&1';

/** Starts a program that goes on when this process has ended. @param place `log`: the file for its output. */
export function startAlone(
  words: readonly string[],
  { log, ...place }: Pick<StartOptions, "folder"> & {
    readonly log: string;
    readonly environment: Pick<Environment, "passedOn">;
  },
): Deno.ChildProcess {
  const all = ON_WINDOWS ? words : ["/bin/sh", "-c", INTO_LOG, "sh", log, ...words];
  const child = startWords(all, { ...place, variables: {}, stdout: "null", stderr: "null" });
  child.unref();
  return child;
}
