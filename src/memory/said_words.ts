/** The words by which one says that something is left. */

/** Behind `Next,`: what is offered, and what a person does with it. */
const NOT_OF_CLAUDE =
  "(?:(?:I|we|you) (?:can|could|might|may|would)|run|open|visit|go|click|navigate|log|sign|start|restart|press|type|select|choose|browse|try|install|copy|paste|enter|reload|refresh)";
/** What nothing has by itself, and a user none. */
const PARTS_OF_WORK =
  "(?:tests?|docs?|documentation|handling|validation|translations?|migrations?|implementation|coverage|changelog)";
/** In a sentence, … */
export const LEFT = new RegExp(
  "\\b(?:" + [
    "still (?:(?:open|missing|to do|to be|fails?|failing|broken|red|needs?|complains?|uses?|unclear|not)\\b|\\w+n['’]t\\b)",
    "remain(?:s?(?=\\s*(?:[.;:!)–—]|$))|s? (?:to (?:be|do)|open|undone|unresolved|unfinished|missing|broken|untested|unclear|unsolved|red|is|are)\\b|ing(?::| (?:work|steps?|tasks?|issues?|items?(?=\\W*(?::|is\\b|are\\b))|is\\b|are\\b)))",
    "(?:issues?|problems?|bugs?|steps?|tasks?|items?|questions?|failures?|errors?|warnings?) remains? (?:in|for|on|with)\\b",
    "nothing (?:else |more )?(?:is |was )?(?:left|open|remains|missing|to do)(?: (?:open|to do|undone))? (?:but|except|besides|other than|apart from)\\b",
    "(?:done|completed?|finished|ready|implemented|migrated|ported|fertig|erledigt|in place),? (?:except|apart from|besides|other than|aside from|bis auf|salvo|excepto|sauf)\\b(?! (?:when|if|where|while|in case)\\b)",
    "left(?::| (?:to do|open|over|undone)\\b| (?:\\w+ ){1,6}for now\\b)",
    "to-?dos?:",
    "not (?:yet|done|finished|completed?|ready|(?:\\w+ ){1,6}yet)\\b",
    "(?:have|has|is|are|was|were|do|does|did|could|ca)n['’]t (?:\\w+ ){1,6}yet\\b",
    "unfinished|outstanding|open:",
    `(?<!optional |possible )next(?: steps?| up)?:|next,(?! ${NOT_OF_CLAUDE}\\b)|next (?:I|we)(?: need| have| should| must| will|['’]ll)\\b`,
    "follow-?ups?",
    "known (?:issues?|bugs?|problems?|limitations?):",
    "needs? an? (?:real|proper|actual)\\b",
    "needs? (?:some )?(?:more|further|additional) (?:investigation|work|testing|thought|research|time|digging|debugging|analysis)\\b",
    "blocked:|I(?:['’]m| am) blocked\\b",
    "I (?:did not|didn['’]t|have not|haven['’]t|could not|couldn['’]t) (?:yet )?(?:get|got|gotten) (?:around )?to\\b",
    "(?:I|we)(?: have not| haven['’]t|['’]ve not) (?:yet )?(?:run|re-?run|tested|verified|tried|deployed|finished|completed|implemented|documented|translated|migrated|covered|pushed|committed|merged|released|reviewed)\\b(?! (?:into|out)\\b)",
    "(?:I|we) (?:did not|didn['’]t) (?:run|re-?run|test|verify|finish|complete)\\b(?! (?:into|out)\\b)",
    "(?:I|we)(?: have|['’]ve)? (?:ran|run) out of (?:time|tokens|context|budget)\\b|(?:I|we)(?: have|['’]ll have| had) to stop (?:here|there|now|before)\\b",
    "(?:I|we)(?: have|['’]ve)? stopped (?:here|there|short|before)\\b|only (?:[^\\s.,;:]+ ){1,8}so far\\b",
    "(?:commented out|hard-?coded|stubbed(?: out)?|mocked|skipped|disabled) (?:[^\\s.,;:]+ ){0,4}for now\\b",
    "(?:has|have)(?: not|n['’]t) been (?:run|tested|deployed|implemented|documented|migrated|translated|reviewed|finished|completed)\\b",
    "(?:is|are)(?: not|n['’]t) (?:implemented|tested|documented|migrated|wired up|hooked up|covered by (?:unit |any )?tests)\\b(?! (?:by|here|until|unless|if|when|while|on purpose)\\b)",
    `(?:has|have|there (?:is|are)) no (?:\\w+ ){0,2}${PARTS_OF_WORK}(?: \\w+){0,4} yet\\b`,
    "but (?:(?:is|are|it['’]?s|it is|they are) )?not (?:tested|verified|implemented|documented|deployed|covered|applied|committed|pushed|released|merged|translated)\\b",
    "(?:is|are) missing\\b(?! (?:an?|the)\\b)",
    "left (?:an? |some |two |three )?(?:TODO|FIXME)s?\\b",
    "I (?:couldn['’]t|could not|wasn['’]t able to|was not able to|was unable to) (?:get|run|make|verify|test|finish|complete|fix|install|build)",
    "es fehl(?:t|en) noch|(?:ist|sind) noch offen|noch offen\\b|offen (?:ist|sind) noch|noch nicht (?:\\S+ )?(?:fertig|erledigt|umgesetzt|implementiert|getestet|behoben|da)\\b",
    "fehl(?:t|en) noch\\b|noch fehl(?:t|en)\\b|(?:ist|sind|wird|werden|wurden?|habe|haben|hat|kann|können|geht|gehen|funktionier(?:t|en)|läuft|laufen) (?:[^\\s.,;:]+ ){0,4}noch nicht\\b",
    "quedan? pendientes?|pendientes?:|faltan? (?:por )?(?:hacer|implementar|añadir|agregar|probar|documentar|traducir)\\b|(?:aún|todavía) no (?:est[áa]n?|se|he|hemos|funciona)",
    "il reste (?:encore )?à |(?:n['’]est|ne sont|n['’]a|n['’]ai) (?:\\S+ )?pas encore\\b",
  ].join("|") +
    ")|还没|還沒|尚未|未完成|未実装|未対応|待办|待完成|まだ[^。！？\\n]{0,30}[てで]いません|残(?:りの)?(?:作業|タスク)[:：]",
  "gi",
);
/** … also as all of a line, over a list of it. */
export const HEADING = new RegExp(
  "^\\W*(?:" + [
    "(?:(?:what(?:'|’)s|what is|still|noch) )?(?:next steps?|remaining(?: (?:work|steps?|tasks?|issues?|items?|to-?dos?))?|open(?: (?:points?|items?|issues?|ends|tasks?))?|to-?dos?|to do|left(?: to do)?|not (?:yet )?(?:done|finished|implemented|covered)(?: yet)?|known (?:issues?|bugs?|problems?|limitations?)|follow-?ups?|outstanding|unfinished|missing)",
    "what remains(?: to be done)?|offen(?:e punkte)?|nächste schritte|was (?:noch )?(?:fehlt|offen ist|zu tun ist)|(?:was )?noch (?:offen|fehlt|zu (?:tun|erledigen))|es fehlt noch",
    "prochaines étapes|(?:ce qu['’]il |il )?reste à faire",
    "pendientes?|tareas pendientes|(?:próximos|siguientes) pasos|(?:(?:falta|queda) )?por hacer",
    "осталось(?: сделать)?|da fare|nog te doen|do zrobienia|próximos passos",
    "次の(?:ステップ|作業)|残りの?(?:作業|タスク)|残作業|残タスク|未完了|未対応|今後の(?:作業|課題)",
    "下一步|后续步骤|待办(?:事项)?|剩余(?:工作|任务)|未完成",
  ].join("|") +
    ")(?: for (?:you|us|me|later|now|tomorrow|the team|next time)(?: and (?:you|us|me|the team))?)?(?: \\((?!optional\\b)[^)\\n]{1,30}\\))?[\\s:：*_]*$",
  "i",
);
