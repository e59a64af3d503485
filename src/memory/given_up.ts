/** What a message says was given up: all that was tried, or only what it names. */
import { tellingWords } from "./telling_words.ts";

const GIVEN_UP =
  /\b(?:(?:did|does|do)(?: not|n['’]t) (?:work|help)|reverted|reverting|rolled(?= (?:\w+ ){0,3}back\b)|backed(?! by\b)(?= (?:\w+ ){0,3}out\b)|g[ai]ve up|giving up|undid|could(?: not|n['’]t)|(?:was|is) unable to|I (?:was|am)(?: not|n['’]t) able to|without success|no luck|failed to)\b/i;
const IS_MADE = String
  .raw`\b(?:is|are|was|were|got|ha(?:s|ve) been)\b(?: \w+)? (?:in|done|there|ready|finished|completed?|written|implemented|built|added|made|working|fixed)\b`;
/** Of what was asked for some is not done, or nothing: `Neither is in`, `Only the tests are done`, `the metric is not`. */
const IN_PART = new RegExp(
  [
    String.raw`\b(?:neither|none|nothing)\b[^.!?;\n]{0,60}?${IS_MADE}`,
    String
      .raw`(?<=^|[.!?;,\n]|\bbut)[ \t]*(?:so far )?\b(?:only|just) (?:the|an?|one|number|item|#?\d)\b[^.!?;,\n]{0,60}?${IS_MADE}`,
    String.raw`\bthe [^,.;:!?\n]{1,60} (?:is|are|was|were)(?: not|n['’]t)\s*(?:[.,;!)]|$)`,
  ].join("|"),
  "i",
);
/** It names what was not done, and no more: `I couldn't do the README section, since mkdocs is missing`. */
const NAMES_IT =
  /\b(?:I|we) (?:could(?: not|n['’]t)|(?:was|were) (?:not able|unable) to|failed to)(?: yet)? (?:do|finish|write|add|update|complete|implement|create|build|cover|document|verify|test|run|deploy|publish|push|get to) (?!(?:it|them|this|that|these|those|all|everything|anything|any|either|both|most|much|more|so)\b)([^,;.!?\n]+)/i;
/** Behind it, why. */
const REASON = /\b(?:since|because|as|for|without|until)\b.*$/i;
const CLAUSES = /[^.!?;。！？；\n]+(?:[.!?](?=\S)[^.!?;。！？；\n]*)*|\n/g;

/** The clauses of a message. */
export function clausesOf(message: string): string[] {
  return (message.match(CLAUSES) ?? []).flatMap((clause) => clause.split(/,? but /));
}

/** Whether a message says that what was tried has been given up. */
export function hasGivenUp(message: string): boolean {
  return GIVEN_UP.test(message);
}

/** Whether a message says that of what was asked for some was done alone, or nothing. */
export function tellsPart(message: string): boolean {
  return IN_PART.test(message);
}

/** The words for what a clause says was not done; none where it gives up what was tried, whatever that was. */
export function givenUpIn(clause: string): ReadonlySet<string> {
  const [, named = ""] = NAMES_IT.exec(clause) ?? [];
  return tellingWords(named.replace(REASON, ""));
}

/** The words for what a message says was not done, where it names all that it gave up; null where it gave up more, or nothing. */
export function givenUpInPart(message: string): ReadonlySet<string> | null {
  const named = clausesOf(message).filter(hasGivenUp).map(givenUpIn);
  if (named.length === 0 || named.some(({ size }) => size === 0)) return null;
  return new Set(named.flatMap((words) => [...words]));
}
