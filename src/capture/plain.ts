// deno-lint-ignore no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/**
 * Where a mark begins, or ends, by which Claude Code tells its own words and those of its tools from what people say. A text
 * that was kept must not speak in its place.
 */
const FRAME =
  /<(?=\s{0,9}\/?\s{0,9}(?:system-reminder|task-notification|user-prompt-submit-hook|command-(?:name|message|args|contents)|(?:local-command|bash)-(?:input|stdout|stderr|caveat))\b)/gi;

/**
 * A text that cannot move the cursor, change colours, break the line or turn its direction, and that is no mark of Claude
 * Code's: `<system-reminder>` is told as `‹system-reminder>`.
 */
export function plain(text: string): string {
  return text.replace(UNSAFE, " ").replace(FRAME, "‹");
}

const UNSAFE_IN_LINES =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** {@linkcode plain} for a text of several lines, which stay. One look at all of them costs less than one at each. */
export function plainLines(text: string): string {
  return text.replace(UNSAFE_IN_LINES, " ").replace(FRAME, "‹");
}
