/** What every requirement says of a tool use, for people: rows beside those of the rules. */
import type { DatabaseSync } from "node:sqlite";
import { SHELL_TOOLS } from "../capture/payload.ts";
import { type AskedUse, commandOf } from "../gate/judge.ts";
import { gatherFacts, groundOf, type MeantUse, requirementsFor } from "../gate/requirements.ts";
import type { Repository } from "../git/repository.ts";
import { shortSessionId } from "../ids.ts";
import { openForUse } from "../requirement/judge.ts";
import { lookAtCommand } from "../requirement/look.ts";
import type { Requirement, RequirementPolicy } from "../requirement/policy.ts";
import { satisfyingOf } from "../requirement/standing.ts";
import { reasonOf, triggersText } from "../requirement/text.ts";
import { triggeredBy, usesOf } from "../requirement/triggers.ts";
import { findPause } from "../store/pauses.ts";
import { readOwnStandings } from "../store/requirements.ts";
import type { Saying } from "./rule_table.ts";

/**
 * Asks all requirements; nothing is written.
 *
 * @param policy As JSON, as a hook has it; empty when there are none.
 */
export async function explainRequirements(
  policy: string,
  use: AskedUse,
  at: {
    readonly db: DatabaseSync | null;
    readonly repository: Repository | undefined;
    readonly sessionId: string;
  },
): Promise<Saying[]> {
  if (policy === "") return [];
  const { requirements }: RequirementPolicy = JSON.parse(policy);
  const ground = groundOf(at.repository);
  if (ground.kind === "none") {
    const why = `it does not count: ${ground.why}`;
    return requirements.map(({ name }) => row(name, "allows", why));
  }
  const { db, sessionId } = at;
  const atMs = Date.now();
  const meant = await requirementsFor(requirements, use, ground.repository);
  const { repository } = meant;
  const { branch } = repository;
  if (branch === null) {
    const why = "it does not count: in that working tree HEAD is detached";
    return requirements.map(({ name }) => row(name, "allows", why));
  }
  const triggered = new Set(meant.triggered);
  const { facts } = await gatherFacts([...triggered], {
    db,
    repository,
    branch,
    sessionId,
    atMs,
    projectDir: use.projectDir,
  });
  const key = { repository: repository.commonDir, branch };
  const standings = db === null ? [] : readOwnStandings(db, key, sessionId);
  const open = openForUse([...triggered], standings, facts);
  const isPaused = db !== null &&
    findPause(db, { sessionId, subject: "requirements", atMs }) !== undefined;
  return requirements.map((requirement): Saying => {
    const { name, stopOnly } = requirement;
    if (!triggered.has(requirement)) return aside(requirement, use, meant);
    if (db === null) return row(name, "cannot tell", "what has been satisfied cannot be read");
    const forbidding = open.find((one) => one.requirement === requirement);
    if (forbidding !== undefined) {
      const why = reasonOf(forbidding, { session: shortSessionId(sessionId), facts });
      return isPaused ? row(name, "allows", `paused; else: ${why}`) : row(name, "forbids", why);
    }
    const satisfying = satisfyingOf(requirement, standings, facts);
    const why = satisfying === undefined
      ? stopOnly ? "it is asked when Claude stops" : "its condition is met"
      : `satisfied by ${satisfying.satisfiedBy}`;
    return row(name, "allows", why);
  });
}

/** A requirement that a tool use does not fall under, as far as can be told. */
function aside(
  requirement: Requirement,
  { tool, input }: AskedUse,
  { doubts: [doubt] }: MeantUse,
): Saying {
  const { name, triggers } = requirement;
  const isUnsure = doubt !== undefined &&
    lookAtCommand(usesOf([requirement]), commandOf(input)) !== "no";
  if (isUnsure) return row(name, "cannot tell", doubt);
  const isPlan = !SHELL_TOOLS.has(tool) &&
    triggeredBy([requirement], { tool, commands: [], changesFiles: false }).length > 0;
  const why = isPlan ? "plans are free" : `it is about ${triggersText(triggers)}`;
  return row(name, "does not match", why);
}

function row(name: string, says: Saying["says"], why: string): Saying {
  return { rule: `requirements.${name}`, glob: "", says, why };
}
