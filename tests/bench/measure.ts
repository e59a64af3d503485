/** Times whole processes, from before they are started until they have ended. */
import { feed, spawnAlone } from "../support/process.ts";

/** One way to start a program. */
export interface Subject {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A new one for every run, so that no two runs are the same event. */
  readonly stdin: () => string;
  /** Called when its program was copied anew: hooks would tell a session that the program has changed. */
  readonly onCopied?: () => void;
}

/** Two subjects, measured in turns. */
export interface Comparison {
  /** Medians, in milliseconds. */
  readonly subjectMs: number;
  readonly baselineMs: number;
  /** Median of the ratios of neighbouring runs, subject to baseline. */
  readonly ratio: number;
  readonly runs: number;
}

/** Runs that are not counted: they fill the caches of the disk and of the processor. */
const WARM_UP_RUNS = 5;

/**
 * Runs both in turns, A B B A …, so that whatever slows the machine down meets both alike.
 *
 * @param subject, baseline Do one run and return what it took.
 */
export async function compare(
  subject: () => Promise<number>,
  baseline: () => Promise<number>,
  runs: number,
): Promise<Comparison> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = -WARM_UP_RUNS; run < runs; run++) {
    const subjectFirst = run % 2 === 0;
    const first = await (subjectFirst ? subject : baseline)();
    const second = await (subjectFirst ? baseline : subject)();
    if (run < 0) continue;
    ours.push(subjectFirst ? first : second);
    theirs.push(subjectFirst ? second : first);
  }
  return {
    subjectMs: median(ours),
    baselineMs: median(theirs),
    ratio: median(ours.map((value, i) => value / theirs[i]!)),
    runs,
  };
}

/** Runs a program once. @returns Milliseconds. @throws {Error} When it fails or complains. */
export async function timeOnce(subject: Subject): Promise<number> {
  const input = new TextEncoder().encode(subject.stdin());
  const started = performance.now();
  const child = spawnAlone(subject.command, subject.args, subject);
  const fed = feed(child, input);
  const { code, stderr } = await child.output();
  const ms = performance.now() - started;
  await fed;
  if (code !== 0 || stderr.length > 0) {
    throw new Error(`${subject.args.join(" ")}: ${code} ${new TextDecoder().decode(stderr)}`);
  }
  return ms;
}

/** Starts a program that is given nothing, and that nobody listens to. */
export function startUnheard(subject: Omit<Subject, "stdin">): Deno.ChildProcess {
  const unheard = { stdin: "null", stdout: "null", stderr: "null" } as const;
  const { command, args, env, cwd } = subject;
  return new Deno.Command(command, { args: [...args], clearEnv: true, env, cwd, ...unheard })
    .spawn();
}

/** The middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
