/** Defines the sections `requirements` and `hooks` of the configuration, and compiles them. */
import * as z from "zod/mini";
import { EDITING_TOOLS, SHELL_TOOLS } from "../../claude/payload.ts";
import type { SectionValues } from "../../config/config_schema.ts";
import { compileGlob } from "../../config/globs.ts";
import {
  bool,
  choice,
  globText,
  int,
  list,
  named,
  needed,
  optional,
  regexText,
  rules,
  said,
  section,
  text,
} from "../../config/schema_kit.ts";
import {
  type Condition,
  type Requirement,
  type RequirementPolicy,
  SCOPES,
  type Trigger,
} from "./requirement_policy.ts";
import { skillsFor } from "./skills.ts";

/** The form of a name, without blanks and quotes, since names stand in commands and placeholders. */
const NAME = z.string().check(z.regex(/^[\w][\w.-]{0,63}$/));

const someText = () => z.string().check(z.minLength(1));
const SECONDS_A_YEAR = 31_536_000;

const REQUIREMENTS = named(
  "requirement",
  NAME,
  {
    enabled: bool(true, "False switches it off."),
    type: choice(
      ["blocking", "dynamic", "guard"],
      "`blocking` waits for a skill or a person, `dynamic` is calculated, `guard` is a condition.",
      "blocking",
    ),
    scope: choice(
      SCOPES,
      "How far a satisfaction reaches: the session, the branch, the branch without expiry (`permanent`), or one use.",
      "session",
    ),
    triggerTools: rules(
      "The tool uses that need it: names of tools, or maps. Default: what edits; on protected branches commits, too.",
      {
        tool: needed("glob", globText(), "The name of the tool."),
        commandPattern: optional(
          "regular expression",
          regexText(),
          "Searched in each command that a shell tool would run.",
        ),
      },
      { shorthand: globText(), item: "tool's name or map of keys" },
    ),
    message: said(
      "The text of a denial, with `{auto_resolve_skill}`, `{session_id}`, `{branch}`, `{total}` and `{limit}`.",
    ),
    shortMessage: said("The text in tables and at the start of a session."),
    description: said("What it is for; the text of a denial without a message."),
    checklist: list("text", someText(), "Items that a denial shows."),
    satisfiedBySkill: list("skill", someText(), "More skills and slash commands that satisfy it."),
    autoResolveSkill: said("The skill that a denial tells Claude to run; it satisfies as well."),
    stopOnly: bool(false, "True: it denies no tool, and counts only when Claude stops."),
    replanTtl: optional(
      "whole number",
      z.int().check(z.minimum(1), z.maximum(SECONDS_A_YEAR)),
      "Seconds that a satisfaction by a skill lasts.",
    ),
    calculator: choice(
      ["branch_size"],
      "What `dynamic` calculates: the lines that the branch has added and removed.",
      "branch_size",
    ),
    thresholds: section("Limits for `dynamic`.", {
      warn: int([0, 10_000_000], 250, "From this value on, the audit trail notes it."),
      block: int([1, 10_000_000], 400, "From this value on, it denies."),
    }),
    cacheTtl: int([0, 86_400], 60, "For `dynamic`: seconds that a calculated value counts."),
    approvalTtl: int(
      [1, SECONDS_A_YEAR],
      300,
      "For `dynamic`: seconds that a person's approval lasts.",
    ),
    guardType: choice(
      ["protected_branch", "single_session"],
      "For `guard`: not on `protectedBranches`, or no other live session in the working tree.",
      "protected_branch",
    ),
    protectedBranches: list("branch", someText(), "For `guard`: exact names.", ["master", "main"]),
  },
  "What has to be true before Claude edits, commits or stops, by name. They count in projects with a file of their own.",
);

const scopes = (description: string) => list("scope", z.enum(SCOPES), description, ["session"]);

const HOOKS = section(
  "What hooks do about requirements, beside denying tools.",
  {
    sessionStart: section("At the start of a session.", {
      injectContext: bool(true, "Whether Claude is told where the requirements stand."),
      briefingFormat: choice(["compact", "standard"], "A few lines, or a table.", "compact"),
      customHeader: text("A line before it."),
      carryOver: section(
        "A new session takes over what another one of the branch has just satisfied.",
        {
          enabled: bool(true, "Whether it does."),
          windowSeconds: int(
            [0, 86_400],
            300,
            "How many seconds ago the first satisfaction may be.",
          ),
          scopes: scopes("Requirements of these scopes."),
        },
      ),
    }),
    promptSubmit: section("When a prompt is sent.", {
      remind: bool(true, "Whether a prompt about edits or commits is answered with what is open."),
    }),
    stop: section("When Claude stops.", {
      verifyRequirements: bool(
        true,
        "Whether a triggered requirement that is open holds a stop, once a turn.",
      ),
      verifyScopes: scopes("Requirements of these scopes."),
    }),
    sessionEnd: section("At the end of a session.", {
      clearSessionState: bool(false, "Whether the session's satisfactions are removed."),
    }),
  },
);

export const REQUIREMENT_SECTIONS = { requirements: REQUIREMENTS, hooks: HOOKS };

type Values = SectionValues<typeof REQUIREMENT_SECTIONS>;
type Entry = Values["requirements"][string];

const SECOND_MS = 1_000;
const PLAIN_NAME = /^\w+$/;

/** Compiles both sections; null when no requirement is switched on. */
export function compileRequirements({ requirements, hooks }: Values): RequirementPolicy | null {
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

/**
 * Returns the tools whose end uses a requirement up, satisfies it, or tells a stop that the triggering use has run; `*`
 * is any tool.
 */
export function followedTools(policy: RequirementPolicy | null): string[] {
  if (policy === null) return [];
  const followed = policy.requirements
    .filter(({ scope }) => scope === "single_use" || policy.verifyScopes.includes(scope))
    .flatMap(({ triggers }) => triggers)
    // A shell command may do the work of another tool.
    .flatMap(({ tool, toolPattern }) => toolPattern === null ? [tool, ...SHELL_TOOLS] : ["*"]);
  return [...new Set(["Skill", "ExitPlanMode", ...followed])];
}

function compileOne(name: string, entry: Entry): Requirement {
  const { scope, stopOnly, message = null, shortMessage = null, description = null } = entry;
  const { checklist, triggerTools, satisfiedBySkill, autoResolveSkill, replanTtl } = entry;
  const condition = conditionOf(entry);
  const usual = [...EDITING_TOOLS, ...condition.type === "protected_branch" ? [COMMITS] : []];
  // A skill that a denial names also satisfies the requirement.
  const resolving = autoResolveSkill === undefined ? [] : [autoResolveSkill];
  return {
    name,
    condition,
    scope,
    triggers: (triggerTools.length > 0 ? triggerTools : usual).map(triggerOf),
    stopOnly,
    message,
    shortMessage,
    description,
    checklist,
    skills: skillsFor(name, [...satisfiedBySkill, ...resolving]),
    resolvedBy: autoResolveSkill?.replace(/^\//, "") ?? null,
    lastsMs: replanTtl === undefined ? null : replanTtl * SECOND_MS,
    approvalMs: entry.approvalTtl * SECOND_MS,
  };
}

function conditionOf(entry: Entry): Condition {
  if (entry.type === "blocking") return { type: "blocking" };
  if (entry.type === "dynamic") {
    const { warn, block } = entry.thresholds;
    return { type: entry.calculator, warn, block, cacheMs: entry.cacheTtl * SECOND_MS };
  }
  return entry.guardType === "protected_branch"
    ? { type: "protected_branch", branches: entry.protectedBranches }
    : { type: "single_session" };
}

/** The commands that make commits on the branch that is checked out. */
const COMMITS = {
  tool: "Bash",
  commandPattern: String
    .raw`git\s+(commit|merge|cherry-pick|revert|rebase|am|pull\s.*--rebase)(\s|$)`,
};

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
