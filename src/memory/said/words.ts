/** The words by which one says that something is left. */
import { numberPattern } from "../number_words.ts";
import { HEADING_FOR_PERSON, LEFT_TO_PERSON, NEEDS_ANSWER, OPENS } from "./person.ts";
import { wordSet } from "../word_set.ts";

/** `two`, and so on. */
const COUNT = numberPattern("english");

/** Behind `Next,`: what is offered, and what a person does with it. */
const NOT_OF_CLAUDE =
  "(?:(?:I|we|you) (?:can|could|might|may|would)|run|open|visit|go|click|navigate|log|sign|start|restart|press|type|select|choose|browse|try|install|copy|paste|enter|reload|refresh)";
/** What nothing has by itself, and a user none. */
const PARTS_OF_WORK =
  "(?:tests?|docs?|documentation|handling|validation|translations?|migrations?|implementation|coverage|changelog)";
/** What is done to a thing that was left, as the participle says it. */
const DONE_TO = wordSet(
  `adapted added addressed adjusted backfilled built bumped cached checked clarified cleaned closed configured
  connected converted corrected covered created decided deleted deployed disabled documented done dropped enabled
  encrypted entered extracted filled fixed generated hooked implemented indexed installed investigated looked made
  masked merged migrated moved normalised normalized ported published put refactored registered released removed
  renamed repeated replaced reviewed revisited revoked rewritten rolled rotated run sent set signed split stripped
  switched tackled tagged taken tested translated tuned updated upgraded wired written`,
);
/** What a person would have expected Claude to do besides; what was left as it is on purpose is none of it. */
const EXPECTED = wordSet(
  `activated add added applied apply benchmarked build built commit committed complete completed configured
  confirmed covered deploy deployed document documented done dropped enabled execute executed finish finished fix
  flashed get got happened hook hooked implement implemented install installed make measured merge merged migrate
  migrated opened publish published push pushed re-run release released rerun reviewed rolled run scheduled sent
  started submitted switched tag tagged test tested translate translated tried upload uploaded validated verified
  verify wire wired write written`,
);
const OBLIGED = /^(?:must|has to|have to|needs? to|ought to|should)\b.* be ([a-z]+)$/i;
const NOT_DONE = /^(?:I|we|has|have)\b.*(?:\bnot|n['’]t|\bbeen|\byet) ([a-z-]+)$/i;

/** In a sentence. */
const LEFT = new RegExp(
  "\\b(?:" + [
    `still (?:(?:open|missing|to do|to come|to be(?: [a-z]+)?|(?:has|have) to(?: be [a-z]+)?|ha(?:s|ve) no|lacks?|awaits?|fails?|failing|broken|red|empty|manual|hard-?coded|needs?|complains?|uses?|unclear|not)\\b|\\w+n['’]t\\b)`,
    `(?:has|have|is|are) yet to (?:be [a-z]+|come|follow|be)\\b|(?:is|are) (?:still )?to follow\\b|yet to (?:come|be [a-z]+)\\b`,
    `still (?:[^\\s,;:.]+ ){1,8}(?:and|which|, so it) (?:should|must|needs?|has to|have to|ought to)\\b|still stands? in\\b|(?:is|are) still (?:in|on|off|plain|switched off|turned off|disabled)\\b`,
    "(?:must|has to|have to|needs? to|ought to|should) (?:also |still |then )?be [a-z]+\\b(?!:)",
    `needs? (?:also )?(?:an? (?:update|bump|fix|rewrite|clean-?up|review|upgrade|migration|test|decision|rebuild)\\b|(?:fixing|porting|tree shaking|cleaning(?: up)?|updating|rewriting|testing|review)\\b)`,
    "(?:is|are|would be|will be) the next (?:steps?|things?)\\b|(?:the )?next (?:steps?|things?) (?:is|are|would be|will be)\\b|open (?:steps?|points?|questions?|items?|tasks?|ends?)(?::| (?:is|are)(?::| (?:the|to)\\b))",
    "(?:waiting for|awaits?|awaiting|pending) (?:a |an |the |your |his |her )?(?:review|approval|answer|feedback|decision|merge|sign-?off)\\b",
    "nothing (?:of (?:it|this|that) )?(?:has been|is|was) [^\\s,;:.]+ (?:yet|so far)\\b|no [^\\s,;:.]+ (?:has|have) been [^\\s,;:.]+ (?:yet|so far)\\b",
    "no (?:[^\\s,;:.]+ ){1,4}(?:yet|so far)(?=[.;!)]|$| and | but )|(?:was|were)(?: not|n['’]t) (?:executed|run|started|applied|deployed|pushed|merged|committed)\\b|hasn['’]t happened\\b|(?:has|have) not (?:been done|happened)\\b",
    "so far I(?:['’]ve| have)? only\\b|only (?:did|made|ran) (?:it |them )?(?:a dry run|with `?--)|I(?:['’]ve| have)? (?:only|just) diagnosed\\b|(?:I|we)(?:['’]ve| have)? left (?:out|unimplemented|untouched|undone)\\b|I have left un\\w+ed\\b|remains? un(?!changed|affected|touched|modified|disturbed)\\w+ed\\b|left unimplemented\\b",
    "still (?:starts?|ends? up|calls?|depends?|points?|refers?|leaks?|crash(?:es)?|hangs?|breaks?|contains?|mentions?|reads? from|goes? through|there)\\b|on my list:|to be (?:added|done|fixed|decided|checked|written|clarified)(?::| (?:yet|still)\\b)",
    "not ready for (?:review|merging|release)\\b|on this machine only\\b|in a stash\\b|(?:approval|review|answer)\\b[^.;:\\n]{0,40} is pending\\b",
    `in the working tree only\\b|(?:have|has)? left it as it is until\\b`,
    `remain(?:s?(?=\\s*(?:[.;:!)–—]|$))|s? (?:to (?:be(?: [a-z]+)?|do)|open|undone|unresolved|unfinished|missing|broken|untested|unclear|unsolved|red|is|are)\\b|ing(?::| (?:work|steps?|tasks?|findings?|points?|issues?|items?(?=\\W*(?::|is\\b|are\\b))|is\\b|are\\b)))`,
    "(?:issues?|problems?|bugs?|steps?|tasks?|items?|questions?|failures?|errors?|warnings?) remains? (?:in|for|on|with)\\b",
    "nothing (?:else |more )?(?:is |was )?(?:left|open|remains|missing|to do)(?: (?:open|to do|undone))? (?:but|except|besides|other than|apart from)\\b",
    "(?:done|completed?|finished|ready|implemented|migrated|ported|fertig|erledigt|in place),? (?:except|apart from|besides|other than|aside from|bis auf|salvo|excepto|sauf)\\b(?! (?:when|if|where|while|in case)\\b)",
    "left(?::| (?:to do|open|over|undone)\\b| (?:\\w+ ){1,6}for now\\b)",
    "(?:I|we)(?: have|['’]ve)? (?:left|deferred|postponed|put off) [^.,;:\\n]{1,60} (?:for later|for (?:a|the next|another) (?:follow-?up|session|step|PR|time)|to (?:a follow-?up|later|the next))\\b",
    "to-?dos?:",
    "not (?:yet|done|finished|completed?|ready|(?:[^\\s,;:.]+ ){1,10}(?:yet|so far|as yet))\\b",
    "(?:have|has|is|are|was|were|do|does|did|could|ca)n['’]t (?:\\w+ ){1,6}yet\\b",
    "unfinished|outstanding|open:",
    `(?<!optional |possible )next(?: steps?| up)?:|next,(?! ${NOT_OF_CLAUDE}\\b)|next (?:I|we)(?: need| have| should| must| will|['’]ll)\\b`,
    "follow-?ups?",
    "known (?:issues?|bugs?|problems?):",
    `${OPENS}(?:the only (?:thing|piece|part|step|item|task|bit|point)s?(?: that)?(?:['’]s| is| are)? (?:still )?(?:left|missing|outstanding)(?: to do)?|the only (?:remaining|missing|outstanding) (?:thing|piece|part|step|item|task|bit|point)s?) (?:is|are)\\b(?! nothing\\b)`,
    `${OPENS}(?:all(?: that)?(?:['’]s| is)|what(?:['’]s| is)) (?:still )?(?:left|missing)(?: to do)? is (?=(?:only |just |now )?(?:the|to|your|our|steps?|${COUNT}|some|\\d+|[a-z]{2,}ing)\\b)(?![^.;\\n]{0,160}\\b(?:which|that)(?: is| was|['’]s) why\\b)`,
    `${OPENS}only (?:the|an?|one|${COUNT}|our|your|steps?) [^.,;:\\n]{1,60} (?:is|are) (?:still )?(?:left|missing|outstanding)(?: to do)?(?=\\s*(?:[.!;,)]|$))`,
    `${OPENS}next up (?:is|are|comes) (?=(?:steps?|phases?|parts?|tasks?|items?|milestones?|points?)\\b)`,
    "needs? an? (?:real|proper|actual)\\b",
    "needs? (?:some )?(?:more|further|additional) (?:investigation|work|testing|thought|research|time|digging|debugging|analysis)\\b",
    "blocked:|I(?:['’]m| am) blocked\\b",
    "I (?:did not|didn['’]t|have not|haven['’]t|could not|couldn['’]t) (?:yet )?(?:get|got|gotten) (?:around )?to\\b",
    `(?:I|we)(?: have not| haven['’]t|['’]ve not) (?:yet )?[a-z-]+\\b(?! (?:into|any|a single)\\b)`,
    "(?:I|we) (?:did not|didn['’]t) (?:run|re-?run|test|verify|finish|complete)\\b(?! (?:into|out)\\b)",
    `(?:I|we) (?:did not|didn['’]t) (?:add|implement|write|migrate|document|translate|wire up|hook up)\\b(?! (?:it|them|that|this|any|an?|new|more|another|further|extra|comments?|dependenc(?:y|ies))\\b)`,
    "(?:I|we)(?: have|['’]ve)? had to (?:leave out|leave (?:[^\\s.,;:]+ ){1,4}out|skip (?:[^\\s.,;:]+ ){1,4}for now|defer|postpone|omit)\\b",
    `(?:is|are|was|were) left for (?:later|now|tomorrow|another (?:day|time|session|PR)|(?:a|the) (?:follow-?up|next)|next (?:time|week|session))\\b`,
    `${OPENS}not (?:yet )?(?:verified|tested|checked|covered|implemented|done|documented|migrated)(?: yet)?:`,
    `${OPENS}(?:still |currently )?blocked (?:on|by) |(?:work|rest|task|step|this|release|deploy|deployment|migration|merge)s? (?:is|are) (?:still |currently )?blocked (?:on|by)\\b`,
    "worth (?:checking|fixing|testing|verifying|doing|adding|revisiting|investigating|looking (?:at|into)):",
    NEEDS_ANSWER,
    "(?:you|we|I)(?:['’]ll| (?:should|must|need to|have to|will)) (?:come|get|go) back to (?:it|this|that|them)\\b",
    "(?:I|we)(?: have|['’]ve)? (?:ran|run) out of (?:time|tokens|context|budget)\\b|(?:I|we)(?: have|['’]ll have| had) to stop (?:here|there|now|before)\\b",
    "(?:I|we)(?: have|['’]ve)? stopped (?:here|there|short|before|half-?way|mid-?way|part-?way)\\b|only (?:[^\\s.,;:]+ ){1,8}so far\\b",
    "(?:commented out|hard-?coded|stubbed(?: out)?|mocked|skipped|disabled) (?:[^\\s.,;:]+ ){0,4}for now\\b",
    `(?:has|have)(?: not|n['’]t) been [a-z-]+\\b`,
    "(?:is|are)(?: not|n['’]t) (?:implemented|tested|documented|migrated|wired up|hooked up|covered by (?:unit |any )?tests)\\b(?! (?:by|here|until|unless|if|when|while|on purpose)\\b)",
    `(?:has|have|there (?:is|are)) no (?:\\w+ ){0,2}${PARTS_OF_WORK}(?: \\w+){0,4} yet\\b`,
    "but (?:(?:is|are|it['’]?s|it is|they are) )?not (?:tested|verified|implemented|documented|deployed|covered|applied|committed|pushed|released|merged|translated)\\b",
    "(?:is|are) missing\\b(?! (?:an?|the)\\b)",
    `left (?:(?:an?|some|${COUNT}) )?(?:TODO|FIXME)s?\\b`,
    "I (?:couldn['’]t|could not|wasn['’]t able to|was not able to|was unable to) (?:get|run|make|verify|test|finish|complete|fix|install|build)",
    ...LEFT_TO_PERSON,
    `(?:I|we)(?: have|['’]ve)? skipped (?:the |that |this |all |any )?(?:[^\\s.,;:]+ ){0,3}(?:tests?|checks?|steps?|verification|docs|documentation|migrations?|builds?)(?=\\s*(?:[.,;:(–—!]|$)| (?:since|because|as|for)\\b)(?!,? (?:since|because|as) (?:it|they|that|this|nothing|you)\\b)`,
    "es fehl(?:t|en) noch|(?:ist|sind) noch offen|noch offen\\b|offen (?:ist|sind) noch|noch nicht (?:\\S+ )?(?:fertig|erledigt|umgesetzt|implementiert|getestet|behoben|da)\\b",
    "fehl(?:t|en) noch\\b|noch fehl(?:t|en)\\b|(?:ist|sind|wird|werden|wurden?|habe|haben|hat|kann|können|geht|gehen|funktionier(?:t|en)|läuft|laufen) (?:[^\\s.,;:]+ ){0,4}noch nicht\\b",
    "(?:aún|todavía|aun) (?:falta|queda)n?\\b|(?:falta|queda)n? (?:dos|tres|cuatro|algunas?|varios|varias) (?:cosas|puntos|tareas|pasos)\\b|quedan? por\\b|est(?:á|án|aría) pendientes?\\b|no (?:est[áa]n?|se ha|he|ha sido) (?:\\S+ ){1,4}(?:aún|todavía)\\b|quedan? pendientes?|pendientes?:|(?<!\\bno hace )faltan? (?:por )?(?:hacer|[a-záéíóúñ]{2,20}(?:[aei]r))(?:l[aoe]s?)?\\b|(?:aún|todavía) no\\b|faltan? (?:el|la|los|las|una?|por)\\b",
    "manca(?:no)? (?:ancora|solo|due|tre)\\b|(?:ancora|restano|resta|rimane|rimangono) da (?:fare|\\w+[aei]re)\\b|da (?:fare|aggiungere|completare|decidere|verificare)(?: anche)?:|non (?:è|sono|ho|abbiamo|ha|hanno) ancora\\b|ancora non\\b",
    "ainda (?:faltam?|não|resta[m]?|precisa[m]?)\\b|faltam? (?:duas|dois|três|algumas?|ainda|apenas|só)\\b|pendentes?(?: também)?:|(?:est(?:á|ão)|ficou|ficaram) pendentes?\\b|(?:fica|ficam|resta|restam) por \\w+r\\b",
    "manque(?:nt)? (?:encore|toujours)\\b|(?:reste|restent) (?:encore )?à [^\\s,;:.]+(?:er|re|ir)\\b|je ne (?:l['’]|les? |la )?(?:ai|l['’]ai) pas (?:encore )?(?:installé|lancé|exécuté|testé|déployé|poussé|fusionné|committé|appliqué)\\w*|pas encore (?:été )?\\S+(?:é|és|ée|ées|fait|faite|mis|mise|écrit)\\b",
    "bisher nicht\\b|zu (?:erledigen|tun|klären) bleibt\\b|(?:braucht|brauchen|benötigt|benötigen) noch\\b|(?:steht|stehen) noch aus\\b|(?:muss|müssen|sollte|sollten) (?:noch|auch noch|dann noch)\\b|(?:habe|haben|hab|ist|sind) (?:ich |wir )?(?:es |sie |das |den |ihn )?noch nicht\\b|offen(?: ist| sind| bleibt| bleiben)?(?: noch)?:",
    "il reste (?:encore )?à |(?:n['’]est|ne sont|n['’]a|n['’]ai) (?:\\S+ )?pas encore\\b",
  ].join("|") +
    ")|à faire(?: aussi)? ?:|还没|還沒|尚未|осталось (?:только |ещё |еще )?[а-яё]+(?:ть|ти|чь)(?:ся)?(?![а-яё])|(?:ещё|еще|пока) не (?:написан|сделан|реализован|готов|добавлен|покрыт|проверен|протестирован|исправлен|обновл)[а-яё]*|(?:ещё|еще) (?:нужно|надо|предстоит) [а-яё]+(?:ть|ти|чь)(?![а-яё])|未完成|未実装|未対応|待办|待完成|还需要|還需要|还要|仍需|还差|还缺|(?:これから|後で|今後)[^。！？\\n]{0,30}(?:必要|予定)|必要があります|(?:未|まだ)です|残っています|まだ[^。！？\\n]{0,30}[てで]いません|残(?:りの)?(?:作業|タスク)[:：]",
  "gi",
);

/** Where a text says that something is left; what `must be signed in` is not, for nobody has to do it. */
export function leftIn(text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  LEFT.lastIndex = 0;
  for (let one = LEFT.exec(text); one !== null; one = LEFT.exec(text)) {
    if (isOfWork(one[0])) found.push(one);
    // The same words may say it from a later one on.
    else LEFT.lastIndex = one.index + 1;
  }
  return found;
}

function isOfWork(left: string): boolean {
  const [, obliged] = OBLIGED.exec(left) ?? [];
  const [, expected] = NOT_DONE.exec(left) ?? [];
  return (obliged === undefined || DONE_TO.has(obliged.toLowerCase())) &&
    (expected === undefined || EXPECTED.has(expected.toLowerCase()));
}

/** Says so as all of a line, over a list of it. */
export const HEADING = new RegExp(
  "^(?:[\\W_]*[#*] *\\d{1,2}[.)] +)?[\\W_]*(?:" + [
    ...HEADING_FOR_PERSON,
    "limitations?|(?:known )?(?:gaps?|caveats?)|pending|not included|still pending|(?:must|should|has to|have to) be (?:done|changed|fixed|addressed)(?: before \\w+)?|open (?:points|items|issues|questions|tasks)(?: by \\w+| before \\w+)?|pendências",
    "(?:(?:what(?:'|’)s|what is|still|noch) )?(?:next steps?|remaining(?: (?:work|steps?|tasks?|issues?|items?|to-?dos?))?|open(?: (?:points?|items?|issues?|ends|tasks?))?|to-?dos?|to do(?: (?:next|later))?|left(?: (?:to do|open|undone|over|for later))?|not (?:yet )?(?:done|finished|implemented|covered)(?: yet)?|known (?:issues?|bugs?|problems?)|follow-?ups?|outstanding|unfinished|missing)",
    "(?:(?:work|items?|things?) )?(?:deferred|postponed|put off)(?: (?:work|items?))?|what (?:I|we)(?: have|['’]ve)? (?:(?:deferred|postponed|skipped|left (?:open|out|undone))|(?:did|have|could)(?: not|n['’]t)(?: yet)? (?:do|done|finish|finished|get to|got to|gotten to|implement|implemented|cover|covered|test|tested|verify|verified|run))(?: yet)?",
    "(?:I|we) (?:(?:was|were)(?: not|n['’]t) able to(?: do| finish)?|(?:was|were) unable to(?: do| finish)?|(?:did|could)(?: not|n['’]t) (?:do|finish|implement|cover|test|verify|get to)|(?:have not|haven['’]t) (?:done|finished|implemented|covered|tested|verified))(?: yet)?(?: (?:the following|these|this|all of these|any of these))?(?: (?:things|points|steps|items))?",
    "what remains(?: to be done)?|(?:offen|liegen) geblieben|zurückgestellt|was ich nicht (?:gemacht|geschafft|erledigt) habe|offen(?:e punkte)?|nächste schritte|was (?:noch )?(?:fehlt|offen ist|zu tun ist)|(?:was )?noch (?:offen|fehlt|zu (?:tun|erledigen))|es fehlt noch",
    "prochaines étapes|(?:ce qu['’]il |il )?reste à faire",
    "pendientes?|tareas pendientes|(?:próximos|siguientes) pasos|(?:(?:falta|queda) )?por hacer",
    "осталось(?: сделать)?|da fare|nog te doen|do zrobienia|próximos passos",
    "次の(?:ステップ|作業)|残りの?(?:作業|タスク)|残作業|残タスク|未完了|未対応|今後の(?:作業|課題)",
    "下一步|后续步骤|待办(?:事项)?|剩余(?:工作|任务)|未完成",
  ].join("|") +
    ")(?: for (?:you|us|me|later|now|tomorrow|the team|next time)(?: and (?:you|us|me|the team))?)?(?: \\((?!optional\\b)[^)\\n]{1,30}\\))?[\\s:：*_]*$",
  "i",
);
/** That a list follows of what is left, as the line before it says so; what is not said to be left is told by {@linkcode TELLS}. */
export const LEADS_TO_LEFT =
  /\b(?:missing|not (?:\w+ ){0,3}(?:yet|so far)|still|remaining|remains?|left|open|pending|(?:for|until) later|unresolved|unfinished|outstanding|skipped|postponed|deferred|lacks?|to-?dos?|to do|(?:should|must|has to|have to|to) be (?:done|fixed|built|written|made|\w+ed)|incomplete|without (?:any )?(?:tests?|docs)|neither (?:\w+ ){1,3}(?:yet|so far)|(?:steps?|things?) (?:after|that follow)|p?end[êe]ncias|pendientes|(?:things?|points?|issues?|problems?|findings?|bugs?) to (?:fix|mend|address|tackle|solve|decide|change|improve))\b|(?:falta|queda|pendiente|manca|restano|rimane|offen|fehl(?:t|en)|reste|manque)|未対応|未完了|未実装|残り|残って|待办|未完成|还没|剩下|剩余/i;
export const TELLS =
  /\b(?:how|why|(?:I|we)(?:['’]ve| have)? (?:did|done|changed|added|fixed|used|took|made|removed|left out)|summary|what (?:I|was|has)|no longer|works?)\b/i;
