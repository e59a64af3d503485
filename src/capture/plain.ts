// deno-lint-ignore no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** A text that cannot move the cursor, change colours, break the line or turn its direction. */
export function plain(text: string): string {
  return text.replace(UNSAFE, " ");
}

const UNSAFE_IN_LINES =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** {@linkcode plain} for a text of several lines, which stay. One look at all of them costs less than one at each. */
export function plainLines(text: string): string {
  return text.replace(UNSAFE_IN_LINES, " ");
}
