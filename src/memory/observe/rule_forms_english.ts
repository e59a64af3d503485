/** How a rule is said in English that holds for all that comes: a table of forms. */
import { wordSet } from "../word_set.ts";

/** Verbs of what is to be done, which tell a rule ("always use") from a report ("always fails"). */
export const ACTS = wordSet(
  `force-push cherry-pick double-check re-run use run write add edit change commit push ask check
  keep put name call format lint test import create delete remove touch modify mock skip force
  rebase merge squash log print start stop answer reply respond prefer include follow make do let
  install update read generate hardcode hard-code store assume guess explain document leave move
  rename open deploy release ship amend stage bump pin wrap return throw catch type declare
  define export disable enable ignore quote escape validate review work go rely depend stick
  treat set try show give tell reformat refactor rewrite reset suppress verify confirm avoid
  translate prefix limit sort upgrade downgrade regenerate rebuild rerun reuse mask redact
  encrypt sanitize handle support close clean compile configure convert copy split save send sign
  specify switch tag wait restart restore resolve respect place pass append prepend implement
  extract ensure discuss consider clarify choose build batch await attach apply annotate allow`,
);
/** Where such a verb stands: the words of a form are looked up, for a pattern of all of them takes a millisecond to be made. */
const ACT = "(?<act>[\\w-]+)";
/** The same, or "be" and "have". */
const DO = "(?<do>[\\w-]+)";
const DONE =
  "(?:edited|committed|changed|touched|modified|pushed|deleted|removed|used|mocked|merged|skipped|disabled|reformatted|renamed|imported|hardcoded)";
/** How what is to be done begins. */
const SAID =
  `(?:(?:please|always|never|do not|don['’]t|you|we|i|let['’]?s|no|all|any|every|each)\\b|${ACT})`;
const OFTEN = "(?:each|every|any)";
const WORK =
  "(?:commit|change|edit|push|pr|pull request|merge|release|deploy(?:ment)?|task|response|answer|session)";
const TEXTS =
  "(?:(?:the |your |any |our )?(?:commit messages?|commits|comments|answers|replies|responses|prs|pull requests|pr (?:titles|descriptions)|file names|filenames))";
const REPO = "(?:repo(?:sitory)?|project|codebase)";
const NEW =
  "(?:endpoints?|files?|components?|functions?|modules?|tests?|features?|migrations?|class(?:es)?|routes?|packages?|scripts?|code)";
/** What rules of a project are about, … */
const ARTEFACTS =
  "(?:tests?|commits?|messages?|subjects?|titles?|bod(?:y|ies)|descriptions?|names?|prs?|pull requests?|branch(?:es)?|tags?|releases?|migrations?|" +
  "comments?|docs?|docstrings?|changelogs?|imports?|exports?|functions?|methods?|class(?:es)?|modules?|files?|components?|endpoints?|routes?|handlers?|services?|" +
  "quer(?:y|ies)|scripts?|variables?|vars?|constants?|types?|features?|bugfix(?:es)?|fix(?:es)?|changes?|dependenc(?:y|ies)|packages?|secrets?|code|replies|answers?|logs?|dates?|timestamps?|ids?)";
/** … and which of them people speak of when they tell how they are, and not what they do. */
const WRITTEN =
  "(?:tests|commits|messages|subjects|titles|descriptions|names|prs|pull requests|branches|tags|releases|migrations|comments|docs|docstrings|changelogs?|imports|exports|dependencies|replies|answers|" +
  "files|keys|keywords|timestamps|dates|times|prices|amounts|ids|urls|paths|constants|variables|vars|interfaces|columns|secrets|credentials|passwords|tokens)";
/** It is done once, tells how something behaves, or what a feature is to be. */
const ONCE_OR_REPORT =
  /\b(?:renamed|replaced|removed|moved|converted|migrated|updated|fixed|pass(?:es|ed|ing)?|green|red|deleted|changed|checked|fail(?:s|ed|ing)?|break(?:s|ing)?|broken|crash(?:es)?|time(?:s)? out|hangs?|flaky|empty|null|undefined|missing|wrong|lost|returns|shows?|seems?|swallowed|called|twice|duplicated?|stale|outdated|late|nan|zero|works?|working|same|done|already|if|would|could|might|was|were)\b|, (?:so |please )*(?:fix|remove|drop|change|correct|clean|why)\b/i;
/** Of whom or of what a rule speaks: of all of a kind, by name, and neither of one nor of who uses what is made. */
const OF_ALL =
  "(?!(?:the|this|that|these|those|it|i|you|we|they|he|she|there|here|what|why|how|who|which|if|when|while|can|could|is|are|do|does|did|please|now|then|and|but|so|or|as|to|my|your|his|her|some|both|users?|customers?|admins?|visitors?|people|guests?|buttons?|pages?|rows?|modals?|always|never)\\b|our (?:users?|customers?|people|admins?)\\b)(?:(?:all|every|each|any|new|an?|our|custom|no) )?(?:[\\w./&-]+ ){1,4}?";
/** What is said of them, so that nothing else has to say that it holds, … */
const MUST_NOT =
  "(?:must (?:not|never|always)|should never|may only|never (?!\\w+(?:ed|s)\\b)\\w+)";
/** … or where this stands beside it. */
const MUST =
  "(?:must|should|has to|have to|needs? to|needs?|gets?|go(?:es)?|belongs?|starts?|ends?|follows?|uses?|become|carr(?:y|ies)|only ever|(?:are|is) (?:named|called|written|shaped|sorted|stored|separated|made|documented|prefixed|suffixed|put|kept))";
const LASTING =
  "(?:everywhere|nowhere else|nothing else|anywhere|whole project|across (?:all|the whole)|in (?:this|our|the whole) (?:repo|repository|project|codebase|crate|package|app|monorepo)|in (?:every|each|any) (?!view|page|row|screen)\\w+|all of them|in every one|each time|every time|make (?:that|it) a habit|stick to (?:that|it|this)|(?:starting|as of|from) (?:now|today|this (?:week|month|sprint))|in general|no exceptions|project[- ]wide|company[- ]wide|no longer)";
/** It is about one thing, or about one place. */
const OF_ONE =
  /\b(?:this(?! (?:project|repo|repository|codebase)\b)|it|that(?=[.,!]?$|,| (?:one|file|function|class|line|test|page|component|method)\b)|these|those|here|there)\b|[\w/]\.[a-z]{1,5}\b/i;

/** The same of all of a kind, where one speaks of what is there. */
const ONE_OF_MANY = new RegExp(`${ONCE_OR_REPORT.source}|${OF_ONE.source}|, but\\b`, "i");

/** In each of these one of them stands. */
export const ENGLISH_HINT =
  /\b(?:now|here on|henceforth|always|never|future|forward|for (?:all|any|every)|ever|again|any ?more|not|all|(?:don|mustn|shouldn)['’]t|no|from today on|circumstances|unless|instead|rather|remember|mind|rule|convention|policy|whenever|every|each|any ?time|when|before|after|stop|prefer|decided|agreed?|must|limits|forbidden|banned|allowed|everywhere|nowhere|anywhere|across|general|habit|starting|today|whole|them|may only|needs?|has|have|gets?|carries|for any|(?:this|these) (?:repo|repository|project|codebase))\b/i;
export const ENGLISH: readonly (string | readonly [form: string, unless: RegExp])[] = [
  "^(?:from now on|from here on|henceforth)[,:]? \\S",
  [
    `^(?:going forward|in (?:the )?future)(?:[,:]| ${SAID})`,
    /^(?:going forward|in (?:the )?future),? (?:it|there|this)\b|\b(?:may|might|could|would|will|can)\b/i,
  ],
  "^as of now,? (?:please|always|never|use|no)\\b",
  `^(?:\\S+ ){1,4}from (?:now|here) on,? ${SAID}`,
  [
    "^(?!(?:it|this|that|they|he|she|the (?:tests?|build|server|app|page|job|script|ci|deploy)) )[^\\s:][^:]* from (?:now|here|today) on(?:[.!]?$|,? (?:instead|rather|and|please)\\b|, )",
    ONCE_OR_REPORT,
  ],
  ["^[^:]*, (?:(?:so|and|but) )?from (?:now|here|today) on,? \\S", ONCE_OR_REPORT],
  [
    "^always (?!\\w+(?:ing|ed)\\b|true|false|on\\b|off\\b|gets?\\b|has|had|is|are|been|happens?)\\S+ \\S",
    ONCE_OR_REPORT,
  ],
  [`^(?:please )?use \\S+ (?:\\S+ )?again\\b`, OF_ONE],
  `^use .*\\beverywhere in this ${REPO}[.!]?$`,
  "^no \\S+(?: \\S+)? (?:longer|larger|bigger|deeper|wider|more) than \\d+\\b",
  `^(?:every|each|all|(?:do not|don['’]t)|${ACT})\\b.*, (?:always|ever|no exceptions?|without exceptions?)(?:[.!]?$|, )`,
  [
    `^(?:every|each|all)(?: \\S+){0,2} ${ARTEFACTS}(?: (?:you|we|i) \\w+)? (?:must|should|needs?|has to|have to) \\S`,
    ONCE_OR_REPORT,
  ],
  [
    `^(?:\\S+ ){0,2}${WRITTEN}(?: (?:must|should|are|is|gets?|need|have))* (?:always|never) \\S`,
    ONCE_OR_REPORT,
  ],
  [
    `^in (?:the|our|all|any|every|each) (?:\\S+ ){1,4}?(?:we |please )?(?:always|never) ${DO}\\b`,
    ONCE_OR_REPORT,
  ],
  [`^${OF_ALL}${MUST_NOT}\\b`, ONCE_OR_REPORT],
  [
    `^(?:in (?:this|our) ${REPO},? )?we use (?!(?:an?|the|this|that|it|these|those|some|one)\\b)\\S+(?: \\S+)?(?: here| in (?:this|our) ${REPO})?, (?:not|never|no) \\S+(?: \\S+)?[.!]?$`,
    ONCE_OR_REPORT,
  ],
  [
    `^(?:all|every|each) (?:\\S+ )?${WRITTEN} (?:are|is) (?:stored|written|kept|named|sorted|prefixed|formatted|shown|given|told) (?:in|as|by|with|under|like) \\S`,
    ONE_OF_MANY,
  ],
  [`^${OF_ALL}${MUST}\\b.*\\b${LASTING}\\b`, ONCE_OR_REPORT],
  [
    `^(?:in general,? )?(?:any|every|each) (?:[\\w./-]+ ){1,5}?(?:has to|have to|must|needs? to|needs? an?|gets? an?|carries)\\b`,
    ONCE_OR_REPORT,
  ],
  [`^as of (?:now|today),? (?:for|all|every|each|we|use) `, ONCE_OR_REPORT],
  `^use \\S+ for (?:any|all|every) `,
  "^for (?:all|any|every) (?:future|new|further|upcoming) ",
  "^(?:just so you know,? )?for (?:the )?future(?: reference)?\\b",
  `^(?:(?:you|we|i|please|instead of|no|all|every)\\b|${ACT}).* from (?:now|here) on[.!]?$`,
  `^(?:you (?:must|should) )?(?:always|never)(?: ever)? ${DO}\\b`,
  `^you (?:must|should|may) not (?:ever )?${ACT}\\b`,
  `^you (?:mustn['’]t|shouldn['’]t) (?:ever )?${ACT}\\b`,
  `^(?:do not|don['’]t) ever ${DO}\\b`,
  `^(?:do not|don['’]t) ${DO}\\b.* (?:unless (?:i|we|you|asked|told|explicitly)|without (?:asking|my|being|explicit|permission|approval|telling))\\b`,
  [`^(?:do not|don['’]t) ${ACT}\\b.* (?:to|in|into|from) ${TEXTS}[.!]?$`, OF_ONE],
  `^unless (?:i|we) (?:\\w+ )?(?:say|tell|ask|specify)\\b`,
  `^under no circumstances ${ACT}\\b`,
  [`^(?:do not|don['’]t) ${DO}\\b.*\\b(?:again|any ?more|ever)[.!]?$`, /\btry\b/i],
  [
    `^we (?:always|never) ${DO}\\b`,
    /, (?:so |please )*(?:fix|remove|drop|change|correct|clean)\b/i,
  ],
  `^let['’]?s (?:always|never) ${DO}\\b`,
  "^let['’]?s agree (?:that|to|on)\\b",
  `^we (?:do not|don['’]t|only) .* in this ${REPO}[.!]?$`,
  "^in this (?:repo(?:sitory)?|project|codebase),? (?:we|always|never|use|don['’]t|do not)\\b",
  [
    "^use (?!(?:an?|the|that|this|my|your|our|its?|one|another)\\b)\\S+(?: \\S+)?,? (?:never|not|instead of|rather than) ",
    OF_ONE,
  ],
  [
    "^(?:(?:please|also) )?remember to ",
    /\b(?:this|it|that|these|those|new|later|afterwards|when you|tomorrow|first)\b/i,
  ],
  [
    "^(?:remember(?: that|:)|keep in mind(?: that|:))",
    /^\S+(?: in mind)?(?: that|:)? (?:this|it)\b/i,
  ],
  "^(?:house |project |coding |general )?(?:rule|convention|policy): ",
  "^\\S+(?: \\S+){0,5} (?:must|should) .*, (?:always|no exceptions|without exceptions?)[.!]?$",
  "^(?:by convention|our (?:convention|rule|policy) is|the (?:convention|rule|policy) is(?: that\\b|: ))",
  `^(?:make|be) sure (?:that )?(?:you |to )(?:always|never) ${DO}\\b`,
  `^i(?:['’]d like| want| would like| need| expect) you to (?:always|never) ${DO}\\b`,
  [
    "^i(?:['’]d like| want| would like| need| expect) you to \\w+ .*\\b(?:before|after|whenever|every time|each time) (?:you|each|every|any|\\w+ing)\\b",
    OF_ONE,
  ],
  "^i (?:never|don['’]t ever) want (?:you to|to see)\\b",
  [
    `^i (?:do not|don['’]t) want (?:any|to see|you to)\\b.*(?:\\b(?:ever|again|any ?more)|\\bin (?:(?:the |our |my )?code|${TEXTS}|this ${REPO}))[.!]?$`,
    OF_ONE,
  ],
  `^(?:whenever|every time|each time|any ?time) you \\w+\\b.*?, (?:please )?(?:always |never |also )?${ACT}\\b`,
  "^when you \\w+.*?, (?:please )?(?:always|never) ",
  `^(?:before|after) ${OFTEN} ${WORK},? (?:please )?(?:always )?${ACT}\\b`,
  `^${ACT}\\b.* (?:before|after) (?:each|every) (?:single )?${WORK}[.!]?$`,
  `^no (?:more )?(?!errors?\\b|issues?\\b|problems?\\b|changes?\\b|need\\b|failures?\\b)\\S+(?: \\S+){0,3} in (?:${TEXTS}|tests|(?:the |your |our |any )?(?:production |prod |library |application |app |shared |server |client |new )?code(?:base)?)(?:,? (?:ever(?: again)?|please|anywhere|at all|period))?(?:[.!]?$|, )`,
  [
    "^stop (?:adding|writing|putting|using|committing|pushing|asking|apologi[sz]ing|explaining|creating|importing|mocking|editing|wrapping|prefixing|ending|starting|telling|repeating|saying|calling|summari[sz]ing)\\b",
    OF_ONE,
  ],
  ["^stop \\w+ing\\b.* (?:every|each) ", OF_ONE],
  [
    "^(?:i|we) (?:(?:always|strongly|generally|usually) prefer\\b|prefer \\S+(?: \\S+)? (?:over|to|instead of|rather than) )",
    /\b(?:option|the|this|that|your)\b|\d/i,
  ],
  [
    "^we(?:['’]ve| have)? (?:decided|agreed) (?:to|that|against)\\b",
    /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|last week)\b/i,
  ],
  `^(?:every|each|all) new ${NEW} (?:needs?|must|should|has to|have to|gets?)\\b`,
  "^(?:all |our |unit |integration )?(?:tests?|commits?|commit messages?|migrations|pull requests|prs|branches) (?:must|should) (?:never|always)\\b",
  `^(?:\\S+ ){1,5}must (?:never|not) be ${DONE}\\b`,
  "^\\S+(?: \\S+){0,4} (?:is|are) (?:off[- ]limits|(?:forbidden|banned|not allowed) (?:here|in this (?:repo|project|codebase)))[.!]?$",
];
