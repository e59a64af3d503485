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
  const checks: Check[] = [];
  const fixed: string[] = [];
  let fixable = 0;
  for (const { name, look } of LOOKS) {
    let findings = await lookSafely(look, place);
    if (options.fix && findings.some(({ repair }) => repair !== undefined)) {
      const failures = await repairAll(findings, fixed);
      findings = [...await lookSafely(look, place), ...failures];
    }
    fixable += findings.filter(({ repair }) => repair !== undefined).length;
    checks.push(...findings.map(({ status, message, next }) => ({ name, status, message, next })));
  }
  return { ok: checks.every(({ status }) => status !== "fail"), checks, fixed, fixable };
}

/** Repairs what can be. @returns A finding for each repair that failed. */
async function repairAll(findings: readonly Finding[], fixed: string[]): Promise<Finding[]> {
  const failures: Finding[] = [];
  for (const { message, repair } of findings) {
    if (repair === undefined) continue;
    try {
      fixed.push(await repair());
    } catch (thrown) {
      const [why, next] = isUserError(thrown)
        ? [thrown.why, thrown.next]
        : [messageOf(thrown), "Correct the cause, then run `conclaude doctor --fix` again"];
      failures.push(fail(`could not be corrected (${message}): ${why}`, next));
    }
  }
  return failures;
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
