/** Values that a configuration file is to have, set into its text so that its comments stay. */
import { type Document, isMap, parseDocument } from "yaml";
import { isMapping } from "../config/yaml_tree.ts";
import type { Plain } from "../config/yaml_tree.ts";
import { UserError } from "../errors.ts";
import type { ConfigTarget } from "./config_target.ts";

/** A value, and the keys that lead to it. */
export interface ConfigValue {
  readonly path: readonly string[];
  readonly value: Plain;
}

/**
 * The new text of a file: sections that it does not have are set below what is there, which stays as it is then.
 *
 * @param document The file as it is. @param head The comment that a new file begins with.
 * @throws {UserError} When something that is no map of keys is in the way.
 */
export function withEntries(
  target: ConfigTarget,
  document: Document.Parsed,
  { added, head }: { readonly added: readonly ConfigValue[]; readonly head: string },
): string {
  const before = target.text.trimEnd();
  const isBlock = isMap(document.contents) && !document.contents.flow;
  const isAppended = before !== "" && (document.contents === null || isBlock) &&
    added.every(({ path }) => !document.has(path[0]!));
  const changed = isAppended ? parseDocument("") : document;
  for (const { path, value } of added) {
    mapAt(changed, path.slice(0, -1), target.path);
    changed.setIn(path, changed.createNode(value));
  }
  if (before === "") changed.commentBefore = head;
  // Braces are written as they were.
  const written = changed.toString({ lineWidth: 0, flowCollectionPadding: !/\{\S/.test(before) });
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
      throw new UserError(`Cannot change "${file}"`, {
        why: `"${part.join(".")}" is no map of keys there; nothing was changed`,
        next: "conclaude config validate",
      });
    }
  }
}

/** Whether two values say the same, whatever the order of their keys. */
export function isSame(one: Plain | undefined, other: Plain | undefined): boolean {
  if (!isMapping(one) || !isMapping(other)) return JSON.stringify(one) === JSON.stringify(other);
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSame(one[key], other[key]));
}
