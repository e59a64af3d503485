/** The word that stands for `--help` where a verb is expected. */
const HELP = "help";

/**
 * `help`, `help session` and `session help` as the library understands them; anything else as it is.
 *
 * @param words The command line without its global flags.
 */
export function spellOutHelp(words: readonly string[]): readonly string[] {
  if (words[0] === HELP) return [...words.slice(1), "--help"];
  return words.length === 2 && words[1] === HELP ? [words[0]!, "--help"] : words;
}
