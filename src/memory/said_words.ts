/** The words by which one says that something is left. */

/** In a sentence, … */
export const LEFT = new RegExp(
  "\\b(?:" + [
    "still (?:(?:open|missing|to do|to be|fails?|failing|broken|red|needs?|complains?|uses?|unclear|not)\\b|\\w+n['’]t\\b)",
    "remain(?:s\\b| to be\\b|ing(?::| (?:work|steps?|tasks?|issues?|items?(?=\\W*(?::|is\\b|are\\b))|is\\b|are\\b)))",
    "left(?::| (?:to do|open|over|undone)\\b| (?:\\w+ ){1,6}for now\\b)",
    "to-?dos?:",
    "not (?:yet|done|finished|completed?|ready|(?:\\w+ ){1,6}yet)\\b",
    "(?:have|has|is|are|was|were|do|does|did|could|ca)n['’]t (?:\\w+ ){1,6}yet\\b",
    "unfinished|outstanding|open:",
    "next(?: steps?| up)?:|next,|next (?:I|we)(?: need| have| should| must| will|['’]ll)\\b",
    "follow-?ups?",
    "known (?:issues?|bugs?|problems?|limitations?):",
    "needs? an? (?:real|proper|actual)\\b",
    "needs? (?:some )?(?:more|further|additional) (?:investigation|work|testing|thought|research|time|digging|debugging|analysis)\\b",
    "blocked:|I(?:['’]m| am) blocked\\b",
    "I (?:did not|didn['’]t|have not|haven['’]t|could not|couldn['’]t) (?:yet )?(?:get|got|gotten) (?:around )?to\\b",
    "but (?:(?:is|are|it['’]?s|it is|they are) )?not (?:tested|verified|implemented|documented|deployed|covered|applied|committed|pushed|released|merged|translated)\\b",
    "(?:is|are) missing\\b(?! (?:an?|the)\\b)",
    "left (?:an? |some |two |three )?(?:TODO|FIXME)s?\\b",
    "I (?:couldn['’]t|could not|wasn['’]t able to|was not able to|was unable to) (?:get|run|make|verify|test|finish|complete|fix|install|build)",
    "es fehl(?:t|en) noch|(?:ist|sind) noch offen|noch offen\\b|offen (?:ist|sind) noch|noch nicht (?:\\S+ )?(?:fertig|erledigt|umgesetzt|implementiert|getestet|behoben|da)\\b",
    "fehl(?:t|en) noch\\b|(?:ist|sind|wird|werden|wurden?|habe|haben|hat|kann|können|geht|gehen|funktionier(?:t|en)|läuft|laufen) (?:[^\\s.,;:]+ ){0,4}noch nicht\\b",
    "quedan? pendientes?|pendientes?:|faltan? (?:por )?(?:hacer|implementar|añadir|agregar|probar|documentar|traducir)\\b|(?:aún|todavía) no (?:est[áa]n?|se|he|hemos|funciona)",
    "il reste (?:encore )?à |(?:n['’]est|ne sont|n['’]a|n['’]ai) (?:\\S+ )?pas encore\\b",
  ].join("|") +
    ")|还没|還沒|尚未|未完成|未実装|未対応|待办|待完成|まだ[^。！？\\n]{0,30}[てで]いません|残(?:りの)?(?:作業|タスク)[:：]",
  "gi",
);
/** … also as all of a line, over a list of it. */
export const HEADING =
  /^\W*(?:(?:what(?:'|’)s|what is|still|noch) )?(?:next steps?|remaining(?: (?:work|steps?|tasks?|issues?|items?))?|open(?: (?:points?|items?|issues?|ends|tasks?))?|to-?dos?|to do|left(?: to do)?|not (?:yet )?(?:done|finished|implemented)(?: yet)?|known (?:issues?|bugs?|problems?|limitations?)|follow-?ups?|outstanding|unfinished|missing|offen(?:e punkte)?|pendientes?)[\s:*_]*$/i;
