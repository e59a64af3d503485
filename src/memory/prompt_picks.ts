/** What a prompt picks of a list that it was told: by number (`1 and 3, please`) or name, or what it does not want of it (`skip the cache`). */
import { countOf, numberPattern, numberWords } from "./number_words.ts";
import { tellingWords } from "./telling_words.ts";

/** Which things of a list: those with these numbers, or all but those. */
export interface Picked {
  /** From 1; 0 is the last, -1 the one before. None: the one that comes next, or all where these are the rest of none. */
  readonly nth: readonly number[];
  readonly isRest?: boolean;
  /** The words of each that is called by its name, in the place of the numbers. */
  readonly named?: readonly string[];
  /** The words for what of these was not done, with blanks between. */
  readonly but?: string;
}

/** By their beginnings, in the order of what they count. */
const ORDINALS: readonly RegExp[] = [
  /^(?:last|letzte[rsn]?|últim[oa]s?|derni(?:er|ère)s?|ultim[oa]|最後|最后)$/,
  /^(?:first|former|1st|erste[rsn]?|primer[oa]?|premi(?:er|ère)|prim[oa]|primeir[oa])$/,
  /^(?:second|2nd|zweite[rsn]?|segund[oa]|deuxième|second[oa])$/,
  /^(?:third|3rd|dritte[rsn]?|tercer[oa]?|troisième|terz[oa]|terceir[oa])$/,
  /^(?:fourth|4th|vierte[rsn]?|cuart[oa]|quatrième|quart[oa])$/,
  /^(?:fifth|5th|fünfte[rsn]?|quint[oa]|cinquième)$/,
];
const NEXT =
  /^(?:(?:ok(?:ay)?|yes|and|now|then|please|the|do|go on with|on to|und|jetzt|das|der|die|mach|el|la|le)[\s,]+)*(?:next|nächste[rsn]?|siguiente|suivant(?:e)?|prossim[oa]|próxim[oa])(?: (?:one|item|thing|step|point|task|punkt|paso|uno))?(?:[\s,]+please)?[.!]?$/;
const ALL_BUT =
  /^(?:(?:do |fix )?(?:all|everything|alles|todo|todos|tout|tutto|tutti)(?: of (?:it|these|them|those))?\s+(?:but|except|besides|außer|bis auf|menos|salvo|sauf|tranne|exceto))\b/;
const ALL_BUT_NAMED = new RegExp(
  `${ALL_BUT.source} (?:the|die|der|das|den|el|la|los|las|les?|il|lo|gli|os?|as?) (?!.*\\b(?:is|are|was|were|has|have|works?|fails?|ist|sind|está|est|è)\\b)([^,.;:!?\\n]{1,50}?)(?:,? (?:please|bitte))?[.!]?$`,
);
/** What says nothing besides. */
const FILLERS: ReadonlySet<string> = new Set(
  ("please ok okay yes yeah sure do does go with for take fix implement build make start begin number numbers no nr num option options point points item items " +
    "step steps thing things the one ones just only let's lets and now then to on of that's first-of-all mach machen bitte nimm den die das der dem und ja punkt punkte " +
    "haz hagamos el la los las y sí por favor fais fait le les et oui s'il te plaît fai il i e sì per faz faça o a os as sim")
    .split(" "),
);
const RANGE = /^#?(\d{1,2})\s?[-–]\s?#?(\d{1,2})$/;
const NUMBER = /^[#(]?(\d{1,2}|[a-f])[.)]?$/;
/** `do the first two`, `the last three` */
const SOME_OF = new RegExp(
  "^(?:(?:ok(?:ay)?|yes|yeah|please|just|only|do|take|fix|build|implement|start with|bitte|mach|fais|haz|fai)[\\s,]+)*(?:the |die |las |los |les |le |gli )?" +
    "(?:first|top|ersten?|primer[oa]s?|premi(?:er|ère)s?|prim[ei]|(last|bottom|letzten?|últim[oa]s|derni(?:er|ère)s|ultim[ei])) " +
    `(${numberPattern()})\\b`,
);
const MAX_CHARS = 80;
/** `do the others`: all that is not named, … */
const OTHERS: ReadonlySet<string> = new Set(["others", "other", "rest", "remaining"]);
/** … and what says nothing beside that, … */
const WITH_OTHERS: ReadonlySet<string> = new Set([...numberWords("english"), "all", "but"]);
/** … where others are not wanted: `the others, but not the cache`. */
const BUT_NOT = new RegExp(
  `(?<=\\b(?:others?|rest|remaining|ones|${
    numberPattern("english")
  }|items|points|tasks|things),?\\s)(?:but )?not ((?:the|an?|our|my) [^,.;:!?\\n]+)`,
  "gi",
);
/** `write the exporter and the retry` */
const MAKE_THINGS =
  /^(?:(?:ok(?:ay)?|yes|please|now|then|let['’]?s|can you|could you)[\s,]+)*(?:write|add|build|implement|make|do|create) the ([^.:;!?()\n]+?)(?:,? please)?[.!]?$/;
const NOT_FOR_GOOD = /\b(?:yet|now|today|first|before|until|for the moment)\b/i;
const CLAUSE_END = /[,;.!—]\s*|\s[-–]\s|\n/;
/** Between things that are counted, and around them, where words are not apart. */
const UNSPACED =
  /[をのはも]?(?:お願い(?:します|いたします)?|やって(?:ください)?|して(?:ください)?)|第|[個个番項项つ条目]|[とや和、，跟]|请|請|做|先|都/g;

/** Which things of the list before it a prompt picks, and nothing else; null where it says more, or none. */
export function pickedIn(prompt: string): Picked | null {
  if (prompt.length > MAX_CHARS || /[?？]\s*$/.test(prompt)) return null;
  const text = prompt.toLowerCase().trim();
  if (NEXT.test(text)) return { nth: [] };
  const beside = othersIn(text) ?? allButIn(text) ?? namedIn(text);
  if (beside !== null) return beside;
  const isRest = ALL_BUT.test(text);
  const nth: number[] = [];
  const [some = "", fromEnd, count = "0"] = SOME_OF.exec(text) ?? [];
  for (let n = 1; n <= countOf(count); n++) nth.push(fromEnd === undefined ? n : 1 - n);
  for (
    const clause of text.slice(some.length).replace(ALL_BUT, "").replace(UNSPACED, " ").split(
      CLAUSE_END,
    )
  ) {
    const numbers = numbersIn(clause);
    if (numbers === null && clause.startsWith(" ")) return null;
    if (numbers === null) break;
    nth.push(...numbers);
  }
  return nth.length === 0 ? null : { nth, ...(isRest ? { isRest } : {}) };
}

/** All of a list but what a prompt does not want of it, where it says nothing else; null where it does. */
function othersIn(text: string): Picked | null {
  const but = droppedIn(text);
  if (but.length === 0) return null;
  const asks = [DROPS, BUT_NOT].reduce(
    (rest, form) =>
      rest.replace(form, (_, named: string) => ` ${named.slice(notWantedOf(named).length)}`),
    text,
  );
  const words = asks.split(/[\s,.;:!]+/).filter((word) => word !== "");
  const areOthers = words.some((word) => OTHERS.has(word)) &&
    words.every((word) => OTHERS.has(word) || WITH_OTHERS.has(word) || FILLERS.has(word));
  return areOthers
    ? { nth: [], isRest: true, but: [...tellingWords(but.join(" "))].join(" ") }
    : null;
}

/** All of a list but what is named: `everything but the cache, please`; null where that is counted, or more is said. */
function allButIn(text: string): Picked | null {
  const [, named] = ALL_BUT_NAMED.exec(text) ?? [];
  const words = tellingWords(named ?? "");
  if (words.size === 0 || numbersIn(named!) !== null) return null;
  return { nth: [], isRest: true, but: [...words].join(" ") };
}

/** The things that a prompt wants to be made, where it names two or more and says nothing else; null where it does. */
function namedIn(text: string): Picked | null {
  const [, things] = MAKE_THINGS.exec(text) ?? [];
  const named = (things ?? "").split(/,? and (?:the )?|, (?:the )?/).map((
    one,
  ) => [...tellingWords(one)]);
  const areNames = named.length > 1 && named.every(({ length }) => length === 1 || length === 2);
  return areNames ? { nth: [], named: named.map((words) => words.join(" ")) } : null;
}

/** The numbers in a clause that says nothing else; null where it does. */
function numbersIn(clause: string): number[] | null {
  const numbers: number[] = [];
  for (const word of clause.split(/[\s+&/]+/).filter((word) => word !== "")) {
    const [, from, to] = RANGE.exec(word) ?? [];
    for (let n = Number(from); n <= Number(to); n++) numbers.push(n);
    if (from !== undefined) continue;
    const [, digits] = NUMBER.exec(word) ?? [];
    const ordinal = ORDINALS.findIndex((form) => form.test(word));
    if (digits !== undefined && !FILLERS.has(word)) numbers.push(numberOf(digits));
    else if (ordinal >= 0) numbers.push(ordinal);
    else if (!FILLERS.has(word)) return null;
  }
  return numbers;
}

/** `2`, or `b` as one may count as well. */
function numberOf(digits: string): number {
  return /\d/.test(digits) ? Number(digits) : digits.charCodeAt(0) - "a".charCodeAt(0) + 1;
}

/** Whether the thing with a number is picked. @param last The highest number of the list. */
export function isPicked({ nth, isRest = false }: Picked, number: number, last: number): boolean {
  return nth.some((one) => (one > 0 ? one : last + one) === number) !== isRest;
}

/** Behind these stands what is not wanted, as far as the clause goes, … */
const DROPS = new RegExp(
  "(?:^|[\\s(])(?<!(?:n['’]?t|not|never)\\s)(?:" + [
    "leave(?= .*\\b(?:as (?:it|they) (?:is|are)|alone|out(?: of it)?)\\b)|no(?= .*\\b(?:needed|necessary|after all)\\b)|already (?:built|did|done|made|wrote|\\w+ed)",
    "(?:skip|strike|drop|forget(?: about)?|leave out|cancel|scrap|kill|ditch|abandon|never ?mind)",
    "no need (?:for|to)|(?:don['’]?t|do not)(?: even)? (?:bother (?:with|about|to|doing)?|need|want|worry about)|(?:we|i) can live without|won['’]?t (?:do|need|fix)|we (?:no longer|never) need",
    "vergiss|lass(?:t)?(?: bitte)?|spar dir|streich(?:e|t)?",
    "laisse tomber|oublie|pas besoin (?:de|d['’])|plus besoin (?:de|d['’])|on n['’]a (?:plus|pas) besoin (?:de|d['’])",
    "olvida(?:te de)?|no hace falta|ya no (?:necesitamos|hace falta)|descarta",
    "lascia (?:perdere|stare)|non serv(?:e|ono)(?: più)?|dimentica",
    "esque[cç]e|não precisa(?:mos)?(?: mais)?(?: de)?|deixa",
  ].join("|") + ")\\s*([^,.;:!?\\n。！？]+)",
  "giu",
);
/** … and before these. */
const IS_OUT = new RegExp(
  "(?:^|[,.;:!]\\s*)([^,.;:!?\\n。！？]+?) (?:" + [
    "(?:is|are|['’]s) (?:(?:a )?won['’]?t ?fix|not needed|no longer (?:needed|necessary|wanted)|off the (?:list|table)|obsolete|out|moot|cancelled)",
    "(?:isn['’]?t|aren['’]?t) (?:needed|necessary|wanted)(?: any ?more)?|can be (?:dropped|skipped|left out|struck)",
    "brauchen wir (?:doch )?nicht(?: mehr)?|fällt weg|fallen weg|weglassen|streichen|entfällt|entfallen",
    "já não (?:é|são) (?:preciso|precisos|necessári\\w+)",
  ].join("|") + ")",
  "giu",
);
/** What a person has done without Claude. */
const DID_IT =
  /(?<!\b(?:when|if|after|before|until|once|unless|what|that|which|where|as|since|while)\s)\bI(?:['’]ve| have)? (?:already |just )*(?!(?:look|wonder|notic|tri|ask|want|need|hop|mention|discuss|talk|learn|start|fail|check|review|us|open)ed\b)(?:did|done|\w+ed|wrote|written|made|set|sent|put|ran|built) ([^,.;:!?\n]+)/giu;
/** The same as all of a sentence, or before a comma: `the key is rotated`. */
const IT_IS_DONE =
  /^\W*(?:(?:ok(?:ay)?|yes|done|so|hi|now|also|btw|fyi)\b\W*)*((?!(?:when|if|after|before|until|once|unless|what|that|which|where|as|since|while|why|how|not|make|check|see)\b)[^,.;:!?\n]{1,50}? (?:is|are|has been|have been) (?:(?:now|already|all|both) )*(?:rotated|set|revoked|registered|configured|created|updated|deployed|applied|migrated|pushed|merged|bumped|published|copied|uploaded|replaced|regenerated|approved|granted|tagged|enabled))(?: (?:now|already|too))?(?=\s*(?:[.;!]|, (?!but\b)|$))/giu;
/** That something is right, as a person sees it: what that is, and where. */
const IS_RIGHT = new RegExp(
  "(?:^|[,.;:!]\\s*)(?:(?:yes|yep|ok(?:ay)?|great|nice|perfect|thanks|so|and|now)\\b[\\s,.!]*)*(?:(?:it|that|this|all|everything|(the [^,.;:!?\\n]{1,40}?)) )?" +
    "(?:(?:looks?|works?|renders?) (?:all )?(?:good|fine|great|well|ok(?:ay)?|right|correct(?:ly)?|perfect(?:ly)?|as expected)\\b|works(?= (?:in|on|with)\\b))([^,.;:!?\\n]{0,60})",
  "giu",
);
/** Behind it, where it is not. */
const NOT_THERE = /\b(?:but|except|not|if|when|once|while|until|unless|only)\b.*$/i;
/** Behind what was done, what else there is to do. */
const WHAT_ELSE =
  /\s?[,;–—-] ?(?:and |so )?(?:what(?:['’]s| is)? (?:else|next|now|left|missing)|anything else|is (?:that|this) (?:all|it))\b[^,?]{0,30}[?？]/gi;
/** The same where words are not apart. */
const UNSPACED_DROPS =
  /([^。！？、，\n]{1,20}?)(?:は|も)?(?:不要|いらない|いりません|やめ(?:ます|る|よう)|要らない)|(?:不用|不要|不做|取消|别做|别管)(?:再)?([^。！？，\n]{1,20})|([^。！？，\n]{1,20})(?:不做了|不用了|不要了|先不做)/gu;

/** So much of a prompt is looked at. */
const MAX_TOLD_CHARS = 1_000;
const SENTENCE_END = /(?<=[.!?？\n])/;
/** Who asks has not decided. */
const ASKS = /[?？]$/;
/** Behind what is not wanted, what is. */
const THEN_DO =
  /,? (?:and|then|but|und)(?: (?:then|just|please))? (?:do|go|finish|complete|fix|implement|build|make|write|add|start|continue|proceed|take|mach)\b.*$/i;
/** Between two things that are not wanted. */
const AND_THE =
  / (?:and|or|und|oder|y|et|e) (?=(?:the|an?|die|der|das|den|el|la|los|las|les?|il|lo) )/i;
/** Before what is called so. */
const ARTICLE = /^(?:les?|la|des?|du|une?|el|los|las|una?|il|lo|gli|os?|as?|der|die|das|den) /i;

/** What a prompt does not want, or has done itself, each as it is called there. */
export function droppedIn(prompt: string): string[] {
  const text = statementsOf(prompt.slice(0, MAX_TOLD_CHARS).replace(WHAT_ELSE, "."));
  return [DROPS, IS_OUT, DID_IT, IT_IS_DONE, UNSPACED_DROPS, BUT_NOT].flatMap((form) =>
    [...text.matchAll(form)].flatMap(([, ...groups]) => {
      const named = groups.find((one) => one !== undefined) ?? "";
      return form === BUT_NOT && NOT_FOR_GOOD.test(named) ? [] : notWantedOf(named).split(AND_THE);
    })
  ).map((one) => one.trim().replace(ARTICLE, "")).filter((one) => one !== "");
}

/** What a prompt says is right as it is, with where that was seen: `the layout in the browser`. */
export function triedIn(prompt: string): string[] {
  const text = statementsOf(prompt.slice(0, MAX_TOLD_CHARS));
  return [...text.matchAll(IS_RIGHT)]
    .map(([, thing = "", where = ""]) => `${thing}${where.replace(NOT_THERE, "")}`.trim())
    .filter((one) => one !== "");
}

/** A text without its questions. */
function statementsOf(text: string): string {
  return text.split(SENTENCE_END).filter((sentence) => !ASKS.test(sentence)).join("");
}

function notWantedOf(named: string): string {
  return named.replace(THEN_DO, "");
}
