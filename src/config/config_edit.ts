/** Changes the value of a key in the text of a configuration file, and keeps the rest with its comments. */
import { isDeepStrictEqual } from "node:util";
import { Document, isMap, isNode, isScalar, parseDocument } from "yaml";
import { UserError } from "../base/errors.ts";
import type { ConfigFile, ConfigLayer } from "./discover.ts";
import { type ConfigEntry, readLayer } from "./layer.ts";
import { type Plain, readYaml, valueAt } from "./yaml_tree.ts";

export interface ConfigTarget {
  readonly path: string;
  /** Empty when there is no file yet. */
  readonly text: string;
  readonly isNew: boolean;
  /** The mode that a new file gets. */
  readonly mode: number;
}

/** Parses a file into a document that keeps comments. @throws {UserError} When it is not YAML, or not a map of keys. */
export function documentOf({ path, text }: ConfigTarget) {
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) {
    const [mistake = "it is no map of keys"] = document.errors[0]?.message.split("\n") ?? [];
    throw cannotChange(path, mistake);
  }
  return document;
}

export function cannotChange(
  path: string,
  why: string,
  next = "conclaude config validate",
): UserError {
  return new UserError(`Cannot change "${path}"`, { why: `${why}; nothing was changed`, next });
}

/** Returns a file's new text: new sections below, the rest as it is. @throws {UserError} Where no map of keys is. */
export function withEntries(
  target: ConfigTarget,
  document: Document.Parsed,
  { added, head }: Readonly<{ added: readonly Omit<ConfigEntry, "name">[]; head: string }>,
): string {
  const before = target.text.trimEnd();
  const isBlock = isMap(document.contents) && !document.contents.flow;
  const isAppended = before !== "" && (document.contents === null || isBlock) &&
    added.every(({ path }) => !document.has(path[0]!));
  const changed = isAppended ? parseDocument("") : document;
  for (const { path, value } of added) {
    mapAt(changed, path.slice(0, -1), target.path);
    const before: unknown = changed.getIn(path, true);
    const node = changed.createNode(value);
    if (isNode(before)) {
      Object.assign(node, { comment: before.comment, commentBefore: before.commentBefore });
    }
    changed.setIn(path, node);
  }
  if (before === "") changed.commentBefore = head;
  // Braces keep their inner spaces.
  const flowCollectionPadding = before.includes("{ ") || !/\{\S/.test(before);
  const written = changed.toString({ lineWidth: 0, flowCollectionPadding });
  return isAppended ? `${before}\n\n${written}` : written;
}

/** Makes sure that there is a map of keys at a path, one key a line. */
function mapAt(document: Document.Parsed, path: readonly string[], file: string): void {
  if (isMap(document.contents)) document.contents.flow = false;
  for (let length = 1; length <= path.length; length++) {
    const part = path.slice(0, length);
    const found: unknown = document.getIn(part, true);
    if (isMap(found)) {
      found.flow = false;
    } else if (document.getIn(part) === undefined || document.getIn(part) === null) {
      document.setIn(part, document.createNode({}));
    } else {
      throw cannotChange(file, `"${part.join(".")}" is no map of keys there`);
    }
  }
}

/** The new text of a file, with the names of the added keys. */
export interface PlannedFile {
  readonly target: ConfigTarget;
  readonly text: string;
  readonly added: readonly string[];
}

/** Plans which keys a file gets, without writing it. @param options `stays`: whether the file's own value stays. */
export function planEntries(
  target: ConfigTarget,
  entries: readonly ConfigEntry[],
  { head, stays = (value) => value !== undefined }: {
    readonly head: string;
    readonly stays?: (value: Plain | undefined, entry: ConfigEntry) => boolean;
  },
): { readonly file: PlannedFile | null; readonly kept: readonly string[] } {
  const document = documentOf(target);
  const root = readYaml(target.text).root ?? {};
  const { kept = [], added = [] } = Object.groupBy(
    entries,
    (entry) => stays(valueAt(root, entry.path) as Plain | undefined, entry) ? "kept" : "added",
  );
  const namesOf = (some: readonly ConfigEntry[]) => some.map(({ name }) => name);
  const file = added.length === 0 ? null : {
    target,
    text: withEntries(target, document, { added, head }),
    added: namesOf(added),
  };
  return { file, kept: namesOf(kept) };
}

/** Returns the readings of a text: its value as YAML, then the text itself. */
export function readings(given: string): readonly Plain[] {
  const document = parseDocument(given);
  const isYaml = document.errors.length === 0 && !/^\s*[*&!#]/.test(given);
  const value: Plain = isYaml ? document.toJS() : given;
  // An empty value is an empty text, and a comment no value at all.
  return value === null && given.trim() !== "null" ? [given] : [value, given];
}

/** The comment at the top of a new file. */
const HEAD = " Configuration of conclaude: `conclaude config show` lists every key.";

/**
 * Returns the text of a file with a value at a path, or without the key for null. Where a single value is replaced,
 * nothing around it changes.
 */
export function textWith(target: ConfigTarget, { path, value }: Omit<ConfigEntry, "name">): string {
  const document = documentOf(target);
  const before: unknown = document.getIn(path, true);
  const isInLine = isScalar(before) && IN_LINE.has(before.type ?? "") &&
    isScalarValue(before.value);
  if (isInLine && isScalarValue(value)) {
    const [start, end] = before.range!;
    return target.text.slice(0, start) + JSON.stringify(value) + target.text.slice(end);
  }
  if (value === null) {
    if (!document.hasIn(path)) return target.text;
    const removed = emptied(document, path);
    const text = withoutLines(target.text, document, removed);
    document.deleteIn(removed);
    return hasContentOf(text, document) ? text : document.toString({ lineWidth: 0 });
  }
  const text = document.hasIn(path) ? null : withLines(target.text, document, { path, value });
  const written = withEntries(target, document, { added: [{ path, value }], head: HEAD });
  return text !== null && hasContentOf(text, document) ? text : written;
}

function hasContentOf(text: string, document: Document): boolean {
  return isDeepStrictEqual(parseDocument(text).toJS() ?? {}, document.toJS());
}

/** Adds a key at the end of its section; null where the section is not there, or is not a block of lines. */
function withLines(
  text: string,
  document: Document.Parsed,
  { path, value }: Omit<ConfigEntry, "name">,
): string | null {
  const depth = path.findLastIndex((_, length) =>
    length > 0 && document.hasIn(path.slice(0, length))
  );
  const map: unknown = depth < 1 ? null : document.getIn(path.slice(0, depth), true);
  if (!isMap(map) || map.flow || map.items.length === 0) return null;
  const [first, last] = [map.items[0]!, map.items.at(-1)!];
  if (!isNode(first.key) || !isNode(last.value)) return null;
  const start = first.key.range![0];
  const indent = " ".repeat(start - text.lastIndexOf("\n", start - 1) - 1);
  const nested = path.slice(depth).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const lines = new Document(nested).toString({ lineWidth: 0 }).replace(/^(?=.)/gm, indent);
  const at = lineEnd(text, last.value.range![1]);
  return `${text.slice(0, at).replace(/(?<!\n)$/, "\n")}${lines}${text.slice(at)}`;
}

/** Returns the end of the line in which a node ends, its line break included. @param end Where the node ends. */
function lineEnd(text: string, end: number): number {
  if (text[end - 1] === "\n") return end;
  const at = text.indexOf("\n", end);
  return at < 0 ? text.length : at + 1;
}

/** Returns the path itself, or the path of the outermost section that holds nothing else. */
function emptied(document: Document.Parsed, path: readonly string[]): readonly string[] {
  const above = path.slice(0, -1);
  const map: unknown = above.length === 0 ? null : document.getIn(above, true);
  return isMap(map) && map.items.length === 1 ? emptied(document, above) : path;
}

/** Returns the text without the lines of a key, where it has lines of its own. */
function withoutLines(text: string, document: Document.Parsed, path: readonly string[]): string {
  const map: unknown = document.getIn(path.slice(0, -1), true);
  const pair = isMap(map)
    ? map.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
    : undefined;
  const [from = 0] = isNode(pair?.key) ? pair.key.range! : [];
  const [, end = 0] = isNode(pair?.value) ? pair.value.range! : [];
  const start = text.lastIndexOf("\n", from - 1) + 1;
  if (end <= from || text.slice(start, from).trim() !== "") return text;
  return text.slice(0, start) + text.slice(lineEnd(text, end));
}

/** The kinds of values that can be replaced where they stand; blocks of lines are not among them. */
const IN_LINE: ReadonlySet<string> = new Set(["PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE"]);

function isScalarValue(value: unknown): boolean {
  return value !== null && typeof value !== "object";
}

/** Returns the first problem that a file did not have before; null without one. */
export function newFault(
  text: string,
  at: Omit<ConfigFile, "text"> & { readonly layer: ConfigLayer },
  before: ConfigTarget,
) {
  const idOf = ({ key, message }: { readonly key: string; readonly message: string }) =>
    `${key}: ${message}`;
  const known = readLayer({ ...at, text: before.text }).problems.map(idOf);
  return readLayer({ ...at, text }).problems.find((one) => !known.includes(idOf(one))) ?? null;
}
