/** Looks at a command in a way that is much cheaper than parsing it. */
import SIGNS from "./signs.json" with { type: "json" };

/** Redirections that write no file: `2>&1`, `2>/dev/null`. */
const BETWEEN_STREAMS = /[12]?>(?:&[12]|\s?\/dev\/null)(?=[\s|;&)]|$)/g;

/**
 * Tells whether a command may change files, unpack files or start other commands, by texts in it. False only if it can
 * name no program of the tables. @param plain The command without quotes, backslashes and joined lines.
 */
export function mayChange(plain: string): boolean {
  const words = ` ${plain}`.replace(BETWEEN_STREAMS, " ");
  return SIGNS.some((text) => words.includes(text));
}
