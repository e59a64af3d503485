/**
 * The configuration as a hook needs it: a handful of plain values, compiled once and then served from the cache, so
 * that a hook loads neither the YAML parser nor the schema. Only types are imported here for the same reason.
 */

import type { RequiredUses } from "../requirement/look.ts";

/**
 * Everything of the configuration that a hook looks at. Plain JSON: `JSON.parse(JSON.stringify(c))` equals `c`.
 *
 * Regular expressions are sources without flags. Those of the `exclude…` lists are anchored at both ends, expect `/`
 * as the separator, and are made for `new RegExp(source, "s")`; those of `redactPatterns` for `new RegExp(source, "g")`.
 */
export interface HookConfig {
  /** False: state lives in memory only, for the life of one process. */
  readonly databaseEnabled: boolean;
  /** Absolute path of the database file, or null for the default place. */
  readonly databasePath: string | null;
  /** How long a write waits for another process, in milliseconds, 100 to 8000. */
  readonly busyTimeoutMs: number;
  /** False: tool uses are not kept; sessions, counters and the audit trail are. */
  readonly captureEnabled: boolean;
  /** To be tried on the absolute project directory. A match also covers the folders below the named one. */
  readonly excludeProjects: readonly string[];
  /** To be tried on the tool name. */
  readonly excludeTools: readonly string[];
  /**
   * To be tried on a file's absolute path and, when the file is inside the project, also on its path relative to the
   * project directory (`src/a.ts`, no leading `./`). A match also covers what is below a named folder.
   */
  readonly excludePaths: readonly string[];
  /** The longest payload that is kept whole, in bytes, 4096 to 67108864. */
  readonly maxPayloadBytes: number;
  /** The user's own secrets to mask, beside the built-in ones. Never matches the empty text. */
  readonly redactPatterns: readonly string[];
  /** False: nothing is worked into memory, and nothing told of it. */
  readonly memoryEnabled: boolean;
  /** What a session is told of earlier ones at most, in tokens, 0 to 2500. */
  readonly contextTokens: number;
  /** Whether prompts, and edits of a file, are answered with what is remembered about them. */
  readonly recallsPrompts: boolean;
  readonly recallsEdits: boolean;
  /** Days that an observation stays, 0 to 36500; 0 keeps it for ever. */
  readonly memoryRetentionDays: number;
  /** Days that a session stays after it ended, 0 to 36500; 0 keeps it for ever. */
  readonly sessionRetentionDays: number;
  /** Rows that one retention step removes at most, 10 to 10000. */
  readonly retentionBatchRows: number;
  /** Daily backups that are kept, 0 to 100; 0 makes none. */
  readonly dailyBackups: number;
  /** Minutes that the claim on a task counts without being renewed, 1 to 10080. */
  readonly claimTimeoutMinutes: number;
  /** What is judged before a tool runs: a `GuardPolicy` as JSON, read only by who needs it; empty when nothing is. */
  readonly guards: string;
  /** What has to be true before something is done: a `RequirementPolicy` as JSON; empty when nothing has. */
  readonly requirements: string;
  /** The names of requirements that are switched off by a mistake in them, `a, b and 2 more`; empty when none is. */
  readonly brokenRequirements: string;
  /** The tool uses that requirements are about, all together. */
  readonly requiredUses: RequiredUses;
  /** Tools after whose use a requirement may be satisfied, or used up; `*` is any. */
  readonly followedTools: readonly string[];
  /** Why a configuration file counts for nothing, with its path, line and column; empty when all can be read. */
  readonly unreadable: string;
  /** What is judged when Claude stops: a `StopPolicy` as JSON; empty when nothing is. */
  readonly stop: string;
  /** What is run when a subagent stops: a `SubagentPolicy` as JSON; empty when nothing is. */
  readonly subagentStop: string;
  /** What is done with prompts: a `PromptPolicy` as JSON; empty when nothing is. */
  readonly prompts: string;
  /** What is shown on the desktop: a `NotificationPolicy` as JSON; empty when nothing is. */
  readonly notifications: string;
  /** True: a file of the project is there, and none names `preToolUse.preventRootAdditions`, which is off unless it is named. */
  readonly isSilentAboutRoot: boolean;
  /** How many problems the configuration files have; above 0, `conclaude config validate` names them. */
  readonly problems: number;
  /** The keys that the first of them are about, or the file where it cannot be read at all. */
  readonly problemKeys: readonly string[];
}
