/**
 * What may stand in a configuration file: one schema, from which the types, the validation, the JSON Schema, the table
 * of keys and the text of `config init` are made. Here are the sections about state and captures; other rooms bring
 * theirs (`sections.ts`).
 *
 * A value is only judged here; reading, layers and paths are in `parse.ts`.
 */
import * as z from "zod/mini";
import {
  bool,
  type ConfigKey,
  type ConfigSection,
  globText,
  int,
  itemKeysOf,
  keysOf,
  list,
  pattern,
  place,
  rowName,
  section,
  sectionsOf,
  type Shape,
} from "./schema_kit.ts";
import { sections } from "./sections.ts";

const FIRST = {
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
} satisfies Shape;

const LAST = {
  store: section("How long state is kept.", {
    sessionRetentionDays: int(
      [0, 36_500],
      30,
      "Days that a session, its audit trail and its captures stay after the session ended. 0 is for ever.",
    ),
    retentionBatchRows: int([10, 10_000], 500, "Rows that one clean-up step removes at most."),
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

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** The values of sections: every key has one. */
export type SectionValues<S extends Shape> = DeepReadonly<{ [K in keyof S]: z.output<S[K]> }>;

/** A complete configuration, as far as `config/` knows it. */
export type Config = SectionValues<typeof FIRST & typeof LAST>;

/** The schema, and the tables that are made from it. */
export interface ConfigSchema {
  /** Strict: a key that is not named is refused. Parsing `{}` gives the defaults. */
  readonly schema: z.ZodMiniType<Config>;
  /** Every key, in the order of `config init`. */
  readonly keys: readonly ConfigKey[];
  /** The keys of rules in lists: `preToolUse.uneditableFiles[].pattern`. */
  readonly itemKeys: readonly ConfigKey[];
  /** Every section, the outer before the inner. */
  readonly sections: readonly ConfigSection[];
  /** The name of a key in these tables, without the index or name of the entry: `requirements.<name>.scope`. */
  readonly rowName: (path: readonly (string | number)[]) => string;
}

let made: ConfigSchema | undefined;

/** @throws {Error} As `sections()`. */
export function configSchema(): ConfigSchema {
  if (made !== undefined) return made;
  const shape: Shape = { ...FIRST, ...sections().shape, ...LAST };
  return made = {
    schema: z.strictObject(shape) as unknown as z.ZodMiniType<Config>,
    keys: keysOf(shape, ""),
    itemKeys: itemKeysOf(shape, ""),
    sections: sectionsOf(shape, ""),
    rowName: (path) => rowName(shape, path),
  };
}
