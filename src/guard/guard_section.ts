/** The sections `preToolUse` and `permissionRequest`: their keys, and their compiled form. */
import type { SectionValues } from "../config/config_schema.ts";
import { compileGlob, needleOf } from "../config/globs.ts";
import {
  bool,
  choice,
  globText,
  list,
  needed,
  optional,
  perhaps,
  rules,
  said,
  section,
  text,
} from "../config/schema_kit.ts";
import type { CompileFrom } from "../config/sections.ts";
import type { FileRule, GuardPolicy, ToolRule } from "./guard_policy.ts";

export const GUARD_SECTIONS = {
  preToolUse: section(
    "What is judged before a tool runs. It counts where a project has a configuration file of its own, or where the " +
      "user's own file has this section.",
    {
      strict: bool(
        false,
        "True denies what cannot be told before it runs, such as `$COMMAND --force`; false lets it pass and notes it " +
          "in the audit trail.",
      ),
      preventRootAdditions: bool(
        false,
        "Whether new files directly in the folder of the project's configuration file are refused, and hold back a stop " +
          "when they came about in another way. Files that are there may be changed, and what git ignores may be added. A " +
          "stop is not held back for names with a leading dot either, nor for what git has committed.",
      ),
      preventRootAdditionsMessage: text(
        "What is said then. `{file_path}` and `{tool}` stand for the file and the tool; at a stop for the files, and `Stop`.",
      ),
      uneditableFiles: rules(
        "Files that may not be changed, moved or removed, by a tool or by a shell command. Each is a glob, or a map of " +
          "the keys below. A glob is tried on the path from the project's folder and on the absolute path; `*` also " +
          "matches `/`. One that ends with `/` means the folder and all below it.",
        {
          pattern: needed("glob", globText(), "The files."),
          message: said("What is said instead of the usual reason."),
          agent: optional(
            "glob",
            globText(),
            "Only for these agents: `main` (the main thread), or the type of a subagent or of `claude --agent`.",
          ),
        },
        { shorthand: globText(), item: "glob or map of keys" },
      ),
      preventAdditions: list(
        "glob",
        globText(),
        "Files that may not be made. Those that are there may be changed.",
      ),
      preventUpdateGitIgnored: bool(
        false,
        "Whether files that git ignores may not be changed, moved or removed, by a tool or by a shell command. Git itself " +
          "is asked; a file that it tracks is not ignored. Outside of a repository the rule says nothing.",
      ),
      preventGeneratedFileEdits: bool(
        false,
        "Whether files are protected that say in their first 100 lines that a program wrote them, such as `@generated` " +
          "or `DO NOT EDIT`.",
      ),
      generatedFileMessage: text(
        "What is said then. `{file_path}`, `{tool}` and `{marker}` stand for the file, the tool and what was found.",
      ),
      toolUsageValidation: rules(
        "What tools may be used for. A rule that blocks forbids what it matches; where a tool has rules that allow, it " +
          "may only be used for what one of them matches. Shell commands are taken apart first: every command of a " +
          "script is judged by itself, in the order of the rules, until one allows it.",
        {
          tool: needed("glob", globText(), "The name of the tool, or `*`."),
          action: choice(["block", "allow"], "What the rule does with what it matches."),
          pattern: optional(
            "glob",
            globText(),
            "The files, of a tool that works on a file. A rule that blocks a tool that changes files (`Write`, `Edit`, " +
              "`MultiEdit`, `NotebookEdit`) also holds for what a shell command changes, and one about `Edit` for " +
              "`MultiEdit`. Of a tool of an MCP server: what its input names `path`, `file_path`, `source`, " +
              "`destination` and the like.",
          ),
          commandPattern: optional(
            "glob",
            globText(),
            "The commands, of `Bash`, `PowerShell` or `Monitor`: `git push --force*`. A rule about `Bash` holds for every " +
              "shell, one about another for that alone, where upper and lower case are alike in PowerShell.",
          ),
          matchMode: choice(
            ["full", "prefix"],
            "Whether the pattern of a command has to match all of it, or its first words are enough. Without it: full.",
            "full",
          ),
          message: said(
            "What is said instead of the usual reason. `{tool}`, `{file_path}` and `{command}` stand for what was asked for.",
          ),
          agent: optional(
            "glob",
            globText(),
            "Only for these agents: `main` (the main thread), or the type of a subagent or of `claude --agent`.",
          ),
        },
        { item: "map of keys" },
      ),
      denyDangerousCommands: bool(
        true,
        "Whether commands are refused that destroy what nobody can bring back: `rm -rf` of the home, the project or " +
          "the system, `git push --force` (not `--force-with-lease`), `git reset --hard origin/main`, `git clean -f`, " +
          "`DROP TABLE`, `TRUNCATE`, `git push --delete origin main`.",
      ),
      protectPolicy: bool(
        true,
        "Whether the agent is kept from changing policy files: conclaude's own, workflows, prompts, hooks, variables and " +
          "plugins in Claude Code's settings, code inside it, `.git` and its `HEAD`; and from commands that are a " +
          "person's: `conclaude guard pause`, `conclaude req satisfy` and their like. People can always do all of it.",
      ),
    },
  ),
  permissionRequest: section(
    "What is answered when Claude Code would ask a person whether a tool may be used. Without any of these keys the " +
      "person is asked.",
    {
      deny: list("glob", globText(), "Names of tools that are refused. They are looked at first."),
      allow: list(
        "glob",
        globText(),
        "Names of tools that are allowed without asking; what the rules above forbid is refused all the same.",
      ),
      default: perhaps(
        ["allow", "deny"],
        "The answer for every other tool. Without it the person is asked.",
      ),
    },
  ),
};

type Values = SectionValues<typeof GUARD_SECTIONS>;
type PreToolUse = Values["preToolUse"];

export function compileGuards(
  { preToolUse, permissionRequest }: Values,
  { root, home, nameOf }: CompileFrom,
): GuardPolicy {
  const files = (key: "uneditableFiles" | "preventAdditions"): FileRule[] =>
    preToolUse[key].map((entry, i) => file(entry, nameOf(["preToolUse", key], i)));
  const file = (entry: PreToolUse["uneditableFiles"][number], name: string): FileRule => {
    const { pattern, message, agent } = typeof entry === "string" ? { pattern: entry } : entry;
    return {
      name,
      glob: pattern,
      pattern: compileFileGlob(pattern, home),
      needle: needleOf(pattern),
      message: message ?? null,
      agent: compiledAgent(agent),
    };
  };
  return {
    root,
    isStrict: preToolUse.strict,
    lock: null,
    preventsRootAdditions: preToolUse.preventRootAdditions,
    rootAdditionsMessage: preToolUse.preventRootAdditionsMessage,
    uneditable: files("uneditableFiles"),
    noAdditions: files("preventAdditions"),
    protectsIgnored: preToolUse.preventUpdateGitIgnored,
    protectsGenerated: preToolUse.preventGeneratedFileEdits,
    generatedMessage: preToolUse.generatedFileMessage,
    tools: preToolUse.toolUsageValidation.map((rule, i) => ({
      name: nameOf(["preToolUse", "toolUsageValidation"], i),
      ...compileTool(rule, home),
    })),
    deniesDangerous: preToolUse.denyDangerousCommands,
    protectsItself: preToolUse.protectPolicy,
    permission: {
      deny: permissionRequest.deny.map(toolName),
      allow: permissionRequest.allow.map(toolName),
      fallback: permissionRequest.default,
    },
  };
}

function compileTool(
  rule: PreToolUse["toolUsageValidation"][number],
  home: string | undefined,
): Omit<ToolRule, "name"> {
  const { tool, action, commandPattern, matchMode, message, agent } = rule;
  const isCommand = commandPattern !== undefined;
  const glob = commandPattern ?? rule.pattern ?? "*";
  return {
    tool,
    toolPattern: tool === "*" || /^\w+$/.test(tool) ? null : compileGlob(tool),
    action,
    about: isCommand ? "command" : "file",
    glob,
    pattern: isCommand ? compileGlob(glob) : compileFileGlob(glob, home),
    needle: needleOf(glob),
    isPrefix: matchMode === "prefix",
    message: message ?? null,
    agent: compiledAgent(agent),
  };
}

/** A pattern that ends with `/` means the folder and all below it. */
function compileFileGlob(glob: string, home: string | undefined): string {
  return compileGlob(glob, { home, coversFolder: glob.endsWith("/") });
}

function toolName(written: string) {
  const glob = written.trim();
  return { glob, pattern: compileGlob(glob) };
}

/** Null for every agent. */
function compiledAgent(glob: string | undefined): string | null {
  return glob === undefined || glob === "*" ? null : compileGlob(glob);
}
