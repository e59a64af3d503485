/** Tells how a person lifts what the guards deny. */
import type { HookConfig } from "../../config/hook_config.ts";

/** Whether pauses and satisfactions can be stored: the database may be switched off, or unusable. */
export type Keeping = "lasting" | "off" | "broken";

export interface Mending {
  /** What is wrong with the database, with its path. */
  readonly trouble: string;
  /** The command that repairs it, in backticks. */
  readonly remedy: string;
}

export type KeepingState = Exclude<Keeping, "broken"> | Mending;

/** Tells Claude how a person lifts a denial. */
export function liftText(keeping: KeepingState, session: string): string {
  return `Only a person can lift this; do not do it yourself: ${wayText(keeping, session)}`;
}

/** Tells the person how to send a prompt that was held back. */
export function sendText(keeping: KeepingState, session: string): string {
  return `To send it all the same: ${wayText(keeping, session)}`;
}

function wayText(keeping: KeepingState, session: string): string {
  if (keeping === "off") {
    return "change the rule in the configuration (`conclaude config path` says where it is): " +
      "the database is switched off, so that no pause can be kept.";
  }
  const pause = `run ${
    pauseCommand(session)
  } in another terminal, which lifts the rules for 15 minutes.`;
  if (keeping === "lasting") return pause;
  const { trouble, remedy } = keeping;
  return `mend the database first, without which no pause can be kept: ${trouble}. ` +
    `This mends it: ${remedy}. Then ${pause}`;
}

function pauseCommand(session: string): string {
  return `\`conclaude guard pause --session ${session}\``;
}

/** Tells Claude that only a person can run a verb of a person, and how. */
export function ownText(session: string): string {
  return "Nothing was done. A person can run it on a terminal of their own, where " +
    `${pauseCommand(session)} lifts rules for 15 minutes, and ` +
    `\`conclaude req pause --session ${session}\` requirements; no pause lets you do this, only ` +
    "`preToolUse.protectPolicy: false` in the configuration.";
}

/** Tells Claude that a broken database is the only reason for a denial. */
export function mendText({ trouble, remedy }: Mending): string {
  return `A person has to mend the database first: ${trouble}. This mends it: ${remedy}; do not do it yourself.`;
}

/** Tells whether pauses can be stored. `db` is null when the database cannot be opened or written. */
export function keepingOf(
  db: object | null,
  { databaseEnabled }: Pick<HookConfig, "databaseEnabled">,
): Keeping {
  if (!databaseEnabled) return "off";
  return db === null ? "broken" : "lasting";
}
