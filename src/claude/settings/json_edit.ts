/**
 * Edits JSON text and leaves every other byte as it is: new text takes over the indentation, line ends and spacing
 * around it. (The `modify` of jsonc-parser formats the whole lines around an edit, which changes a one-line file.)
 */
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { messageOf } from "../../base/errors.ts";

export type { Node };

/** Keys of objects and indexes of arrays, from the top of a text. */
export type JsonPath = readonly (string | number)[];

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Finds the first mistake, its line and its column, both from 1; null where a text is strict JSON. */
export function faultIn(text: string) {
  const errorIn = (allowTrailingComma: boolean) => {
    const errors: ParseError[] = [];
    parseTree(text, errors, { allowTrailingComma, disallowComments: true });
    return errors[0];
  };
  const codeOf = ({ error }: ParseError) => printParseErrorCode(error);
  // A comment is reported first, even where a trailing comma stands before it.
  const lenient = errorIn(true);
  const isComment = lenient !== undefined && codeOf(lenient) === "InvalidCommentToken";
  const first = isComment ? lenient : errorIn(false);
  if (first !== undefined) {
    // `CommaExpected` becomes `comma expected`.
    const problem = codeOf(first).replace(/(?<!^)[A-Z]/g, " $&").toLowerCase();
    return { ...placeOf(text, first.offset), problem, isComment };
  }
  try {
    JSON.parse(text);
    return null;
  } catch (thrown) {
    const problem = messageOf(thrown);
    const offset = Number(/position (\d+)/.exec(problem)?.[1] ?? 0);
    return { ...placeOf(text, offset), problem, isComment: false };
  }
}

/** Returns the line and column of an offset, both from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/** Returns the line end that a text uses: that of its first line, `\n` when it has only one. */
export function lineEndOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
}

/** Returns the text with a value at a path; objects and arrays that are missing on the way are made. */
export function setAt(text: string, path: JsonPath, value: Json): string {
  const root = parseTree(text);
  if (root === undefined) return text;
  const nodeAt = (length: number) => findNodeAtLocation(root, path.slice(0, length));
  let depth = path.length;
  while (nodeAt(depth) === undefined) depth--;
  const node = nodeAt(depth)!;
  if (depth === path.length) {
    const written = writeValue(value, styleOf(text, nodeAt(depth - 1) ?? root));
    return splice(text, node.offset, endOf(node), written);
  }
  const whole = path.slice(depth + 1).reduceRight<Json>(
    (inner, key) => typeof key === "number" ? [inner] : { [key]: inner },
    value,
  );
  return addMember(text, node, { key: path[depth]!, value: whole });
}

function addMember(
  text: string,
  container: Node,
  { key, value }: { readonly key: string | number; readonly value: Json },
): string {
  const style = styleOf(text, container);
  const label = typeof key === "number" ? "" : JSON.stringify(key) + style.colon;
  const added = style.gap + label + writeValue(value, style);
  const last = container.children?.at(-1);
  if (last !== undefined) return splice(text, endOf(last), endOf(last), `,${added}`);
  // The closing bracket stands on a line of its own, one step less far.
  const padding = style.inline ? "" : style.gap.slice(0, style.gap.length - style.unit.length);
  const content = style.inline ? added.slice(style.gap.length) : added + padding;
  return splice(text, container.offset + 1, endOf(container) - 1, content);
}

/** Returns the text without the value at a path, its key, and the comma that it needed. */
export function removeAt(text: string, path: JsonPath): string {
  const value = findNodeAtLocation(parseTree(text)!, [...path])!;
  const member = value.parent!.type === "property" ? value.parent! : value;
  const container = member.parent!;
  const siblings = container.children!;
  const index = siblings.indexOf(member);
  const previous = siblings[index - 1];
  const next = siblings[index + 1];
  if (previous !== undefined) return splice(text, endOf(previous), endOf(member), "");
  if (next !== undefined) return splice(text, member.offset, next.offset, "");
  return splice(text, container.offset + 1, endOf(container) - 1, "");
}

type Style = ReturnType<typeof styleOf>;

/** @returns `gap`: everything between two members, after the comma; `unit`: one step of indentation. */
function styleOf(text: string, container: Node) {
  let root = container;
  while (root.parent !== undefined) root = root.parent;
  const colon = colonOf(root);
  if (isInline(text, container)) {
    return { inline: true, gap: colon === ":" ? "" : " ", colon, unit: "" };
  }
  const rootChild = root.children?.[0];
  const unit = rootChild === undefined || isInline(text, root)
    ? "  "
    : indentAt(text, rootChild.offset).slice(indentAt(text, root.offset).length);
  const first = container.children?.[0];
  const indent = first === undefined
    ? indentAt(text, container.offset) + unit
    : indentAt(text, first.offset);
  return { inline: false, gap: lineEndOf(text) + indent, colon: ": ", unit };
}

/** Tells whether members stand on the line of the opening bracket; an empty container follows the one around it. */
function isInline(text: string, container: Node): boolean {
  const first = container.children?.[0];
  if (first !== undefined) return !/[\r\n]/.test(text.slice(container.offset, first.offset));
  const around = container.parent?.type === "property" ? container.parent.parent : container.parent;
  return around !== undefined && isInline(text, around);
}

/** Returns `:` for a minified text, `: ` for any other. */
function colonOf(root: Node): string {
  const [property] = root.type === "object" ? root.children ?? [] : [];
  const value = property?.children?.[1];
  return property?.colonOffset !== undefined && value?.offset === property.colonOffset + 1
    ? ":"
    : ": ";
}

function writeValue(value: Json, style: Style): string {
  if (style.inline && style.colon === ":") return JSON.stringify(value);
  // Each tab stands for one step.
  const spread = JSON.stringify(value, null, "\t");
  if (!style.inline) {
    return spread.replace(
      /\n(\t*)/g,
      (_, tabs: string) => style.gap + style.unit.repeat(tabs.length),
    );
  }
  return spread.replace(/([{[])\n\t*|\n\t*(?=[}\]])/g, "$1").replace(/\n\t*/g, " ");
}

function indentAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1));
  return /^[ \t]*/.exec(text.slice(start + 1, offset))?.[0] ?? "";
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}
