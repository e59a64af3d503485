/** How a prompt goes back to what was said to be left: it asks for that as a whole, or does not want it. */
import { tellingWords } from "./telling_words.ts";

/** A prompt of such words says nothing of what it is about. */
export const GOES_ON =
  /^\W*(?:(?:ok(?:ay)?|yes|yeah|sure|please|just|hi|hello|hey|continue|go on|go ahead|carry on|keep going|proceed|resume|next|thanks?|weiter|mach weiter|ja|bitte|hallo|sigue|continúa|contin[úu]a|继续)\b\W*){1,6}$|^\W*继续\W*$/i;
/** One that asks for what was left, whatever that is, … */
const ASKS_FOR_REST =
  /\b(?:rest|remaining|left|open|next|steps?|to-?dos?|follow-?ups?|noch|rest(?:liche[ns]?)?|offene[ns]?|todo)\b|剩/i;
/** … one that asks how far all of it is, … */
const OF_ALL = /\b(?:else|missing|status|pending|outstanding|fehlt)\b/i;
/** … one that says so with a word that may stand for it, … */
const ASKS_FOR_IT =
  /\b(?:it|that|this|them|these|those|both|all|everything|alles?|beides?|das|ambos|eso)\b|那|这/i;
/** … one that asks for a list as a whole, … */
const WHOLE_LIST =
  /^\W*(?:(?:ok(?:ay)?|yes|please|now|then|can you|could you)\b\W*)*(?:finish|complete|implement|do|work through|go through with) (?:the|that|this|your) (?:whole |entire )?(?:list|(?:items|points|things) on (?:the|that|this|your) list)(?:\W*(?:please|now))*\W*$/i;
/** … one that is about what is there already, or asks what, … */
const OF_WHAT_IS_THERE =
  /^\W*(?:(?:ok(?:ay)?|yes|please|now|just|and|then|great|good|can you|could you|bitte|let['’]?s)\b\W*)*(?:(?:git )?(?:commit|push|amend|squash|rebase|merge|stash|tag|release|ship|deploy|publish)|undo|redo|revert|re-?format|format|lint|simplify|shorten|rename|move|inline|refactor|clean|tidy|polish|test|re-?run|run|build|start|stop|try|check|verify|review|show|explain|describe|print|open|save|delete|remove|what|who|when|where|why|which|how)\b/i;
/** … one that only greets or thanks, … */
const GREETS = /^\W*(?:(?:thanks?|thank you|thx|hi|hello|hey|hallo|danke|gracias|merci)\b\W*)+$/i;
/** … one that agrees before it does so, … */
const AGREES =
  /^\W*(?:(?:ok(?:ay)?|yes|yeah|yep|sure|great|good|fine|alright|perfect|cool|nice|thanks|ja|gut|gerne|sí|vale|oui)\b\W*)+/i;
/** … what it names itself, … */
const NAMES =
  /(?:\b(?:the|an?|our|my|die|der|das|den|el|la|los|las) |: *(?:(?:the|an?|our|my|die|der|das|den|el|la|los|las) )?)([^\s,.;:!?]+)/gi;
/** … and one that does not want it. */
const DECLINES =
  /\b(?:no need|never ?mind|forget (?:it|that|about)|skip (?:it|that|this|them|those)|leave (?:it|that|them|those)|(?:don['’]t|do not) (?:need|want|bother)|not (?:needed|necessary|wanted)|won['’]t (?:do|need|fix)|nicht nötig|brauchen wir nicht|lass (?:es|das)|no hace falta)\b/i;

const ASKS_WHAT_REMAINS =
  /\b(?:what(?:['’]s| is| are| else is)?|anything|which \w+) (?:still |else )?(?:is |are )?(?:left|missing|open|remain(?:s|ing)?|outstanding|to do|to be done|needs? (?:to be )?(?:doing|done))\b|\bwhat (?:do|must|should) we (?:still )?(?:need to )?do (?:before|until|for)\b|\bwas (?:fehlt|ist offen|ist noch|bleibt|steht noch aus)\b|qué (?:falta|queda)|qu['’]est-ce qu['’]il (?:reste|manque)|(?:que|cosa|o que) (?:reste|manca|resta|falta)|足りない|残って|还差|还缺|剩下/i;

/** Whether a prompt does not want what was said to be left. */
export function declines(prompt: string): boolean {
  return DECLINES.test(prompt);
}

/** Whether a prompt asks what is left at all: `Anything else?` */
export function asksWhatIsLeft(prompt: string): boolean {
  return (ASKS_FOR_REST.test(prompt) || OF_ALL.test(prompt)) && tellingWords(prompt).size <= 1 &&
    !namesItsOwn(prompt);
}

/** Whether a prompt asks what is left of something: `What is left before the beta?` */
export function asksWhatRemains(prompt: string): boolean {
  return ASKS_WHAT_REMAINS.test(prompt);
}

/** Whether a prompt goes back to what was said, and names nothing else. */
export function asksForIt(prompt: string): boolean {
  if (GREETS.test(prompt)) return false;
  if (GOES_ON.test(prompt) || WHOLE_LIST.test(prompt)) return true;
  const asks = ASKS_FOR_REST.test(prompt) ||
    ASKS_FOR_IT.test(prompt) && !OF_WHAT_IS_THERE.test(prompt);
  return asks && wordsBeside(prompt) <= 1 && !namesItsOwn(prompt);
}

/** How many words a prompt has that tell something, but for those by which it only agrees. */
function wordsBeside(prompt: string): number {
  return tellingWords(prompt.replace(AGREES, "")).size;
}

/** `the colors`, and not `the rest`. */
function namesItsOwn(prompt: string): boolean {
  return [...prompt.matchAll(NAMES)].some(([, name = ""]) =>
    !ASKS_FOR_REST.test(name) && tellingWords(name).size > 0
  );
}
