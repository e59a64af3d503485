/** Makes the kinds of keys that the configuration's schema has, and a table of their descriptions. */
import * as z from "zod/mini";
import { globFault } from "./globs.ts";
import { ownValue } from "../base/mapping.ts";

export interface ConfigKey {
  /** The dotted name: `capture.exclude.tools`. */
  readonly key: string;
  /** The type in words: `whole number`, `list of globs`. */
  readonly type: string;
  /** The noun for one value of a list: `glob`. */
  readonly item?: string;
  /** What counts when no file names the key; null for no value. */
  readonly default:
    | boolean
    | number
    | string
    | null
    | readonly string[]
    | Readonly<Record<string, never>>;
  readonly description: string;
  readonly range?: Range;
}

/** The smallest and the largest number, both allowed. */
type Range = readonly [min: number, max: number];

export type ConfigSection = Pick<ConfigKey, "key" | "description">;

type Fact = Omit<ConfigKey, "key"> & {
  /** The keys of the maps in this list or map. */
  readonly items?: Shape;
  /** How dotted names write one entry. */
  readonly each?: typeof IN_LIST | typeof BY_NAME | typeof LISTS_BY_NAME;
};

/** One entry of a list in a dotted name: `preToolUse.uneditableFiles[].agent`. */
const IN_LIST = "[]";
/** One entry of a map whose keys are a person's own: `requirements.<name>.scope`. */
const BY_NAME = ".<name>";
/** One entry of a list in such a map: `subagentStop.commands.<name>[].run`. */
const LISTS_BY_NAME = ".<name>[]";

export type Shape = Readonly<Record<string, z.ZodMiniType>>;

const FACTS = new Map<z.ZodMiniType, Fact | { readonly description: string; readonly of: Shape }>();

/** Returns the description of a part, for the JSON Schema; `undefined` for parts inside a key. */
export function descriptionOf(part: unknown): string | undefined {
  return FACTS.get(part as z.ZodMiniType)?.description;
}

function keep<T extends z.ZodMiniType>(schema: T, fact: Fact): T {
  FACTS.set(schema, fact);
  return schema;
}

export function bool(fallback: boolean, description: string) {
  return keep(z._default(z.boolean(), fallback), {
    type: "true or false",
    default: fallback,
    description,
  });
}

function within([min, max]: Range) {
  return z.int().check(z.minimum(min), z.maximum(max));
}

export function int(range: Range, fallback: number, description: string) {
  const schema = z._default(within(range), fallback);
  return keep(schema, { type: "whole number", range, default: fallback, description });
}

/** Makes a key for a whole number, or none. */
export function perhapsInt(range: Range, description: string) {
  const schema = z._default(z.nullable(within(range)), null);
  return keep(schema, { type: "whole number", range, default: null, description });
}

/** Makes a key for the path of a file or a folder, or none. */
export function place(description: string) {
  return text(description, { type: "path" });
}

export function list<T extends z.ZodMiniType<string, string>>(
  item: string,
  of: T,
  description: string,
  fallback: readonly z.output<T>[] = [],
) {
  const schema = z._default(z.array(of), [...fallback] as never);
  return keep(schema, { type: `list of ${pluralOf(item)}`, item, default: fallback, description });
}

function pluralOf(noun: string): string {
  return /(?:ch|sh|s|x)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Makes a key for a text, or none. @param options.faultOf Says what is wrong with a text. */
export function text(
  description: string,
  { type = "text", faultOf = () => undefined }: {
    readonly type?: string;
    readonly faultOf?: (text: string) => string | undefined;
  } = {},
) {
  const schema = z._default(z.nullable(z.string().check(z.minLength(1), without(faultOf))), null);
  return keep(schema, { type, default: null, description });
}

/** Makes a key for a list of maps. With a shorthand, a single value may stand for a map. */
export function rules<S extends Shape, T extends z.ZodMiniType<string, string> = never>(
  description: string,
  items: S,
  options: { readonly shorthand?: T; readonly item: string },
) {
  const map = z.strictObject(items);
  const of = options.shorthand === undefined ? map : z.union([map, options.shorthand]);
  const schema = z._default(z.array(of as z.ZodMiniType<z.output<typeof map> | z.output<T>>), []);
  return keep(schema, {
    type: "list of rules",
    item: options.item,
    default: [],
    description,
    items,
    each: IN_LIST,
  });
}

/** Makes a key for a map of maps under names that a person chooses. */
export function named<S extends Shape>(
  item: string,
  names: z.ZodMiniType<string, string>,
  items: S,
  description: string,
) {
  const schema = z._default(z.record(names, z.strictObject(items)), {});
  return keep(schema, { type: `map of ${item}s`, default: {}, description, items, each: BY_NAME });
}

/** Makes a key for a map from globs to lists of maps. */
export function rulesByGlob<S extends Shape>(description: string, items: S) {
  const schema = z._default(z.record(globText(), z.array(z.strictObject(items))), {});
  return keep(schema, {
    type: "map of globs to lists of rules",
    item: "map of keys",
    default: {},
    description,
    items,
    each: LISTS_BY_NAME,
  });
}

/** Makes a key that every map of a list must have. */
export function needed<T extends z.ZodMiniType>(type: string, of: T, description: string) {
  return keep(of, { type: `${type}, needed`, default: null, description });
}

/** Makes a key that a map of a list may have. */
export function optional<T extends z.ZodMiniType>(type: string, of: T, description: string) {
  return keep(z.optional(of), { type, default: null, description });
}

export function said(description: string) {
  return optional("text", z.string().check(z.minLength(1)), description);
}

/** Makes a key for one of a few words; without a `fallback` the key is needed. */
export function choice<const W extends readonly string[]>(
  words: W,
  description: string,
  fallback?: W[number],
) {
  const type = words.join(" or ");
  if (fallback === undefined) {
    return keep(z.enum(words), { type: `${type}, needed`, default: null, description });
  }
  return keep(z._default(z.enum(words), fallback as never), {
    type,
    default: fallback,
    description,
  });
}

/** Makes a key for one of a few words in upper or lower case, or none. */
export function perhaps<const W extends readonly string[]>(words: W, description: string) {
  const word = z.pipe(z.string().check(z.toLowerCase()), z.enum(words));
  const schema = z._default(z.nullable(word), null);
  return keep(schema, { type: words.join(" or "), default: null, description });
}

/** Makes a map of keys; without the map, all keys have their defaults. */
export function section<S extends Shape>(description: string, of: S) {
  const schema = z.prefault(z.strictObject(of), {} as z.input<z.ZodMiniObject<S, z.core.$strict>>);
  FACTS.set(schema, { description, of });
  return schema;
}

export interface KeyTables {
  readonly keys: readonly ConfigKey[];
  /** The keys of the maps in lists and under names: `preToolUse.uneditableFiles[].pattern`. */
  readonly itemKeys: readonly ConfigKey[];
  /** Every section, the outer before the inner. */
  readonly sections: readonly ConfigSection[];
}

export function tablesOf(shape: Shape): KeyTables {
  const keys: ConfigKey[] = [];
  const itemKeys: ConfigKey[] = [];
  const sections: ConfigSection[] = [];
  const walk = (part: Shape, prefix: string, rows: ConfigKey[]) => {
    for (const [name, schema] of Object.entries(part)) {
      const fact = FACTS.get(schema);
      const key = prefix + name;
      if (fact === undefined) continue;
      if ("of" in fact) {
        if (rows === keys) sections.push({ key, description: fact.description });
        walk(fact.of, `${key}.`, rows);
        continue;
      }
      const { items, each, ...row } = fact;
      rows.push({ key, ...row });
      if (items !== undefined) walk(items, `${key}${each}.`, itemKeys);
    }
  };
  walk(shape, "", keys);
  return { keys, itemKeys, sections };
}

/** Returns the name of a key in the tables, without the index or name of the entry: `requirements.<name>.scope`. */
export function rowName(shape: Shape, path: readonly (string | number)[]): string {
  let name = "";
  let inside: Shape | undefined = shape;
  for (let i = 0; i < path.length; i++) {
    name += name === "" ? path[i] : `.${path[i]}`;
    const known: Shape[string] | undefined = ownValue(inside, String(path[i]));
    const fact: ReturnType<typeof FACTS.get> = known && FACTS.get(known);
    if (fact === undefined || "of" in fact || fact.each === undefined || i === path.length - 1) {
      inside = fact && "of" in fact ? fact.of : fact?.items;
      continue;
    }
    name += fact.each;
    inside = fact.items;
    i += fact.each === LISTS_BY_NAME ? 2 : 1;
  }
  return name;
}

/** Makes the schema of a well-formed glob. Each key needs its own schema, since descriptions are kept by schema. */
export function globText() {
  return z.string().check(without(globFault));
}

/** Returns a check that refuses a text for which `faultOf` gives a message. */
function without(faultOf: (text: string) => string | undefined) {
  return z.check<string>(({ value, issues }) => {
    const fault = faultOf(value);
    if (fault) issues.push({ code: "custom", message: fault, input: value });
  });
}

/** The schema of a regular expression that does not match the empty text. */
export const pattern = z.string().check(without(patternFault));

/** Makes the schema of any regular expression; a new one each time, as for globs. */
export function regexText() {
  return z.string().check(z.minLength(1), without((source) => regexFault(source, "i")));
}

function regexFault(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, flags);
    return isEndless(source, flags)
      ? "it may take for ever: a group that is repeated holds another repetition or a choice"
      : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Constructs for which the engine has to backtrack. */
const NEEDS_BACKTRACKING = /\\[1-9k]|\(\?<?[=!]|\{(?:\d*,)?\d{2,}/;
/** A repeated group that holds a repetition or a choice itself. */
const NESTED_REPETITION =
  /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*(?:[*+|]|\{\d*,)(?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)(?:[*+]|\{\d*,)/s;

/** Tells whether a pattern may take exponential time, which a hook cannot wait for. */
function isEndless(source: string, flags: string): boolean {
  // The engine without backtracking cannot ignore case.
  return (flags.includes("i") || NEEDS_BACKTRACKING.test(source)) && NESTED_REPETITION.test(source);
}

function patternFault(source: string): string | undefined {
  const fault = regexFault(source, "g");
  if (fault !== undefined) return fault;
  return new RegExp(source, "g").test("")
    ? "it matches the empty text, so it would mask everything"
    : undefined;
}
