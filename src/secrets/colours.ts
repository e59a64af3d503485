/** Removes terminal sequences for colours and links from a text, and replaces NULs by blanks. */
// deno-lint-ignore no-control-regex
const SEQUENCE = /\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** Returns the text without sequences for colours and links. */
export function withoutColours(text: string): string {
  return text.includes("\x1b") ? text.replace(SEQUENCE, "") : text;
}

/** Replaces each NUL by a blank, because SQLite's text functions stop at a NUL. */
export function withoutNuls(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", " ") : text;
}
