/** Asks a person at a terminal, and shows them the progress of a command. */
import { cutToColumns, fitToColumns } from "../base/columns.ts";
import { UserError } from "../base/errors.ts";
import { plain } from "../base/plain.ts";
import { durationText } from "../base/time.ts";
import type { CliContext, Progress } from "./context.ts";
import { bytesText, firstLines } from "./table.ts";
import { usageError } from "./usage.ts";

/** How many of the things to remove are named. */
export const NAMED_ROWS = 10;

/** Lists the first things to remove and counts the others. @param linesOf Gets only the first ones. */
export function listFirst<One>(
  all: readonly One[],
  linesOf: (first: readonly One[]) => readonly string[],
  total = all.length,
): string[] {
  const named = linesOf(all.slice(0, NAMED_ROWS));
  const more = total - named.length;
  return [...firstLines(named, NAMED_ROWS), ...more > 0 ? [`… and ${more} more`] : []]
    .map((line) => `  ${line}`);
}

/** A question to a person, and the lines shown before it. */
interface Question {
  readonly what: string;
  readonly ask: string;
  readonly shows?: readonly string[];
}

/** Asks a person whether to go on. @param question `again`: the command that does not ask. @throws {UserError} */
export function confirmOrThrow(
  context: CliContext,
  question: Question & { readonly again: string },
): void {
  if (!isAtTerminal(context)) {
    throw usageError(`Cannot ${question.what}`, {
      why: "it needs a yes, and there is no terminal to ask on; nothing was changed",
      next: question.again,
    });
  }
  askAtTerminal(context, question);
}

/** {@linkcode confirmOrThrow}, but without a terminal it goes on: programs need no yes. */
export function askAtTerminal(context: CliContext, { what, ask, shows = [] }: Question): void {
  if (!isAtTerminal(context)) return;
  const { process, globals } = context;
  const lines = fitToColumns([...shows, `${ask} [y/N]`].map(plain).join("\n"), globals.columns)
    .split("\n");
  const last = lines.pop()!;
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  if (/^y(?:es)?$/i.test(prompt(last)?.trim() ?? "")) return;
  const why = "the answer was no; nothing was changed";
  throw new UserError(`Did not ${what}`, { why, next: "" });
}

/** Tells whether a person at a terminal can read the output and answer. */
export function isAtTerminal(
  { globals, environment }: Pick<CliContext, "globals" | "environment">,
): boolean {
  return !globals.json && environment.isTerminal("stdin") && environment.isTerminal("stdout");
}

const PAUSE_MS = 100;
const CLEAR_LINE = "\r\x1b[2K";
const BAR_COLUMNS = 20;
/** The progress line shows a rate only after this time, in milliseconds: earlier it would be inexact. */
const RATE_AFTER_MS = 1_000;

/** A line with the progress of work; it is removed at the end of its block. */
export interface ProgressLine extends Disposable {
  /** @param doing `Reading transcripts` */
  readonly tell: (doing: string, progress?: Progress) => void;
  /** Removes the line. A block calls it before it prints anything else. */
  readonly end: () => void;
}

/**
 * Shows a line on stderr during work, with a bar, the rate and the time left, updated at most ten times a second. It
 * shows nothing if stderr is not a terminal.
 */
export function progressLine(
  { process, environment, onProgress }: Pick<CliContext, "process" | "environment" | "onProgress">,
): ProgressLine {
  const none = () => {};
  const silent = { end: none, [Symbol.dispose]: none };
  if (onProgress !== undefined) return { ...silent, tell: onProgress };
  if (!environment.isTerminal("stderr")) return { ...silent, tell: none };
  let shownAtMs = -Infinity;
  let begun = { doing: "", atMs: 0, done: 0 };
  const end = () => {
    if (shownAtMs > -Infinity) process.stderr.write(CLEAR_LINE);
    shownAtMs = -Infinity;
  };
  return {
    tell(doing, progress) {
      const atMs = performance.now();
      if (doing !== begun.doing) begun = { doing, atMs, done: progress?.done ?? 0 };
      else if (atMs - shownAtMs < PAUSE_MS) return;
      shownAtMs = atMs;
      const line = progressText(doing, progress, { tookMs: atMs - begun.atMs, before: begun.done });
      process.stderr.write(CLEAR_LINE + cutToColumns(line, (environment.columns() ?? 80) - 1));
    },
    end,
    [Symbol.dispose]: end,
  };
}

/** Formats `Reading transcripts  █░  120 of 480, 9s left`. @param since `before`: done when `tookMs` began. */
export function progressText(
  doing: string,
  progress: Progress | undefined,
  since: { readonly tookMs: number; readonly before: number },
): string {
  if (progress === undefined) return `${doing} …`;
  const { done, of, inBytes } = progress;
  const amount = (n: number) => inBytes ? bytesText(Math.round(n)) : String(Math.round(n));
  const rate = since.tookMs < RATE_AFTER_MS ? 0 : (done - since.before) * 1_000 / since.tookMs;
  const full = of === undefined ? 0 : Math.round(BAR_COLUMNS * Math.min(1, done / Math.max(1, of)));
  const bar = of === undefined ? "" : `  ${"█".repeat(full)}${"░".repeat(BAR_COLUMNS - full)}`;
  const facts = [
    of === undefined ? amount(done) : `${amount(done)} of ${amount(of)}`,
    rate > 0 && `${amount(rate)} a second`,
    rate > 0 && of !== undefined && of > done &&
    `${durationText(Math.ceil((of - done) / rate) * 1_000)} left`,
  ];
  return `${doing}${bar}  ${facts.filter(Boolean).join(", ")}`;
}

/** Reports how much of the space that was free at the beginning has been given back. */
export function tellSpace(line: Pick<ProgressLine, "tell">) {
  let most = 0;
  return ({ freeBytes }: { readonly freeBytes: number }): void => {
    most = Math.max(most, freeBytes);
    const progress = { done: most - freeBytes, of: most, inBytes: true } as const;
    line.tell("Giving free room back to the disk", progress);
  };
}

/** Shows a progress line during work. @param doing Its first text: `Checking the database`. */
export async function withProgress<Result>(
  context: Pick<CliContext, "process" | "environment" | "onProgress">,
  doing: string,
  work: (progress: ProgressLine) => Result | Promise<Result>,
): Promise<Result> {
  using progress = progressLine(context);
  progress.tell(doing);
  return await work(progress);
}
