/** Runs Deno, other programs, and the tasks of the build. */
import { UserError } from "../base/errors.ts";

export interface Ran {
  readonly success: boolean;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/** Where to run a program, which must then end within ten seconds. */
export interface Place {
  readonly cwd: string;
  /** The whole environment: the program inherits no other variable. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a program to its end; when no place is given, without colours in the clone's folder. */
export async function run(
  program: string,
  args: readonly string[],
  place?: Place,
  stdin = "",
): Promise<Ran> {
  const started = performance.now();
  const child = new Deno.Command(program, {
    args: [...args],
    cwd: REPOSITORY,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    ...place && { ...place, clearEnv: true, signal: AbortSignal.timeout(10_000) },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = new Blob([stdin]).stream().pipeTo(child.stdin);
  const { success, code, stdout, stderr } = await child.output();
  await input;
  const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  const durationMs = performance.now() - started;
  return { success, code, stdout: output!, stderr: errors!, durationMs };
}

export function runDeno(args: readonly string[]): Promise<Ran> {
  return run(Deno.execPath(), args);
}

/** The clone that the build belongs to. */
export const REPOSITORY = new URL("../../", import.meta.url);

/** Runs a task; prints a {@linkcode UserError} in at most three lines and exits with status 1. */
export async function runTask(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const next = thrown.next === "" ? "" : `\n  next: ${thrown.next}`;
    console.error(`${thrown.what}\n  why:  ${thrown.why}${next}`);
    Deno.exit(1);
  }
}
