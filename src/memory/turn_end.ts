/** How a turn ended that did not do what it was asked for: with a plan, with a question, or because a limit was reached. */

/** What is said where it could not go on. */
const STOPPED = new RegExp(
  [
    "^\\W*(?:API Error\\b|(?:Claude )?(?:AI )?usage limit|You['’]ve (?:hit|reached) your|(?:5-hour|weekly|session|rate|Opus) (?:weekly )?limit reached|Prompt is too long|Credit balance is too low|\\[Request interrupted)",
    "\\bI(?:['’]ve| have| had| was)? (?:just |now )?(?:hit|reached|run into|ran into|exceeded) (?:the|my|your|an?) (?:\\S+ ){0,3}limits?\\b",
    "\\b(?:I|we)(?:['’]ve| have)? (?:ran|run) out of (?:time|tokens|context|budget)\\b",
    "\\bI(?:['’]ll| will)?(?: have to| had to| must| need to)? (?:stop|pause)(?:ped|d)? (?:here|there|now|for now|at this point)\\b",
    "\\b(?:before|without) (?:I could finish|finishing)\\b",
  ].join("|"),
  "i",
);
/** What is said of a plan that was made and not followed yet. */
const PLANS =
  /\b(?:here(?:['’]s| is)|below is|I(?:['’]ve| have)? (?:\w+ )?(?:written|wrote|drafted|made|prepared|outlined|put|created)(?: (?:up|together|down))?) (?:my|the|an?|our) (?:\w+ ){0,3}(?:plan|proposal|outline|design doc)\b|\bhier ist (?:mein|der) (?:\S+ )?(?:plan|vorschlag)\b/i;
/** Behind its last sentence. */
const CLOSING = /[\s*_)"”]+$/;
const SENTENCE_ENDS = [". ", "! ", "? ", "\n", "。", "！", "？"];
const LOOKED_AT_CHARS = 400;
/** A question at the end that offers more, … */
const OFFERS =
  /\b(?:anything|something|what) (?:else|more)\b|\b(?:also|as well|too|commit|push|merge|deploy|release|pull request|PR|next|noch|auch|también|aussi)\b|\b(?:want|like) me to\b/i;
/** … and not that what was asked for is begun. */
const GO_AHEAD =
  /\b(?:go ahead|go on|proceed|start|begin|continue|implement (?:it|this|that)|do (?:it|this|that|so)|umsetzen|loslegen|anfangen|weitermachen)\b/i;

/** Whether a message says that the turn had to end. */
export function hadToStop(message: string): boolean {
  return STOPPED.test(message);
}

/** The question that a message ends with; empty where it ends with none. */
export function lastQuestion(message: string): string {
  const text = message.slice(-LOOKED_AT_CHARS).replace(CLOSING, "");
  if (!/[?？]$/.test(text)) return "";
  const before = text.slice(0, -1);
  return text.slice(Math.max(...SENTENCE_ENDS.map((end) => before.lastIndexOf(end))) + 1);
}

/** Whether words tell of a plan that was made. */
export function tellsPlan(words: string): boolean {
  return PLANS.test(words);
}

/** Whether a message ends with what has to be decided first, or tells a plan. */
export function waitsForAnswer(message: string): boolean {
  const question = lastQuestion(message);
  return tellsPlan(message) ||
    question !== "" && (GO_AHEAD.test(question) || !OFFERS.test(question));
}
