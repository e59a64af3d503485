/** What every requirement says of a tool use, for people: rows beside those of the rules. */
import type { DatabaseSync } from "node:sqlite";
import { SHELL_TOOLS } from "../capture/payload.ts";
import type { AskedUse } from "../gate/judge.ts";
import {
  DETACHED,
  gatherFacts,
  groundOf,
  type MeantUse,
  requirementsFor,
  UNKEPT,
} from "../gate/requirements.ts";
import { audienceOf } from "../gate/standings.ts";
import type { Repository } from "../git/repository.ts";
import type { Block } from "../guard/policy.ts";
import { openForUse, unknownOf } from "../requirement/judge.ts";
import type { Requirement, RequirementPolicy } from "../requirement/policy.ts";
import { satisfyingOf } from "../requirement/standing.ts";
import { reasonOf, triggersText } from "../requirement/text.ts";
import { triggeredBy } from "../requirement/triggers.ts";
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
  at: {
    readonly db: DatabaseSync | null;
    readonly repository: Repository | undefined;
    readonly sessionId: string;
  },
): Promise<RequirementExplanation> {
  if (config.requirements === "") return { blocks: [], sayings: [] };
  const { requirements }: RequirementPolicy = JSON.parse(config.requirements);
  const notCounting = (why: string): RequirementExplanation => ({
    blocks: [],
    sayings: requirements.map(({ name }) => row(name, "allows", `it does not count: ${why}`)),
  });
  const ground = groundOf(at.repository);
  if (ground.repository === null) return notCounting(ground.why);
  if (!config.databaseEnabled && !policy?.isStrict) return notCounting(UNKEPT.why);
  const { db, sessionId } = at;
  const atMs = Date.now();
  const meant = await requirementsFor(requirements, use, ground.repository);
  const { repository } = meant;
  const { branch } = repository;
  if (branch === null) return notCounting(DETACHED);
  const triggered = new Set(meant.triggered);
  const { facts } = await gatherFacts([...triggered], {
    db,
    repository,
    branch,
    sessionId,
    atMs,
    projectDir: use.projectDir,
  });
  const to = audienceOf(facts, repository, db);
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
    if (!triggered.has(requirement)) return aside(requirement, use.tool, meant);
    if (db === null) return row(name, "cannot tell", "what has been satisfied cannot be read");
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
  const blocks = isPaused || db === null ? [] : open.map((one): Block => ({
    rule: `requirements.${one.requirement.name}`,
    reason: reasonOf(one, to),
  }));
  return { blocks, sayings };
}

/** A requirement that a tool use does not fall under, as far as can be told. */
function aside(
  requirement: Requirement,
  tool: string,
  { doubts }: MeantUse,
): Saying {
  const { name, triggers } = requirement;
  const doubt = doubts.find((one) => one.requirement === requirement);
  if (doubt !== undefined) return row(name, "cannot tell", doubt.why);
  const isPlan = !SHELL_TOOLS.has(tool) &&
    triggeredBy([requirement], { tool, commands: [], changesFiles: false }).length > 0;
  const why = isPlan ? "plans are free" : `it is about ${triggersText(triggers)}`;
  return row(name, "does not match", why);
}

function row(name: string, says: Saying["says"], why: string): Saying {
  return { rule: `requirements.${name}`, glob: "", says, why };
}
