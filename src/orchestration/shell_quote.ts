/** A value as one word of a shell command. */
import type { ShellPlace } from "./shell_place.ts";

/** What a shell would read as part of its language although nothing in it needs quotes. */
const RESERVED = new Set(
  "if then else elif fi do done case esac while until for in function select time coproc".split(
    " ",
  ),
);

/** A text as a POSIX shell takes it literally: in single quotes unless it is plain. An empty text is `''`. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9\-_./]+$/.test(text) && !RESERVED.has(text) ? text : inSingleQuotes(text);
}

/**
 * A text as a shell takes it literally at a place. Inside of quotes the quotes are closed before it and opened again
 * after it, so that it can never end them; in a comment it is left out, since a line break would end the comment.
 *
 * @param next What follows in the script: a plain number before `>` would name a file descriptor.
 */
export function quoteAt(
  text: string,
  place: Exclude<ShellPlace["kind"], "unknown">,
  next: string,
): string {
  switch (place) {
    case "comment":
      return "";
    case "double":
      return isPlain(text) ? text : `"${inSingleQuotes(text)}"`;
    case "single":
      return isPlain(text) ? text : `'${inSingleQuotes(text)}'`;
    case "plain":
      return /^[<>=([]/.test(next) ? inSingleQuotes(text) : shellQuote(text);
  }
}

/** Whether a text stands for itself also inside of quotes. */
function isPlain(text: string): boolean {
  return /^[A-Za-z0-9\-_./]*$/.test(text);
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
