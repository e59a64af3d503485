/** The files that a script of `sed` names: `w FILE`, `s/a/b/w FILE`. */
import { type Argument, literal } from "./word.ts";

/** A longer script counts as code of which nothing is known. */
const MAX_CHARS = 16_384;
/** Bodies of `s/…/…/`, `y/…/…/` and patterns before a command: a `w` in them is none. */
const REPLACED = /[sy]([/|,#@!:])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1/g;
/** What stands before a command: lines by their numbers, or by a pattern. */
const ADDRESS = String.raw`(?:[\d$,~+! ]|\/(?:\\.|[^/\\\n])*\/[IM]?)*`;
const WRITES = new RegExp(
  String.raw`(?:^|[;{}\n])\s*(?:${ADDRESS}|s[gpiImMe\d]*)w\s*(\S[^\n]*)`,
  "g",
);
/** Files that are none. */
const DEVICE = /^\/dev\/(?:stdout|stderr)$/;

/** The files that it writes. */
export function writtenBySed(rest: readonly Argument[]): Argument[] {
  return rest.flatMap(({ text }) =>
    text.includes("w") && text.length <= MAX_CHARS
      ? [...text.replace(REPLACED, "s").matchAll(WRITES)]
        .map(([, file]) => literal(file!.trim())).filter(({ text }) => !DEVICE.test(text))
      : []
  );
}
