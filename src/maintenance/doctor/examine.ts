import { isUserError, messageOf } from "../../errors.ts";
import { type Check, fail, type Finding } from "../check.ts";
import { lookAtAgents } from "./agents.ts";
import { lookAtBranch } from "./branch.ts";
import { lookAtConfiguration } from "./configuration.ts";
import { lookAtForgetting, lookAtIndex, lookAtReferences } from "./content.ts";
import { lookAtDatabase } from "./database.ts";
import { lookAtDisk } from "./disk.ts";
import { lookAtFallback } from "./fallback.ts";
import { lookAtGates } from "./gates.ts";
import { lookAtHome, lookAtPermissions } from "./home.ts";
import { lookAtHooks } from "./hooks.ts";
import { lookAtOldState } from "./old_state.ts";
import { lookAtLog } from "./log.ts";
import { lookAtMemory } from "./memory.ts";
import type { DoctorPlace } from "./place.ts";
import { lookAtExecutable, lookAtSqlite } from "./program.ts";
import { lookAtSpool } from "./spool.ts";
import { lookAtQueue, lookAtRetention, lookAtSessions } from "./state.ts";

/** Looks at one thing and changes nothing; an empty list when there is nothing to look at. */
type Look = (place: DoctorPlace) => readonly Finding[] | Promise<readonly Finding[]>;

/** A check; what `needsDatabase` repairs only where the database can be written. */
interface NamedLook {
  readonly name: string;
  readonly look: Look;
  readonly needsDatabase?: true;
}

/** What is looked at, in this order: what later checks need is repaired by earlier ones. */
const LOOKS: readonly NamedLook[] = [
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

/** What was found. */
export interface Examination {
  /** False when any check failed; a warning is none. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
  /** What was corrected, a sentence each. */
  readonly fixed: readonly string[];
  /** How many findings `fix` would correct. */
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
  const told: Repairs = { fixed: [], failures: new Map(), undone: [] };
  const looker = { ...place, comparesAll: options.fix };
  let looked = await lookAtAll(looker, options.fix ? told : null);
  if (told.fixed.length + told.failures.size > 0) {
    looked = [...await lookAtAll(looker, null), ...told.undone];
  }
  const findings = looked.map(({ name, finding }) => ({
    name,
    ...told.failures.get(finding.message) ?? finding,
  }));
  return {
    ok: findings.every(({ status }) => status !== "fail"),
    checks: findings.map(({ name, status, message, next }) => ({ name, status, message, next })),
    fixed: told.fixed,
    fixable: findings.filter(({ repair }) => repair !== undefined).length,
  };
}

/** What became of the repairs: a sentence for each, or by the finding's message what stood in the way. */
interface Repairs {
  readonly fixed: string[];
  readonly failures: Map<string, Finding>;
  /** What is past mending, which no later look finds any more. */
  readonly undone: NamedFinding[];
}

interface NamedFinding {
  readonly name: string;
  readonly finding: Finding;
}

/** Looks at everything in order; with `repairs`, what is found is corrected before the next look. */
async function lookAtAll(
  place: DoctorPlace,
  repairs: Repairs | null,
): Promise<NamedFinding[]> {
  const looked: NamedFinding[] = [];
  for (const { name, look, needsDatabase } of LOOKS) {
    const found = await lookSafely(look, place);
    const obstacle = needsDatabase &&
      looked.find(({ name, finding }) =>
        name === "database" && finding.status === "fail" && finding.repair === undefined
      );
    const findings = obstacle ? found.map((each) => behind(obstacle.finding, each)) : found;
    if (repairs !== null) await repairAll(name, findings, repairs);
    looked.push(...findings.map((finding) => ({ name, finding })));
  }
  return looked;
}

/** A finding whose repair would fail at something that only the person can mend: that is then its way out, too. */
function behind(obstacle: Finding, finding: Finding): Finding {
  if (finding.repair === undefined) return finding;
  const { status, message } = finding;
  return { status, message, next: obstacle.next };
}

/** Repairs what can be; what cannot is told in the place of its finding. */
async function repairAll(
  name: string,
  findings: readonly Finding[],
  told: Repairs,
): Promise<void> {
  for (const { message, repair } of findings) {
    if (repair === undefined) continue;
    try {
      const repaired = await repair();
      const isAll = typeof repaired === "string";
      told.fixed.push(isAll ? repaired : repaired.done);
      if (!isAll) told.undone.push({ name, finding: repaired.undone });
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
