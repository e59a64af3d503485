/**
 * Reads YAML into plain values, and knows the line and column of each. It never throws. A file that would grow without
 * end (aliases of aliases, endless nesting) is refused.
 */
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
} from "yaml";

/** What a configuration file can hold. Maps have no prototype, so that `__proto__` is a key like any other. */
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
  /** Where the value at a path stands; of a map, its first key. The nearest value around it when there is none. */
  readonly valueAt: (path: ValuePath) => Position;
  /** Where the name of a key stands; the same as `valueAt` for the entry of a list. */
  readonly keyAt: (path: ValuePath) => Position;
}

/** Values in one file; an alias counts each time that it is used. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 32;
const START: Position = { line: 1, column: 1 };

/**
 * Reads one file. An empty file, and one with nothing but comments, is an empty map. Keys without a value (`database:`
 * alone) are left out. The last value of a repeated key counts, and the first of several documents.
 */
export function readYaml(text: string): YamlTree {
  const lines = new LineCounter();
  const reader = new TreeReader(lines);
  try {
    const documents = parseAllDocuments(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: "silent",
    });
    const root = reader.readDocuments([...documents]);
    return { root, ...reader.result() };
  } catch (error) {
    const message = error instanceof TooLargeError
      ? error.message
      : `it cannot be read as YAML: ${error instanceof Error ? error.message : String(error)}`;
    reader.addFault([], message, error instanceof TooLargeError ? error.position : START);
    return { root: undefined, ...reader.result() };
  }
}

class TooLargeError extends Error {
  readonly position: Position;
  constructor(message: string, position: Position) {
    super(message);
    this.position = position;
  }
}

class TreeReader {
  readonly #lines: LineCounter;
  readonly #faults: YamlFault[] = [];
  readonly #values = new Map<string, Position>();
  readonly #keys = new Map<string, Position>();
  /** In the order of the text: an alias means the last anchor before it. */
  readonly #anchors = new Map<string, Node>();
  #count = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  readDocuments(documents: readonly Document.Parsed[]): { [key: string]: Plain } | undefined {
    const [document, ...others] = documents;
    if (document === undefined) return Object.create(null);
    const [error] = document.errors;
    if (error) {
      this.addFault([], `not valid YAML: ${error.message}`, this.#position(error.pos[0]));
      return undefined;
    }
    for (const warning of document.warnings) {
      this.addFault([], warning.message, this.#position(warning.pos[0]));
    }
    const second = others.find((other) => !isEmpty(other.contents));
    if (second) {
      const message = "a second YAML document starts here; only the first one counts";
      this.addFault([], message, this.#position(second.contents?.range?.[0] ?? second.range[0]));
    }
    const { contents } = document;
    if (isEmpty(contents)) return Object.create(null);
    if (isMap(contents)) return this.#readMap(contents, []);
    const found = isSeq(contents) ? "a list" : "a single value";
    this.addFault([], `expected keys with values, found ${found}`, this.#positionOf(contents));
    return undefined;
  }

  addFault(path: ValuePath, message: string, position: Position): void {
    this.#faults.push({ path, message, ...position });
  }

  result(): Omit<YamlTree, "root"> {
    const nearest = (places: Map<string, Position>, path: ValuePath): Position => {
      for (let length = path.length; length > 0; length--) {
        const name = idOf(path.slice(0, length));
        const position = (length === path.length ? places : this.#values).get(name);
        if (position) return position;
      }
      return START;
    };
    return {
      faults: this.#faults,
      valueAt: (path) => nearest(this.#values, path),
      keyAt: (path) => nearest(this.#keys, path),
    };
  }

  /** Reads a node. @param position Where the alias of the value stands, when the value is used through one. */
  #read(node: unknown, path: ValuePath, position = this.#positionOf(node)): Plain {
    if (++this.#count > MAX_VALUES) {
      throw new TooLargeError(
        `it holds more than ${MAX_VALUES} values, aliases included`,
        position,
      );
    }
    if (path.length > MAX_DEPTH) {
      throw new TooLargeError(`values are nested deeper than ${MAX_DEPTH} levels`, position);
    }
    this.#values.set(idOf(path), position);
    if (isAlias(node)) return this.#readAlias(node.source, path, position);
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor) {
      this.#anchors.set(node.anchor, node);
    }
    if (isMap(node)) return this.#readMap(node, path);
    if (isSeq(node)) return node.items.map((item, index) => this.#read(item, [...path, index]));
    if (!isScalar(node)) return null;
    const { value } = node;
    if (value === null || typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return value;
    return node.source ?? String(value);
  }

  #readAlias(name: string, path: ValuePath, position: Position): Plain {
    const target = this.#anchors.get(name);
    if (target) return this.#read(target, path, position);
    this.addFault(path, `the alias *${name} has no anchor &${name} before it`, position);
    return null;
  }

  #readMap(map: { readonly items: readonly unknown[] }, path: ValuePath): { [key: string]: Plain } {
    const values: { [key: string]: Plain } = Object.create(null);
    const seen = new Set<string>();
    for (const pair of map.items) {
      if (!isPair(pair)) continue;
      const position = this.#positionOf(pair.key);
      if (!isScalar(pair.key)) {
        this.addFault(path, "the name of a key must be a plain text", position);
        continue;
      }
      const name = String(pair.key.value);
      const inner = [...path, name];
      if (seen.has(name)) {
        this.addFault(inner, "the key stands here a second time; the last one counts", position);
      }
      seen.add(name);
      this.#keys.set(idOf(inner), position);
      const value = this.#read(pair.value, inner);
      if (value !== null) values[name] = value;
      // A requirement with a name alone has all defaults.
      else if (path.length === 1 && path[0] === "requirements") values[name] = {};
      else delete values[name];
    }
    return values;
  }

  #positionOf(node: unknown): Position {
    const range = isAlias(node) || isMap(node) || isSeq(node) || isScalar(node) ? node.range : null;
    return range ? this.#position(range[0]) : START;
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

function isEmpty(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

function idOf(path: ValuePath): string {
  return JSON.stringify(path);
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

/** A path with the indexes that its entries have in the file. @param root What the path leads through. */
export function pathInFile(root: unknown, path: ValuePath): ValuePath {
  return path.map((part, depth) => {
    if (typeof part !== "number") return part;
    const list = valueAt(root, path.slice(0, depth));
    return (Array.isArray(list) ? FILE_INDEXES.get(list)?.[part] : undefined) ?? part;
  });
}

/** The name of an entry with its index in the file: `stop.commands[2]`. */
export type NameOfEntry = (list: readonly string[], index: number) => string;

/** Sorts later entries before earlier ones, and inner values before outer ones, so that no index moves. */
export function fromTheEnd(one: ValuePath, other: ValuePath): number {
  const at = one.findIndex((part, i) => part !== other[i]);
  if (at < 0) return other.length - one.length;
  const [mine, others] = [one[at]!, other[at]];
  if (others === undefined) return -1;
  return mine < others ? 1 : -1;
}

/** Removes the value at the path, or whatever stands in its place. A list that becomes empty goes as a whole. */
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
