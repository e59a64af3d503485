/**
 * What may stand in a configuration file: one schema, from which the types, the validation, the JSON Schema, the table
 * of keys and the text of `config init` are made. A new section is one more `section(…)` in `SHAPE`.
 *
 * Here a value is only judged; reading, layers and paths are in `parse.ts`.
 */
import * as z from "zod/mini";
import { globFault } from "./globs.ts";

/** One key of the configuration, as people read about it. */
export interface ConfigKey {
  /** The dotted name: `capture.exclude.tools`. */
  readonly key: string;
  /** In words: `whole number`, `list of globs`. */
  readonly type: string;
  /** Of a list: one of its values in words, `glob`. */
  readonly item?: string;
  /** What counts when no file names the key; null when there is no value then. */
  readonly default: boolean | number | string | null | readonly string[];
  /** What the key does, in whole sentences. */
  readonly description: string;
  /** Smallest and largest number, both allowed. */
  readonly range?: readonly [min: number, max: number];
}

/** A map of keys below one name. */
export interface ConfigSection {
  /** The dotted name: `capture.exclude`. */
  readonly key: string;
  readonly description: string;
}

type Fact = Omit<ConfigKey, "key">;
type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** What the schema objects stand for; zod keeps values, this keeps words. */
const FACTS = new Map<z.ZodMiniType, Fact | { readonly description: string; readonly of: Shape }>();

const glob = z.string().check(z.check<string>(({ value, issues }) => {
  const fault = globFault(value);
  if (fault) issues.push({ code: "custom", message: fault, input: value });
}));

const pattern = z.string().check(z.check<string>(({ value, issues }) => {
  const fault = patternFault(value);
  if (fault) issues.push({ code: "custom", message: fault, input: value });
}));

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
          glob,
          "Project directories, as absolute paths (`~` is the home). A folder covers everything below it.",
        ),
        tools: list("glob", glob, "Names of tools, for example `mcp__mail__*`."),
        paths: list(
          "glob",
          glob,
          "Files that a tool touches. Each glob is tried on the absolute path (`~` is the home) and, inside the " +
            "project, on the path from the project directory. A folder covers everything below it.",
        ),
      },
    ),
    maxPayloadBytes: int(
      [4096, 67_108_864],
      1_048_576,
      "The longest payload that is kept whole, in bytes. Of a longer one, head and tail stay.",
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
  store: section("How long state is kept.", {
    sessionRetentionDays: int(
      [0, 36_500],
      30,
      "Days that a session, its audit trail and its captures stay after the session ended. 0 is for ever.",
    ),
    retentionBatchRows: int([10, 10_000], 500, "Rows that one clean-up step removes at most."),
  }),
} satisfies Shape;

/** Strict: a key that is not named above is refused. Parsing `{}` gives the defaults. */
export const configSchema = z.strictObject(SHAPE);

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** A complete configuration: every key has a value. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;

/** Every key, in the order in which people should meet them. */
export const CONFIG_KEYS: readonly ConfigKey[] = keysOf(SHAPE, "");

/** Every section, the outer before the inner. */
export const CONFIG_SECTIONS: readonly ConfigSection[] = sectionsOf(SHAPE, "");

/** What a part of the schema means, for the JSON Schema; `undefined` for parts inside a key. */
export function descriptionOf(part: unknown): string | undefined {
  return FACTS.get(part as z.ZodMiniType)?.description;
}

function keep<T extends z.ZodMiniType>(schema: T, fact: Fact): T {
  FACTS.set(schema, fact);
  return schema;
}

function bool(fallback: boolean, description: string) {
  return keep(z._default(z.boolean(), fallback), {
    type: "true or false",
    default: fallback,
    description,
  });
}

function int(range: readonly [min: number, max: number], fallback: number, description: string) {
  const schema = z._default(z.int().check(z.minimum(range[0]), z.maximum(range[1])), fallback);
  return keep(schema, { type: "whole number", range, default: fallback, description });
}

function place(description: string) {
  const schema = z._default(z.nullable(z.string().check(z.minLength(1))), null);
  return keep(schema, { type: "path", default: null, description });
}

function list<T extends z.ZodMiniType<string, string>>(item: string, of: T, description: string) {
  const schema = z._default(z.array(of), []);
  return keep(schema, { type: `list of ${item}s`, item, default: [], description });
}

function section<S extends Shape>(description: string, of: S) {
  const schema = z.prefault(z.strictObject(of), {} as z.input<z.ZodMiniObject<S, z.core.$strict>>);
  FACTS.set(schema, { description, of });
  return schema;
}

function keysOf(shape: Shape, prefix: string): ConfigKey[] {
  return Object.entries(shape).flatMap(([name, schema]): ConfigKey[] => {
    const fact = FACTS.get(schema);
    if (fact === undefined) return [];
    if ("of" in fact) return keysOf(fact.of, `${prefix}${name}.`);
    return [{ key: prefix + name, ...fact }];
  });
}

function sectionsOf(shape: Shape, prefix: string): ConfigSection[] {
  return Object.entries(shape).flatMap(([name, schema]): ConfigSection[] => {
    const fact = FACTS.get(schema);
    if (fact === undefined || !("of" in fact)) return [];
    const key = prefix + name;
    return [{ key, description: fact.description }, ...sectionsOf(fact.of, `${key}.`)];
  });
}

function patternFault(source: string): string | undefined {
  try {
    if (new RegExp(source, "g").test("")) {
      return "it matches the empty text, so it would mask everything";
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
