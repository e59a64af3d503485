/** Which deeds of git a person says to have done without Claude: `done, I pushed manually`, `ok pushed from my terminal`. */

/** By the word for it the deed, as a command of git is called. */
const DEEDS: Readonly<Record<string, string>> = {
  pushed: "push",
  pulled: "pull",
  committed: "commit",
  merged: "merge",
  tagged: "tag",
};
const VERB = `(${Object.keys(DEEDS).join("|")})`;
const DID = `(?:${VERB} and )?${VERB}`;
/** Of nothing else than what is at hand, and nothing more is said of it. */
const ALONE =
  "(?: (?:it|that|this|them|all|everything|(?:the|my|our|your|all|both)(?: \\w+)? (?:branch|commits?|changes?|work|code)))?" +
  "(?: (?:to|into) (?:origin|main|master|upstream))?" +
  "(?: (?:manually|myself|by hand|already|now|just now|too|(?:from|in|on|with) (?:my|the|a|another) \\w+))*" +
  "(?=\\s*(?:[.,;:!–—\\n-]|$|and\\b|so\\b))";
const CONDITION =
  "(?:when|if|after|before|until|once|unless|what|that|which|where|as|since|while|did|have)";
const BY_HAND = new RegExp(
  [
    `(?<!\\b${CONDITION}\\s)\\bI(?:['’]ve| have)? (?:already |just |now |also )*${DID}${ALONE}`,
    `(?<!\\b${CONDITION}\\s)\\bI(?:['’]ve| have)?(?: (?!${CONDITION}\\b)[^\\s.,;:!?]{1,20}){0,8}? and ${VERB}${ALONE}`,
    `(?<=^\\W{0,4}(?:(?:ok(?:ay)?|yes|done|so|hi|now|also|btw|fyi|just|already)\\b\\W{1,4}){0,4})${DID}${ALONE}`,
    `(?<=^\\W{0,4}(?:(?:ok(?:ay)?|yes|done|so|hi|now|also|btw|fyi)\\b\\W{1,4}){0,4}(?:it|that|everything|the (?:branch|commits?|changes?|work|code)) (?:is|are|has been|have been) (?:now |already )?)${DID}${ALONE}`,
  ].join("|"),
  "i",
);
const SENTENCES = /[^.!?？\n]+[.!?？]*/g;
/** Behind it, that it did not go well, or not for good. */
const IN_VAIN = /\b(?:but|fail\w*|reject\w*|denied|reverted)\b/i;

/** The deeds of git that a prompt says a person has done by hand. */
export function doneByHand(prompt: string): string[] {
  const sentences = prompt.slice(0, 1_000).match(SENTENCES) ?? [];
  const found = sentences
    .filter((sentence) => !/[?？]$/.test(sentence) && !IN_VAIN.test(sentence))
    .flatMap((sentence) => BY_HAND.exec(sentence.trim())?.slice(1) ?? [])
    .filter((word) => word !== undefined);
  return [...new Set(found.map((word) => DEEDS[word.toLowerCase()]!))];
}
