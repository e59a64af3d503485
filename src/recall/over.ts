/** Failures that are over, as the repository itself shows, though no command was seen that has mended them. */
import type { goneBranches } from "../git/gone_branches.ts";
import { isUnderWay } from "../git/under_way.ts";
import { keptJson } from "../memory/kept_json.ts";
import type { ObservedFacts } from "../memory/observation.ts";

/** What is asked of a failure. */
interface Unmended {
  readonly branch: string | null;
  /** As they are, or as JSON. */
  readonly facts: ObservedFacts | string;
}

/** Most failures are none of git's: those are told by a look at the JSON. */
const OF_STOPPED = '"isStopped":true';

/**
 * Tells of failures in a project whether they are over: of a branch that is gone, or of an operation of git that had
 * stopped and that somebody has concluded or given up.
 *
 * @param isGone Whether a branch is: {@linkcode goneBranches}.
 */
export function overIn(
  commonDir: string,
  isGone: ReturnType<typeof goneBranches>,
): (failure: Unmended) => boolean {
  return ({ branch, facts }) => isGone(branch) || hasEnded(facts, commonDir);
}

function hasEnded(facts: ObservedFacts | string, commonDir: string): boolean {
  if (typeof facts === "string" && !facts.includes(OF_STOPPED)) return false;
  const { git } = typeof facts === "string" ? keptJson<ObservedFacts>(facts, {}) : facts;
  return git?.isStopped === true && !isUnderWay(commonDir, git.verb);
}
