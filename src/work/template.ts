/**
 * Renders the templates of workflows: texts, and scripts, which get every value in a variable. Tags inside an inserted
 * value are not rendered.
 */
import { count } from "../base/counts.ts";
import { messageOf } from "../base/errors.ts";
import { placeAfter, variableAt } from "./shell_place.ts";
import {
  type Expression,
  parseTemplate,
  type Part,
  type TemplateContext,
  TemplateError,
  type TemplateValue,
} from "./template_syntax.ts";

interface RenderOptions {
  readonly missing: "error" | "empty";
  /** Returns the text of `include "name"`; null when there is none. Without this function, includes fail. */
  readonly include?: ((name: string) => string | null) | undefined;
  /** The template's own name, to detect circular includes. */
  readonly name?: string | undefined;
}

const MAX_INCLUDE_DEPTH = 5;

interface Scope extends RenderOptions {
  readonly context: TemplateContext;
  /** The names of the texts being rendered, outermost first. */
  readonly including: readonly string[];
  /** Receives each path whose first name has no value. */
  readonly missed?: (path: MissingPath) => void;
  /** Whether the function around a value accepts a missing one (`default`, `or`, `not`). */
  readonly mayBeMissing?: boolean;
}

export interface MissingPath {
  readonly path: readonly string[];
  readonly mayBeMissing: boolean;
}

/** Renders a prompt, a message or another text. @throws TemplateError */
export function renderText(
  template: string,
  context: TemplateContext,
  options: RenderOptions,
): string {
  return renderIn(template, { ...options, context, including: [options.name ?? ""] });
}

/** Returns a single tag's value, or the text of another template. @throws TemplateError Also for a missing value. */
export function renderValue(template: string, context: TemplateContext): TemplateValue {
  const scope: Scope = { missing: "error", context, including: [""] };
  const [only, ...rest] = parseTemplate(template.trim());
  if (only?.kind !== "tag" || rest.length > 0) return renderIn(template, scope);
  return existing(evaluate(only, scope), only, scope) ?? null;
}

/**
 * Renders a script for `sh`. Every value becomes a part of one word, also inside of quotes; a missing value is an empty
 * word. `{{ raw .x }}` inserts a value unquoted, with a warning. A value that the script gives to `eval` or `sh -c`
 * runs there as a script. In some places no value is allowed; there a script must take the value from its `env`.
 * @returns `variables`: the values, for the environment of the script. `warnings`: one for each `raw .x`.
 * @throws TemplateError
 */
export function renderScript(command: string, context: TemplateContext) {
  const scope: Scope = { missing: "empty", context, including: [""] };
  const variables: Record<string, string> = {};
  const warnings: string[] = [];
  let text = "";
  for (const part of parseTemplate(command)) {
    if (part.kind === "text") {
      text += part.text;
      continue;
    }
    const raw = rawArgument(part);
    const value = textOf(evaluate({ ...part, expression: raw ?? part.expression }, scope));
    if (value.includes("\0")) {
      throw new TemplateError(`${part.tag}: a value for a script holds NUL`);
    }
    if (raw !== null) {
      if (raw.kind !== "constant") warnings.push(`${part.tag} is not quoted for the shell`);
      text += value;
      continue;
    }
    const place = placeAfter(text);
    if (typeof place === "object") {
      throw new TemplateError(
        `${part.tag} cannot stand here: ${place.why}. Name the value under \`env\`, and use "$NAME"`,
      );
    }
    const name = `CONCLAUDE_VALUE_${Object.keys(variables).length + 1}`;
    variables[name] = value;
    text += variableAt(name, place);
  }
  return { command: text, variables, warnings };
}

export type RenderedScript = Omit<ReturnType<typeof renderScript>, "warnings">;

/** Writes a script for people, with the values instead of their variables. */
export function shownScript({ command, variables }: RenderedScript): string {
  return command.replace(/\$\{(CONCLAUDE_VALUE_\d+)\}/g, (all, name) => variables[name] ?? all);
}

/** Returns the argument of a `raw` tag; null for any other tag. */
function rawArgument({ tag, expression }: Tag): Expression | null {
  if (expression.kind !== "call" || expression.name !== "raw") return null;
  if (expression.args.length !== 1) throw new TemplateError(`${tag}: raw takes one value`);
  return expression.args[0]!;
}

function renderIn(template: string, scope: Scope): string {
  return parseTemplate(template).map((part) =>
    part.kind === "text" ? part.text : textOf(existing(evaluate(part, scope), part, scope))
  ).join("");
}

type Tag = Extract<Part, { kind: "tag" }>;

function existing(value: Found, { tag }: Tag, { missing }: Scope): Found {
  if (value === undefined && missing === "error") {
    throw new TemplateError(`${tag}: there is no such value`);
  }
  return value;
}

function evaluate(part: Tag, scope: Scope): Found {
  const { expression } = part;
  if (expression.kind === "constant") return expression.value;
  if (expression.kind === "path") {
    const { path } = expression;
    if (!Object.hasOwn(scope.context, path[0]!)) {
      scope.missed?.({ path, mayBeMissing: scope.mayBeMissing === true });
    }
    return lookUp(scope.context, path);
  }
  const { name } = expression;
  const inner = { ...scope, mayBeMissing: TAKE_MISSING.has(name) };
  const args = expression.args.map((one) => evaluate({ ...part, expression: one }, inner));
  if (name === "include") return include(part, args, inner);
  const fail = (why: string): never => {
    throw new TemplateError(`${part.tag}: ${why}`);
  };
  if (name === "raw") fail("raw is for scripts, and stands first");
  if (!Object.hasOwn(FUNCTIONS, name)) fail(unknownName(name));
  const [min, max, run] = FUNCTIONS[name]!;
  if (args.length < min || args.length > max) {
    const least = max === min ? "" : "at least ";
    fail(`${name} takes ${least}${count(min, "value")}, not ${args.length}`);
  }
  if (!inner.mayBeMissing) { for (const arg of args) existing(arg, part, scope); }
  try {
    return run(...args);
  } catch (error) {
    return fail(messageOf(error));
  }
}

function unknownName(name: string): string {
  if (["if", "else", "end", "range", "with", "define", "template", "block"].includes(name)) {
    return `templates have no "${name}"; use \`when\` of a step, or default`;
  }
  return `"${name}" is no function; a value is written with a dot: {{ .${name} }}`;
}

/** Finds a value by its path, through own fields only. */
function lookUp(context: TemplateContext, path: readonly string[]): Found {
  let value: Found = context;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
    value = (value as TemplateContext)[name];
  }
  return value;
}

/** Renders `include "name" "key" value …`: another text, with these further values. */
function include({ tag }: Tag, args: readonly Found[], scope: Scope): string {
  const [name, ...pairs] = args;
  if (typeof name !== "string") throw new TemplateError(`${tag}: include needs a name`);
  const chain = [...scope.including, name];
  if (scope.including.includes(name)) {
    const circle = chain.slice(chain.indexOf(name)).join(" -> ");
    throw new TemplateError(`${tag}: circular include detected: ${circle}`);
  }
  if (chain.length > MAX_INCLUDE_DEPTH + 1) {
    const most = `more than ${MAX_INCLUDE_DEPTH} texts include each other`;
    throw new TemplateError(`${tag}: ${most}: ${chain.slice(1).join(" -> ")}`);
  }
  if (pairs.length % 2 !== 0) throw new TemplateError(`${tag}: include needs keys with values`);
  const text = scope.include?.(name) ?? null;
  if (text === null) throw new TemplateError(`${tag}: there is no text "${name}" to include`);
  const own: Record<string, TemplateValue> = {};
  for (let i = 0; i < pairs.length; i += 2) own[textOf(pairs[i])] = pairs[i + 1] ?? null;
  return renderIn(text, { ...scope, context: { ...scope.context, ...own }, including: chain });
}

/** Returns the first fault of a text that does not depend on its values; null when there is none. */
export function textFault(text: string): string | null {
  return faultOf(() => renderText(text, {}, { missing: "empty", include: () => "" }));
}

/** Returns the first fault of a script that does not depend on its values; null when there is none. */
export function scriptFault(command: string): string | null {
  return faultOf(() => renderScript(command, {}));
}

/**
 * Lists the paths of a text and its includes whose first name has no value. Rendering reports other faults.
 * @throws TemplateError when the text itself cannot be read.
 */
export function missingPaths(
  template: string,
  context: TemplateContext,
  include: RenderOptions["include"],
): MissingPath[] {
  const found: MissingPath[] = [];
  const missed = (path: MissingPath) => void found.push(path);
  const scope: Scope = { missing: "empty", context, include, including: [""], missed };
  for (const part of parseTemplate(template)) {
    if (part.kind === "tag") faultOf(() => evaluate(part, scope));
  }
  return found;
}

function faultOf(render: () => unknown): string | null {
  try {
    render();
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/** A value of a template; `undefined` when it is missing. */
type Found = TemplateValue | undefined;

/** A function of templates: how many values it takes, and its work, which throws an `Error` for wrong values. */
type TemplateFunction = readonly [
  min: number,
  max: number,
  run: (...args: readonly Found[]) => TemplateValue,
];

/** The functions that accept a missing value. */
const TAKE_MISSING: ReadonlySet<string> = new Set(["default", "not", "and", "or"]);

/** The functions of templates. `include` and `raw` are elsewhere, since they need more than their arguments. */
const FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  // This is the `default` of Go's sprig: `default "x" .y`, `.y | default "x"`.
  default: [2, 2, (fallback, value) => (value ?? "") === "" ? fallback ?? null : value!],
  join: [2, 2, join],
  upper: [1, 1, (value) => textOf(value).toUpperCase()],
  lower: [1, 1, (value) => textOf(value).toLowerCase()],
  trim: [1, 1, (value) => textOf(value).trim()],
  indent: [2, 2, indent],
  quote: [1, 1, (value) => JSON.stringify(textOf(value))],
  eq: [2, Infinity, (first, ...rest) => rest.some((one) => isEqual(first, one))],
  ne: [2, 2, (a, b) => !isEqual(a, b)],
  not: [1, 1, (value) => !isTrue(value)],
  and: [
    1,
    Infinity,
    (...all) => all.find((one) => !isTrue(one)) ?? (all.every(isTrue) ? all.at(-1)! : false),
  ],
  or: [1, Infinity, (...all) => all.find(isTrue) ?? all.at(-1) ?? false],
};

/** Writes a value as text: a missing value and null are empty, lists and objects are JSON. */
function textOf(value: Found): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Tells whether a value counts as true: not when it is missing, false, 0, empty, or the text `false` or `0`. */
function isTrue(value: Found): boolean {
  if (typeof value === "string") return !["", "false", "0"].includes(value.trim());
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Compares values as text, since outputs of steps are text: `eq "0" 0` is true. */
function isEqual(a: Found, b: Found): boolean {
  return textOf(a) === textOf(b);
}

/** Joins a list: `join ", " .tags` or `join .tags ", "`. */
function join(a: Found, b: Found): string {
  if (a === undefined || b === undefined) return "";
  const [list, separator] = Array.isArray(a) ? [a, b] : [b, a];
  if (!Array.isArray(list)) throw new Error("join needs a list and a separator");
  return list.map(textOf).join(textOf(separator));
}

/** Indents each line: `indent 4 .text` or `indent .text 4`. */
function indent(a: Found, b: Found): string {
  const [width, text] = typeof a === "number" ? [a, b] : [b, a];
  const spaces = Number(width);
  if (!Number.isInteger(spaces) || spaces < 0 || spaces > 100) {
    throw new Error("indent needs a number of spaces, 0 to 100");
  }
  return textOf(text).replace(/^/gm, " ".repeat(spaces));
}
