/**
 * Defines the schema of a configuration file. The types, the validation, the JSON Schema, the table of keys and the
 * text of `config init` are made from it. This file has the sections about state and captures; other rooms add theirs
 * through `sections.ts`. Files are read and merged in `parse.ts`.
 */
import * as z from "zod/mini";
import {
  bool,
  globText,
  int,
  type KeyTables,
  list,
  pattern,
  place,
  rowName,
  section,
  type Shape,
  tablesOf,
} from "./schema_kit.ts";
import { sections } from "./sections.ts";

const FIRST = {
  inherit: bool(
    true,
    "False in a project's file drops the user's own file (`~/.conclaude/config.yaml`).",
  ),
  database: section("Where state is kept.", {
    enabled: bool(true, "False keeps everything in memory, so nothing is remembered."),
    path: place(
      "The database file, relative to the folder of this file. Without it: `~/.conclaude/conclaude.db`.",
    ),
    busyTimeoutMs: int(
      [100, 8000],
      3000,
      "Milliseconds that a write waits while another process writes.",
    ),
  }),
  capture: section("What is kept of the tools that Claude Code uses.", {
    enabled: bool(true, "False keeps no tool uses; sessions, counters and the audit trail go on."),
    exclude: section("What is never kept.", {
      projects: list(
        "glob",
        globText(),
        "Project directories, absolute (`~` is the home), with all below.",
      ),
      tools: list("glob", globText(), "Names of tools: `mcp__mail__*`."),
      paths: list(
        "glob",
        globText(),
        "Files that a tool touches, that Grep and Glob look through or that a command names, with all below a folder. Tried on the absolute path and on the path from the project.",
      ),
      commands: list(
        "glob",
        globText(),
        "Shell commands: `vault *`. Tried on the whole command and on each that it joins.",
      ),
    }),
    maxPayloadBytes: int(
      [4096, 67_108_864],
      1_048_576,
      "The longest payload that is kept whole, in bytes. Of a longer one, head and tail stay.",
    ),
    redact: section("Secrets are always masked before anything is written.", {
      patterns: list(
        "regular expression",
        pattern,
        "More text to mask: JavaScript patterns, no flags.",
      ),
    }),
  }),
} satisfies Shape;

const LAST = {
  store: section("How long state is kept. 0 is for ever.", {
    sessionRetentionDays: int(
      [0, 36_500],
      30,
      "Days that a session, its audit trail and its captures stay after its end.",
    ),
    retentionBatchRows: int([10, 10_000], 500, "Rows that one clean-up step removes at most."),
    claimTimeoutMinutes: int(
      [1, 10_080],
      30,
      "Minutes after which a claim that is not renewed is void.",
    ),
    taskRetentionDays: int([0, 36_500], 30, "Days that a closed task stays."),
    taskSoftDeleteDays: int([0, 36_500], 7, "Days that a deleted task can be restored."),
    workflowRetentionDays: int([0, 36_500], 7, "Days that a workflow stays after its end."),
    eventRetentionHours: int(
      [0, 876_000],
      24,
      "Hours that events of tasks, agents and workflows stay.",
    ),
    backups: int([0, 100], 2, "Daily backups that are kept, in `~/.conclaude/backups`."),
  }),
} satisfies Shape;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** The values of sections: every key has one. */
export type SectionValues<S extends Shape> = DeepReadonly<{ [K in keyof S]: z.output<S[K]> }>;

/** A complete configuration, without the sections of other rooms. */
export type Config = SectionValues<typeof FIRST & typeof LAST>;

/** The schema, and the tables that are made from it. */
export interface ConfigSchema extends KeyTables {
  /** Refuses unknown keys. Parsing `{}` gives the defaults. */
  readonly schema: z.ZodMiniType<Config>;
  /** The name of a key in these tables, without the index or name of the entry: `requirements.<name>.scope`. */
  readonly rowName: (path: readonly (string | number)[]) => string;
}

let made: ConfigSchema | undefined;

/** Returns the schema of all sections. @throws {Error} As `sections()`. */
export function configSchema(): ConfigSchema {
  if (made !== undefined) return made;
  const shape: Shape = { ...FIRST, ...sections().shape, ...LAST };
  return made = {
    schema: z.strictObject(shape) as unknown as z.ZodMiniType<Config>,
    ...tablesOf(shape),
    rowName: (path) => rowName(shape, path),
  };
}
