/**
 * Describes the configuration as hooks need it: plain values, compiled once and then read from the cache. So a hook
 * loads neither the YAML parser nor the schema.
 */

/** The tool uses that requirements are about. */
export interface RequiredUses {
  /** Names of tools; `*` when the glob of some requirement may match any tool. */
  readonly tools: readonly string[];
  /** Whether edits are among them: then shell commands that write files count as well. */
  readonly edits: boolean;
  /** A regular expression that matches every script which a requirement could mean; empty for none. */
  readonly commands: string;
}

/**
 * The part of the configuration that hooks look at. Plain JSON: `JSON.parse(JSON.stringify(c))` equals `c`.
 * Regular expressions are sources; `requiredUses.commands` is made for the flag `i`. Those of the `exclude…` lists are
 * anchored at both ends, expect `/` as the separator, and are made for `new RegExp(source, "s")`; those of
 * `redactPatterns` for `new RegExp(source, "g")`.
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
  /** Patterns for the absolute project directory. A match also covers the folders below. */
  readonly excludeProjects: readonly string[];
  /** Patterns for the name of a tool. */
  readonly excludeTools: readonly string[];
  /**
   * Patterns for a file's absolute path and, inside the project, for its path from there (`src/a.ts`). A match also
   * covers what is below a named folder.
   */
  readonly excludePaths: readonly string[];
  /** Patterns for a shell command, and for each of the commands that it joins by `&&`, `;` or a pipe. */
  readonly excludeCommands: readonly string[];
  /** The longest payload that is kept whole, in bytes, 4096 to 67108864. */
  readonly maxPayloadBytes: number;
  /** Patterns for more secrets to mask, besides the built-in kinds. They never match the empty text. */
  readonly redactPatterns: readonly string[];
  /** False: captures are not worked into memory, and Claude learns nothing of earlier sessions. */
  readonly memoryEnabled: boolean;
  /** How many tokens about earlier sessions a session gets at most, 0 to 2500. */
  readonly contextTokens: number;
  /** Whether the person learns at the start of a session what memory holds. */
  readonly tellsPerson: boolean;
  /** Whether Claude gets what memory holds about a prompt, and about a file that it edits. */
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
  /** A `GuardPolicy` as JSON; without any file the built-in one; empty when no guard is on. */
  readonly guards: string;
  /** A `RequirementPolicy` as JSON; empty when there are no requirements. */
  readonly requirements: string;
  /** Names of requirements that a mistake switches off, `a, b and 2 more`; empty when there are none. */
  readonly brokenRequirements: string;
  readonly requiredUses: RequiredUses;
  /** Tools whose calls may satisfy a requirement, or end its satisfaction; `*` is any. */
  readonly followedTools: readonly string[];
  /** Why a configuration file does not count, with its path, line and column; empty when all can be read. */
  readonly unreadable: string;
  /** A `StopPolicy` as JSON; empty when nothing is judged at a stop. */
  readonly stop: string;
  /** A `SubagentPolicy` as JSON; empty when nothing runs at a subagent's stop. */
  readonly subagentStop: string;
  /** A `PromptPolicy` as JSON; empty when nothing is done with prompts. */
  readonly prompts: string;
  /** A `NotificationPolicy` as JSON; empty when nothing is shown. */
  readonly notifications: string;
  /** Paths of files that changed while a session was active: their earlier version stays in force. */
  readonly held: readonly string[];
  /** How many problems the configuration files have; above 0, `conclaude config validate` names them. */
  readonly problems: number;
  /** The keys of the first problems, or the path of a file that cannot be read. */
  readonly problemKeys: readonly string[];
}
