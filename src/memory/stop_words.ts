/** Words of English that say nothing of what is looked for. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a about after again all also am an and any anything are aren as ask asked at be because been before being between both but by " +
    "can could couldn did didn do does doesn doing don done down during each ever few for from further get gets getting give given go goes going got had hadn has " +
    "hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just ll " +
    "let lets like made make many may me might mine more most much must mustn my myself need near next no nor not now of off " +
    "on once only onto or other our ours ourselves out over own per please re really said same say says see shall she should shouldn " +
    "so some something still such than that the their theirs them themselves then there these they thing things this those through to " +
    "too under until up upon us use used using ve very via was wasn way we were weren what when where which while " +
    "who whom whose why will with within without would wouldn yet you your yours yourself yourselves tell told know remember remind " +
    "anyone someone somebody happened happen earlier ago").split(" "),
);
/** Those of them that questions are made with: they do not tell one text from another, either. */
export const EMPTY_WORDS: ReadonlySet<string> = new Set(
  ("a about am an and are be been being can could did do does had has have how i if is it its me my of or our shall should that the " +
    "their there these this those to us was we were what when where which who whom whose why will would you your")
    .split(" "),
);
