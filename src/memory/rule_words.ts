/** What a rule is about, and which earlier rule it takes the place of. */
import { scriptPattern } from "../letters.ts";
import { once } from "./once.ts";
import { EMPTY_WORDS, STOP_WORDS } from "./stop_words.ts";
import { tellingWords, wordsOf } from "./telling_words.ts";
import { wordSet } from "./word_set.ts";

/** The words of a rule that tell what it is about. */
export interface RuleWords {
  readonly wants: ReadonlySet<string>;
  readonly bans: ReadonlySet<string>;
  /** Of what it wants, by what or from what it is to be done: `squash` of `merge with a squash`. */
  readonly by: ReadonlySet<string>;
  /** It says of itself that it was otherwise before: `from now on`. */
  readonly isNews: boolean;
}

/** Earlier rules that a prompt takes back: those with these words, in what they want, what they ban, or in either. */
export interface RevokedRules {
  readonly of: "any" | "wants" | "bans";
  readonly about: readonly string[];
}

/** Words that make a rule of what is said, whatever it is about. */
const FRAME = wordSet(
  `always never ever henceforth from now on go going forward please must may can prefer instead rather stop avoid stick switch
  keep back again actually decided agreed sure make want like need rule rules convention policy project codebase repo repository
  here future longer only just also use uses used using in at for with to by as of into not no do don and or but than
  ab jetzt sofort heute von nun an zukunft bitte nur noch immer nie niemals nicht wieder statt kein keine keinen keiner auf
  zu mit über für und die der das den dem benutze benutzen benutz verwende verwenden nutze nutzen nimm
  à partir de maintenant désormais dorénavant toujours jamais plus ne le la les des en utilise utilisez utiliser
  a ahora adelante siempre nunca jamás utiliza usa usar un una el los las del sobre
  more all every each any everything everywhere anymore et und y e i per il lo gli hoy desde sempre mai ora oggi poi in avanti usare use hoje agora partir diante todo toda
  vanaf nu voortaan altijd nooit voor met de het een gebruik gebruiken niet meer weer
  od teraz dziś dzisiaj zawsze nigdy nie do w we na z zamiast używaj
  отныне этого момента впредь больше никогда всегда не на про для используй используйте вместо`,
);
/** Behind these, as far as the clause goes, stands what is not to be, … */
const notBehind = scriptPattern(
  String
    .raw`(?:^|[^\p{L}])(?:never|not|don['’]t|mustn['’]t|shouldn['’]t|no|without|instead of|in place of|rather than|over|stop|avoid|no longer|replac(?:es?|ing)|statt|anstatt|anstelle|al posto d(?:i|el|ella)|invece d(?:i|el|ella)|em vez d[eoa]|in plaats van|zamiast|ne|n['’]|au lieu d[e']|plutôt que|en (?:lugar|vez) de|не|вместо)(?=[^\p{L}]|$)`,
  "iu",
);
/** … and with these nothing of it is to be. */
const notAtAll = scriptPattern(
  String
    .raw`(?:^|[^\p{L}])(?:nie|niemals|nicht|keine?[nrms]?|jamais|nunca|jamás|никогда)(?=[^\p{L}]|$)`,
  "iu",
);
/** Behind these it says by what it is to be done. */
const BY =
  /\s(?:with|via|using|through|from|against|con|avec|mit|com|met|through)\s+(?:an? |the |el |la |le |een |einem |einer )?([^\s,;]+(?: (?!from\b|now\b|please\b|again\b)[^\s,;]+)?)(?: (?:from (?:now|here) on|now|please|again))*[.!]?$/i;
/** What is used, or is to be, and for what. */
const USED =
  /(?:^|\s)(?:use|uses|using|prefer|benutze|verwende|nutze|utilise[rz]?|usa|usar|gebruik|używaj|on,?) (?!for\b)([^\s,;]+(?: [^\s,;]+)?) (?:again )?(?:for|für|pour|para|per|voor|do) /i;
/** Words that two rules may both want. */
const MANY = /(?:s|ing)$/i;
const NEWS =
  /\b(?:from (?:now|here|today) on|going forward|henceforth|now|again|ab jetzt|ab sofort|künftig|désormais|dorénavant|à partir de|a partir de|desde (?:hoy|ahora)|agora em diante|doravante|en adelante|d['’]ora in poi|da oggi|voortaan|vanaf nu|od teraz|od dziś)\b/i;
const CLAUSE_END =
  /[,;:.!]\s+|\s[–—-]\s|\s(?:but|and (?:not|never|always)|aber|mais|pero|sondern|а)\s/i;

/**
 * Things of which a rule can only want one: names behind the colon take each other's place, and before it stand words that
 * say nothing beside them.
 */
const CHOICES = [
  "package packages manager dependency dependencies install installing: npm pnpm yarn bun",
  "package packages manager dependency dependencies install environment: pip poetry uv pipenv conda",
  "indent indentation: tabs spaces",
  "quotes quote strings string: single double",
  "language answer answers reply replies respond response speak talk write say antworte antworten antwort schreibe schreiben répond écris responde escribe отвечай пиши: english german french " +
  "spanish italian portuguese russian japanese chinese korean dutch polish englisch deutsch französisch spanisch " +
  "anglais français allemand inglés español английском русском",
  "test tests framework runner: jest vitest mocha jasmine ava",
  "name names naming case: camelcase snake kebab pascalcase camel pascal",
  "database: postgres postgresql mysql mariadb sqlite",
  "letter letters spelling: british american",
];

interface Choice {
  readonly names: ReadonlySet<string>;
  readonly beside: ReadonlySet<string>;
}

const CHOICES_READ = once((): readonly Choice[] =>
  CHOICES.map((line) => {
    const [beside = "", names = ""] = line.split(":");
    return { names: allWords(names), beside: allWords(beside) };
  })
);
/** The words of the frame as they are without their endings. */
const frame = once(() => wordsOf([...FRAME].join(" "), () => false));
const NUMBER = /^\d+$/;

/**
 * The words of a rule, of what it wants and of what it bans.
 *
 * @param wordsIn All of them, to compare it with another one; those that tell the most, to look for one that is spoken of.
 */
export function ruleWords(rule: string, wordsIn = allWords): RuleWords {
  const wants = new Set<string>();
  const bans = new Set<string>();
  for (const clause of rule.split(CLAUSE_END)) {
    const at = notAtAll().test(clause) ? 0 : clause.search(notBehind());
    for (const word of wordsIn(at < 0 ? clause : clause.slice(0, at))) wants.add(word);
    if (at >= 0) { for (const word of wordsIn(clause.slice(at))) bans.add(word); }
  }
  const [head = ""] = rule.split(CLAUSE_END, 1);
  const [, used] = USED.exec(rule) ?? [];
  const [, by = ""] = used === undefined ? BY.exec(head) ?? [] : [];
  const isOne = used !== undefined || !MANY.test(by);
  return { wants, bans, by: isOne ? wordsIn(used ?? by) : new Set(), isNews: NEWS.test(rule) };
}

function allWords(text: string): ReadonlySet<string> {
  return wordsOf(text, (word) => FRAME.has(word) || EMPTY_WORDS.has(word));
}

/** The words that tell what a rule, or what is said of one, is about. */
export function tellingRuleWords(text: string): ReadonlySet<string> {
  return new Set(
    [...tellingWords(text)].filter((word) => !STOP_WORDS.has(word) && !frame().has(word)),
  );
}

/**
 * Whether a rule takes the place of an earlier one: it is about the same, wants what the other one bans, bans what it
 * wants, or wants another thing of which there can only be one.
 */
export function replacesRule(later: RuleWords, earlier: RuleWords): boolean {
  return areSame(allOf(later), allOf(earlier)) ||
    areSame(later.wants, earlier.bans) || areSame(later.bans, earlier.wants) ||
    areSame(choiceIn(later.wants), choiceIn(earlier.wants)) &&
      !areSame(later.wants, earlier.wants) ||
    bansWhatIsWanted(later, earlier) || isByAnother(later, earlier);
}

/**
 * Whether a rule bans by its name what an earlier one wants, in what that is about: at least half of its other words are
 * there, or where it has none, nothing else is but what is wanted now.
 */
function bansWhatIsWanted(later: RuleWords, { wants }: RuleWords): boolean {
  const banned = alikeIn(wants, later.bans);
  if (banned.size === 0 || alikeIn(later.bans, wants).size < later.bans.size) return false;
  const rest = wants.difference(banned);
  const covered = alikeIn(rest, allOf(later)).size;
  return rest.size === 0 ? later.wants.difference(wants).size <= 1 : covered * 2 >= rest.size;
}

/** Whether a rule wants from now on that the same be done by something else. */
function isByAnother(later: RuleWords, earlier: RuleWords): boolean {
  if (!later.isNews || later.by.size === 0 || earlier.by.size === 0) return false;
  const rest = earlier.wants.difference(earlier.by);
  return later.by.isDisjointFrom(earlier.by) && later.bans.size + earlier.bans.size === 0 &&
    rest.size >= 1 && alikeIn(rest, later.wants).size === rest.size;
}

/** Of some words those that others have, but for their endings. */
function alikeIn(some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...some].filter((word) => [...others].some((other) => areAlike(word, other))));
}

/** Whether a rule is one of those that are taken back: it has all the words, and not many others. */
export function isRevoked({ of, about }: RevokedRules, rule: RuleWords): boolean {
  const words = of === "any" ? allOf(rule) : rule[of];
  return about.length > 0 && (of === "any" || about.length * 2 >= words.size) &&
    alikeIn(new Set(about), words).size === about.length;
}

function allOf({ wants, bans }: RuleWords): ReadonlySet<string> {
  return wants.union(bans);
}

/** Two sets of words are the same; of nothing nobody can tell. */
function areSame(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size > 0 && some.size === others.size && some.isSubsetOf(others);
}

/** The words with what can be chosen in the place of what is; without what says nothing beside it. */
function choiceIn(words: ReadonlySet<string>): ReadonlySet<string> {
  const choice = CHOICES_READ().find(({ names }) => !names.isDisjointFrom(words));
  const { names, beside } = choice ?? { names: new Set<string>(), beside: new Set<string>() };
  return new Set(
    [...words].filter((word) => !beside.has(word) || names.has(word)).map((word) =>
      names.has(word) ? "(one of them)" : NUMBER.test(word) ? "(number)" : word
    ),
  );
}

/** Words that are the same but for their ending, as languages have them that nothing stems. */
function areAlike(word: string, other: string): boolean {
  const length = Math.min(word.length, other.length);
  return word === other ||
    length >= 5 && Math.abs(word.length - other.length) <= 2 &&
      word.slice(0, length - 2) === other.slice(0, length - 2);
}
