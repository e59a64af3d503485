import type { CliContext } from "./context.ts";

/** The line is written anew no more often than this. */
const PAUSE_MS = 100;

const CLEAR_LINE = "\r\x1b[2K";

/** A line that tells how far work in many steps is. */
export interface ProgressLine {
  /** Replaces the line. */
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
