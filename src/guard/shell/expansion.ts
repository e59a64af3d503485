/** What variables, substitutions and sums put into a word, as far as that can be told. */
import type { Word, WordPart } from "unbash";
import { type Argument, literal, type Scope } from "./word.ts";

type Parameter = WordPart & { readonly type: "ParameterExpansion" };

/** Variables that the shell itself fills with a number. */
const NUMBERS = /^(?:[$!]|RANDOM|SRANDOM|UID|EUID|PPID|BASHPID|SECONDS|EPOCHSECONDS|LINENO|SHLVL)$/;

/** Stands for a number that only the running shell knows: no option, no folder, no name that a rule could mean. */
export const SOME_NUMBER: Argument = { text: "0", isOpen: false, isGlob: false };

/** Words of a range that are written out at most. */
const MAX_RANGE = 100;
const RANGE =
  /^\{(?:(-?\d{1,9})\.\.(-?\d{1,9})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.(-?\d{1,9}))?\}$/;

/** `{1..5}`, `{01..10..3}`, `{a..e}` as the words that the shell makes of it; null where it is none, or too long. */
export function readRange(braces: string): string[] | null {
  const [range, first, last, ...letters] = RANGE.exec(braces) ?? [];
  if (range === undefined) return null;
  const step = Number(letters.at(-1) ?? 1);
  if (first !== undefined) return numbers([first, last!], step);
  const [from, to] = letters.slice(0, -1).filter((letter) => letter !== undefined)
    .map((letter) => letter.charCodeAt(0));
  return steps(from!, to!, step)?.map((code) => String.fromCharCode(code)) ?? null;
}

/** The numbers from one to another, as wide as the wider of them where one begins with a zero; null for too many. */
function numbers(ends: readonly [string, string], step: number): string[] | null {
  const isPadded = ends.some((end) => /^-?0\d/.test(end));
  const width = isPadded ? Math.max(...ends.map((end) => end.length)) : 0;
  return steps(Number(ends[0]), Number(ends[1]), step)?.map((number) =>
    (number < 0 ? "-" : "") + String(Math.abs(number)).padStart(width - (number < 0 ? 1 : 0), "0")
  ) ?? null;
}

/** The whole numbers from one to another, whichever is greater; null for too many. */
export function steps(first: number, last: number, step: number): number[] | null {
  const size = Math.abs(step) || 1;
  const length = Math.floor(Math.abs(last - first) / size) + 1;
  const sign = last < first ? -1 : 1;
  return length > MAX_RANGE ? null : Array.from({ length }, (_, i) => first + sign * i * size);
}

/** The words that an expansion puts in: those of an array, or one; undefined when that cannot be told. */
export function wordsOf(part: WordPart, scope: Scope): readonly Argument[] | undefined {
  switch (part.type) {
    case "CommandExpansion": {
      const output = scope.output(part);
      return output && [output];
    }
    case "SimpleExpansion":
      return valueOf(part.text.slice(1), scope);
    case "ArithmeticExpansion":
      return [SOME_NUMBER];
    case "ParameterExpansion":
      return part.prefix === undefined ? parameter(part, scope) : undefined;
    default:
      return undefined;
  }
}

/** Whether it puts in the words of an array, one argument each. */
export function isWholeArray(part: WordPart): boolean {
  return part.type === "ParameterExpansion" && part.prefix === undefined &&
    part.operation === undefined && /^[@*]$/.test(part.index?.value ?? "");
}

function valueOf(name: string, { variables, lists }: Scope): readonly Argument[] | undefined {
  const value = variables.get(name);
  if (value !== undefined) return [literal(value)];
  const list = lists.get(name);
  if (list !== undefined) return [list[0] ?? literal("")];
  return NUMBERS.test(name) ? [SOME_NUMBER] : undefined;
}

function parameter(part: Parameter, scope: Scope): readonly Argument[] | undefined {
  const { parameter: name, operation, index } = part;
  if (isWholeArray(part)) return scope.lists.get(name) ?? valueOf(name, scope);
  const value = index === undefined ? valueOf(name, scope) : element(index, scope.lists.get(name));
  if (operation === undefined) return value;
  const [word] = value ?? [];
  if (word === undefined || word.isOpen) return undefined;
  if (operation.type === "Remove") {
    const text = withoutPart(word.text, operation.operator, operation.operand);
    return text === undefined ? undefined : [{ ...word, text }];
  }
  if (operation.type !== "Default" || !operation.operator.endsWith("-")) return undefined;
  // A variable that this script does not set may still come from outside.
  return word.text === "" ? undefined : value;
}

function element(
  { value }: Word,
  list: readonly Argument[] | undefined,
): readonly Argument[] | undefined {
  if (list === undefined || !/^\d+$/.test(value) || list.some(({ isOpen }) => isOpen)) {
    return undefined;
  }
  return [list[Number(value)] ?? literal("")];
}

/** `${f%.ts}`, `${f##*}/`: a text without what it begins or ends with; undefined where the pattern is another one. */
function withoutPart(text: string, operator: string, { value }: Word): string | undefined {
  const isPlain = !/[*?[\\$`]/.test(value);
  if (operator.startsWith("%")) {
    if (isPlain) return text.endsWith(value) ? text.slice(0, text.length - value.length) : text;
    if (value === "/*" || value === ".*") return upTo(text, value[0]!, operator === "%%");
    return undefined;
  }
  if (isPlain) return text.startsWith(value) ? text.slice(value.length) : text;
  return value === "*/" && operator === "##" ? text.slice(text.lastIndexOf("/") + 1) : undefined;
}

function upTo(text: string, sign: string, isFirst: boolean): string {
  const at = isFirst ? text.indexOf(sign) : text.lastIndexOf(sign);
  return at < 0 ? text : text.slice(0, at);
}
