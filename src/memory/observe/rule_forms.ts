/** How a rule is said that holds for all that comes, by language: a table of forms. */
import { once } from "../once.ts";
import { ACTS, ENGLISH, ENGLISH_HINT } from "./rule_forms_english.ts";

/** A form of a rule. */
interface RuleForm {
  readonly form: RegExp;
  /** Where this is in it as well, it is about one thing, or tells something else. */
  readonly unless?: RegExp;
}

const TUN =
  "(?:benutz|verwend|nutz|nimm|schreib|führ|frag|lass|mach|committe|pushe|lösch|änder|teste|starte|halte|setz|lege?|prüf|fass|rühr|bearbeit|antwort|formatier|kommentier|erstell|füg|zeig|vermeid|installier|importier|achte|bleib|behalt|merge?|veränder|entfern)";
const FAIS =
  "(?:utilise[rz]?|écri(?:s|vez|re)|lance[rz]?|exécute[rz]?|fai(?:s|tes|re)|demande[rz]?|garde[rz]?|met(?:s|tez|tre)|ajoute[rz]?|répond(?:s|ez|re)|rédige[rz]?|préfère|vérifie[rz]?|formate[rz]?|commente[rz]?|nomme[rz]?|respecte[rz]?)";
const HAZ =
  "(?:usa|utiliza|escribe|ejecuta|responde|contesta|añade|agrega|pon|haz|mantén|pregunta|comprueba|revisa|sigue|formatea)";
const HAGAS =
  "(?:uses?|utilices?|edites?|hagas?|toques?|modifiques?|borres?|elimines?|subas?|pongas?|escribas?|añadas?|agregues?|ejecutes?|cambies?|mezcles?|respondas?|importes?|vuelvas? a)";

const LATIN_HINT =
  /\b(?:jetzt|sofort|heute|zukunft|nun an|immer|nie|niemals|stets|regel|konvention|merk|denk|mehr|keine?|jamais|toujours|maintenant|avenir|désormais|dorénavant|nunca|jamás|siempre|ahora|adelante|futuro|poi|avanti|mai|agora|diante|frente|sempre|grundsätzlich|hoy|oggi|hoje|doravante|chaque|tou(?:s|tes)|voortaan|vanaf nu|altijd|nooit|od (?:teraz|dziś|dzisiaj)|zawsze|nigdy|odtąd)\b|künftig|dziś/i;
const LATIN = (): readonly RegExp[] => [
  // German
  /^(?:ab jetzt|ab sofort|ab heute|von jetzt an|von nun an|in zukunft|künftig|zukünftig)(?=[\s,:])/i,
  /^(?:für die zukunft:|grundsätzlich )|^(?:\S+ ){1,8}grundsätzlich (?!.*\b(?:richtig|gut|ok)\b)\S/i,
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
  /^(?!(?:das|der|die|den|dem|ich|wir|er|sie|es|ihr|warum|wieso|wenn|weil|was|wer) )(?!.*\b(?:muss|müssen|soll\w*|wird|werden|kann|können|ist|sind|hat|haben)\b)(?:\S+ ){1,5}(?:immer|nie|niemals|ab jetzt|ab heute|ab sofort|künftig) (?:\S+ ){0,6}[a-zäöüß-]+(?:en|ern|eln)(?=[.,!]|$)/i,
  // French
  /^(?:à partir de maintenant|dès maintenant|désormais|dorénavant|à l['’]avenir)(?=[\s,:])/i,
  /^(?:ne |n['’])\S+ (?:\S+ )?(?:plus )?jamais(?=[\s.,!]|$)/i,
  new RegExp(`^${FAIS} (?:\\S+ ){0,2}toujours(?=[\\s.,!]|$)`, "i"),
  new RegExp(`^toujours ${FAIS}(?=[\\s.,!]|$)`, "i"),
  /^(?:dans (?:ce|notre) (?:projet|dépôt|repo|code),? )?(?:on|nous) (?:ne |n['’])\S+ (?:plus )?jamais(?=[\s.,!]|$)/i,
  /^[^\s.,!]+(?:e|ez) toujours (?:les?|la|l['’]|des|tes|vos|chaque|une?)(?=[\s]|[^\s.,!])/i,
  /^(?:chaque|tou(?:s|tes) les) (?:\S+ ){1,5}doi(?:t|vent) (?:toujours |jamais )?\S/i,
  new RegExp(`^${FAIS} (?:\\S+ ){0,4}(?:désormais|dorénavant)(?=[\\s.,!]|$)`, "i"),
  /^dès aujourd['’]hui(?=[\s,:])/i,
  // Spanish
  /^(?:a partir de (?:ahora|hoy)|de ahora en adelante|desde (?:ahora|hoy)|en adelante|en el futuro)(?=[\s,:])/i,
  new RegExp(`^(?:nunca|jamás) (?:más )?(?:lo |la |los |las )?${HAGAS}(?=[\\s.,!]|$)`, "i"),
  new RegExp(
    `^no (?:lo |la |los |las )?${HAGAS} .*\\b(?:nunca|jamás|nunca más)(?=[\\s.,!]|$)`,
    "i",
  ),
  new RegExp(`^(?:${HAZ} (?:\\S+ ){0,3}siempre|siempre ${HAZ})(?=[\\s.,!]|$)`, "i"),
  // Italian and Portuguese
  /^(?:d['’]ora in (?:poi|avanti)|da ora in (?:poi|avanti)|da oggi(?: in poi)?|a partir de (?:agora|hoje)|d?e agora em diante|doravante|daqui (?:em diante|p(?:a)?ra (?:a )?frente))(?=[\s,:])/i,
  /^(?:non \S+(?:are|ere|ire) mai|nunca (?:use|edite|altere|modifique|apague|faça|escreva|commite)|(?:usa|scrivi|esegui|rispondi) sempre|sempre (?:use|escreva|execute|rode|responda))(?=[\s.,!]|$)/i,
  /^(?:ogni|tutti i|tutte le|todas? (?:as|los|las)|todos os|cada|toda) (?:\S+ ){1,5}(?:dev(?:e|ono|em)|debe[n]?|tiene[n]? que) \S/i,
  /^(?!(?:falla|sale|aparece|tarda|pasa|manca|arriva|torna|crasha|dá) )[^\s.,!]+[ae] (?:siempre|sempre) (?:las?|los?|el|une?|en|con|com|tus|i|il|le|gli|os?|as?)\s/i,
  /^(?:os|as) \S+ (?:\S+ ){0,4}(?:sempre|nunca) \S+m(?=[\s.,!]|$)/i,
  /^(?:en este (?:repo|proyecto),? )?tod[oa]s? (?:el |la |los |las )?(?:\S+ ){1,6}(?:va|van|debe|deben|lleva|llevan) .*/i,
  /^(?:le|i|gli|os|as|los|las) (?:\S+ ){1,4}(?:vanno|devono|vão|van|devem) (?:sempre|siempre|mai)(?=\s)/i,
  /^(?:elke|alle|ieder[e]?) (?:\S+ ){1,4}(?:krijgt|krijgen|moet|moeten|gebruikt|gebruiken) altijd(?=\s)/i,
  /^(?:pour|dans|sur) .* (?:on|nous) (?:\S+ )?toujours\b/i,
  // Dutch
  /^(?:vanaf nu|voortaan|van nu af aan)(?=[\s,:])/i,
  /^(?:gebruik|schrijf|draai|run|vraag|commit|push|doe|maak|zet|geef|antwoord|houd?|test|voeg|laat|verwijder|noem|bewerk|wijzig|raak|merge|controleer|log) (?:\S+ ){0,4}(?:voortaan|altijd|nooit)(?=[\s.,!]|$)/i,
  /^(?:altijd|nooit) (?:\S+ ){0,6}[^\s.,!]+en[.!]?$/i,
  // Polish
  /^(?:od teraz|od dzisiaj|od dziś|odtąd|na przyszłość)(?=[\s,:])/i,
  /^(?:zawsze|nigdy(?: nie)?) (?:[^\s.,!]+(?:aj|uj|ij|yj|ej)(?:cie)?|pisz|rób|twórz|nazwij)(?=[\s.,!]|$)/i,
  /^(?:[^\s.,!]+(?:aj|uj|ij|yj|ej)(?:cie)?|pisz|rób|twórz) (?:\S+ ){0,3}(?:zawsze|od teraz)(?=[\s.,!]|$)/i,
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
  /[^，。]{2,20}(?:一律|统一|統一)(?:用|使用|保留|采用|採用|写|寫|以|为|為)/,
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

/** `dont`, as it is typed in a hurry. */
const NO_APOSTROPHE = /\b(do|does|did|is|are|must|should|has|have|was|were|would|could)nt\b/gi;

/** What is typed in a hurry, as it is spelled. */
export function withApostrophes(typed: string): string {
  return typed.replace(NO_APOSTROPHE, "$1n't");
}

/** Whether a sentence is a rule, by how it is said. */
export function saysRule(typed: string): boolean {
  const sentence = withApostrophes(typed);
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
  /\b(?:for (?:now|today|once|the moment|the time being|this (?!(?:repo|repository|project|codebase)\b)\w+)\b|(?<!ask(?:s|ed) )for (?:this|it)[.!]?$|this (?:time|once)|just once|(?:in|during) this (?:session|change|pr|commit|task|branch|chat|conversation|step)|the rest of (?:the|this) session|while (?:you|we|i|fixing|working|doing)\b|right now|(?<!(?:as of|from|starting) )today(?!['’]s)|tonight|until (?:(?:next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|then|next week|the (?:release|deadline|freeze|demo))|vorerst|erstmal|diesmal|(?<!ab )heute (?!an)|in dieser sitzung|bei dieser änderung|pour (?:l['’]instant|le moment)|cette fois|aujourd['’]hui|por ahora|esta vez)\b|(?:^|\s)(?:пока|сейчас|в этот раз|сегодня)(?=[\s,.!]|$)|今回|今日|这次|這次|今天|暂时|暫時|이번/i;
