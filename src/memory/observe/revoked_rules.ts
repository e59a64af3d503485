/** Rules that a person takes back: "the licence header rule no longer applies", "you may edit migrations again". */
import { type RevokedRules, tellingRuleWords } from "../rule_words.ts";
import { withApostrophes } from "./rule_forms.ts";
import { lastingSentences } from "./standing_rules.ts";

const RULE = "(?:rules?|conventions?|requirements?|polic(?:y|ies)|instructions?|restrictions?)";
const DROP =
  "(?:scrap|drop|forget(?: about)?|ignore|cancel|lift|undo|disregard|never mind|discard|strike|revoke|retire)";
const NO_MORE =
  "(?:no longer (?:applies|apply|holds?|counts?|stands?)|does(?:n['’]t| not) (?:apply|hold|count) (?:any ?more|any longer)|is (?:lifted|gone|off|over|obsolete|void|cancelled|dropped|history|no longer (?:valid|needed|in force)))";

/** In each of the forms one of these stands. */
const HINT =
  /\b(?:rules?|conventions?|requirements?|polic(?:y|ies)|instructions?|restrictions?|mind|again|from now on|no longer|any ?more|any longer|stop|scrap|drop|forget|ignore|cancel|lift|undo|disregard|discard|strike|revoke|retire|vergiss|wieder|nicht mehr|oublie|olvida|regla|regola|regra|regel|allowed now|(?:fine|ok(?:ay)?) now|no more|no hace falta|besoin|volver|nuevo|nouveau|nuovo|voltar|più|mais|weer|niet meer|zapomnij|znowu)\b|już|więcej|znów|regel|règle|consigne|правило/i;
/** What is said of rules that are taken back: the words of a rule are what the pattern has in its groups. */
const FORMS: readonly { readonly of: RevokedRules["of"]; readonly form: RegExp }[] = [
  {
    of: "any",
    form: new RegExp(
      `^${DROP} (?:the|that|this|my|our) (.*?)\\b${RULE}(?: (?:about|on|for|of|that|to|with) (.+))?$`,
      "i",
    ),
  },
  {
    of: "any",
    form: new RegExp(
      `^(?:the|that|this|my|our) (.*?)\\b${RULE}(?: (?:about|on|for|of|that|to|with) (.+?))? ${NO_MORE}`,
      "i",
    ),
  },
  { of: "any", form: /^i(?:['’]ve)? changed my mind (?:about|on) (.+)$/i },
  { of: "any", form: /^vergiss die (.*?)-?regel(?: (?:mit|zu|über|für) (.+))?$/i },
  { of: "any", form: /^die (.*?)-?regel(?: (?:mit|zu|über|für) (.+?))? gilt .*nicht mehr/i },
  { of: "any", form: /^(?:oublie[sz]?|ignore[sz]?) la (?:règle|consigne) (.+)$/i },
  { of: "any", form: /^la (?:règle|consigne) (.+?) ne s['’]applique plus/i },
  { of: "any", form: /^(?:olvida|ignora) la regla (.+)$/i },
  { of: "any", form: /^dimentica la regola (?:d(?:i|el|ella|ei|elle|ell['’])|su[il]?) ?(.+)$/i },
  { of: "any", form: /^esque[çc][ae] a regra (?:d[aeo]s? )?(.+)$/i },
  { of: "any", form: /^vergeet de regel (?:over|van|met) (.+)$/i },
  { of: "any", form: /^zapomnij o (?:zasadzie|regule) (.+)$/i },
  { of: "any", form: /^la regla (.+?) ya no (?:se aplica|aplica|vale)/i },
  { of: "any", form: /^забудь(?:те)? (?:про )?правило (.+)$/i },
  { of: "any", form: /^правило (.+?) больше не действует/i },
  { of: "bans", form: /^(?:you|we) (?:may|can|are allowed to) (.+?) (?:again|from now on)$/i },
  { of: "bans", form: /^it['’]?s (?:ok(?:ay)?|fine|allowed) to (.+?) again$/i },
  {
    of: "bans",
    form: /^(.+?) (?:is|are) (?:allowed|ok(?:ay)?|fine|permitted)(?: again| now| from now on)+$/i,
  },
  {
    of: "bans",
    form: /^(.+?) (?:is|are) no longer (?:off[- ]limits|forbidden|banned|prohibited|taboo)$/i,
  },
  { of: "bans", form: /^(?:ya )?puedes volver a (.+)$/i },
  { of: "bans", form: /^puedes (.+?) (?:otra vez|de nuevo)$/i },
  { of: "bans", form: /^tu peux (?:de|à) nouveau (?:\S+(?:er|re|ir) )?(.+)$/i },
  { of: "bans", form: /^(?:adesso |ora )?puoi (?:di nuovo |tornare a )(.+)$/i },
  { of: "bans", form: /^(?:adesso |ora )?puoi (.+?) di nuovo$/i },
  { of: "bans", form: /^(?:você )?(?:já )?pode voltar a (.+)$/i },
  { of: "bans", form: /^je mag (.*?)\bweer (.+)$/i },
  { of: "bans", form: /^(?:możesz|wolno) (?:znowu|znów|już) (.+)$/i },
  { of: "bans", form: /^(?:du darfst|ihr dürft) (.*?)\bwieder (.+)$/i },
  { of: "wants", form: /^(?:you|we) no longer (?:have|need) to (.+)$/i },
  {
    of: "wants",
    form:
      /^(?:(?:you|we) (?:don['’]t|do not) (?:have|need) to|no need to) (.+?) (?:any ?more|any longer)$/i,
  },
  { of: "wants", form: /^(?:we|i|you should) no longer ((?!have|need)\w.+)$/i },
  { of: "wants", form: /^(?:we|i) (?:don['’]t|do not) ((?!have|need)\w.+?) any ?more$/i },
  { of: "wants", form: /^stop (\w+ing\b.*)$/i },
  {
    of: "wants",
    form:
      /^(.+?) (?:don['’]t|do not|doesn['’]t|does not) (?:need|have)(?: to)? (.+?) (?:any ?more|any longer)$/i,
  },
  { of: "wants", form: /^(.+?) (?:no longer needs?|need no longer)(?: to)? (.+)$/i },
  {
    of: "wants",
    form:
      /^(.+?) (?:is|are)(?:n['’]t| not) (?:required|needed|necessary|mandatory) (?:any ?more|any longer)$/i,
  },
  { of: "wants", form: /^(.+?) (?:is|are) no longer (?:required|needed|necessary|mandatory)$/i },
  {
    of: "wants",
    form:
      /^no more (?!(?:errors|warnings|failures|issues|problems|bugs)\b)(\S+ \S.*?)(?: from now on)?$/i,
  },
  { of: "wants", form: /^(?:ya )?no (?:hace falta|es necesario|tienes que) (.+?)(?: más)?$/i },
  { of: "wants", form: /^(?:plus|pas) besoin (?:de |d['’])(.+)$/i },
  { of: "wants", form: /^non (?:serve|devi|occorre) più (.+)$/i },
  { of: "wants", form: /^(?:você )?não precisa mais (?:de )?(.+)$/i },
  { of: "wants", form: /^je hoeft (?:.*?)niet meer (?:te )?(.+)$/i },
  { of: "wants", form: /^nie musisz (?:już|więcej) (.+)$/i },
  { of: "wants", form: /^(?:du musst|du brauchst|wir) (.+?) nicht mehr(?: (.+))?$/i },
];

/** The rule before, whatever it is about: by its name, or by a word that may as well mean other things. */
const THE_LAST = new RegExp(
  `^(?:${DROP} (?:that|this|the(?: last)?) ${RULE}|(?:that|this|the last) ${RULE} ${NO_MORE}.*)$`,
  "i",
);
const THAT = new RegExp(`^(?:${DROP} (?:that|this|it)|vergiss das|oublie ça|olvida eso)$`, "i");

const CLAUSE_END = /[,;:]\s+|\s[–—-]\s|\s(?:and|but|und|aber|et|mais|y|pero)\s/i;
const LEAD = /^(?:ok(?:ay)?|actually|from now on|as of now|so|well|please|bitte|ab jetzt)[, ]+/i;
/** Nobody says so much of a rule. */
const MAX_CHARS = 240;
const END = /[.!。！]+$/;

/** What a prompt takes back of the rules before it. */
export interface Revoked {
  /** By what they are about. */
  readonly rules: readonly RevokedRules[];
  /** The last one of its session: `named` a rule, or `meant` where nothing else was said before. */
  readonly last: "named" | "meant" | null;
}

/** What a prompt takes back of the rules before it; null where that is nothing. */
export function revokedRules(prompt: string): Revoked | null {
  if (!HINT.test(prompt)) return null;
  const clauses = lastingSentences(withApostrophes(prompt)).flatMap(clausesOf).filter((one) =>
    HINT.test(one)
  );
  const rules = clauses.flatMap(revokedBy);
  const last = clauses.some((clause) => THE_LAST.test(clause))
    ? "named"
    : clauses.some((clause) => THAT.test(clause))
    ? "meant"
    : null;
  return rules.length === 0 && last === null ? null : { rules, last };
}

function clausesOf(sentence: string): string[] {
  return sentence.slice(0, MAX_CHARS).replace(END, "").split(CLAUSE_END)
    .map((clause) => clause.trim().replace(LEAD, ""));
}

function revokedBy(clause: string): RevokedRules[] {
  for (const { of, form } of FORMS) {
    const [said, ...parts] = form.exec(clause) ?? [];
    const about = [...tellingRuleWords(parts.join(" "))];
    if (said !== undefined && about.length > 0) return [{ of, about }];
  }
  return [];
}
