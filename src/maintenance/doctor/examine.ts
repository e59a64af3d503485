import { isUserError, messageOf } from "../../errors.ts";
import { type Check, fail, type Finding } from "../check.ts";
import { lookAtConfiguration } from "./configuration.ts";
import { lookAtDatabase } from "./database.ts";
import { lookAtDisk } from "./disk.ts";
import { lookAtHome, lookAtPermissions } from "./home.ts";
import { lookAtHooks } from "./hooks.ts";
import { lookAtLog } from "./log.ts";
import type { DoctorPlace } from "./place.ts";
import { lookAtExecutable, lookAtSqlite } from "./program.ts";
import { lookAtSpool } from "./spool.ts";
import { lookAtQueue, lookAtRetention, lookAtSessions } from "./state.ts";

/** Looks at one thing and changes nothing; an empty list when there is nothing to look at. */
type Look = (place: DoctorPlace) => readonly Finding[] | Promise<readonly Finding[]>;

/** What is looked at, in this order: what later checks need is repaired by earlier ones. */
const LOOKS: readonly { readonly name: string; readonly look: Look }[] = [
  { name: "executable", look: lookAtExecutable },
  { name: "sqlite", look: lookAtSqlite },
  { name: "home", look: lookAtHome },
  { name: "configuration", look: lookAtConfiguration },
  { name: "disk", look: lookAtDisk },
  { name: "database", look: lookAtDatabase },
  { name: "spool", look: lookAtSpool },
  { name: "permissions", look: lookAtPermissions },
  { name: "hooks", look: lookAtHooks },
  { name: "sessions", look: lookAtSessions },
  { name: "queue", look: lookAtQueue },
  { name: "retention", look: lookAtRetention },
  { name: "log", look: lookAtLog },
];

/** What was found. */
export interface Examination {
  /** False when any check failed; a warning is none. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
  /** What was corrected, a sentence each. */
  readonly fixed: readonly string[];
  /** How many findings `fix` would correct, or could not. */
  readonly fixable: number;
}

/**
 * Looks at everything that has to be right for events to be recorded and found.
 *
 * @param options `fix`: corrects what can be corrected without losing anything. Without it nothing is changed.
 */
export async function examine(
  place: DoctorPlace,
  options: { readonly fix: boolean },
): Promise<Examination> {
  const fixed: string[] = [];
  const failures = new Map<string, Finding>();
  if (options.fix) {
    for (const { look } of LOOKS) {
      await repairAll(await lookSafely(look, place), { fixed, failures });
    }
  }
  const checks: Check[] = [];
  let fixable = 0;
  for (const { name, look } of LOOKS) {
    const findings = (await lookSafely(look, place)).map((one) => failures.get(one.message) ?? one);
    fixable += findings.filter(({ repair }) => repair !== undefined).length;
    checks.push(...findings.map(({ status, message, next }) => ({ name, status, message, next })));
  }
  return { ok: checks.every(({ status }) => status !== "fail"), checks, fixed, fixable };
}

/** Repairs what can be; what cannot is told in the place of its finding. */
async function repairAll(
  findings: readonly Finding[],
  told: { readonly fixed: string[]; readonly failures: Map<string, Finding> },
): Promise<void> {
  for (const { message, repair } of findings) {
    if (repair === undefined) continue;
    try {
      told.fixed.push(await repair());
    } catch (thrown) {
      const [why, next] = isUserError(thrown)
        ? [thrown.why, thrown.next]
        : [messageOf(thrown), "Correct the cause, then run `conclaude doctor --fix` again"];
      told.failures.set(message, fail(`could not be corrected (${message}): ${why}`, next));
    }
  }
}

/** A check that breaks must not keep the others from being done. */
async function lookSafely(look: Look, place: DoctorPlace): Promise<readonly Finding[]> {
  try {
    return await look(place);
  } catch (thrown) {
    const [why, next] = isUserError(thrown)
      ? [`${thrown.what}: ${thrown.why}`, thrown.next]
      : [messageOf(thrown), "Correct the cause, then run `conclaude doctor` again"];
    return [fail(`could not be looked at: ${why}`, next)];
  }
}
