/**
 * Starts the real program in a clean environment: the executable in `CONCLAUDE_BIN` when that is set, else the bundle in
 * `dist/bundle` with the permissions that the executable would have.
 */
import assert from "node:assert/strict";
import { asPerson } from "./person.ts";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programCommand, surroundings } from "../../src/build/program.ts";

/** The clone that these tests belong to. */
export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");

/** How a program is started. */
export interface StartOptions {
  /** Text or bytes for stdin; without it stdin is empty. An object is sent as JSON. */
  readonly stdin?: string | Uint8Array | object | undefined;
  /** The whole environment, beside `PATH`; nothing of this process's own is passed on. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder to start in; the temporary one when not given. */
  readonly cwd?: string | undefined;
  /** Words before the program's own: a command that ends by starting what follows it, such as `nice`. */
  readonly through?: readonly string[] | undefined;
}

/** The output and the status of a program that has ended. */
export interface Finished {
  readonly code: number;
  /** The signal that ended it, for example `SIGKILL`; null when it left by itself. */
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command that starts the program, for tests that start processes themselves. */
export function programStart(
  args: readonly string[],
  options: Omit<StartOptions, "stdin"> = {},
): { command: string; args: string[]; env: Record<string, string>; cwd: string } {
  const [command, ...first] = [...options.through ?? [], ...programCommand()];
  return {
    command: command!,
    args: [...first, ...args],
    env: usualVariables(options.env),
    cwd: options.cwd ?? temporaryFolder(),
  };
}

/** The variables of a program: those that it always sees, lines so wide that none is broken, and these. */
export function usualVariables(env: StartOptions["env"]): Record<string, string> {
  return { ...surroundings(runtimeCache()), COLUMNS: "100000", ...env };
}

/** Starts the program and leaves it running; the caller has to end its stdin, read its output and await its status. */
export function spawnProgram(
  args: readonly string[],
  options: Omit<StartOptions, "stdin"> = {},
): Deno.ChildProcess {
  const { command, args: all, ...start } = programStart(args, options);
  return spawnAlone(command, all, start);
}

/**
 * Runs the program to its end: `await startProgram(["status", "--json"], { env: { HOME: home.path } })`. A verb that only a
 * person may run is run by one: where it refuses, it is shown a token that the database knows.
 */
export async function startProgram(
  args: readonly string[],
  options: StartOptions = {},
): Promise<Finished> {
  return args.includes("hook")
    ? await startAsAgent(args, options)
    : await asPerson(startAsAgent, args, options);
}

/** {@linkcode startProgram} without a person: no terminal, and no token but one of `env`. */
export async function startAsAgent(
  args: readonly string[],
  options: StartOptions = {},
): Promise<Finished> {
  return await finished(spawnProgram(args, options), options.stdin);
}

/** Feeds a process, and waits for its end. */
export async function finished(
  child: Deno.ChildProcess,
  stdin?: StartOptions["stdin"],
): Promise<Finished> {
  const [, { code, signal, stdout, stderr }] = await Promise.all([
    feed(child, stdin),
    child.output(),
  ]);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, signal, stdout: text(stdout), stderr: text(stderr) };
}

/** Starts a command with nothing of this process's environment; see {@linkcode finished}. */
export function spawnAlone(
  command: string,
  args: readonly string[],
  { env, cwd }: Pick<StartOptions, "env" | "cwd"> = {},
): Deno.ChildProcess {
  return new Deno.Command(command, {
    args: [...args],
    clearEnv: true,
    env: { ...env },
    ...cwd === undefined ? {} : { cwd },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Sends one hook event as Claude Code does: one process, the payload on stdin as one line of JSON. */
export function startHook(
  event: string,
  payload: object | string | Uint8Array,
  home: string | { readonly path: string },
  options: Omit<StartOptions, "stdin"> = {},
): Promise<Finished> {
  return startProgram(["hook", event], sending(payload, home, options));
}

/** Parses the answer of a hook, which has to exit with 0 and print no error. @returns Null when it printed nothing. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
export function answerOf({ code, stdout, stderr }: Finished): any {
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout === "" ? null : JSON.parse(stdout);
}

/** The options of a hook that is sent a payload in a home. */
export function sending(
  payload: object | string | Uint8Array,
  home: string | { readonly path: string },
  options: Omit<StartOptions, "stdin"> = {},
): StartOptions {
  const HOME = typeof home === "string" ? home : home.path;
  return { ...options, stdin: payload, env: { HOME, ...options.env } };
}

/** Gives a process its whole stdin. */
export async function feed(
  child: Pick<Deno.ChildProcess, "stdin">,
  stdin: StartOptions["stdin"],
): Promise<void> {
  const writer = child.stdin.getWriter();
  try {
    if (stdin !== undefined) await writer.write(bytesOf(stdin));
    await writer.close();
  } catch {
    // The program left without reading to the end; that is its right.
  }
}

/** The bytes that a program gets on its stdin. */
export function bytesOf(stdin: string | Uint8Array | object): Uint8Array {
  if (stdin instanceof Uint8Array) return stdin;
  return new TextEncoder().encode(typeof stdin === "string" ? stdin : `${JSON.stringify(stdin)}\n`);
}

/** Of this test run: its own `DENO_DIR`, or one that all runs of the clone share. */
function runtimeCache(): string {
  return Deno.env.get("DENO_DIR") ?? join(REPOSITORY, "dist", "runtime-cache");
}

function temporaryFolder(): string {
  return Deno.build.os === "windows" ? Deno.env.get("TEMP") ?? "C:\\Windows\\Temp" : "/tmp";
}
