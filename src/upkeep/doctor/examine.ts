/** The checks of `doctor`, and the loop that looks, repairs and looks again. */
import { isUserError, messageOf } from "../../base/errors.ts";
import { type Check, fail, type Finding } from "../care/check.ts";
import { lookAtFallback } from "../care/fallback.ts";
import {
  lookAtForgetting,
  lookAtIndex,
  lookAtQueue,
  lookAtReferences,
  lookAtRetention,
  lookAtSessions,
} from "./content.ts";
import { lookAtDatabase } from "./database_checks.ts";
import { lookAtDisk, lookAtHome, lookAtPermissions } from "./folders.ts";
import { lookAtGates } from "./gates.ts";
import { lookAtHooks } from "./hook_checks.ts";
import { lookAtLog } from "./log_check.ts";
import { lookAtMemory } from "./memory.ts";
import type { DoctorPlace } from "./place.ts";
import { lookAtExecutable, lookAtSqlite } from "./program_check.ts";
import {
  lookAtAgents,
  lookAtBranch,
  lookAtConfiguration,
  lookAtOldState,
} from "./project_checks.ts";
import { lookAtSpool } from "./spool_check.ts";

interface DoctorCheck {
  readonly name: string;
  /** Looks at one thing and changes nothing; finds nothing where there is nothing to look at. */
  readonly look: (place: DoctorPlace) => readonly Finding[] | Promise<readonly Finding[]>;
  /** Its repairs write to the database. */
  readonly needsDatabase?: true;
}

/** The checks in order: an earlier one repairs what a later one needs. */
const CHECKS: readonly DoctorCheck[] = [
  { name: "executable", look: lookAtExecutable },
  { name: "sqlite", look: lookAtSqlite },
  { name: "home", look: lookAtHome },
  { name: "configuration", look: lookAtConfiguration },
  { name: "disk", look: lookAtDisk },
  { name: "permissions", look: lookAtPermissions },
  { name: "database", look: lookAtDatabase },
  { name: "references", look: lookAtReferences, needsDatabase: true },
  { name: "search index", look: lookAtIndex, needsDatabase: true },
  { name: "spool", look: lookAtSpool, needsDatabase: true },
  { name: "fallback", look: lookAtFallback },
  { name: "hooks", look: lookAtHooks },
  { name: "gates", look: lookAtGates },
  { name: "branch", look: lookAtBranch },
  { name: "agents", look: lookAtAgents },
  { name: "sessions", look: lookAtSessions, needsDatabase: true },
  { name: "queue", look: lookAtQueue },
  { name: "memory", look: lookAtMemory },
  { name: "forgetting", look: lookAtForgetting },
  { name: "retention", look: lookAtRetention },
  { name: "log", look: lookAtLog },
  { name: "migration", look: lookAtOldState },
];

/** The result of all checks. */
export interface Examination {
  /** False when a check failed; a warning is no failure. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
  /** What was corrected, a sentence each. */
  readonly fixed: readonly string[];
  /** How many findings `fix` would correct. */
  readonly fixable: number;
}

interface NamedFinding extends Finding {
  readonly name: string;
}

/** What became of the repairs. */
interface Repairs {
  readonly fixed: string[];
  /** By the finding's message, what stood in the way. */
  readonly failures: Map<string, Finding>;
  /** What a repair could not bring back; no later look finds it. */
  readonly undone: NamedFinding[];
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
  const repairs: Repairs = { fixed: [], failures: new Map(), undone: [] };
  const looker = { ...place, comparesAll: options.fix };
  let findings = await lookAtAll(looker, options.fix ? repairs : null);
  if (repairs.fixed.length + repairs.failures.size > 0) {
    findings = [...await lookAtAll(looker, null), ...repairs.undone];
  }
  findings = findings.map((one) => {
    const failure = repairs.failures.get(one.message);
    return failure === undefined ? one : { name: one.name, ...failure };
  });
  return {
    ok: findings.every(({ status }) => status !== "fail"),
    checks: findings.map(({ name, status, message, next }) => ({ name, status, message, next })),
    fixed: repairs.fixed,
    fixable: findings.filter(({ repair }) => repair !== undefined).length,
  };
}

/** Looks at everything in order; with `repairs`, corrects what is found before the next look. */
async function lookAtAll(place: DoctorPlace, repairs: Repairs | null): Promise<NamedFinding[]> {
  const looked: NamedFinding[] = [];
  for (const check of CHECKS) {
    // This repair writes to the database, so it would fail until the person has mended the database.
    const obstacle = check.needsDatabase &&
      looked.find(({ name, status, repair }) =>
        name === "database" && status === "fail" && repair === undefined
      );
    for (const finding of await lookSafely(check, place)) {
      const { repair, ...rest } = finding;
      const found = obstacle && repair ? { ...rest, next: obstacle.next } : finding;
      looked.push({ name: check.name, ...found });
      if (repairs !== null) await repairOne(looked.at(-1)!, repairs);
    }
  }
  return looked;
}

async function repairOne({ name, message, repair }: NamedFinding, told: Repairs): Promise<void> {
  if (repair === undefined) return;
  try {
    const repaired = await repair();
    told.fixed.push(typeof repaired === "string" ? repaired : repaired.done);
    if (typeof repaired !== "string") told.undone.push({ name, ...repaired.undone });
  } catch (thrown) {
    const why = isUserError(thrown) ? thrown.why : messageOf(thrown);
    const failure = fail(`could not be corrected (${message}): ${why}`, wayOut(thrown, "--fix"));
    told.failures.set(message, failure);
  }
}

/** A check that breaks does not keep doctor from the others. */
async function lookSafely(
  { look }: DoctorCheck,
  place: DoctorPlace,
): Promise<readonly Finding[]> {
  try {
    return await look(place);
  } catch (thrown) {
    const why = isUserError(thrown) ? `${thrown.what}: ${thrown.why}` : messageOf(thrown);
    return [fail(`could not be looked at: ${why}`, wayOut(thrown))];
  }
}

function wayOut(thrown: unknown, flag = ""): string {
  return isUserError(thrown)
    ? thrown.next
    : `Correct the cause, then run \`conclaude doctor${flag && ` ${flag}`}\` again`;
}
