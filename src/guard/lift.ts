/** How a person lifts what the guards forbid. */

/** What becomes of what is to be remembered: the database may be switched off, or not be usable. */
export type Keeping = "lasting" | "off" | "broken";

/**
 * The way out, in sentences. Only what is remembered can be paused.
 *
 * @param session The short id.
 */
export function liftText(keeping: Keeping, session: string): string {
  const pause = `\`conclaude guard pause --session ${session}\``;
  switch (keeping) {
    case "lasting":
      return `Only a person can lift this, for 15 minutes, with ${pause}; do not run it yourself.`;
    case "off":
      return "Only a person can lift this, by a change of the rule in the configuration (`conclaude config path` says " +
        "where it is): the database is switched off, so that no pause can be kept.";
    case "broken":
      return "Only a person can lift this: the database cannot be used, so `conclaude doctor --fix` comes first, then " +
        `for 15 minutes ${pause}; do not run it yourself.`;
  }
}
