/**
 * Small edits to a JSON text that leave every other byte as it is: indentation, line ends and spacing of what is added
 * follow what surrounds it.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

export type { Node };

/** A value that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** What a text is: strict JSON, JSON with comments, or neither. Lines and columns count from 1. */
export type Reading =
  | { readonly kind: "json"; readonly root: Node }
  | { readonly kind: "comments"; readonly line: number; readonly column: number }
  | {
    readonly kind: "malformed";
    readonly line: number;
    readonly column: number;
    readonly problem: string;
  };

/**
 * Reads strict JSON.
 *
 * A scanner finds the comments, so `//` inside a string is none, and only a comment before the first real mistake makes
 * a text "JSON with comments": `{"a": https://x}` is malformed.
 */
export function readJson(text: string): Reading {
  const [error] = errorsIn(text, { allowTrailingComma: true });
  if (error !== undefined && printParseErrorCode(error.error) === "InvalidCommentToken") {
    return { kind: "comments", ...placeOf(text, error.offset) };
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first !== undefined) {
    return { kind: "malformed", ...placeOf(text, first.offset), problem: wordsOf(first) };
  }
  try {
    JSON.parse(text);
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    const offset = Number(/position (\d+)/.exec(problem)?.[1] ?? 0);
    return { kind: "malformed", ...placeOf(text, offset), problem };
  }
  return root === undefined
    ? { kind: "malformed", line: 1, column: 1, problem: "a value is expected" }
    : { kind: "json", root };
}

/** The line and column of an offset, both from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines[lines.length - 1] ?? "").length + 1 };
}

/** The line end that a text uses: that of its first line, `\n` when it has but one. */
export function lineEndOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
}

/** The text with one more member at the end of an object (`key` given) or of an array. */
export function addMember(
  text: string,
  container: Node,
  member: { readonly key?: string; readonly value: Json },
): string {
  const style = styleOf(text, container);
  const label = member.key === undefined ? "" : JSON.stringify(member.key) + style.colon;
  const added = style.gap + label + writeValue(member.value, style);
  const last = container.children?.at(-1);
  if (last !== undefined) return splice(text, endOf(last), endOf(last), `,${added}`);
  const padding = style.inline ? "" : style.gap.slice(0, style.gap.length - style.unit.length);
  const content = style.inline ? added.slice(style.gap.length) : added + padding;
  return splice(text, container.offset + 1, endOf(container) - 1, content);
}

/** The text with another string, number or truth value in the place of `node`. */
export function replaceScalar(
  text: string,
  node: Node,
  value: string | number | boolean,
): string {
  return splice(text, node.offset, endOf(node), JSON.stringify(value));
}

/** The text with another value of any kind in the place of a property's. */
export function replaceValue(text: string, property: Node, value: Json): string {
  const [, present] = property.children ?? [];
  const container = property.parent;
  if (present === undefined || container === undefined) return text;
  const written = writeValue(value, styleOf(text, container));
  return splice(text, present.offset, endOf(present), written);
}

/** The text without a property or an array element, and without the comma that it needed. */
export function removeMember(text: string, member: Node): string {
  const container = member.parent;
  const siblings = container?.children ?? [];
  const index = siblings.indexOf(member);
  const previous = siblings[index - 1];
  const next = siblings[index + 1];
  if (previous !== undefined) return splice(text, endOf(previous), endOf(member), "");
  if (next !== undefined) return splice(text, member.offset, next.offset, "");
  return container === undefined
    ? text
    : splice(text, container.offset + 1, endOf(container) - 1, "");
}

interface Style {
  /** Everything between two members, after the comma. */
  readonly gap: string;
  readonly colon: string;
  /** One step of indentation. */
  readonly unit: string;
  readonly inline: boolean;
}

function styleOf(text: string, container: Node): Style {
  const root = rootOf(container);
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

/** Members on the line of the opening bracket; an empty container does as the one around it. */
function isInline(text: string, container: Node): boolean {
  const first = container.children?.[0];
  if (first !== undefined) return !/[\r\n]/.test(text.slice(container.offset, first.offset));
  const around = container.parent?.type === "property" ? container.parent.parent : container.parent;
  return around !== undefined && isInline(text, around);
}

/** `:` in a minified text, `: ` in any other. */
function colonOf(root: Node): string {
  const [property] = root.type === "object" ? root.children ?? [] : [];
  const value = property?.children?.[1];
  return property?.colonOffset !== undefined && value?.offset === property.colonOffset + 1
    ? ":"
    : ": ";
}

function writeValue(value: Json, style: Style): string {
  if (style.inline && style.colon === ":") return JSON.stringify(value);
  const spread = JSON.stringify(value, null, "\t");
  if (!style.inline) {
    return spread.replace(
      /\n(\t*)/g,
      (_, tabs: string) => style.gap + style.unit.repeat(tabs.length),
    );
  }
  return spread.replace(/([{[])\n\t*|\n\t*(?=[}\]])/g, "$1").replace(/\n\t*/g, " ");
}

function errorsIn(text: string, options: { readonly allowTrailingComma: boolean }): ParseError[] {
  const errors: ParseError[] = [];
  parseTree(text, errors, { ...options, disallowComments: true });
  return errors;
}

/** `CommaExpected` becomes `comma expected`. */
function wordsOf(error: ParseError): string {
  return printParseErrorCode(error.error).replace(/(?<!^)[A-Z]/g, " $&").toLowerCase();
}

function rootOf(node: Node): Node {
  return node.parent === undefined ? node : rootOf(node.parent);
}

function indentAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) +
    1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}
