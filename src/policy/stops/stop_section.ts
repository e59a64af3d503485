/** Defines and compiles the sections `stop`, `subagentStop`, `userPromptSubmit` and `notifications`. */
import { parse } from "unbash";
import * as z from "zod/mini";
import type { SectionValues } from "../../config/config_schema.ts";
import { compileGlob } from "../../config/globs.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import {
  bool,
  choice,
  globText,
  int,
  list,
  needed,
  optional,
  perhapsInt,
  regexText,
  rules,
  rulesByGlob,
  said,
  section,
  text,
} from "../../config/schema_kit.ts";
import type { CompileFrom } from "../../config/sections.ts";
import type { CommandRule } from "../../system/process/types.ts";
import { KNOWN_EVENTS } from "../../claude/settings/lanes.ts";
import type { GUARD_SECTIONS } from "../guards/guard_section.ts";
import type { NotificationPolicy } from "../notify.ts";
import type {
  CommandsFor,
  PatternRule,
  PromptPolicy,
  SubagentPolicy,
} from "../prompts/prompt_commands.ts";
import type { StopPolicy } from "./stop_blocks.ts";

/** Claude Code overrides a ninth block in a row. */
const MAX_BLOCKS = 8;

/** A line that is neither empty nor a comment. */
const STATEMENT = /^[^\S\n]*[^\s#]/m;

const RUN = needed(
  "text",
  z.string().check(
    z.minLength(1),
    z.check<string>(({ value, issues }) => {
      if (value === "" || STATEMENT.test(value)) return;
      issues.push({ code: "custom", message: "no line of it runs anything", input: value });
    }),
  ),
  "The script, run by `bash`, or `sh`. The first line that fails ends it.",
);

const TIMEOUT = perhapsInt(
  [1, 3600],
  "Seconds after which the command is ended, with its process group, and counts as failed.",
);

const COMMAND = {
  run: RUN,
  message: said("A text for the report of a failure."),
  showStdout: bool(false, "Whether the report of a failure shows the standard output."),
  showStderr: bool(false, "Whether the report of a failure shows the error output."),
  maxOutputLines: perhapsInt([1, 10_000], "How many first lines of each output are shown."),
  timeout: TIMEOUT,
  showCommand: bool(true, "Whether the report of a failure shows the failing line."),
  notifyPerCommand: bool(false, "Whether its end shows a desktop notification of its own."),
};

const WHEN = choice(
  ["always", "changed"],
  "`changed`: only if a tool that can change files was used since the last stop that was let through.",
  "always",
);

const IGNORE_CASE = "Whether upper and lower case are the same.";

/** The name of a known event, since an unknown event would never come. */
const eventName = z.string().check(z.check<string>(({ value, issues }) => {
  if (value === "*" || KNOWN_EVENTS.some((name) => name === value)) return;
  issues.push({ code: "custom", message: "Claude Code has no such event", input: value });
}));

export const STOP_SECTIONS = {
  stop: section("What must be true before Claude stops.", {
    commands: rules(
      "Commands that have to succeed, run in the folder of the configuration file until one fails.",
      { ...COMMAND, when: WHEN },
      { item: "map of keys" },
    ),
    infinite: bool(false, "Whether Claude is told to go on although everything succeeded."),
    infiniteMessage: text("What Claude is told. Default: `continue working on the task`."),
    rounds: perhapsInt(
      [1, 10_000],
      "How many times Claude has to finish: with 3 it is told twice to go on.",
    ),
    maxBlocks: int(
      [1, MAX_BLOCKS],
      6,
      "How many stops in a row are held back. With requirements, 8 counts as 7.",
    ),
    promptPrefixBlocking: section(
      "Messages that hold back the first stops of a session that began with a certain prompt.",
      {
        prefixes: list(
          "glob",
          globText(),
          "Matched against the first 100 characters of the first prompt: `/review*`.",
        ),
        messages: rules(
          "The messages, one after the other.",
          {
            text: needed("text", z.string().check(z.minLength(1)), "The message."),
            times: int([1, 1000], 1, "How many stops the message holds back."),
          },
          { item: "map of keys" },
        ),
      },
    ),
  }),
  subagentStop: section("What runs when a subagent stops. It never holds back the subagent.", {
    commands: rulesByGlob(
      "Commands by the subagent's type or id. All that match are run; the person is told of failures.",
      COMMAND,
    ),
  }),
  userPromptSubmit: section("What happens when a person sends a prompt.", {
    contextRules: rules(
      "Texts that Claude gets with prompts that a pattern matches.",
      {
        pattern: needed("regular expression", regexText(), "Searched anywhere in the prompt."),
        prompt: needed(
          "text",
          z.string().check(z.minLength(1)),
          "The text for Claude; `@path` stands for a file in the folder of the configuration file.",
        ),
        enabled: bool(true, "False leaves the rule out."),
        caseInsensitive: bool(false, IGNORE_CASE),
      },
      { item: "map of keys" },
    ),
    commands: rules(
      "Commands that are run with every prompt. Failures are only noted in the audit trail.",
      {
        run: RUN,
        pattern: optional(
          "regular expression",
          regexText(),
          "Runs the command only for prompts in which it is found.",
        ),
        caseInsensitive: bool(false, IGNORE_CASE),
        timeout: TIMEOUT,
      },
      { item: "map of keys" },
    ),
    slashCommands: section("What is run when a prompt begins with a slash command.", {
      commands: rulesByGlob(
        "Commands by the name of the slash command. Status 2 holds the prompt back.",
        COMMAND,
      ),
    }),
  }),
  notifications: section("Notifications on the desktop.", {
    enabled: bool(false, "Whether notifications are shown."),
    hooks: list("hook event", eventName, "The hook events that are shown; `*` means all."),
    showErrors: bool(false, "Whether what was refused, held back or failed is shown."),
    showSuccess: bool(false, "Whether what went well is shown."),
    showSystemEvents: bool(
      true,
      "Whether SessionStart, SessionEnd, UserPromptSubmit, PreCompact and events of subagents are shown.",
    ),
  }),
};

const GO_ON = "continue working on the task";

type Values = SectionValues<typeof STOP_SECTIONS & typeof GUARD_SECTIONS>;

/** Compiles each section to JSON; a section without rules becomes the empty text. */
export function compileStopSections(
  config: Values,
  from: CompileFrom,
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

function compileStop({ stop, preToolUse }: Values, from: CompileFrom): StopPolicy | null {
  const { root } = from;
  const { prefixes, messages } = stop.promptPrefixBlocking;
  const policy: StopPolicy = {
    root,
    commands: compileAll(stop.commands, ["stop", "commands"], from),
    watchedRoot: preToolUse.preventRootAdditions ? root : null,
    rootAdditionsMessage: preToolUse.preventRootAdditionsMessage,
    rounds: stop.rounds,
    infiniteMessage: stop.infinite ? stop.infiniteMessage ?? GO_ON : null,
    maxBlocks: stop.maxBlocks,
    queue: prefixes.length === 0 || messages.length === 0
      ? null
      : { prefixes: prefixes.map((glob) => compileGlob(glob)), messages },
  };
  const isEmpty = policy.commands.length === 0 && policy.watchedRoot === null &&
    policy.rounds === null && policy.infiniteMessage === null && policy.queue === null;
  return isEmpty ? null : policy;
}

function compileSubagents({ subagentStop }: Values, from: CompileFrom): SubagentPolicy | null {
  const groups = compileGroups(subagentStop.commands, ["subagentStop", "commands"], from);
  return groups.length === 0 ? null : { root: from.root, groups };
}

function compilePrompts({ userPromptSubmit }: Values, from: CompileFrom): PromptPolicy | null {
  const { contextRules, commands, slashCommands } = userPromptSubmit;
  const { root, nameOf } = from;
  const ofSlash = ["userPromptSubmit", "slashCommands", "commands"];
  const policy: PromptPolicy = {
    root,
    context: contextRules.flatMap(({ enabled, prompt, ...when }, i) => {
      const rule = nameOf(["userPromptSubmit", "contextRules"], i);
      return enabled ? [{ rule, pattern: patternOf(when), prompt }] : [];
    }),
    commands: commands.map((command, i) => ({
      pattern: patternOf(command),
      command: compileCommand(command, nameOf(["userPromptSubmit", "commands"], i)),
    })),
    // A person may write the name of a slash command with its slash.
    slash: compileGroups(slashCommands.commands, ofSlash, from, /^\/(?=.)/),
  };
  const isEmpty = policy.context.length + policy.commands.length + policy.slash.length === 0;
  return isEmpty ? null : policy;
}

function compileNotifications({ notifications }: Values): NotificationPolicy | null {
  const { enabled, ...policy } = notifications;
  return enabled && policy.hooks.length > 0 ? policy : null;
}

/** Compiles the groups of commands in the order of their names, which puts `*` first. */
function compileGroups(
  commands: Readonly<Record<string, readonly ConfiguredCommand[]>>,
  path: readonly string[],
  from: CompileFrom,
  leftOut: RegExp | string = "",
): CommandsFor[] {
  return Object.entries(commands)
    .filter(([, list]) => list.length > 0)
    .sort(([one], [other]) => one < other ? -1 : 1)
    .map(([glob, list]) => ({
      pattern: compileGlob(glob.replace(leftOut, "")),
      commands: compileAll(list, [...path, glob], from),
    }));
}

function compileAll(
  commands: readonly ConfiguredCommand[],
  path: readonly string[],
  { nameOf }: CompileFrom,
): CommandRule[] {
  return commands.map((command, i) => compileCommand(command, nameOf(path, i)));
}

function patternOf(
  { pattern, caseInsensitive }: Pick<
    Values["userPromptSubmit"]["commands"][number],
    "pattern" | "caseInsensitive"
  >,
): PatternRule | null {
  return pattern === undefined ? null : { source: pattern, flags: caseInsensitive ? "i" : "" };
}

/** A command of a configuration; some sections lack some of the keys. */
type ConfiguredCommand =
  & Pick<Values["stop"]["commands"][number], "run">
  & Partial<Values["stop"]["commands"][number]>;

const MAX_LINE_CHARS = 200;

/**
 * The beginning of a compiled script: a function that each line with a new statement calls. It ends the script if the
 * previous statement failed, and records its place in `lines`, so that the failing line is known, even if it hangs. The
 * calls stand in the person's own lines, so that the shell's messages count lines rightly.
 */
const MARKING = [
  "__conclaude_report=$1; shift; __conclaude_at() { __conclaude_status=$?;",
  '[ "$__conclaude_status" -eq 0 ] || exit "$__conclaude_status";',
  'printf %s "$1" 2>/dev/null >|"$__conclaude_report" || :; }; ',
].join(" ");

/** Compiles a command. @param rule The command's name: `stop.commands[0]`. */
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
    ...(command.when === "changed" ? { onlyAfterChanges: true } : {}),
  };
}

/** Cuts a script where a line begins a new statement. A script that cannot be parsed stays one part. */
export function splitScript(script: string): string[] {
  const { commands, errors } = parse(script);
  if (errors !== undefined && errors.length > 0) return [script];
  const starts = commands
    .map(({ pos }) => pos)
    .filter((pos) => /(?:^|\n)[ \t]*$/.test(script.slice(0, pos)));
  const parts = starts.map((start, i) => script.slice(start, starts[i + 1]));
  return parts.length === 0 ? [script] : parts;
}

/** Counts the lines before the first statement, such as comments, which belong to no part. */
function linesBefore(script: string, parts: readonly string[]): number {
  const before = script.slice(0, script.length - parts.join("").length);
  return before.split("\n").length - 1;
}

function firstLine(part: string): string {
  const [line = "", ...more] = part.trim().split("\n");
  const whole = more.some((next) => next.trim() !== "" && !next.trim().startsWith("#"))
    ? `${line} …`
    : line;
  return whole.length <= MAX_LINE_CHARS
    ? whole
    : `${whole.slice(0, MAX_LINE_CHARS - 1).toWellFormed()}…`;
}
