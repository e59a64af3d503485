/** Lists the checks of `doctor`, runs them, repairs what they find, and runs them again. */
import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf } from "../../base/errors.ts";
import { type Check, fail, type Finding } from "../care/check.ts";
import { lookAtFallback } from "../care/fallback.ts";
import {
  askAboutForgetting,
  askAboutIndex,
  askAboutQueue,
  askAboutReferences,
  askAboutRetention,
  askAboutSessions,
  askAboutTeams,
} from "./content.ts";
import { lookAtDatabase } from "./database_checks.ts";
import { lookAtDisk, lookAtHome, lookAtLog, lookAtPermissions, lookAtSpool } from "./folders.ts";
import { askAboutGates, lookAtGates, lookAtMods } from "./gates.ts";
import { lookAtHooks } from "./hook_checks.ts";
import { askAboutMemory } from "./memory.ts";
import { askDatabase, type DoctorPlace } from "./place.ts";
import {
  lookAtAgents,
  lookAtBranch,
  lookAtConfiguration,
  lookAtExecutable,
  lookAtOldState,
  lookAtSqlite,
} from "./program_and_project.ts";

type Findings = readonly Finding[] | Promise<readonly Finding[]>;

/** A check that changes nothing, and that finds nothing if its subject does not exist. */
type Look = (place: DoctorPlace) => Findings;

/** Makes a check of an open database; it finds nothing if the database cannot be read. */
function asking(ask: (db: DatabaseSync, place: DoctorPlace) => Findings): Look {
  return (place) => askDatabase(place, (db) => ask(db, place)) ?? [];
}

/** The checks in order, since an earlier one repairs what a later one needs. */
const CHECKS: readonly (readonly [name: string, look: Look])[] = [
  ["executable", lookAtExecutable],
  ["sqlite", () => [lookAtSqlite()]],
  ["home", lookAtHome],
  ["configuration", lookAtConfiguration],
  ["disk", lookAtDisk],
  ["permissions", lookAtPermissions],
  ["database", lookAtDatabase],
  ["references", asking(askAboutReferences)],
  ["search index", asking(askAboutIndex)],
  ["spool", lookAtSpool],
  ["fallback", lookAtFallback],
  ["hooks", lookAtHooks],
  ["gates", lookAtGates],
  ["mods", lookAtMods],
  ["past gates", asking(askAboutGates)],
  ["branch", lookAtBranch],
  ["agents", lookAtAgents],
  ["sessions", asking(askAboutSessions)],
  ["queue", asking(askAboutQueue)],
  ["memory", asking(askAboutMemory)],
  ["forgetting", asking(askAboutForgetting)],
  ["team", asking(askAboutTeams)],
  ["retention", asking(askAboutRetention)],
  ["log", lookAtLog],
  ["migration", lookAtOldState],
];

export type Examination = Awaited<ReturnType<typeof examine>>;

interface NamedFinding extends Finding {
  readonly name: string;
}

/**
 * Checks everything that recording and finding events depends on.
 * @param options `fix`: corrects what can be corrected without loss; by default nothing changes. `onCheck`: called
 * before each check.
 */
export async function examine(
  place: DoctorPlace,
  { fix, onCheck }: {
    readonly fix: boolean;
    readonly onCheck?: (name: string, far: { readonly done: number; readonly of: number }) => void;
  },
) {
  const fixed: string[] = [];
  /** The failures of repairs, by the message of the repaired finding. */
  const failures = new Map<string, Finding>();
  /** What repairs could not bring back; the second run of the checks does not find it. */
  const undone: NamedFinding[] = [];
  const repairOne = async ({ name, message, repair }: NamedFinding) => {
    if (repair === undefined) return;
    try {
      const repaired = await repair();
      fixed.push(typeof repaired === "string" ? repaired : repaired.done);
      if (typeof repaired !== "string") undone.push({ name, ...repaired.undone });
    } catch (thrown) {
      const { why, next } = troubleOf(thrown, "conclaude doctor --fix");
      failures.set(message, fail(`could not be corrected (${message}): ${why}`, next));
    }
  };
  const target = { ...place, comparesAll: fix };
  /** Runs all checks in order; with `repairs`, it corrects each finding before the next check. */
  const lookAtAll = async (repairs: boolean) => {
    const findings: NamedFinding[] = [];
    for (const [done, [name, look]] of CHECKS.entries()) {
      onCheck?.(name, { done, of: CHECKS.length });
      // Every later repair writes to the database, so it would fail until the person has mended the database.
      const obstacle = findings.find(({ name, status, repair }) =>
        name === "database" && status === "fail" && repair === undefined
      );
      for (const finding of await lookSafely(look, target)) {
        const { repair, ...rest } = finding;
        const found = { name, ...obstacle && repair ? { ...rest, next: obstacle.next } : finding };
        findings.push(found);
        if (repairs) await repairOne(found);
      }
    }
    return findings;
  };
  let findings = await lookAtAll(fix);
  if (fixed.length + failures.size > 0) findings = [...await lookAtAll(false), ...undone];
  findings = findings.map((one) => {
    const failure = failures.get(one.message);
    return failure === undefined ? one : { name: one.name, ...failure };
  });
  return {
    /** False when a check failed; a warning is not a failure. */
    ok: findings.every(({ status }) => status !== "fail"),
    checks: findings.map(({ repair: _, ...check }): Check => check),
    /** Sentences that tell what was corrected. */
    fixed,
    /** How many findings `fix` would correct. */
    fixable: findings.filter(({ repair }) => repair !== undefined).length,
  };
}

/** Runs one check; reports an error of the check as a finding, so that the others still run. */
async function lookSafely(look: Look, place: DoctorPlace) {
  try {
    return await look(place);
  } catch (thrown) {
    const { why, next } = troubleOf(thrown, "conclaude doctor");
    return [fail(`could not be looked at: ${why}`, next)];
  }
}

function troubleOf(thrown: unknown, again: string) {
  return isUserError(thrown)
    ? { why: `${thrown.what}: ${thrown.why}`, next: thrown.next }
    : { why: messageOf(thrown), next: `Correct the cause, then run \`${again}\` again` };
}
