/** An event that is too large to be masked as a whole. */
import { shortenJson } from "../capture/shorten.ts";
import { type Input, parseInput } from "./protocol.ts";

export { withoutOverlaps } from "../capture/shorten.ts";

/** The input with at most so many characters of what was sent. */
export function shortenInput(input: Input, maxChars: number): Input {
  if (input.text.length <= maxChars) return input;
  const { text, cutBytes } = shortenJson(new TextEncoder().encode(input.text), maxChars);
  return parseInput(text, input.cutBytes + cutBytes);
}
