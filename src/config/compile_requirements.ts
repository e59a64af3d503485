/** The sections `requirements` and `hooks`, compiled: what a hook takes from the cache. */
import { EDITING_TOOLS, SHELL_TOOLS } from "../capture/payload.ts";
import type {
  Condition,
  Requirement,
  RequirementPolicy,
  Trigger,
} from "../requirement/requirement_policy.ts";
import { skillsFor } from "../requirement/skills.ts";
import { compileGlob } from "./globs.ts";
import type { Config } from "./config_schema.ts";

type Entry = Config["requirements"][string];

const SECOND_MS = 1_000;
const PLAIN_NAME = /^\w+$/;

/** Compiles the requirements that are switched on; null when there is none. */
export function compileRequirements({ requirements, hooks }: Config): RequirementPolicy | null {
  const compiled = Object.entries(requirements)
    .filter(([, entry]) => entry.enabled)
    .map(([name, entry]) => compileOne(name, entry));
  if (compiled.length === 0) return null;
  const { sessionStart, stop } = hooks;
  const { carryOver } = sessionStart;
  return {
    requirements: compiled,
    verifyScopes: stop.verifyRequirements ? stop.verifyScopes : [],
    briefing: sessionStart.injectContext ? sessionStart.briefingFormat : "none",
    header: sessionStart.customHeader,
    carryOver: carryOver.enabled
      ? { windowMs: carryOver.windowSeconds * SECOND_MS, scopes: carryOver.scopes }
      : null,
    reminds: hooks.promptSubmit.remind,
    clearsAtEnd: hooks.sessionEnd.clearSessionState,
  };
}

/** The tools after whose use a hook has something to do for the requirements; `*` is any. */
export function followedTools(policy: RequirementPolicy | null): string[] {
  if (policy === null) return [];
  const singleUse = policy.requirements
    .filter(({ scope }) => scope === "single_use")
    .flatMap(({ triggers }) => triggers)
    // A shell command may do what another tool is named for.
    .flatMap(({ tool, toolPattern }) => toolPattern === null ? [tool, ...SHELL_TOOLS] : ["*"]);
  return [...new Set(["Skill", "ExitPlanMode", ...singleUse])];
}

function compileOne(name: string, entry: Entry): Requirement {
  // What a denial tells Claude to run has to satisfy.
  const resolving = entry.autoResolveSkill === undefined ? [] : [entry.autoResolveSkill];
  return {
    name,
    condition: conditionOf(entry),
    scope: entry.scope,
    triggers: entry.triggerTools.length === 0
      ? [...EDITING_TOOLS].map((tool) => ({ tool, toolPattern: null, command: null }))
      : entry.triggerTools.map(triggerOf),
    stopOnly: entry.stopOnly,
    message: entry.message ?? null,
    shortMessage: entry.shortMessage ?? null,
    description: entry.description ?? null,
    checklist: entry.checklist,
    skills: skillsFor(name, [...entry.satisfiedBySkill, ...resolving]),
    resolvedBy: entry.autoResolveSkill?.replace(/^\//, "") ?? null,
    lastsMs: entry.replanTtl === undefined ? null : entry.replanTtl * SECOND_MS,
    approvalMs: entry.approvalTtl * SECOND_MS,
  };
}

function conditionOf(entry: Entry): Condition {
  if (entry.type === "dynamic") {
    const { warn, block } = entry.thresholds;
    return { type: entry.calculator, warn, block, cacheMs: entry.cacheTtl * SECOND_MS };
  }
  if (entry.type === "guard") {
    return entry.guardType === "protected_branch"
      ? { type: "protected_branch", branches: entry.protectedBranches }
      : { type: "single_session" };
  }
  return { type: "blocking" };
}

function triggerOf(given: Entry["triggerTools"][number]): Trigger {
  const { tool, commandPattern } = typeof given === "string"
    ? { tool: given, commandPattern: undefined }
    : given;
  return {
    tool,
    toolPattern: PLAIN_NAME.test(tool) ? null : compileGlob(tool),
    command: commandPattern ?? null,
  };
}
