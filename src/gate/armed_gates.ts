/**
 * The gates of a project, and the hooks without which each cannot decide. `doctor` and the start of a session go by this
 * table.
 */
import { SHELL_TOOLS } from "../capture/payload.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { Environment } from "../environment.ts";
import { forbidsFor, type GuardPolicy } from "../guard/guard_policy.ts";
import type { SubagentPolicy } from "../guard/prompt_policy.ts";
import type { PromptPolicy } from "../guard/prompt_policy.ts";
import type { StopPolicy } from "../guard/stop_policy.ts";
import { readJsonFile } from "../project/on_disk.ts";
import type { RequirementPolicy, Trigger } from "../requirement/requirement_policy.ts";
import {
  holdsOwn,
  type Need,
  type ParsedSettings,
  unarmedText,
  whyUnarmed,
} from "../settings/armed.ts";
import { machineHere } from "../settings/hook_program.ts";
import { ownershipHere } from "../settings/own_handler.ts";
import { settingsPaths } from "../settings/settings_file.ts";

/** The compiled sections; null for a section that asks for nothing. */
interface Policies {
  readonly guards: GuardPolicy | null;
  readonly requirements: RequirementPolicy | null;
  readonly stop: StopPolicy | null;
  readonly subagentStop: SubagentPolicy | null;
  readonly prompts: PromptPolicy | null;
}

/** Something that may deny, hold back or add. */
interface Gate {
  readonly name: string;
  readonly isHere: (policies: Policies) => boolean;
  /** The events without which it cannot decide. */
  readonly events: readonly string[];
  /** The tools that it is about; none where any tool will do, or the events have no tool. */
  readonly tools?: (policies: Policies) => readonly string[];
}

/** The tools that change files. Today's clients have no `MultiEdit`, so a matcher need not name it. */
const FILE_TOOLS: readonly string[] = ["Edit", "Write", "NotebookEdit", ...SHELL_TOOLS];
const FORMER_TOOL = "MultiEdit";

const GATES: readonly Gate[] = [
  {
    name: "preToolUse",
    isHere: ({ guards }) => guards !== null,
    events: ["PreToolUse"],
    tools: ({ guards }) => guards === null ? [] : guardedTools(guards),
  },
  {
    name: "permissionRequest",
    isHere: ({ guards }) => guards !== null && answersRequests(guards),
    events: ["PermissionRequest"],
  },
  {
    name: "requirements",
    isHere: ({ requirements }) => requirements !== null,
    events: ["PreToolUse"],
    tools: ({ requirements }) => toolsOf(requirements?.requirements ?? []),
  },
  {
    name: "requirements (used up by an action)",
    isHere: ({ requirements }) => usedUp(requirements).length > 0,
    events: ["PostToolUse"],
    tools: ({ requirements }) => toolsOf(usedUp(requirements)),
  },
  {
    name: "requirements (satisfied by a skill)",
    isHere: ({ requirements }) => namesSkills(requirements),
    events: ["PostToolUse"],
    tools: () => ["Skill"],
  },
  {
    name: "requirements (satisfied by a slash command)",
    isHere: ({ requirements }) => namesSkills(requirements),
    events: ["UserPromptExpansion"],
  },
  {
    name: "requirements (when Claude stops)",
    isHere: ({ requirements }) => (requirements?.verifyScopes.length ?? 0) > 0,
    events: ["Stop"],
  },
  {
    name: "preToolUse.preventRootAdditions (when Claude stops)",
    isHere: ({ stop }) => stop !== null && stop.root !== null && stop.preventsRootAdditions,
    events: ["SessionStart", "Stop"],
  },
  {
    name: "stop.commands",
    isHere: ({ stop }) => (stop?.commands.length ?? 0) > 0,
    events: ["Stop"],
  },
  { name: "stop.rounds", isHere: ({ stop }) => (stop?.rounds ?? null) !== null, events: ["Stop"] },
  {
    name: "stop.infinite",
    isHere: ({ stop }) => (stop?.infiniteMessage ?? null) !== null,
    events: ["Stop"],
  },
  {
    name: "stop.promptPrefixBlocking",
    isHere: ({ stop }) => (stop?.queue ?? null) !== null,
    events: ["UserPromptSubmit", "Stop"],
  },
  {
    name: "subagentStop.commands",
    isHere: ({ subagentStop }) => subagentStop !== null,
    events: ["SubagentStop"],
  },
  {
    name: "userPromptSubmit.contextRules",
    isHere: ({ prompts }) => (prompts?.context.length ?? 0) > 0,
    events: ["UserPromptSubmit"],
  },
  {
    name: "userPromptSubmit.commands",
    isHere: ({ prompts }) => (prompts?.commands.length ?? 0) > 0,
    events: ["UserPromptSubmit"],
  },
  {
    name: "userPromptSubmit.slashCommands",
    isHere: ({ prompts }) => (prompts?.slash.length ?? 0) > 0,
    events: ["UserPromptSubmit"],
  },
];

/** What the gates of a configuration need; empty where nothing is guarded. */
export function needsOf(config: HookConfig): Need[] {
  const policies: Policies = {
    guards: policyIn(config.guards),
    requirements: policyIn(config.requirements),
    stop: policyIn(config.stop),
    subagentStop: policyIn(config.subagentStop),
    prompts: policyIn(config.prompts),
  };
  return GATES.filter(({ isHere }) => isHere(policies)).flatMap(({ name, events, tools }) =>
    events.map((event) => ({ gate: name, event, tools: tools?.(policies) ?? [] }))
  );
}

function policyIn<Policy>(section: string): Policy | null {
  return section === "" ? null : JSON.parse(section);
}

function guardedTools(guards: GuardPolicy): string[] {
  const isAboutFiles = guards.preventsRootAdditions || guards.protectsIgnored ||
    guards.protectsGenerated || guards.protectsItself || guards.lock !== null ||
    guards.uneditable.length + guards.noAdditions.length > 0;
  const named = guards.tools.flatMap((rule) => {
    const { tool, toolPattern, about, action } = rule;
    const isOfShell = about === "file" && action === "block" && forbidsFor(rule, "Bash");
    const tools = toolPattern !== null ? [] : tool === "*" ? FILE_TOOLS : [tool];
    return isOfShell ? [...tools, ...SHELL_TOOLS] : withShells(tools);
  });
  return [
    ...new Set([
      ...(isAboutFiles ? FILE_TOOLS : []),
      ...(guards.deniesDangerous ? SHELL_TOOLS : []),
      ...named,
    ]),
  ];
}

/** A rule about Bash covers every shell. */
function withShells(tools: readonly string[]): readonly string[] {
  return tools.includes("Bash") ? [...tools, ...SHELL_TOOLS] : tools;
}

/** A shell command that changes files counts as an edit. */
function toolsOf(requirements: readonly { readonly triggers: readonly Trigger[] }[]): string[] {
  const named = requirements.flatMap(({ triggers }) => triggers)
    .flatMap(({ tool, toolPattern }) => toolPattern === null ? [tool] : []);
  const tools = named.includes("Edit") ? [...named, ...SHELL_TOOLS] : withShells(named);
  return [...new Set(tools)].filter((tool) => tool !== FORMER_TOOL);
}

function usedUp(policy: RequirementPolicy | null) {
  return policy?.requirements.filter(({ scope }) => scope === "single_use") ?? [];
}

function namesSkills(policy: RequirementPolicy | null): boolean {
  return policy?.requirements.some(({ skills }) => skills.length > 0) ?? false;
}

function answersRequests({ permission }: GuardPolicy): boolean {
  const { deny, allow, fallback } = permission;
  return deny.length > 0 || allow.length > 0 || fallback !== null;
}

/** The notice is given at this event, so its own hook must be installed. */
const ASKING_EVENT = "SessionStart";

/**
 * One line for the person where the project has gates and Claude Code will not ask them.
 *
 * @returns Null when it will, and when nobody can tell: none of these files holds our hooks, so they come from
 * elsewhere.
 */
export function unarmedNotice(
  config: HookConfig,
  place: {
    readonly projectDir: string;
    readonly home: string | null;
    readonly environment: Environment;
  },
): string | null {
  const needs = needsOf(config);
  if (needs.length === 0) return null;
  const { program, variable } = place.environment;
  const executable = program.script === null ? program.executable : null;
  const ownership = ownershipHere({ executable });
  const files = settingsFiles(place);
  if (!files.some(({ settings }) => holdsOwn(settings, ASKING_EVENT, ownership))) return null;
  const machine = machineHere(variable("PATH"));
  const unarmed = whyUnarmed(files, { needs, ownership, machine });
  return unarmed.length === 0
    ? null
    : `conclaude: the rules of this project are ${
      unarmed.map(unarmedText).join("; ")
    }. Run \`conclaude doctor\`.`;
}

function settingsFiles(
  { projectDir, home, environment }: Parameters<typeof unarmedNotice>[1],
): ParsedSettings[] {
  const configDir = environment.variable("CLAUDE_CONFIG_DIR");
  return settingsPaths({ projectDir, home: home ?? undefined, configDir })
    .map((path) => ({ path, settings: readJsonFile(path) }));
}
