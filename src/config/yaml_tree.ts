/**
 * Reads YAML into plain values, and finds the line and column of each. It never throws, and refuses a file that would
 * grow without end (aliases of aliases).
 */
import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
} from "yaml";

/** A value of a configuration file. */
export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

/** Counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The way to a value: names of keys and indexes of lists. */
export type ValuePath = readonly (string | number)[];

/** A mistake in the file; an empty path means the file as a whole. */
export interface YamlFault extends Position {
  readonly path: ValuePath;
  readonly message: string;
}

export interface YamlTree {
  /** The outermost map, without keys that have no value; `undefined` when the file cannot be used at all. */
  readonly root: { [key: string]: Plain } | undefined;
  readonly faults: readonly YamlFault[];
  /** Finds where a value stands, for a map its first key; the nearest value around the path when it leads nowhere. */
  readonly valueAt: (path: ValuePath) => Position;
  /** Finds where the name of a key stands; the same as `valueAt` for the entry of a list. */
  readonly keyAt: (path: ValuePath) => Position;
}

const START: Position = { line: 1, column: 1 };
const NOWHERE = { valueAt: () => START, keyAt: () => START };

/**
 * Reads one file. An empty file, and a file with nothing but comments, is an empty map. Keys without a value
 * (`database:` alone) are left out. The last value of a repeated key counts, and the first of several documents.
 */
export function readYaml(text: string): YamlTree {
  const lines = new LineCounter();
  const faults: YamlFault[] = [];
  const positionOf = (offset = 0): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const tell = (message: string, offset?: number, path: ValuePath = []) =>
    void faults.push({ path, message, ...positionOf(offset) });
  try {
    const [document, ...others] = parseAllDocuments(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: "silent",
    });
    if (document === undefined) return { root: {}, faults, ...NOWHERE };
    const { contents } = document;
    const [error] = document.errors;
    if (error !== undefined) {
      tell(`not valid YAML: ${error.message}`, error.pos[0]);
      return { root: undefined, faults, ...NOWHERE };
    }
    for (const { message, pos } of document.warnings) tell(message, pos[0]);
    const second = others.find((other) => !isEmpty(other.contents));
    if (second !== undefined) {
      const at = second.contents?.range?.[0] ?? second.range[0];
      tell("a second YAML document starts here; only the first one counts", at);
    }
    if (isEmpty(contents)) return { root: {}, faults, ...NOWHERE };
    if (!isMap(contents)) {
      const found = isSeq(contents) ? "a list" : "a single value";
      tell(`expected keys with values, found ${found}`, contents?.range[0]);
      return { root: undefined, faults, ...NOWHERE };
    }
    const valueAt = (path: ValuePath): Position => {
      const lengths = path.map((_, i) => path.length - i);
      const node = lengths.map((length): unknown => document.getIn(path.slice(0, length), true))
        .find((found) => isNode(found));
      return positionOf(isNode(node) ? node.range?.[0] : undefined);
    };
    const keyAt = (path: ValuePath): Position => {
      const map: unknown = document.getIn(path.slice(0, -1), true);
      const keys = isMap(map) ? map.items.map(({ key }) => key) : [];
      const key = keys.findLast((one) => isScalar(one) && one.value === path.at(-1));
      return isNode(key) ? positionOf(key.range?.[0]) : valueAt(path);
    };
    visit(document, {
      Map(_, { items }, around) {
        const seen = new Set<string>();
        const above = around.filter(isPair).map(({ key }) =>
          isScalar(key) ? String(key.value) : ""
        );
        for (const { key } of items) {
          if (!isScalar(key)) continue;
          const name = String(key.value);
          const message = "the key stands here a second time; the last one counts";
          if (seen.has(name)) tell(message, key.range?.[0], [...above, name]);
          seen.add(name);
        }
      },
    });
    const root = withoutEmpty(document.toJS(), []) as YamlTree["root"];
    return { root, faults, valueAt, keyAt };
  } catch (error) {
    tell(`it cannot be read as YAML: ${error instanceof Error ? error.message : String(error)}`);
    return { root: undefined, faults, ...NOWHERE };
  }
}

/** Removes keys without a value from a value. A requirement with a name alone stays, and has all defaults. */
function withoutEmpty(value: Plain, path: ValuePath): Plain {
  if (Array.isArray(value)) return value.map((one, i) => withoutEmpty(one, [...path, i]));
  if (!isMapping(value)) return value;
  const isRequirements = path.length === 1 && path[0] === "requirements";
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]): [string, Plain][] =>
      one !== null ? [[key, withoutEmpty(one, [...path, key])]] : isRequirements ? [[key, {}]] : []
    ),
  );
}

function isEmpty(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

/** Lists from which entries were taken out, with the indexes that the remaining entries have in the file. */
const FILE_INDEXES = new WeakMap<object, readonly number[]>();

/** Reads the value at a path; undefined when the path leads nowhere. */
export function valueAt(root: unknown, path: ValuePath): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) {
      return undefined;
    }
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** Returns a path with the indexes that its entries have in the file. @param root The value that holds the path. */
export function pathInFile(root: unknown, path: ValuePath): ValuePath {
  return path.map((part, depth) => {
    if (typeof part !== "number") return part;
    const list = valueAt(root, path.slice(0, depth));
    return (Array.isArray(list) ? FILE_INDEXES.get(list)?.[part] : undefined) ?? part;
  });
}

/** Names an entry with its index in the file: `stop.commands[2]`. */
export type NameOfEntry = (list: readonly string[], index: number) => string;

/** Sorts later entries before earlier ones, and inner values before outer ones, so that no index moves. */
export function fromTheEnd(one: ValuePath, other: ValuePath): number {
  const at = one.findIndex((part, i) => part !== other[i]);
  if (at < 0) return other.length - one.length;
  const [mine, others] = [one[at]!, other[at]];
  if (others === undefined) return -1;
  return mine < others ? 1 : -1;
}

/** Removes the value at a path, or whatever stands in its place. A list that becomes empty is removed as a whole. */
export function takeOut(
  root: { [key: string]: Plain },
  path: ValuePath,
  instead: readonly Plain[],
): void {
  const last = path.at(-1);
  if (last === undefined) {
    for (const key of Object.keys(root)) delete root[key];
    return;
  }
  const holder = valueAt(root, path.slice(0, -1));
  if (Array.isArray(holder) && typeof last === "number") {
    replaceEntry(holder, last, instead.filter((value) => !holder.includes(value)));
    if (holder.length === 0) takeOut(root, path.slice(0, -1), []);
  } else if (isThere(holder, last)) delete holder[last];
  else takeOut(root, path.slice(0, -1), instead);
}

function isThere(holder: unknown, name: string | number): holder is Record<string | number, Plain> {
  return typeof holder === "object" && holder !== null && Object.hasOwn(holder, name);
}

function replaceEntry(list: Plain[], index: number, instead: readonly Plain[]): void {
  const indexes = FILE_INDEXES.get(list) ?? list.map((_, i) => i);
  FILE_INDEXES.set(list, indexes.toSpliced(index, 1, ...instead.map(() => indexes[index]!)));
  list.splice(index, 1, ...instead);
}

export type LayerValues = { [key: string]: Plain };

export function isMapping(value: unknown): value is LayerValues {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
