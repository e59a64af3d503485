import { UserError } from "../base/errors.ts";

/** The end of a program, and its output. */
export interface Ran {
  readonly success: boolean;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/** A place to run a program in, of ours alone: it has ten seconds there. */
export interface Place {
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a program to its end, without colours; in the clone's folder when no place is given. */
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
  const [said, complained] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  const durationMs = performance.now() - started;
  return { success, code, stdout: said!, stderr: complained!, durationMs };
}

/** Runs the Deno that runs this. */
export function runDeno(args: readonly string[]): Promise<Ran> {
  return run(Deno.execPath(), args);
}

/** The clone that the build belongs to. */
export const REPOSITORY = new URL("../../", import.meta.url);

/** Runs a task; what it throws is told in three lines where it was meant for a person, and leaves with status 1. */
export async function runTask(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    console.error(`${thrown.what}\n  why:  ${thrown.why}\n  next: ${thrown.next}`);
    Deno.exit(1);
  }
}
