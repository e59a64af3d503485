/** What may be a secret, by looks alone. Masking never goes by this; it is asked before a row leaves the machine. */

const LONG_WORD = /[A-Za-z0-9+_=-]{24,512}/g;

/** Named digests, as lock files have them, and ids of Claude's interface. */
const NAMED = /^(?:(?:sha\d+|md5|integrity)[-=]|\w?(?:toolu|msg|req|call|srvtoolu)_)/i;

/** Letters and digits as chance throws them: in both cases, with several digits, and no part that could be a word. */
const RANDOM = /^(?=.*[a-z])(?=.*[A-Z])(?=(?:.*\d){3})(?!.*[a-z]{6})(?!.*[A-Z]{6})/;

/** The beginning of a word that may be a secret; null when there is none. */
export function suspectedSecret(text: string): string | null {
  const found = text.match(LONG_WORD)?.find((word) => RANDOM.test(word) && !NAMED.test(word));
  return found?.slice(0, 4) ?? null;
}
