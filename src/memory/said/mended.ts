/** What a person says of a failure between two turns: that it is mended already, or that it is to be mended now. */
import type { ObservedFacts } from "../observation.ts";
import { tellingWords } from "../telling_words.ts";

const MENDED =
  "(?:fixed|repaired|corrected|reverted|undid|resolved|solved|sorted|patched|changed|updated|upgraded|installed|" +
  "started|restarted|rolled|pushed|merged|done)";
/** `I've just fixed it`, `fixed it in cart.ts, try again`, `should work now`. */
const SAYS_MENDED = new RegExp(
  `\\b(?:i|we)(?:['’]ve| have)? (?:(?:just|now|already|also|quickly|manually) )*${MENDED}\\b|` +
    `(?:^|[.!;\\n]\\s*)(?:(?:ok(?:ay)?|so|right|now|just|there)\\b[\\s,:.!]*)*${MENDED}\\b(?!\\?)|` +
    "\\b(?:should|it|that|this) (?:work|pass|build|compile|run|be (?:fine|fixed|ok(?:ay)?|green|good))s? now\\b|" +
    "\\b(?:behoben|repariert|gefixt|korrigiert|neu gestartet|arreglado|corregido)\\b(?!\\?)|" +
    "\\bis (?:fixed|running|up|back|installed|there) (?:now|again)\\b",
  "i",
);
const ASKS_TO_MEND =
  /\b(?:fix|mend|repair|solve|resolve|debug|correct|get|make|look (?:at|into)|turn to)\b/i;
const NOT_NOW =
  /\b(?:don['’]?t|do not|never|not|without|later|afterwards|ignore|skip|leave|unrelated)\b/i;

/** Whether a person says to have changed something that a failure may have come of. */
export function saysItIsMended(prompt: string): boolean {
  return SAYS_MENDED.test(prompt);
}

/** Whether a prompt asks for a failure to be mended now: by what failed, or what it was called with. */
export function asksToMend(prompt: string, { command = "", failed, failing = [] }: ObservedFacts) {
  if (!ASKS_TO_MEND.test(prompt) || NOT_NOW.test(prompt)) return false;
  const about = tellingWords([command, failed === undefined ? "" : "test", ...failing].join("\n"));
  return [...tellingWords(prompt)].some((word) => about.has(word));
}
