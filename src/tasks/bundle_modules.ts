/** Which modules of the program lie in which file of the bundle. */

/** What every event runs, and what most of them do: a tool use that is kept. */
export const HOT_MODULES = ["src/hook/work.ts", "src/hook/post_tool_use.ts"];
export const HOT_FILE = "hook/hot.js";

/**
 * What a hook loads when it wants it, each in one file with all that it needs: opening a file costs more than reading
 * twice what two of them share.
 */
export const COLD_MODULES = [
  "src/capture/cap.ts",
  "src/capture/exclusion.ts",
  "src/capture/redact.ts",
  "src/config/cached.ts",
  "src/config/last_policy.ts",
  "src/config/left_out.ts",
  "src/gate/with_git.ts",
  "src/git/configured_aliases.ts",
  "src/gate/unarmed.ts",
  "src/gate/tool_requirements.ts",
  "src/gate/root_additions.ts",
  "src/gate/transcripts.ts",
  "src/gate/root_notice.ts",
  "src/gate/shell_use.ts",
  "src/guard/shell/powershell_reader.ts",
  "src/hook/after_use.ts",
  "src/hook/stop_drain.ts",
  "src/hook/failure.ts",
  "src/hook/masking.ts",
  "src/capture/shorten.ts",
  "src/hook/notification.ts",
  "src/hook/other_event.ts",
  "src/hook/pre_tool_use.ts",
  "src/hook/prompt_expansion.ts",
  "src/hook/recall.ts",
  "src/hook/reminder.ts",
  "src/hook/prompt_rules.ts",
  "src/hook/session_end.ts",
  "src/hook/session_requirements.ts",
  "src/hook/session_start.ts",
  "src/hook/stop.ts",
  "src/hook/stop_judged.ts",
  "src/hook/stop_requirements.ts",
  "src/hook/stop_guards.ts",
  "src/hook/subagent_stop.ts",
  "src/hook/user_prompt_submit.ts",
  "src/maintenance/doctor/mending.ts",
  "src/maintenance/memory_retention.ts",
  "src/maintenance/retention.ts",
  "src/recall/merged_branches.ts",
  "src/spool/drain.ts",
  "src/store/migrate.ts",
  "src/store/session_agents.ts",
  "src/store/shorten_log.ts",
];

/** Apart from what every event runs, but a part of each of the others that want it: it is small. */
export const INSIDE_COLD = ["src/hook/told.ts"];

/** Those that most sessions never want: they are packed. */
export const SELDOM_MODULES = [
  "src/maintenance/doctor/mending.ts",
  "src/maintenance/memory_retention.ts",
  "src/store/migrate.ts",
];

/** The command line, split so that a verb loads what it shares with the others and its own. */
export const SPLIT_MODULE = "src/cli/run.ts";

/** The verbs that agents call in their loops, by the names of their files: they are to open few. */
export const FREQUENT_VERBS = /^(?:task(?:_ready|_list|_work)?|memory)-/;

/** A verb that a person and Claude use often, and that would open a dozen files: it is one, with a copy of what it shares. */
export const WHOLE_VERBS = /^memory_search-/;

/** What such a verb loads only when it wants it. */
export const SELDOM_OF_WHOLE = ["nothing_found"];

/** Which files of the command line become scripts, with what they import at once; the others are packed. */
export const UNPACKED = [/^run\.js/, FREQUENT_VERBS, WHOLE_VERBS];

/** Cold modules that are packed, and what is imported of them. */
export const PACKED_MODULES: Readonly<Record<string, readonly string[]>> = {
  "src/config/parse.ts": ["parseConfig"],
  "src/cli/actions/config.ts": [
    "initConfig",
    "configPath",
    "showConfig",
    "validateConfig",
    "configSchema",
  ],
  "src/cli/actions/req_files.ts": [
    "initRequirements",
    "enableRequirements",
    "disableRequirements",
  ],
  "src/daemon/run.ts": ["runDaemon"],
  "src/mcp/run.ts": ["runMcp"],
  "src/cli/actions/req_import_policy.ts": ["planPolicy", "writePolicy"],
  "src/cli/actions/migrate_state.ts": ["migrate"],
  "src/cli/actions/reconcile.ts": ["reconcile"],
  "src/cli/actions/import_file.ts": ["importFile"],
  "src/cli/actions/import_transcripts.ts": ["importTranscripts"],
  "src/cli/actions/import_claude_mem.ts": ["importClaudeMem"],
  "src/cli/actions/memory_eval.ts": ["evaluate"],
  "src/cli/actions/memory_forget.ts": ["forgetMemory", "verifyForgotten"],
};

/**
 * Half of what the library for MCP brings along: it checks what a server asks of a person and what its tools answer in a
 * structure of their own, by JSON Schema. Our server does neither, and gives the library another checker.
 */
export const UNUSED_PACKAGES = ["ajv", "ajv-formats"];

/** All that `main.js` does not hold. */
export const APART = [
  ...HOT_MODULES,
  ...COLD_MODULES,
  ...INSIDE_COLD,
  SPLIT_MODULE,
  ...Object.keys(PACKED_MODULES),
];

/** `src/hook/failure.ts` becomes `hook/failure.js`. */
export function outputOf(path: string): string {
  if (HOT_MODULES.includes(path)) return HOT_FILE;
  return path.replace(/^src\//, "").replace(/\.ts$/, ".js");
}
