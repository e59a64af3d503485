/** Commands that only tell of what they name: nothing of it is done. */
import type { Argument } from "./word.ts";
import { programName } from "./wrappers.ts";

/** Programs that only tell of the words that they are given. */
const TELLING = new Set(["echo", "printf", "man", "which", "type", "apropos", "whatis", "tldr"]);

const HELP = /^(?:-h|--help)$/;
const REHEARSAL = /^(?:-h|--help|--dry-run)$/;

/** Programs that are known to heed these options, and to do nothing then. */
const HEEDING: ReadonlyMap<string, RegExp> = new Map([
  ["git", /^(?:-h|--help|--dry-run|--abort|--quit)$/],
  ["npm", REHEARSAL],
  ["cargo", REHEARSAL],
  ["gh", HELP],
  ["glab", HELP],
  ["kubectl", HELP],
  ["helm", HELP],
  ["terraform", HELP],
]);

/** Options whose value is the next word, whatever that looks like: `git commit -m --help` commits. */
const VALUED =
  /^-[a-zA-Z]*[mFcCtoRbB]$|^--(?:message|file|author|date|template|re(?:use|edit)-message|fixup|squash|trailer|push-option|repo|receive-pack|exec|title|body|tag|otp|registry|manifest-path|package)$/;

/** `man git commit`, `git commit --help`, `npm publish --dry-run`. */
export function onlyTells([program, ...rest]: readonly Argument[]): boolean {
  if (program === undefined) return false;
  const name = programName(program.text);
  if (TELLING.has(name)) return rest.length > 0;
  const heeded = HEEDING.get(name);
  return heeded !== undefined && heeds(heeded, rest);
}

function heeds(heeded: RegExp, rest: readonly Argument[]): boolean {
  const end = rest.findIndex(({ text }) => text === "--");
  const options = (end < 0 ? rest : rest.slice(0, end)).map(({ text }) => text);
  // The last one counts, and it may be taken back.
  if (options.some((text) => /^--(?:no-dry-run|dry-run=|no-help)/.test(text))) return false;
  return options.some((text, i) => heeded.test(text) && !VALUED.test(options[i - 1] ?? ""));
}
