import { quietly } from "../base/errors.ts";
import {
  keepingOf,
  type KeepingState,
  liftText,
  type Mending,
  mendText,
  ownText,
  sendText,
} from "../policy/guards/lift.ts";
import { isPaused } from "../policy/store.ts";
import { tellingId } from "../db/sessions.ts";
import type { HookWork } from "./handler.ts";

export function isLifted({ db, sessionId, atMs }: HookWork): boolean {
  return db !== null &&
    quietly(() => isPaused(db, { sessionId, subject: "guards", atMs })) === true;
}

/** Returns the command with which a person lifts the guards for this session. Call it once the event is saved. */
export async function wayOut(work: HookWork): Promise<string> {
  return liftText(...await lifting(work, work.spareDb()));
}

/** Tells how a person sends a prompt that was held back. Call it before the event is saved. */
export async function wayToSend(work: HookWork): Promise<string> {
  return sendText(...await lifting(work, work.db));
}

/** Tells how a person repairs a database whose fault alone caused a denial; null when the database can be read. */
export async function wayToMend(work: HookWork): Promise<string | null> {
  if (keepingOf(work.spareDb(), work.config) !== "broken") return null;
  return mendText(await mending(work));
}

/** Tells how a person does what the agent may not do even while the guards are paused. */
export function wayForPerson(work: HookWork): string {
  return ownText(tellingId(work.spareDb(), work.sessionId));
}

/** Returns the state of the database, and the session's id for a command. */
async function lifting(work: HookWork, db: HookWork["db"]): Promise<[KeepingState, string]> {
  const { sessionId } = work;
  const kind = keepingOf(db, work.config);
  return kind === "broken" ? [await mending(work), sessionId] : [kind, tellingId(db, sessionId)];
}

/** Finds how the database can be mended. Loads the module late, since an unusable database is rare. */
async function mending({ database, locations, fault, atMs }: HookWork): Promise<Mending> {
  const { mendingOf } = await import("../upkeep/doctor/database_checks.ts");
  return mendingOf({ database, locations, databaseChosenBy: "", nowMs: atMs }, fault);
}
