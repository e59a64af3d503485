/** How much of an output is seen behind `| tail -20` or `| head -20`: the number is no part of what a command is. */

/** What is seen of an output. */
export interface ShownOutput {
  /** The command that printed it, as the facts have it. */
  readonly command: string;
  /** How many lines came out of it in the end, without blank ones before and behind. */
  readonly lines: number;
  /** Whether the end is seen, and says that all has gone well. */
  readonly isSuccess: boolean;
}

const WINDOW = / ?\|&? ?(head|tail)(?: -(?:n ?|-lines[= ])?(\d+))?(?= ?(?:$|[|;&)\n]))/g;
/** So many lines are shown where no number is said. */
const DEFAULT_LINES = 10;
/** Blank lines that are not counted, at most: builds end with one, and begin with one. */
const BLANK_LINES = 2;

/** A command without its windows, and these in their order. */
interface Windowed {
  readonly rest: string;
  readonly windows: readonly { readonly from: string; readonly lines: number }[];
}

/**
 * Whether a later run of the same command shows as much of its output as one before it, so that what was seen to fail
 * there would be seen again: its success, all of it, or the same end or beginning of at least as many lines.
 *
 * @param before The command of that one.
 */
export function showsAsMuch({ command, lines, isSuccess }: ShownOutput, before: string): boolean {
  if (isSuccess) return true;
  const [now, then] = [windowed(command), windowed(before)];
  if (now.rest !== then.rest) return false;
  if (now.windows.every((window) => lines + BLANK_LINES <= window.lines)) return true;
  return now.windows.length === then.windows.length &&
    now.windows.every(({ from, lines }, at) =>
      from === then.windows[at]!.from && lines >= then.windows[at]!.lines
    );
}

function windowed(command: string): Windowed {
  const windows = [...command.matchAll(WINDOW)].map(([, from = "", lines]) => ({
    from,
    lines: lines === undefined ? DEFAULT_LINES : Number(lines),
  }));
  return { rest: command.replace(WINDOW, ""), windows };
}
