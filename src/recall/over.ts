/** Which failures the repository itself shows to be over, though nobody saw the command that mended them. */
import type { goneBranches } from "../git/gone_branches.ts";
import { isUnderWay } from "../git/under_way.ts";
import { keptJson } from "../memory/kept_json.ts";
import type { ObservedFacts } from "../memory/observation.ts";

/** What has to be known of a failure. */
interface Unmended {
  readonly branch: string | null;
  /** An object, or its JSON. */
  readonly facts: ObservedFacts | string;
}

/** Most failures are not of git: a look at the JSON tells these without reading it. */
const OF_STOPPED = '"isStopped":true';

/**
 * A failure in a project is over where its branch is gone, or where it is of an operation of git that had stopped and
 * that somebody has concluded or given up since.
 *
 * @param isGone Whether a branch is gone: {@linkcode goneBranches}.
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
