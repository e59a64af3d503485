/**
 * What may stand in a configuration file: one schema, from which the types, the validation, the JSON Schema, the table
 * of keys and the text of `config init` are made. A new section is one more `section(…)` in `SHAPE`.
 *
 * Here a value is only judged; reading, layers and paths are in `parse.ts`.
 */
import * as z from "zod/mini";
import {
  bool,
  choice,
  type ConfigKey,
  type ConfigSection,
  int,
  itemKeysOf,
  keysOf,
  list,
  needed,
  optional,
  perhaps,
  place,
  rowName,
  rules,
  said,
  section,
  sectionsOf,
  type Shape,
  text,
} from "./schema_kit.ts";
import { globText, pattern } from "./schema_text.ts";
import { MEMORY } from "./schema_memory.ts";
import { HOOKS, REQUIREMENTS } from "./schema_requirements.ts";
import { ORCHESTRATION } from "./schema_orchestration.ts";
import { STOP_SECTIONS } from "./schema_stop.ts";

const SHAPE = {
  inherit: bool(
    true,
    "Whether the user's own file (`~/.conclaude/config.yaml`) counts below this one. " +
      "False in a project's file drops it. In the user's own file it has no effect.",
  ),
  database: section("Where state is kept.", {
    enabled: bool(
      true,
      "False keeps everything in memory: nothing outlives a hook, so nothing is remembered.",
    ),
    path: place(
      "The database file. A relative path starts at the folder of the configuration file; `~` is the home. " +
        "Without it: `~/.conclaude/conclaude.db`.",
    ),
    busyTimeoutMs: int(
      [100, 8000],
      3000,
      "How long a write waits while another process writes, in milliseconds.",
    ),
  }),
  capture: section("What is kept of the tools that Claude Code uses.", {
    enabled: bool(
      true,
      "False keeps no tool uses; sessions, counters and the audit trail go on.",
    ),
    exclude: section(
      "What is never kept. In these globs `*` and `?` also match `/`, `[a-z]` and `{a,b}` work, " +
        "and upper and lower case differ.",
      {
        projects: list(
          "glob",
          globText(),
          "Project directories, as absolute paths (`~` is the home). A folder covers everything below it.",
        ),
        tools: list("glob", globText(), "Names of tools, for example `mcp__mail__*`."),
        paths: list(
          "glob",
          globText(),
          "Files that a tool touches. Each glob is tried on the absolute path (`~` is the home) and, inside the " +
            "project, on the path from the project directory. A folder covers everything below it.",
        ),
      },
    ),
    maxPayloadBytes: int(
      [4096, 67_108_864],
      1_048_576,
      "The longest payload that is kept whole, in bytes. Of a longer one, head and tail stay. One that holds what may be " +
        "a secret is kept up to 128 KiB, any other up to 4 MiB; of a longer one, the beginnings of its texts stay.",
    ),
    redact: section(
      "Secrets are masked before anything is written. This cannot be switched off, only extended.",
      {
        patterns: list(
          "regular expression",
          pattern,
          "Regular expressions (JavaScript, no flags) of more text to mask.",
        ),
      },
    ),
  }),
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
  ...STOP_SECTIONS,
  requirements: REQUIREMENTS,
  hooks: HOOKS,
  memory: MEMORY,
  orchestration: ORCHESTRATION,
  store: section("How long state is kept.", {
    sessionRetentionDays: int(
      [0, 36_500],
      30,
      "Days that a session, its audit trail and its captures stay after the session ended. 0 is for ever.",
    ),
    retentionBatchRows: int([10, 10_000], 500, "Rows that one clean-up step removes at most."),
    backups: int(
      [0, 100],
      2,
      "Daily backups of the database that are kept, in `~/.conclaude/backups`. 0 makes none.",
    ),
    claimTimeoutMinutes: int(
      [1, 10_080],
      30,
      "Minutes that the claim on a task counts without being renewed. Then anybody may claim the task.",
    ),
    taskRetentionDays: int(
      [0, 36_500],
      30,
      "Days that a closed task stays before it is deleted. 0 is for ever.",
    ),
    taskSoftDeleteDays: int(
      [0, 36_500],
      7,
      "Days that a deleted task can be restored before it is removed for good. 0 is for ever.",
    ),
    workflowRetentionDays: int(
      [0, 36_500],
      7,
      "Days that a workflow stays after it is over. 0 is for ever.",
    ),
    eventRetentionHours: int(
      [0, 876_000],
      24,
      "Hours that events of tasks, agents and workflows stay. 0 is for ever.",
    ),
  }),
} satisfies Shape;

/** Strict: a key that is not named above is refused. Parsing `{}` gives the defaults. */
export const configSchema = z.strictObject(SHAPE);

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** A complete configuration: every key has a value. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;

/** Every key, in the order in which people should meet them. */
export const CONFIG_KEYS: readonly ConfigKey[] = keysOf(SHAPE, "");

/** The keys of the maps that lists hold: `preToolUse.uneditableFiles[].pattern`. */
export const CONFIG_ITEM_KEYS: readonly ConfigKey[] = itemKeysOf(SHAPE, "");

/** Every section, the outer before the inner. */
export const CONFIG_SECTIONS: readonly ConfigSection[] = sectionsOf(SHAPE, "");

/** The name of a key in the tables above, whichever entry of a list or a map it is in: `requirements.<name>.scope`. */
export function configRowName(path: readonly (string | number)[]): string {
  return rowName(SHAPE, path);
}
