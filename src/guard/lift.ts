/** How a person lifts what the guards forbid. */
import type { HookConfig } from "../config/hook_config.ts";

/** What becomes of what is to be remembered: the database may be switched off, or not be usable. */
export type Keeping = "lasting" | "off" | "broken";

/** What keeps the database from being used, and what a person does about it. */
export interface Mending {
  /** The state, with the path in it. */
  readonly trouble: string;
  /** What mends it, with the command in backticks. */
  readonly remedy: string;
}

/** How things stand with what is to be remembered. */
export type KeepingState =
  | { readonly kind: Exclude<Keeping, "broken"> }
  | { readonly kind: "broken"; readonly mending: Mending };

/**
 * The way out, in sentences. Only what is remembered can be paused.
 *
 * @param session An id that tells it from others; of a broken database the whole one, since what is begun in its place
 * knows no session.
 */
export function liftText(keeping: KeepingState, session: string): string {
  const pause = `\`conclaude guard pause --session ${session}\``;
  switch (keeping.kind) {
    case "lasting":
      return `Only a person can lift this, for 15 minutes, in another terminal, with ${pause}; do not run it yourself.`;
    case "off":
      return "Only a person can lift this, by a change of the rule in the configuration (`conclaude config path` says " +
        "where it is): the database is switched off, so that no pause can be kept.";
    case "broken": {
      const { trouble, remedy } = keeping.mending;
      return `Only a person can lift this, and no pause can be kept: ${trouble}. ` +
        `This comes first: ${remedy}. Then, for 15 minutes: ${pause}; do not run it yourself.`;
    }
  }
}

/** The same where it is the person who reads it, of a prompt that was held back. */
export function sendText(keeping: KeepingState, session: string): string {
  const pause =
    `run \`conclaude guard pause --session ${session}\`, which lifts the rules for 15 minutes.`;
  switch (keeping.kind) {
    case "lasting":
      return `To send it all the same, ${pause}`;
    case "off":
      return "To send it all the same, change the rule in the configuration (`conclaude config path` says where it " +
        "is): the database is switched off, so that no pause can be kept.";
    case "broken": {
      const { trouble, remedy } = keeping.mending;
      return `To send it all the same, mend the database first, without which no pause can be kept: ${trouble}. ` +
        `This mends it: ${remedy}. Then ${pause}`;
    }
  }
}

/** How a person does what the agent may never do: lift a rule, satisfy a requirement, change what is remembered. */
export function ownText(session: string): string {
  return "Nothing was done. A person can run it on a terminal of their own, where " +
    `\`conclaude guard pause --session ${session}\` lifts rules for 15 minutes, and ` +
    `\`conclaude req pause --session ${session}\` requirements; no pause lets you do this, only ` +
    "`preToolUse.protectPolicy: false` in the configuration.";
}

/** What a person does where a denial comes only from a database that cannot be used. */
export function mendText({ trouble, remedy }: Mending): string {
  return `A person has to mend the database first: ${trouble}. This mends it: ${remedy}; do not do it yourself.`;
}

/** What becomes of what is written there. @param db Null when it cannot be opened or written. */
export function keepingOf(
  db: object | null,
  { databaseEnabled }: Pick<HookConfig, "databaseEnabled">,
): Keeping {
  if (!databaseEnabled) return "off";
  return db === null ? "broken" : "lasting";
}
