/** Rules that a person lays down in a prompt for all that comes: "from now on use pnpm", "never edit src/gen". */
import { shortened } from "../text.ts";

/** What is said behind so many characters is rather pasted than typed. */
const LOOKED_AT = 4_000;
const MAX_RULES = 3;
const MIN_WORDS = 3;
const MAX_CHARS = 240;

const FENCED = /^ *```.*?^ *```/gms;
const SENTENCE_END = /(?<=[.!。！])\s+|\n+/;
/** What may stand before a rule and is none of it. */
const BEFORE =
  /^(?:[-*•>#\d.)\s]|(?:ok(?:ay)?|and|also|so|but|please|note|important|btw|by the way|one more thing|und|auch|bitte|wichtig)\b[,:!]?)+/i;

/** Verbs of what is to be done, which tell a rule ("always use") from a report ("always fails"). */
const DO =
  "(?:use|run|write|add|edit|change|commit|push|ask|check|keep|put|name|call|format|lint|test|import|create|delete|remove|touch|modify|mock|skip|force|rebase|merge|squash|log|print|start|stop|answer|reply|respond|prefer|include|follow|make|do|let|install|update|read|generate|hardcode|hard-code|store|assume|guess|explain|document|leave|move|rename|open|deploy|release|ship|amend|stage|bump|pin|wrap|return|throw|catch|type|declare|define|export|disable|enable|ignore|quote|escape|validate|review|work|go|rely|depend|stick|be|have|treat|set|try|show|give|tell)";
const TUN =
  "(?:benutz|verwend|nutz|nimm|schreib|führ|frag|lass|mach|committe|pushe|lösch|änder|teste|starte|halte|setz|lege?|prüf)";

const RULES: readonly RegExp[] = [
  /^(?:from now on|going forward|from here on|in (?:the )?future|as of now|henceforth)\b/i,
  /^(?:ab jetzt|ab sofort|ab heute|von jetzt an|von nun an|in zukunft|künftig)(?=[\s,:])/i,
  new RegExp(`^(?:you (?:must|should) )?(?:always|never)(?: ever)? ${DO}\\b`, "i"),
  new RegExp(`^(?:do not|don['’]t) ever ${DO}\\b`, "i"),
  new RegExp(`^(?:do not|don['’]t) ${DO}\\b.*\\b(?:again|any ?more|ever)[.!]?$`, "i"),
  new RegExp(`^we (?:always|never) ${DO}\\b`, "i"),
  /^in this (?:repo(?:sitory)?|project|codebase),? (?:we|always|never|use|don['’]t|do not)\b/i,
  /^use \S+(?: \S+)?,? (?:never|not|instead of|rather than) /i,
  /^(?:remember(?: that| to|:)|keep in mind(?: that|:)|merk dir\b|denk daran\b)/i,
  /^(?:house |project |coding )?(?:rule|convention|regel|konvention): /i,
  new RegExp(`^${TUN}[a-zäöü]*(?: \\S+){0,4} (?:immer|nie|niemals|nicht mehr)(?=[\\s.,!:]|$)`, "i"),
  new RegExp(`^(?:immer|nie|niemals) .*${TUN}[a-zäöü]*[.!]?$`, "i"),
];

/** The rules in a prompt, as they were said; a question is none. */
export function standingRules(prompt: string): string[] {
  const text = prompt.slice(0, LOOKED_AT).replace(FENCED, "\n");
  const found = text.split(SENTENCE_END)
    .map((sentence) => sentence.trim().replace(BEFORE, "").trim())
    .filter((sentence) =>
      sentence.split(/\s+/, MIN_WORDS).length === MIN_WORDS && !sentence.endsWith("?") &&
      RULES.some((rule) => rule.test(sentence.slice(0, MAX_CHARS)))
    );
  return [...new Set(found)].slice(0, MAX_RULES).map((sentence) => shortened(sentence, MAX_CHARS));
}
