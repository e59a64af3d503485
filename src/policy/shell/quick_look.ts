/** A look at a command that is much cheaper than reading it. */
import SIGNS from "./signs.json" with { type: "json" };

/** `2>&1`, `2>/dev/null`: what is printed goes to another stream, or nowhere. */
const BETWEEN_STREAMS = /[12]?>(?:&[12]|\s?\/dev\/null)(?=[\s|;&)]|$)/g;

/**
 * Whether a command may change files, unpack or start others: one of these texts stands in it. False only where no
 * program of the tables can be named. @param plain The command without quotes, backslashes and joined lines.
 */
export function mayChange(plain: string): boolean {
  const words = ` ${plain}`.replace(BETWEEN_STREAMS, " ");
  return SIGNS.some((text) => words.includes(text));
}
