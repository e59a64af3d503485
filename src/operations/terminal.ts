/** What a person at a terminal is asked and shown while a command works. */
import { fitToColumns } from "../base/columns.ts";
import { UserError } from "../base/errors.ts";
import type { CliContext } from "./context.ts";
import { usageError } from "./usage.ts";

/** Shows a person what goes or comes, and asks whether to go on. @param question `again`: the command that does not ask. @throws {UserError} */
export function confirmOrThrow(
  { process, globals, environment }: CliContext,
  { shows = [], ...question }: {
    readonly what: string;
    readonly ask: string;
    readonly again: string;
    readonly shows?: readonly string[];
  },
): void {
  if (!isAtTerminal({ globals, environment })) {
    throw usageError(`Cannot ${question.what}`, {
      why: "it needs a yes, and there is no terminal to ask on; nothing was changed",
      next: question.again,
    });
  }
  if (shows.length > 0) {
    process.stdout.write(`${fitToColumns(shows.join("\n"), globals.breaksAt)}\n`);
  }
  if (/^y(?:es)?$/i.test(prompt(`${question.ask} [y/N]`)?.trim() ?? "")) return;
  throw new UserError(`Did not ${question.what}`, {
    why: "the answer was no; nothing was changed",
    next: "",
  });
}

/** Whether a person at a terminal is at work, who can be asked and reads what is shown. */
export function isAtTerminal(
  { globals, environment }: Pick<CliContext, "globals" | "environment">,
): boolean {
  return !globals.json && environment.isTerminal("stdin") && environment.isTerminal("stdout");
}

const PAUSE_MS = 100;
const CLEAR_LINE = "\r\x1b[2K";

/** A line that tells how far work in many steps is. */
export interface ProgressLine {
  readonly tell: (text: string) => void;
  /** Takes the line away; to be called before anything else is printed. */
  readonly end: () => void;
}

/** A line on stderr while work goes on, changed at most ten times a second; silent where stderr is no terminal. */
export function progressLine(
  { process, environment }: Pick<CliContext, "process" | "environment">,
): ProgressLine {
  if (!environment.isTerminal("stderr")) return { tell: () => {}, end: () => {} };
  let toldAt = -Infinity;
  return {
    tell(text) {
      if (performance.now() - toldAt < PAUSE_MS) return;
      toldAt = performance.now();
      process.stderr.write(CLEAR_LINE + text);
    },
    end() {
      if (toldAt > -Infinity) process.stderr.write(CLEAR_LINE);
    },
  };
}

/** Shows one progress line during work that SQLite does in one call. @param doing `Checking the database`. */
export async function withProgress<Result>(
  context: Pick<CliContext, "process" | "environment">,
  doing: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const progress = progressLine(context);
  progress.tell(`${doing} …`);
  try {
    return await work();
  } finally {
    progress.end();
  }
}
