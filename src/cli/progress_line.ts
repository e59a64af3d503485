import type { CliContext } from "./context.ts";

/**
 * Shows a line on a terminal's stderr while work goes on, and takes it away at the end. The line does not change:
 * SQLite works in one call. @param doing For example `Checking the database`.
 */
export async function withProgress<Result>(
  { process, environment }: Pick<CliContext, "process" | "environment">,
  doing: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  if (!environment.isTerminal("stderr")) return await work();
  process.stderr.write(`${doing} …`);
  try {
    return await work();
  } finally {
    process.stderr.write("\r\x1b[2K");
  }
}

const PAUSE_MS = 100;
const CLEAR_LINE = "\r\x1b[2K";

/** A line that tells how far work in many steps is. */
export interface ProgressLine {
  readonly tell: (text: string) => void;
  /** Takes the line away; to be called before anything else is printed. */
  readonly end: () => void;
}

/** A line on stderr for work in many steps; silent where stderr is no terminal. */
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
