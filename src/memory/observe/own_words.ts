/** What somebody says in a prompt in words of their own: without code, without quotes, without what only follows a colon. */

const FENCED = /^ *```.*?^ *```/gms;
/** Also where no blank follows, as in Chinese and Japanese. */
const SENTENCE_END = /(?<=[.!?]["”»“]?)\s+|(?<=[。！？])\s*|\n+/;
const QUOTED_LINE = /^ *>.*$/gm;
const QUOTE_MARK = /["“”„«»]/g;
/** What stands behind such a line is said by somebody else, or is to be written somewhere. */
export const INTRODUCES =
  /\b(?:said|says?|wrote|writes|told|tells|comment\w*|review\w*|suggest\w*|claims?|states?|reads?|logs?|output|errors?|prints?|translate|proofread|rephrase|summari[sz]e|text|sentences?|paragraph|quote|spec|readme|docs?|documentation|article|post|e-?mail|add|write|put|insert|append|paste|implement|explain|fix|improve|polish|shorten|description|plan|issue|ticket|config|diff|snippet|requirements|criteria|behaviou?r|schrieb|schreibt|sagt|sagte|meint|übersetz\w*|écrit|dit|escribió|dice)\b/i;
/** What stands behind such a line is meant to hold. */
const RULES = /\b(?:rules?|conventions?|guidelines?|mind|remember|important|notes?|regeln?)\b/i;
/** A text of its own begins so, and goes on to the end. */
const DOCUMENT = /^(?:#{1,6} |<|diff --git |\+\+\+ )/;
/** That what is quoted holds. */
const AGREES =
  /\b(?:let['’]?s (?:do|follow|adopt|go with|stick) |i agree|agreed\b|(?:do|follow|adopt|respect|obey) (?:that|this|it|these|those|them)\b|makes sense|good point|(?:he|she|they)(?:['’]s|['’]re| is| are) right|that['’]?s (?:right|the rule)|machen wir|einverstanden|d['’]accord|de acuerdo)/i;
const DISAGREES =
  /\b(?:disagree|(?:don['’]t|do not|not) (?:agree|do|follow|adopt)|wrong|nonsense|nicht einverstanden|pas d['’]accord)\b/i;

/** The sentences that somebody says in words of their own; what is quoted is among them where the rest agrees to it. */
export function ownSentences(prompt: string): string[] {
  const text = prompt.replace(FENCED, "\n");
  const own = sentencesOf(text.replace(QUOTED_LINE, ""));
  return text.search(QUOTED_LINE) >= 0 && agreesIn(own) ? sentencesOf(text) : own;
}

function agreesIn(sentences: readonly string[]): boolean {
  const said = sentences.filter((sentence) => !sentence.endsWith("?"));
  return said.some((one) => AGREES.test(one)) && !said.some((one) => DISAGREES.test(one));
}

function sentencesOf(text: string): string[] {
  const own: string[] = [];
  let isIntroduced = false;
  for (const paragraph of text.split(/\n\s*\n/)) {
    // A mark that nothing closes counts for its paragraph alone.
    let marks = 0;
    if (isIntroduced && DOCUMENT.test(paragraph.trimStart())) break;
    let isOther = isIntroduced;
    isIntroduced = false;
    for (const sentence of paragraph.split(SENTENCE_END).map((one) => one.trim())) {
      if (sentence === "") continue;
      if (marks % 2 === 0 && !isOther) own.push(sentence);
      marks += sentence.match(QUOTE_MARK)?.length ?? 0;
      isIntroduced = sentence.endsWith(":") && INTRODUCES.test(sentence) && !RULES.test(sentence);
      isOther ||= isIntroduced;
    }
  }
  return own;
}
