/** What every requirement says of a tool use, for people: rows beside those of the rules. */
import type { DatabaseSync } from "node:sqlite";
import { SHELL_TOOLS } from "../capture/payload.ts";
import type { AskedUse } from "../gate/judge_use.ts";
import { type Keeping, keepingOf } from "../guard/lift.ts";
import { requirementsFor } from "../gate/asked_requirements.ts";
import { DETACHED, groundOf, UNKEPT, UNTOLD_BRANCH } from "../gate/ground.ts";
import { prepareParts, untoldAt } from "../gate/tool_requirements.ts";
import { type JudgedUse, judgePart } from "../gate/use_decision.ts";
import type { Repository } from "../git/repository.ts";
import type { Block } from "../guard/guard_policy.ts";
import { mayBeOpen, type Open } from "../requirement/open_requirements.ts";
import type { Requirement, RequirementPolicy } from "../requirement/requirement_policy.ts";
import { satisfyingOf } from "../requirement/standing.ts";
import { reasonOf, triggersText } from "../requirement/requirement_text.ts";
import { type Doubt, triggeredBy } from "../requirement/trigger_match.ts";
import { findPause } from "../store/pauses.ts";
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
    readonly transcriptPath: string | null;
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
  const { db, sessionId } = at;
  const keeping = keepingOf(db, config);
  const isStrict = policy?.isStrict ?? false;
  if (keeping === "off" && !isStrict) return notCounting(UNKEPT.why);
  const atMs = Date.now();
  const places = await requirementsFor(requirements, use, ground.repository);
  const untold = isStrict ? untoldAt(places) : [];
  const prepared = await prepareParts(places, { ...use, toolUseId: null }, {
    ...at,
    atMs,
    isStrict,
  });
  if (prepared.length + untold.length === 0 && (places.length > 0 || ground.kind === "none")) {
    return notCounting(ground.kind === "none" ? ground.why : DETACHED);
  }
  const isKept = keeping === "lasting";
  const parts = prepared.map((part) => judgePart(part, isKept ? db : null, isStrict));
  const isPaused = isKept && db !== null &&
    findPause(db, { sessionId, subject: "requirements", atMs }) !== undefined;
  const doubts = places.flatMap((place) => place.doubts);
  const rows = requirements.map((requirement): Saying => {
    const { name } = requirement;
    const meant = parts.filter(({ triggered }) => triggered.includes(requirement));
    if (untold.includes(requirement)) {
      return row(name, "forbids", `${UNTOLD_BRANCH}, and the policy is strict`);
    }
    if (meant.length === 0) return aside(requirement, use.tool, doubts);
    const says = meant.map((part) =>
      isKept ? saysOf(requirement, part) : unkept(requirement, part, { keeping, isStrict })
    );
    const { kind, why } = says.find(({ kind }) => kind === "forbids") ??
      says.find(({ kind }) => kind === "cannot tell") ?? says[0]!;
    return kind === "forbids" && isPaused
      ? row(name, "allows", `paused; else: ${why}`)
      : row(name, kind, why);
  });
  const blocks = rows.filter(({ says }) => says === "forbids")
    .map(({ rule, why }): Block => ({ rule, reason: why }));
  return { blocks, sayings: rows };
}

/** What one requirement says of a part of a tool use. */
interface PartSaying {
  readonly kind: Saying["says"];
  readonly why: string;
}

function saysOf(requirement: Requirement, part: JudgedUse): PartSaying {
  const { open, unknown, standings, facts, to } = part;
  const isOf = (one: Open) => one.requirement === requirement;
  const forbidding = open.find(isOf);
  if (forbidding !== undefined) return { kind: "forbids", why: reasonOf(forbidding, to) };
  const untold = unknown.find(isOf);
  if (untold !== undefined) {
    return { kind: "allows", why: `it cannot be known: ${reasonOf(untold, to)}` };
  }
  const satisfying = satisfyingOf(requirement, standings, facts);
  if (satisfying !== undefined) {
    const { satisfiedBy, unproven } = satisfying;
    const doubt = unproven === undefined ? "" : `, unproven: ${unproven.why}`;
    return { kind: "allows", why: `satisfied by ${satisfiedBy}${doubt}` };
  }
  const why = requirement.stopOnly ? "it is asked when Claude stops" : MET;
  return { kind: "allows", why };
}

const MET = "its condition is met";

/** The same where nobody can know what has been satisfied. */
function unkept(
  requirement: Requirement,
  { facts }: JudgedUse,
  { keeping, isStrict }: { readonly keeping: Keeping; readonly isStrict: boolean },
): PartSaying {
  if (requirement.stopOnly) return { kind: "allows", why: "it is asked when Claude stops" };
  if (mayBeOpen([requirement], facts).length === 0) return { kind: "allows", why: MET };
  const why = keeping === "off" ? UNKEPT.why : "what has been satisfied cannot be read";
  return isStrict
    ? { kind: "forbids", why: `whether it is satisfied cannot be known: ${why}` }
    : { kind: "cannot tell", why };
}

/** A requirement that a tool use does not fall under, as far as can be told. */
function aside(
  requirement: Requirement,
  tool: string,
  doubts: readonly Doubt[],
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
