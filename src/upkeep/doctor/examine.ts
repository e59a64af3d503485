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
} from "./content.ts";
import { lookAtDatabase } from "./database_checks.ts";
import { lookAtDisk, lookAtHome, lookAtPermissions } from "./folders.ts";
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
import { lookAtLog, lookAtSpool } from "./spool_and_log.ts";
import { askAboutTeams } from "./team_checks.ts";

type Findings = readonly Finding[] | Promise<readonly Finding[]>;

/** A check that changes nothing, and that finds nothing if its subject does not exist. */
interface DoctorCheck {
  readonly name: string;
  readonly look?: (place: DoctorPlace) => Findings;
  /** Does the same with an open database; not called if the database cannot be read. */
  readonly ask?: (db: DatabaseSync, place: DoctorPlace) => Findings;
}

/** The checks in order, since an earlier one repairs what a later one needs. */
const CHECKS: readonly DoctorCheck[] = [
  { name: "executable", look: lookAtExecutable },
  { name: "sqlite", look: () => [lookAtSqlite()] },
  { name: "home", look: lookAtHome },
  { name: "configuration", look: lookAtConfiguration },
  { name: "disk", look: lookAtDisk },
  { name: "permissions", look: lookAtPermissions },
  { name: "database", look: lookAtDatabase },
  { name: "references", ask: askAboutReferences },
  { name: "search index", ask: askAboutIndex },
  { name: "spool", look: lookAtSpool },
  { name: "fallback", look: lookAtFallback },
  { name: "hooks", look: lookAtHooks },
  { name: "gates", look: lookAtGates },
  { name: "mods", look: lookAtMods },
  { name: "past gates", ask: askAboutGates },
  { name: "branch", look: lookAtBranch },
  { name: "agents", look: lookAtAgents },
  { name: "sessions", ask: askAboutSessions },
  { name: "queue", ask: askAboutQueue },
  { name: "memory", ask: askAboutMemory },
  { name: "forgetting", ask: askAboutForgetting },
  { name: "team", ask: askAboutTeams },
  { name: "retention", ask: askAboutRetention },
  { name: "log", look: lookAtLog },
  { name: "migration", look: lookAtOldState },
];

export type Examination = Awaited<ReturnType<typeof examine>>;

type OnCheck = (name: string, far: { readonly done: number; readonly of: number }) => void;

interface NamedFinding extends Finding {
  readonly name: string;
}

/**
 * Checks everything that recording and finding events depends on.
 *
 * @param options `fix`: corrects what can be corrected without loss; by default nothing changes. `onCheck`: called
 * before each check.
 */
export async function examine(
  place: DoctorPlace,
  options: { readonly fix: boolean; readonly onCheck?: OnCheck },
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
  const target = { ...place, comparesAll: options.fix };
  const { onCheck } = options;
  let findings = await lookAtAll(target, { repair: options.fix ? repairOne : null, onCheck });
  if (fixed.length + failures.size > 0) {
    findings = [...await lookAtAll(target, { repair: null, onCheck }), ...undone];
  }
  findings = findings.map((one) => {
    const failure = failures.get(one.message);
    return failure === undefined ? one : { name: one.name, ...failure };
  });
  const checks = findings.map(({ repair: _, ...check }): Check => check);
  return {
    /** False when a check failed; a warning is not a failure. */
    ok: findings.every(({ status }) => status !== "fail"),
    checks,
    /** Sentences that tell what was corrected. */
    fixed,
    /** How many findings `fix` would correct. */
    fixable: findings.filter(({ repair }) => repair !== undefined).length,
  };
}

/** Runs all checks in order; `repair` corrects each finding before the next check. */
async function lookAtAll(
  place: DoctorPlace,
  { repair, onCheck }: {
    readonly repair: ((finding: NamedFinding) => Promise<void>) | null;
    readonly onCheck: OnCheck | undefined;
  },
): Promise<NamedFinding[]> {
  const findings: NamedFinding[] = [];
  for (const [done, check] of CHECKS.entries()) {
    onCheck?.(check.name, { done, of: CHECKS.length });
    // Every later repair writes to the database, so it would fail until the person has mended the database.
    const obstacle = findings.find(({ name, status, repair }) =>
      name === "database" && status === "fail" && repair === undefined
    );
    for (const finding of await lookSafely(check, place)) {
      const { repair: ownRepair, ...rest } = finding;
      const found = obstacle && ownRepair ? { ...rest, next: obstacle.next } : finding;
      findings.push({ name: check.name, ...found });
      await repair?.(findings.at(-1)!);
    }
  }
  return findings;
}

/** Runs one check; reports an error of the check as a finding, so that the others still run. */
async function lookSafely({ look, ask }: DoctorCheck, place: DoctorPlace) {
  try {
    return await (look?.(place) ?? askDatabase(place, (db) => ask?.(db, place)) ?? []);
  } catch (thrown) {
    const { why, next } = troubleOf(thrown, "conclaude doctor");
    return [fail(`could not be looked at: ${why}`, next)];
  }
}

function troubleOf(
  thrown: unknown,
  again: string,
): { readonly why: string; readonly next: string } {
  return isUserError(thrown)
    ? { why: `${thrown.what}: ${thrown.why}`, next: thrown.next }
    : { why: messageOf(thrown), next: `Correct the cause, then run \`${again}\` again` };
}
