/** Tries a hook event: what a hook would answer and what every rule says of it. It does and writes nothing. */
import { SHELL_TOOLS } from "../claude/payload.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { type AskedUse, judgeUse, unreadText } from "../policy/guards/judge_use.ts";
import { type Keeping, keepingOf } from "../policy/guards/lift.ts";
import type { KnownPlaces, OwnPlaces } from "../policy/files/own_files.ts";
import { DETACHED, groundOf, UNKEPT, UNTOLD_BRANCH } from "../policy/requirements/ground.ts";
import { requirementsFor } from "../policy/requirements/asked_requirements.ts";
import { prepareParts, untoldAt } from "../policy/requirements/tool_requirements.ts";
import { type JudgedUse, judgePart } from "../policy/requirements/use_decision.ts";
import type { Repository } from "../system/git/repository.ts";
import { rulesOf, type SingleRule, whyAside } from "../policy/guards/single_rules.ts";
import { answerPermission, isForTool } from "../policy/guards/decide.ts";
import type {
  Block,
  GuardPolicy,
  PermissionPolicy,
  Verdict,
} from "../policy/guards/guard_policy.ts";
import type { TriedEvent } from "./dry_run.ts";
import type { Answer } from "./handler.ts";
import { mayBeOpen, type Open } from "../policy/requirements/open_requirements.ts";
import type { Requirement, RequirementPolicy } from "../policy/requirements/requirement_policy.ts";
import { satisfyingOf } from "../policy/requirements/standing.ts";
import { reasonOf, triggersText } from "../policy/requirements/requirement_text.ts";
import { type Doubt, triggeredBy } from "../policy/requirements/trigger_match.ts";
import { findPause } from "../policy/store.ts";
import type { CliContext } from "../operations/context.ts";
import { type Peek, peek } from "../operations/look_as_hook.ts";
import { tableText } from "../operations/table.ts";
import type { DatabaseSync } from "node:sqlite";

export interface Trial extends Explanation {
  readonly tried: TriedEvent;
  readonly config: HookConfig;
  /** What the hook would write to stdout; undefined where that cannot be known without doing it. */
  readonly answer: Answer | undefined;
  /** Of a tool use; null where nothing is said about it. */
  readonly decision: "allow" | "deny" | null;
  /** Whether it is allowed only because a person has lifted what forbids it. */
  readonly isLifted: boolean;
}

/**
 * Tries an event on the configuration and database that a hook in a folder would find.
 * @param eventOf Makes the event. `db` is null where a hook could not read it, `policy` where there is none.
 */
export async function tryEvent(
  context: CliContext,
  folder: string,
  eventOf: (
    db: DatabaseSync | null,
    policy: GuardPolicy | null,
  ) => TriedEvent | Promise<TriedEvent>,
): Promise<Trial> {
  const { answerTo } = await import("./dry_run.ts");
  const { config, found } = await peek(context, folder, async (db, config, { policy, places }) => {
    const tried = await eventOf(db, policy);
    const answer = await answerTo(tried, { config, places, db, locations: context.locations });
    return { tried, answer, ...await explained(tried, { db, config, policy, places }) };
  });
  const decision = decisionOf(found.answer);
  const isLifted = decision !== "deny" && found.verdict.blocks.length > 0;
  return { ...found, config, decision, isLifted };
}

async function explained(
  { event, use, repository, sessionId, transcriptPath }: TriedEvent,
  from: {
    readonly db: DatabaseSync | null;
    readonly config: HookConfig;
    readonly policy: GuardPolicy | null;
    readonly places: KnownPlaces;
  },
): Promise<Explanation> {
  const nothing: Explanation = { verdict: { blocks: [], doubts: [] }, sayings: [] };
  if (use === null) return nothing;
  const { db, config, policy, places } = from;
  const { verdict, sayings } = policy === null ? nothing : await explainRules(policy, use, places);
  if (event.name === "PermissionRequest") {
    const permissions = policy === null ? [] : explainPermission(policy.permission, use.tool);
    return { verdict, sayings: [...sayings, ...permissions] };
  }
  const required = await explainRequirements({ config, policy }, use, {
    db,
    repository,
    sessionId,
    transcriptPath,
  });
  return {
    verdict: { ...verdict, blocks: [...verdict.blocks, ...required.blocks] },
    sayings: [...sayings, ...required.sayings],
  };
}

function decisionOf(answer: Answer | undefined): Trial["decision"] {
  const output = answer?.["hookSpecificOutput"] as
    | { readonly permissionDecision?: unknown; readonly decision?: { readonly behavior?: unknown } }
    | undefined;
  const decision = output?.permissionDecision ?? output?.decision?.behavior;
  return decision === "deny" || decision === "allow" ? decision : null;
}

interface Saying {
  readonly rule: string;
  readonly glob: string;
  readonly says: "forbids" | "allows" | "cannot tell" | "does not match" | "not asked";
  readonly why: string;
}

interface Explanation {
  readonly verdict: Verdict;
  readonly sayings: readonly Saying[];
}

const DECIDED_BEFORE = "a rule before it has decided";

/** Asks all rules, and then each alone. */
async function explainRules(
  policy: GuardPolicy,
  use: AskedUse,
  places: OwnPlaces,
): Promise<Explanation> {
  const judge = (policy: GuardPolicy) => judgeUse(policy, use, places);
  const all = await judge(policy);
  const sayings: Saying[] = [];
  for (const rule of rulesOf(policy)) sayings.push(await sayingOf(rule, { all, use, judge }));
  return { verdict: all, sayings };
}

interface Asked {
  readonly use: AskedUse;
  readonly all: Verdict;
  readonly judge: (policy: GuardPolicy) => Promise<Verdict>;
}

/** What one rule says, as far as it counts for what all of them say. */
async function sayingOf(rule: SingleRule, { all, use, judge }: Asked): Promise<Saying> {
  const { name, glob } = rule;
  if (!rule.isOn) return { rule: name, glob, says: "not asked", why: "it is switched off" };
  const forbidding = all.blocks.find((block) => block.rule === name);
  if (forbidding !== undefined) {
    return { rule: name, glob, says: "forbids", why: forbidding.reason };
  }
  const aside = whyAside(rule, use);
  if (aside !== null) return { rule: name, glob, says: "does not match", why: aside };
  const { blocks, doubts: [doubt] } = await judge(rule.alone);
  if (blocks.length > 0) {
    return rule.allows
      ? { rule: name, glob, says: "allows", why: `${glob} matches` }
      : { rule: name, glob, says: "not asked", why: DECIDED_BEFORE };
  }
  // A doubt about a rule that allows means that it does not allow.
  return doubt === undefined || rule.allows
    ? { rule: name, glob, says: "does not match", why: await whyNot(rule, judge) }
    : { rule: name, glob, says: "cannot tell", why: doubt.replace(/preToolUse\.\w+\[0\]/, name) };
}

/** Which part of a rule does not match. */
async function whyNot({ wider, otherwise }: SingleRule, judge: Asked["judge"]): Promise<string> {
  for (const { policy, why } of wider) {
    const { blocks } = await judge(policy);
    if (blocks.length > 0) return why;
  }
  return otherwise;
}

/** What the rules about permissions say of a tool, in the order in which they are asked: the first that matches decides. */
function explainPermission(policy: PermissionPolicy, tool: string): Saying[] {
  const answer = answerPermission(policy, tool);
  const decided = answer.kind === "deny"
    ? answer.block.rule
    : answer.kind === "allow"
    ? answer.rule
    : null;
  const row = (
    { rule, glob }: Pick<Saying, "rule" | "glob">,
    says: "forbids" | "allows",
    { matches, why }: { readonly matches: boolean; readonly why: string },
  ): Saying =>
    !matches
      ? { rule, glob, says: "does not match", why }
      : rule === decided
      ? { rule, glob, says, why }
      : { rule, glob, says: "not asked", why: DECIDED_BEFORE };
  const listed = (key: "deny" | "allow", says: "forbids" | "allows") =>
    policy[key].map((rule, i) => {
      const { glob } = rule;
      const matches = isForTool(rule, key, tool);
      const why = `${glob} ${matches ? "matches" : "does not match"} the tool`;
      return row({ rule: `permissionRequest.${key}[${i}]`, glob }, says, { matches, why });
    });
  const { fallback } = policy;
  return [
    ...listed("deny", "forbids"),
    ...listed("allow", "allows"),
    ...(fallback === null ? [] : [
      row(
        { rule: "permissionRequest.default", glob: "" },
        fallback === "deny" ? "forbids" : "allows",
        { matches: true, why: "no rule before it matches" },
      ),
    ]),
  ];
}

/** The rows as a table, and above it what cannot be known. */
export function explanationText(
  { verdict, sayings }: Explanation,
  options: { readonly color: boolean },
): string {
  const table = tableText(sayings, [
    { title: "RULE", value: ({ rule }) => rule },
    { title: "SAYS", value: ({ says }) => says },
    { title: "WHY", value: ({ why }) => why },
  ], { empty: "No rules.", color: options.color });
  const unsure = [
    ...(verdict.unread === undefined ? [] : [`  a person is asked: ${unreadText(verdict.unread)}`]),
    ...verdict.doubts.map((doubt) => `  not known before it runs: ${doubt}`),
  ];
  return [...unsure, "", table].join("\n");
}

/** What requirements come to, and each of them. */
interface RequirementExplanation {
  readonly blocks: readonly Block[];
  readonly sayings: readonly Saying[];
}

/** Asks all requirements. Nothing is written. */
async function explainRequirements(
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

/** What a requirement says when it cannot be known what was satisfied. */
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

/** What is said of a requirement that does not apply to the tool use. */
function aside(requirement: Requirement, tool: string, doubts: readonly Doubt[]): Saying {
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
