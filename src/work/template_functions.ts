/** The functions of templates, and how a value becomes text. */
import type { TemplateValue } from "./template_syntax.ts";

/** A value; `undefined` when it is missing. */
export type Found = TemplateValue | undefined;

export interface TemplateFunction {
  readonly min: number;
  readonly max: number;
  /** True when an argument may be a missing value. */
  readonly takesMissing?: true;
  /** @throws Error when the arguments are wrong. */
  readonly run: (...args: readonly Found[]) => TemplateValue;
}

/** By name, without `include` and `raw`, which need more than their arguments. */
export const TEMPLATE_FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map<
  string,
  TemplateFunction
>([
  // As in Go's sprig: `default "x" .y`, `.y | default "x"`.
  ["default", {
    min: 2,
    max: 2,
    takesMissing: true,
    run: (fallback, value) =>
      value === undefined || value === null || value === "" ? (fallback ?? null) : value,
  }],
  ["join", { min: 2, max: 2, run: join }],
  ["upper", { min: 1, max: 1, run: (value) => textOf(value).toUpperCase() }],
  ["lower", { min: 1, max: 1, run: (value) => textOf(value).toLowerCase() }],
  ["trim", { min: 1, max: 1, run: (value) => textOf(value).trim() }],
  ["indent", { min: 2, max: 2, run: indent }],
  ["quote", { min: 1, max: 1, run: (value) => JSON.stringify(textOf(value)) }],
  ["eq", {
    min: 2,
    max: Infinity,
    run: (first, ...rest) => rest.some((one) => isEqual(first, one)),
  }],
  ["ne", { min: 2, max: 2, run: (a, b) => !isEqual(a, b) }],
  ["not", { min: 1, max: 1, takesMissing: true, run: (value) => !isTrue(value) }],
  ["and", {
    min: 1,
    max: Infinity,
    takesMissing: true,
    run: (...all) =>
      all.find((value) => !isTrue(value)) ?? (all.every(isTrue) ? all.at(-1)! : false),
  }],
  ["or", {
    min: 1,
    max: Infinity,
    takesMissing: true,
    run: (...all) => all.find(isTrue) ?? all.at(-1) ?? false,
  }],
]);

/** A value as text: a missing value and null are empty, lists and objects are JSON. */
export function textOf(value: Found): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Whether a value counts as true. Missing, false, 0, empty, and the texts `false` and `0` do not. */
function isTrue(value: Found): boolean {
  if (typeof value === "string") return !["", "false", "0"].includes(value.trim());
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Outputs of steps are text, so values are compared as text: `eq "0" 0` is true. */
function isEqual(a: Found, b: Found): boolean {
  return textOf(a) === textOf(b);
}

/** `join ", " .tags` and `join .tags ", "` both. */
function join(a: Found, b: Found): string {
  if (a === undefined || b === undefined) return "";
  const [list, separator] = Array.isArray(a) ? [a, b] : [b, a];
  if (!Array.isArray(list)) throw new Error("join needs a list and a separator");
  return list.map(textOf).join(textOf(separator));
}

/** `indent 4 .text` and `indent .text 4` both. */
function indent(a: Found, b: Found): string {
  const [width, text] = typeof a === "number" ? [a, b] : [b, a];
  const spaces = Number(width);
  if (!Number.isInteger(spaces) || spaces < 0 || spaces > 100) {
    throw new Error("indent needs a number of spaces, 0 to 100");
  }
  return textOf(text).replace(/^/gm, " ".repeat(spaces));
}
