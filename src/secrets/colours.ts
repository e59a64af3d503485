/** Removes sequences that colour a terminal or make a link there, and NULs. */
// deno-lint-ignore no-control-regex
const SEQUENCE = /\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** The text without them; the same one where there is none. */
export function withoutColours(text: string): string {
  return text.includes("\x1b") ? text.replace(SEQUENCE, "") : text;
}

/** The text with blanks for its NULs, at which the text functions of SQLite stop; the same one where there is none. */
export function withoutNuls(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", " ") : text;
}
