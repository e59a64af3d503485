/** Tells how a person lifts what is denied. */
import { quietly } from "../base/errors.ts";
import { keepingOf, type Mending } from "../policy/guards/lift.ts";
import { isPaused } from "../policy/store.ts";
import { tellingId } from "../db/sessions.ts";
import type { HookWork } from "./handler.ts";

export function isLifted({ db, sessionId, atMs }: HookWork): boolean {
  return db !== null &&
    quietly(() => isPaused(db, { sessionId, subject: "guards", atMs })) === true;
}

/** Tells Claude how a person lifts a denial. Call it once the event is saved. */
export async function wayOut(work: HookWork): Promise<string> {
  const way = await howToLift(work.spareDb(), work);
  return `Only a person can lift this. They can ${way} Do not do it yourself.`;
}

/** Tells the person how to send a prompt that was held back. Call it before the event is saved. */
export async function wayToSend(work: HookWork): Promise<string> {
  return `To send it all the same: ${await howToLift(work.db, work)}`;
}

/** Tells how a person lifts the rules; the text begins with a verb. @param db Null when it cannot be opened or written. */
async function howToLift(db: HookWork["db"], work: HookWork): Promise<string> {
  const { sessionId, config } = work;
  const keeping = keepingOf(db, config);
  if (keeping === "off") {
    return "change the rule in the configuration (`conclaude config path` says where it is): " +
      "the database is switched off, so that no pause can be kept.";
  }
  const pause = pauseCommand(keeping === "broken" ? sessionId : tellingId(db, sessionId));
  const way = `run ${pause} in another terminal, which lifts the rules for 15 minutes.`;
  if (keeping === "lasting") return way;
  const { trouble, remedy } = await mending(work);
  return `mend the database first, without which no pause can be kept: ${trouble}. ` +
    `This mends it: ${remedy}. Then ${way}`;
}

function pauseCommand(session: string): string {
  return `\`conclaude guard pause --session ${session}\``;
}

/** Tells Claude that a broken database is the only reason for a denial; null when the database can be read. */
export async function wayToMend(work: HookWork): Promise<string | null> {
  if (keepingOf(work.spareDb(), work.config) !== "broken") return null;
  const { trouble, remedy } = await mending(work);
  return `A person has to mend the database first: ${trouble}. This mends it: ${remedy}; do not do it yourself.`;
}

/** Tells Claude how a person can run a verb that Claude may not run, even while the guards are paused. */
export function wayForPerson(work: HookWork): string {
  const session = tellingId(work.spareDb(), work.sessionId);
  return "Nothing was done. A person can run it on a terminal of their own, where " +
    `${pauseCommand(session)} lifts rules for 15 minutes, and ` +
    `\`conclaude req pause --session ${session}\` requirements; no pause lets you do this, only ` +
    "`preToolUse.protectPolicy: false` in the configuration.";
}

/** Finds how the database can be mended. Loads the module late, since an unusable database is rare. */
async function mending({ database, locations, fault, atMs }: HookWork): Promise<Mending> {
  const { mendingOf } = await import("../upkeep/doctor/database_checks.ts");
  return mendingOf({ database, locations, databaseChosenBy: "", nowMs: atMs }, fault);
}
