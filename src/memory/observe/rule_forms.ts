/** How a rule is said that holds for all that comes, by language: a table of forms. */
import { once } from "../once.ts";
import { wordSet } from "../word_set.ts";

/** A form of a rule. */
interface RuleForm {
  readonly form: RegExp;
  /** Where this is in it as well, it is about one thing, or tells something else. */
  readonly unless?: RegExp;
}

/** Verbs of what is to be done, which tell a rule ("always use") from a report ("always fails"). */
const ACTS = wordSet(
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
/** It is about one thing, or about one place. */
const OF_ONE =
  /\b(?:this(?! (?:project|repo|repository|codebase)\b)|it|that(?=[.,!]?$|,| (?:one|file|function|class|line|test|page|component|method)\b)|these|those|here|there)\b|[\w/]\.[a-z]{1,5}\b/i;

const TUN =
  "(?:benutz|verwend|nutz|nimm|schreib|führ|frag|lass|mach|committe|pushe|lösch|änder|teste|starte|halte|setz|lege?|prüf|fass|rühr|bearbeit|antwort|formatier|kommentier|erstell|füg|zeig|vermeid|installier|importier|achte|bleib|behalt|merge?|veränder|entfern)";
const FAIS =
  "(?:utilise[rz]?|écri(?:s|vez|re)|lance[rz]?|exécute[rz]?|fai(?:s|tes|re)|demande[rz]?|garde[rz]?|met(?:s|tez|tre)|ajoute[rz]?|répond(?:s|ez|re)|rédige[rz]?|préfère|vérifie[rz]?|formate[rz]?|commente[rz]?|nomme[rz]?|respecte[rz]?)";
const HAZ =
  "(?:usa|utiliza|escribe|ejecuta|responde|contesta|añade|agrega|pon|haz|mantén|pregunta|comprueba|revisa|sigue|formatea)";
const HAGAS =
  "(?:uses?|utilices?|edites?|hagas?|toques?|modifiques?|borres?|elimines?|subas?|pongas?|escribas?|añadas?|agregues?|ejecutes?|cambies?|mezcles?|respondas?|importes?|vuelvas? a)";

/** In each of these one of them stands. */
const ENGLISH_HINT =
  /\b(?:now|here on|henceforth|always|never|future|forward|for (?:all|any|every)|ever|again|any ?more|not|(?:don|mustn|shouldn)['’]t|no|circumstances|unless|instead|rather|remember|mind|rule|convention|policy|whenever|every|each|any ?time|when|before|after|stop|prefer|decided|agreed?|must|limits|forbidden|banned|allowed|(?:this|these) (?:repo|repository|project|codebase))\b/i;
const ENGLISH: readonly (string | readonly [form: string, unless: RegExp])[] = [
  "^(?:from now on|from here on|henceforth)[,:]? \\S",
  [
    `^(?:going forward|in (?:the )?future)(?:[,:]| ${SAID})`,
    /\b(?:may|might|could|would|will|can|it|there)\b/i,
  ],
  "^as of now,? (?:please|always|never|use|no)\\b",
  `^(?:\\S+ ){1,4}from (?:now|here) on,? ${SAID}`,
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
  "^i (?:never|don['’]t ever) want (?:you to|to see)\\b",
  [
    `^i (?:do not|don['’]t) want (?:any|to see|you to)\\b.*(?:\\b(?:ever|again|any ?more)|\\bin (?:(?:the |our |my )?code|${TEXTS}|this ${REPO}))[.!]?$`,
    OF_ONE,
  ],
  `^(?:whenever|every time|each time|any ?time) you \\w+\\b.*?, (?:please )?(?:always |never |also )?${ACT}\\b`,
  "^when you \\w+.*?, (?:please )?(?:always|never) ",
  `^(?:before|after) ${OFTEN} ${WORK},? (?:please )?(?:always )?${ACT}\\b`,
  `^${ACT}\\b.* (?:before|after) (?:each|every) (?:single )?${WORK}[.!]?$`,
  `^no (?:more )?(?!errors?\\b|issues?\\b|problems?\\b|changes?\\b|need\\b|failures?\\b)\\S+(?: \\S+){0,3} in (?:${TEXTS}|(?:the |your |our )?code)[.!]?$`,
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

const LATIN_HINT =
  /\b(?:jetzt|sofort|heute|zukunft|nun an|immer|nie|niemals|stets|regel|konvention|merk|denk|mehr|keine?|jamais|toujours|maintenant|avenir|désormais|dorénavant|nunca|jamás|siempre|ahora|adelante|futuro|poi|avanti|mai|agora|diante|frente|sempre)\b|künftig/i;
const LATIN = (): readonly RegExp[] => [
  // German
  /^(?:ab jetzt|ab sofort|ab heute|von jetzt an|von nun an|in zukunft|künftig|zukünftig)(?=[\s,:])/i,
  /^(?:merk dir\b|(?:regel|konvention): )/i,
  /^denk daran\b(?!.*\b(?:dafür|dazu|das|diese[mnrs]?|danach|noch)\b)/i,
  new RegExp(`^${TUN}[a-zäöü]*(?: \\S+){0,4} (?:immer|nie|niemals|nicht mehr)(?=[\\s.,!:]|$)`, "i"),
  new RegExp(
    `^${TUN}[a-zäöü]* (?:\\S+ ){0,4}(?:ab jetzt|ab sofort|künftig|in zukunft)(?=[\\s.,!]|$)`,
    "i",
  ),
  new RegExp(`^(?:immer|nie|niemals|nie wieder) .*${TUN}[a-zäöü]*[.!]?$`, "i"),
  /^du (?:darfst|sollst|musst|solltest) (?:\S+ ){0,4}(?:nie|niemals|immer|stets)(?=[\s.,!])/i,
  /^(?:bitte )?keine? \S+(?: \S+)? (?:mehr )?in (?:\S+ )?(?:commit-?(?:nachrichten|messages)|commits|kommentaren|antworten)[.!]?$/i,
  // French
  /^(?:à partir de maintenant|dès maintenant|désormais|dorénavant|à l['’]avenir)(?=[\s,:])/i,
  /^(?:ne |n['’])\S+ (?:\S+ )?(?:plus )?jamais(?=[\s.,!]|$)/i,
  new RegExp(`^${FAIS} (?:\\S+ ){0,2}toujours(?=[\\s.,!]|$)`, "i"),
  new RegExp(`^toujours ${FAIS}(?=[\\s.,!]|$)`, "i"),
  // Spanish
  /^(?:a partir de ahora|de ahora en adelante|desde ahora|en adelante|en el futuro)(?=[\s,:])/i,
  new RegExp(`^(?:nunca|jamás) (?:más )?(?:lo |la |los |las )?${HAGAS}(?=[\\s.,!]|$)`, "i"),
  new RegExp(
    `^no (?:lo |la |los |las )?${HAGAS} .*\\b(?:nunca|jamás|nunca más)(?=[\\s.,!]|$)`,
    "i",
  ),
  new RegExp(`^(?:${HAZ} (?:\\S+ ){0,3}siempre|siempre ${HAZ})(?=[\\s.,!]|$)`, "i"),
  // Italian and Portuguese
  /^(?:d['’]ora in (?:poi|avanti)|da ora in (?:poi|avanti)|a partir de agora|daqui (?:em diante|pra frente))(?=[\s,:])/i,
  /^(?:non \S+(?:are|ere|ire) mai|nunca (?:use|edite|altere|modifique|apague|faça|escreva|commite)|(?:usa|scrivi|esegui|rispondi) sempre|sempre (?:use|escreva|execute|rode|responda))(?=[\s.,!]|$)/i,
];

const CYRILLIC_HINT = /[а-яё]/i;
const CYRILLIC = (): readonly RegExp[] => [
  /^(?:отныне|с этого момента|впредь|в дальнейшем|с сегодняшнего дня)(?=[\s,:])/i,
  /^(?:больше |никогда |больше никогда |никогда больше )(?:не )[а-яё]+(?:й|йте|и|ите|ь|ьте)(?=[\s.,!]|$)/i,
  /^(?:всегда|никогда не) [а-яё]+(?:й|йте|и|ите|ь|ьте)(?=[\s.,!]|$)/i,
];

const EAST_ASIAN_HINT = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/;
const EAST_ASIAN = (): readonly RegExp[] => [
  // Japanese
  /^(?:今後は?|これからは|以後は?|以降は?)(?!どう|何|なに|いつ)/,
  /(?:絶対に?|決して|二度と).*(?:ないで(?:ください|下さい|くれ)?|な|ないこと|禁止)[。！!]?$/,
  /(?:必ず|常に|毎回|いつも).*(?:て(?:ください|下さい|くれ|ね)?|すること|使うこと)[。！!]?$/,
  // Chinese
  /^(?:从现在(?:开始|起)|從現在(?:開始|起)|从今以后|從今以後|今后|今後|往后|以后|以後)(?!可能|也许|或许|再说|再說|会|會|的|怎)/,
  /^(?:请|請|你)?(?:永远|永遠|绝对|絕對|绝|絕|千万|千萬|以后|以後)(?:都)?(?:不要|别|別|不许|不許|不能|不得)/,
  /^(?:请|請)?(?:不要再|别再|別再|禁止)/,
  /^(?:请|請|你)?(?:始终|始終|务必|務必|总是|總是|一律|永远|永遠)(?:要|都)?(?:使用|用|写|寫|运行|執行|执行|遵循|保持|先|检查|檢查|以|添加)/,
  // Korean
  /^(?:앞으로(?:는)?|이제부터(?:는)?|지금부터(?:는)?)\s/,
  /(?:절대|다시는)(?:로)?\s.*(?:마|말아|마세요|말\s?것|하지\s?마십시오)[.!]?$/,
  /^항상\s.*(?:세요|해\s?줘|하라|할\s?것|십시오)[.!]?$/,
];

/** All forms, each with what tells in a moment that none of them is there: most sentences have no form made for them. */
const LANGUAGES: readonly { readonly hint: RegExp; readonly forms: () => readonly RuleForm[] }[] = [
  { hint: ENGLISH_HINT, forms: once(() => ENGLISH.map(formOf)) },
  { hint: LATIN_HINT, forms: once(() => LATIN().map((form) => ({ form }))) },
  { hint: CYRILLIC_HINT, forms: once(() => CYRILLIC().map((form) => ({ form }))) },
  { hint: EAST_ASIAN_HINT, forms: once(() => EAST_ASIAN().map((form) => ({ form }))) },
];

function formOf(one: typeof ENGLISH[number]): RuleForm {
  const [form, unless] = typeof one === "string" ? [one] : one;
  return { form: new RegExp(form, "i"), ...unless === undefined ? {} : { unless } };
}

/** Whether a sentence is a rule, by how it is said. */
export function saysRule(sentence: string): boolean {
  return LANGUAGES.some(({ hint, forms }) =>
    hint.test(sentence) && forms().some((form) => hasForm(sentence, form))
  );
}

function hasForm(sentence: string, { form, unless }: RuleForm): boolean {
  const found = form.exec(sentence);
  return found !== null && isToDo(found.groups) && unless?.test(sentence) !== true;
}

function isToDo(verbs: Readonly<Record<string, string>> = {}): boolean {
  const { act, do: any } = verbs;
  const verb = (act ?? any)?.toLowerCase();
  return verb === undefined || ACTS.has(verb) || any !== undefined && /^(?:be|have)$/.test(verb);
}

/** That something holds for a while, or for what is being done. */
export const FOR_NOW =
  /\b(?:for (?:now|today|once|the moment|the time being|this (?!(?:repo|repository|project|codebase)\b)\w+)\b|for (?:this|it)[.!]?$|this (?:time|once)|just once|(?:in|during) this (?:session|change|pr|commit|task|branch|chat|conversation|step)|the rest of (?:the|this) session|while (?:you|we|i|fixing|working|doing)\b|right now|today(?!['’]s)|tonight|until (?:(?:next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|then|next week|the (?:release|deadline|freeze|demo))|vorerst|erstmal|diesmal|heute (?!an)|in dieser sitzung|bei dieser änderung|pour (?:l['’]instant|le moment)|cette fois|aujourd['’]hui|por ahora|esta vez)\b|(?:^|\s)(?:пока|сейчас|в этот раз|сегодня)(?=[\s,.!]|$)|今回|今日|这次|這次|今天|暂时|暫時|이번/i;
