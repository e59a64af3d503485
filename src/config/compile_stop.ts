/** The sections about stops, subagents, prompts and notifications, compiled: what a hook takes from the cache. */
import type { NotificationPolicy } from "../guard/notify.ts";
import type { CommandsFor, PatternRule, PromptPolicy } from "../guard/prompt_policy.ts";
import type { StopPolicy } from "../guard/stop_policy.ts";
import { compileGlob } from "./globs.ts";
import type { HookConfig } from "./hook_config.ts";
import type { Config } from "./config_schema.ts";
import type { NameOfEntry } from "./yaml_tree.ts";
import { parse } from "unbash";
import type { CommandRule } from "../guard/command_text.ts";

/** What Claude is told when nobody says what. */
const GO_ON = "continue working on the task";

/** The folder of the project's configuration file; null when only the user's own file speaks. */
type Root = string | null;

/** What a configuration is compiled with. */
interface From {
  readonly root: Root;
  /** What an entry of a list is called. */
  readonly nameOf: NameOfEntry;
}

/** What is run when a subagent stops. */
export interface SubagentPolicy {
  readonly root: Root;
  readonly groups: readonly CommandsFor[];
}

/** Compiles the four sections, each as JSON; the empty text for one that asks for nothing. */
export function compileStopSections(
  config: Config,
  from: From,
): Pick<HookConfig, "stop" | "subagentStop" | "prompts" | "notifications"> {
  return {
    stop: json(compileStop(config, from)),
    subagentStop: json(compileSubagents(config, from)),
    prompts: json(compilePrompts(config, from)),
    notifications: json(compileNotifications(config)),
  };
}

function json(policy: unknown): string {
  return policy === null ? "" : JSON.stringify(policy);
}

function compileStop(
  { stop, preToolUse }: Config,
  { root, nameOf }: From,
): StopPolicy | null {
  const { prefixes, messages } = stop.promptPrefixBlocking;
  const policy: StopPolicy = {
    root,
    commands: stop.commands.map((command, i) =>
      compileCommand(command, nameOf(["stop", "commands"], i))
    ),
    preventsRootAdditions: root !== null && preToolUse.preventRootAdditions,
    rootAdditionsMessage: preToolUse.preventRootAdditionsMessage,
    rounds: stop.rounds,
    infiniteMessage: stop.infinite ? stop.infiniteMessage ?? GO_ON : null,
    maxBlocks: stop.maxBlocks,
    queue: prefixes.length === 0 || messages.length === 0
      ? null
      : { prefixes: prefixes.map((glob) => compileGlob(glob)), messages },
  };
  const isEmpty = policy.commands.length === 0 && !policy.preventsRootAdditions &&
    policy.rounds === null && policy.infiniteMessage === null && policy.queue === null;
  return isEmpty ? null : policy;
}

function compileSubagents(
  { subagentStop }: Config,
  { root, nameOf }: From,
): SubagentPolicy | null {
  const groups = compileGroups(
    subagentStop.commands,
    (glob, i) => nameOf(["subagentStop", "commands", glob], i),
  );
  return groups.length === 0 ? null : { root, groups };
}

function compilePrompts(
  { userPromptSubmit }: Config,
  { root, nameOf }: From,
): PromptPolicy | null {
  const { contextRules, commands, slashCommands } = userPromptSubmit;
  const policy: PromptPolicy = {
    root,
    context: contextRules.flatMap(({ enabled, pattern, caseInsensitive, prompt }, i) =>
      enabled
        ? [{
          rule: nameOf(["userPromptSubmit", "contextRules"], i),
          pattern: patternOf(pattern, caseInsensitive),
          prompt,
        }]
        : []
    ),
    commands: commands.map(({ pattern, caseInsensitive, ...command }, i) => ({
      pattern: pattern === undefined ? null : patternOf(pattern, caseInsensitive),
      command: compileCommand(command, nameOf(["userPromptSubmit", "commands"], i)),
    })),
    // A person writes the name as it is typed, slash and all, or without it.
    slash: compileGroups(
      slashCommands.commands,
      (glob, i) => nameOf(["userPromptSubmit", "slashCommands", "commands", glob], i),
      (glob) => glob.replace(/^\/(?=.)/, ""),
    ),
  };
  const isEmpty = policy.context.length + policy.commands.length + policy.slash.length === 0;
  return isEmpty ? null : policy;
}

function compileNotifications({ notifications }: Config): NotificationPolicy | null {
  const { enabled, hooks, showErrors, showSuccess, showSystemEvents } = notifications;
  return enabled && hooks.length > 0 ? { hooks, showErrors, showSuccess, showSystemEvents } : null;
}

/** By name, which puts `*` first. */
function compileGroups(
  commands: Readonly<Record<string, readonly ConfiguredCommand[]>>,
  nameOf: (glob: string, index: number) => string,
  meantBy = (glob: string) => glob,
): CommandsFor[] {
  return Object.entries(commands)
    .filter(([, list]) => list.length > 0)
    .sort(([one], [other]) => one < other ? -1 : 1)
    .map(([glob, list]) => ({
      pattern: compileGlob(meantBy(glob)),
      commands: list.map((command, i) => compileCommand(command, nameOf(glob, i))),
    }));
}

function patternOf(source: string, ignoresCase: boolean): PatternRule {
  return { source, flags: ignoresCase ? "i" : "" };
}

/** A command as the schema has it; of keys that its section does not know, the defaults count. */
interface ConfiguredCommand {
  readonly run: string;
  readonly message?: string | undefined;
  readonly showStdout?: boolean;
  readonly showStderr?: boolean;
  readonly maxOutputLines?: number | null;
  readonly timeout?: number | null;
  readonly showCommand?: boolean;
  readonly notifyPerCommand?: boolean;
}

/** Longest line of a command that is told, in characters. */
const MAX_TOLD_CHARS = 200;

/**
 * What stands before the script. Before every line that begins something, the line before it is judged, and where the
 * script has come to is written down: so the first line that fails ends it, and is known, also when it hangs. All of it
 * stands in the lines that a person wrote, so that the shell's own messages count them rightly.
 */
const MARKING = [
  "__conclaude_report=$1; shift; __conclaude_at() { __conclaude_status=$?;",
  '[ "$__conclaude_status" -eq 0 ] || exit "$__conclaude_status";',
  'printf %s "$1" 2>/dev/null >|"$__conclaude_report" || :; }; ',
].join(" ");

/** Compiles one command. @param rule Its name: `stop.commands[0]`. */
export function compileCommand(command: ConfiguredCommand, rule: string): CommandRule {
  const parts = splitScript(command.run);
  return {
    rule,
    script: MARKING + "\n".repeat(linesBefore(command.run, parts)) +
      parts.map((part, i) => `__conclaude_at ${i}; ${part}`).join("") + "\n",
    lines: parts.map(firstLine),
    message: command.message ?? null,
    showStdout: command.showStdout ?? false,
    showStderr: command.showStderr ?? false,
    maxOutputLines: command.maxOutputLines ?? null,
    timeoutSeconds: command.timeout ?? null,
    showCommand: command.showCommand ?? true,
    notifies: command.notifyPerCommand ?? false,
  };
}

/**
 * The parts of a script, cut where a line begins a new statement: what belongs together (an `if`, a here-document) stays
 * so. A script that cannot be read is one part; the shell will say what is wrong with it.
 */
export function splitScript(script: string): string[] {
  const { commands, errors } = parse(script);
  if (errors !== undefined && errors.length > 0) return [script];
  const starts = commands
    .map(({ pos }) => pos)
    .filter((pos) => /(?:^|\n)[ \t]*$/.test(script.slice(0, pos)));
  const parts = starts.map((start, i) => script.slice(start, starts[i + 1]));
  return parts.length === 0 ? [script] : parts;
}

/** Comments and empty lines before the first part are in none. */
function linesBefore(script: string, parts: readonly string[]): number {
  const before = script.slice(0, script.length - parts.join("").length);
  return before.split("\n").length - 1;
}

function firstLine(part: string): string {
  const [line = "", ...more] = part.trim().split("\n");
  const whole = more.some((next) => next.trim() !== "" && !next.trim().startsWith("#"))
    ? `${line} …`
    : line;
  return whole.length <= MAX_TOLD_CHARS
    ? whole
    : `${whole.slice(0, MAX_TOLD_CHARS - 1).toWellFormed()}…`;
}
