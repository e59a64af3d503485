/** Lists the gates of a project with the hook events that each gate needs, and finds gates whose hook is missing. */
import { SHELL_TOOLS } from "../claude/payload.ts";
import { DEFAULT_HOOK_CONFIG } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { Environment } from "../system/environment.ts";
import { forbidsFor, type GuardPolicy, namesTools } from "./guards/guard_policy.ts";
import { policiesIn } from "./policies.ts";
import { readJsonFile } from "../system/on_disk.ts";
import type { Trigger } from "./requirements/requirement_policy.ts";
import {
  holdsOwn,
  type Need,
  type ParsedSettings,
  unarmedText,
  whyUnarmed,
} from "../claude/settings/armed.ts";
import type { NamedTools } from "../claude/settings/lanes.ts";
import {
  gatingMods,
  modPlaces,
  modText,
  PLUGIN_ROOT,
  pluginSettings,
  REMOVE_PLUGIN,
} from "../claude/plugins.ts";
import { ownHandlersIn } from "../claude/settings/own_handler.ts";
import { settingsPaths } from "../claude/settings/settings_place.ts";

/** The tools that change files. Today's clients have no `MultiEdit`, so a matcher need not name it. */
const FILE_TOOLS: readonly string[] = ["Edit", "Write", "NotebookEdit", ...SHELL_TOOLS];
const FORMER_TOOL = "MultiEdit";

/** Returns the events that the gates of a configuration need; empty where no rule is configured. */
export function needsOf(config: HookConfig): Need[] {
  const { requirements: required, stop, subagentStop, prompts, ...policies } = policiesIn(config);
  // Built-in protections hold wherever a hook runs, and need no event of their own.
  const isWritten = config.guards !== DEFAULT_HOOK_CONFIG.guards;
  const guards = isWritten ? policies.guards : null;
  const requirements = required?.requirements ?? [];
  const usedUp = requirements.filter(({ scope }) => scope === "single_use");
  const bySkill = requirements.some(({ skills }) => skills.length > 0);
  const needs: Need[] = [];
  /** Notes that a kind of rule needs events, for all tools unless some are named. */
  const need = (
    gate: string,
    isHere: boolean,
    events: readonly string[],
    tools: readonly string[] = [],
  ) => {
    if (isHere) needs.push(...events.map((event) => ({ gate, event, tools })));
  };
  const has = (rules: { readonly length: number } | undefined) => (rules?.length ?? 0) > 0;
  need("preToolUse", guards !== null, ["PreToolUse"], guards === null ? [] : guardedTools(guards));
  need("permissionRequest", has(guards?.permission), ["PermissionRequest"]);
  need("requirements", required !== null, ["PreToolUse"], toolsOf(requirements));
  need("requirements (used up by an action)", has(usedUp), ["PostToolUse"], toolsOf(usedUp));
  need("requirements (satisfied by a skill)", bySkill, ["PostToolUse"], ["Skill"]);
  need("requirements (satisfied by a slash command)", bySkill, ["UserPromptExpansion"]);
  need("requirements (when Claude stops)", has(required?.verifyScopes), ["Stop"]);
  const keepsRoot = (stop?.watchedRoot ?? null) !== null;
  need("preToolUse.preventRootAdditions (when Claude stops)", keepsRoot, ["SessionStart", "Stop"]);
  need("stop.commands", has(stop?.commands), ["Stop"]);
  need("stop.rounds", (stop?.rounds ?? null) !== null, ["Stop"]);
  need("stop.infinite", (stop?.infiniteMessage ?? null) !== null, ["Stop"]);
  need("stop.promptPrefixBlocking", (stop?.queue ?? null) !== null, ["UserPromptSubmit", "Stop"]);
  need("subagentStop.commands", subagentStop !== null, ["SubagentStop"]);
  need("userPromptSubmit.contextRules", has(prompts?.context), ["UserPromptSubmit"]);
  need("userPromptSubmit.commands", has(prompts?.commands), ["UserPromptSubmit"]);
  need("userPromptSubmit.slashCommands", has(prompts?.slash), ["UserPromptSubmit"]);
  return needs;
}

/** Returns the tools for which the rules of a configuration need Claude Code to start hooks. */
export function toolsOfRules(config: HookConfig): NamedTools {
  const needs = needsOf(config).filter(({ event }) => event === "PreToolUse");
  return { asked: needs.flatMap(({ tools }) => tools), followed: config.followedTools };
}

function guardedTools(guards: GuardPolicy): string[] {
  const { rules, lock } = guards;
  const isAboutFiles = lock !== null || rules.some((rule) => !namesTools(rule)) ||
    guards.preventsRootAdditions || guards.protectsIgnored || guards.protectsGenerated ||
    guards.protectsItself;
  const named = rules.filter(namesTools).flatMap((rule) => {
    const isOfShell = rule.about === "file" && rule.action === "block" && forbidsFor(rule, "Bash");
    return [...toolsNamed(rule), ...isOfShell ? SHELL_TOOLS : []];
  });
  const builtIn = guards.deniesDangerous ? SHELL_TOOLS : [];
  return withShells([...isAboutFiles ? FILE_TOOLS : [], ...builtIn, ...named]);
}

/** Returns the tools that a rule concerns; `*` is every tool. Tools of MCP servers start a hook anyway. */
function toolsNamed({ tool, toolPattern }: Pick<Trigger, "tool" | "toolPattern">): string[] {
  return toolPattern === null ? [tool] : /^\^?(?:\(\?:)?mcp__/.test(toolPattern) ? [] : ["*"];
}

/** Returns each tool once. A rule about Bash covers every shell. */
function withShells(tools: readonly string[]): string[] {
  return [...new Set(tools.includes("Bash") ? [...tools, ...SHELL_TOOLS] : tools)];
}

/** Returns the tools that requirements concern. A shell command that changes files counts as an edit. */
function toolsOf(requirements: readonly { readonly triggers: readonly Trigger[] }[]): string[] {
  const named = requirements.flatMap(({ triggers }) => triggers).flatMap(toolsNamed);
  return withShells(named.includes("Edit") ? [...named, "Bash"] : named)
    .filter((tool) => tool !== FORMER_TOOL);
}

/** The event at which the person reads these notices: without its hook, nobody reads them. */
const NOTICE_EVENT = "SessionStart";

export interface ArmedPlace {
  readonly projectDir: string;
  readonly home: string | null;
  readonly environment: Environment;
}

function settingsHere(place: ArmedPlace) {
  const { projectDir, home, environment: { program, variable } } = place;
  const executable = program.script === null ? program.executable : null;
  const files = settingsPaths({
    projectDir,
    home: home ?? undefined,
    configDir: variable("CLAUDE_CONFIG_DIR"),
  }).map((path): ParsedSettings => ({ path, settings: readJsonFile(path) }));
  const plugins = pluginSettings(modPlaces(place), variable(PLUGIN_ROOT));
  return {
    files: [...files, ...plugins],
    plugins,
    ownership: { executable },
    searchPath: variable("PATH"),
  };
}

/** Tells whether Claude Code runs our hook before it uses a tool. @param counts Whether a settings file counts. */
export function asksAbout(
  tool: string,
  place: ArmedPlace,
  counts: (path: string) => boolean,
): boolean {
  const { files, ...how } = settingsHere(place);
  const needs = [{ gate: "preToolUse", event: "PreToolUse", tools: [tool] }];
  return whyUnarmed(files.filter(({ path }) => counts(path)), { needs, ...how }).length === 0;
}

/** Names the mods that can bypass this project's gates; null without such mods, and when managed hooks come first. */
export function modNotice(place: ArmedPlace): string | null {
  const mods = gatingMods(modPlaces(place));
  if (mods.length === 0) return null;
  const { files: [managed], ownership } = settingsHere(place);
  return holdsOwn(managed?.settings, "PreToolUse", ownership)
    ? null
    : `conclaude: the mod ${
      mods.map(modText).join("; ")
    }. It can answer tools so that no rule is asked: ` +
      "`sudo conclaude install-hooks --managed` installs hooks that are asked first.";
}

/** The hook that the built-in protections need, before a command runs. */
const BUILT_IN: Need = { gate: "built-in protections", event: "PreToolUse", tools: ["Bash"] };

export type HooksHere = ReturnType<typeof hooksHere>;

/** Finds our hooks in the settings files and in the plugin, and the protections that lack theirs. */
export function hooksHere(config: HookConfig, place: ArmedPlace) {
  const { files, plugins, ...how } = settingsHere(place);
  return {
    installed: installedIn({ files, plugins, ...how }),
    /** The protections, also built-in ones, whose hook Claude Code does not run. */
    unarmed: whyUnarmed(files, { needs: [BUILT_IN, ...needsOf(config)], ...how }),
  };
}

/** Lists the files that contain our hooks, with their events, in the order in which Claude Code obeys the files. */
function installedIn({ files, plugins, ownership }: ReturnType<typeof settingsHere>) {
  return files.map((file) => {
    const own = ownHandlersIn(file.settings, ownership);
    const events = [...new Set(own.map(({ event }) => event))];
    return { path: file.path, events, isPlugin: plugins.includes(file) };
  }).filter(({ events }) => events.length > 0);
}

/** Tells the person that a settings file starts conclaude, too; null where only the plugin does. */
export function twiceNotice(place: ArmedPlace): string | null {
  const first = installedIn(settingsHere(place))
    .find(({ events, isPlugin }) => !isPlugin && events.includes(NOTICE_EVENT));
  return first === undefined
    ? null
    : `conclaude: its hooks are installed twice, in ${first.path} and as a plugin, so that each one runs twice. ` +
      `Keep one: \`conclaude uninstall-hooks\` or \`${REMOVE_PLUGIN}\`.`;
}

/** Tells the person in one line which gates lack a hook; null if none does, or if conclaude has no hooks here. */
export function unarmedNotice(config: HookConfig, place: ArmedPlace): string | null {
  const needs = needsOf(config);
  if (needs.length === 0) return null;
  const { files, ...how } = settingsHere(place);
  if (!files.some(({ settings }) => holdsOwn(settings, NOTICE_EVENT, how.ownership))) return null;
  const unarmed = whyUnarmed(files, { needs, ...how });
  if (unarmed.length === 0) return null;
  const isMissing = unarmed.every(({ remedy }) => remedy.kind === "install");
  const next = isMissing
    ? "Run `conclaude install-hooks`, with the flags that `conclaude doctor` names."
    : "Run `conclaude doctor`.";
  return `conclaude: the rules of this project are ${unarmed.map(unarmedText).join("; ")}. ${next}`;
}
