/** What every requirement says of a tool use, for people: rows beside those of the rules. */
import type { DatabaseSync } from "node:sqlite";
import type { AskedUse } from "../gate/judge.ts";
import { gatherFacts, groundOf, requirementsFor, UNKEPT } from "../gate/requirements.ts";
import { audienceOf } from "../gate/standings.ts";
import { findRepository } from "../git/repository.ts";
import type { Block } from "../guard/policy.ts";
import { lookUpwards } from "../project/look.ts";
import { openForUse, unknownOf } from "../requirement/judge.ts";
import type { RequirementPolicy } from "../requirement/policy.ts";
import { satisfyingOf } from "../requirement/standing.ts";
import { reasonOf, triggersText } from "../requirement/text.ts";
import { findPause } from "../store/pauses.ts";
import { readOwnStandings } from "../store/requirements.ts";
import type { Peek } from "./policy.ts";
import type { Saying } from "./rule_table.ts";

/** What requirements come to, and each of them. */
export interface RequirementExplanation {
  /** Those that forbid it. */
  readonly blocks: readonly Block[];
  readonly sayings: readonly Saying[];
}

/**
 * Asks all requirements; nothing is written.
 */
export async function explainRequirements(
  { config, policy }: Pick<Peek<unknown>, "config" | "policy">,
  use: AskedUse,
  at: { readonly db: DatabaseSync | null; readonly folder: string; readonly sessionId: string },
): Promise<RequirementExplanation> {
  if (config.requirements === "") return { blocks: [], sayings: [] };
  const { requirements }: RequirementPolicy = JSON.parse(config.requirements);
  const ground = groundOf(findRepository(lookUpwards(at.folder)));
  const isUnkept = !config.databaseEnabled && !policy?.isStrict;
  if (ground.kind === "none" || isUnkept) {
    const why = `it does not count: ${ground.kind === "none" ? ground.why : UNKEPT.why}`;
    return { blocks: [], sayings: requirements.map(({ name }) => row(name, "allows", why)) };
  }
  const { db, sessionId } = at;
  const atMs = Date.now();
  const meant = await requirementsFor(requirements, use, ground.repository);
  const { repository } = meant;
  const branch = repository.branch ?? ground.branch;
  const triggered = new Set(meant.triggered);
  const { facts } = await gatherFacts([...triggered], {
    db,
    repository,
    branch,
    sessionId,
    atMs,
    projectDir: use.projectDir,
  });
  const to = audienceOf(facts, repository);
  const key = { repository: repository.commonDir, branch };
  const standings = db === null ? [] : readOwnStandings(db, key, sessionId);
  const unknown = unknownOf([...triggered].filter(({ stopOnly }) => !stopOnly), standings, facts);
  const open = [
    ...openForUse([...triggered], standings, facts),
    ...(policy?.isStrict ? unknown : []),
  ];
  const isPaused = db !== null &&
    findPause(db, { sessionId, subject: "requirements", atMs }) !== undefined;
  const sayings = requirements.map((requirement): Saying => {
    const { name, stopOnly } = requirement;
    if (!triggered.has(requirement)) {
      return row(name, "does not match", `it is about ${triggersText(requirement.triggers)}`);
    }
    const forbidding = open.find((one) => one.requirement === requirement);
    if (forbidding !== undefined) {
      const why = reasonOf(forbidding, to);
      return isPaused ? row(name, "allows", `paused; else: ${why}`) : row(name, "forbids", why);
    }
    const untold = unknown.find((one) => one.requirement === requirement);
    if (untold !== undefined) {
      return row(name, "allows", `it cannot be known: ${reasonOf(untold, to)}`);
    }
    const satisfying = satisfyingOf(requirement, standings, facts);
    const why = satisfying === undefined
      ? stopOnly ? "it is asked when Claude stops" : "its condition is met"
      : `satisfied by ${satisfying.satisfiedBy}`;
    return row(name, "allows", why);
  });
  const blocks = isPaused ? [] : open.map((one): Block => ({
    rule: `requirements.${one.requirement.name}`,
    reason: reasonOf(one, to),
  }));
  return { blocks, sayings };
}

function row(name: string, says: Saying["says"], why: string): Saying {
  return { rule: `requirements.${name}`, glob: "", says, why };
}
