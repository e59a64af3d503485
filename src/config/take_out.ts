/** Takes values out of what was read from a configuration file, and remembers where the entries of its lists stand. */
import type { Plain, ValuePath } from "./yaml_tree.ts";

/** The indexes that the entries of a list have in its file, of lists out of which something was taken. */
const FILE_INDEXES = new WeakMap<object, readonly number[]>();

/** The value at a path; `undefined` when there is none. */
export function valueAt(root: unknown, path: ValuePath): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** A path with the indexes that its entries of lists have in the file. @param root What the path leads through. */
export function pathInFile(root: unknown, path: ValuePath): ValuePath {
  return path.map((part, depth) => {
    if (typeof part !== "number") return part;
    const list = valueAt(root, path.slice(0, depth));
    return (Array.isArray(list) ? FILE_INDEXES.get(list)?.[part] : undefined) ?? part;
  });
}

/** What an entry of a list is called: `stop.commands[2]`, as in the file, of whose entries some may have been taken out. */
export type NameOfEntry = (list: readonly string[], index: number) => string;

/** Later entries of a list before earlier ones, and what is in them first: so no index moves before it is used. */
export function fromTheEnd(one: ValuePath, other: ValuePath): number {
  const at = one.findIndex((part, i) => part !== other[i]);
  if (at < 0) return other.length - one.length;
  const [mine, others] = [one[at]!, other[at]];
  if (others === undefined) return -1;
  return mine < others ? 1 : -1;
}

/**
 * Removes what is at the path; where nothing is there (a required key is missing), what should have held it. A list of
 * which no entry is left goes as a whole: nobody has asked for an empty one.
 *
 * @param instead What stands in the place of an entry of a list.
 */
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

function isThere(
  holder: unknown,
  name: string | number,
): holder is Record<string | number, Plain> {
  return typeof holder === "object" && holder !== null && Object.hasOwn(holder, name);
}

function replaceEntry(list: Plain[], index: number, instead: readonly Plain[]): void {
  const indexes = FILE_INDEXES.get(list) ?? list.map((_, i) => i);
  FILE_INDEXES.set(list, indexes.toSpliced(index, 1, ...instead.map(() => indexes[index]!)));
  list.splice(index, 1, ...instead);
}
