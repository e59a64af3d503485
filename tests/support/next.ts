/** Programs that the way out of an error may begin with. */
const PROGRAMS =
  /^(conclaude|chmod|deno|df|export|fuser|ls|mkdir|mv|sqlite3|sudo chown|tail|unset) ?/;

/** Verbs in the imperative that a sentence may begin with, where no command can do it. */
const IMPERATIVES = /^(Correct|Install|Run|Set|Use) [a-z]/;

/**
 * Whether a text is a way out that a person can use: a command to paste, nothing at all, or a sentence that tells what
 * to do.
 */
export function isNext(text: string): boolean {
  if (text === "") return true;
  return (PROGRAMS.test(text) && !/[`;]|, /.test(text.replace(/'[^']*'/g, ""))) ||
    IMPERATIVES.test(text);
}
