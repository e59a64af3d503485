/** Expands the words of a shell command (quotes, braces, variables) as far as they are known without running it. */
import { parse, type Word, type WordPart } from "unbash";
import { resolvePath } from "../../base/paths.ts";
import type { Search } from "../guards/types.ts";

export interface Argument {
  /** The text without quotes; for an open argument only the known beginning. */
  readonly text: string;
  /** Whether only the running shell knows how the text continues, or whether more arguments follow. */
  readonly isOpen: boolean;
  /** Whether the text is a pattern that the shell replaces by names of files. */
  readonly isGlob: boolean;
  /** Whether the unknown part is a name: neither an option nor a text with blanks. */
  readonly isName?: boolean;
  /** The word as the script writes it; absent where the script does not contain it. */
  readonly source?: string;
  /** The search whose results stand in place of the word. */
  readonly found?: Found;
}

export interface Found {
  /** Whether the search finds everything in its folders. */
  readonly isAll: boolean;
  readonly roots: readonly Argument[];
  readonly searchFrom: (root: Argument, how: Pick<Search, "takesFolders">) => Search;
}

export function withText({ found: _, ...word }: Argument, text: string): Argument {
  return { ...word, text };
}

/** Returns the absolute path that a word names; null when only the running shell knows it. */
export function placeOf({ text, isOpen }: Argument, folder: string | null): string | null {
  const isKnown = !isOpen && (folder !== null || text.startsWith("/"));
  return isKnown ? resolvePath(text, { folder: folder ?? "/" }) : null;
}

/** An argument, or the name of a file, that only the running shell or program knows. */
export const OPEN: Argument = { text: "", isOpen: true, isGlob: false };

/** The words of each variable, several for an array; positional parameters are `1`, `2` and `@`. */
export type Variables = ReadonlyMap<string, readonly Argument[]>;

/** Returns the text of a variable; undefined where it is unknown, an array or a pattern. */
export function textIn(variables: Variables, name: string): string | undefined {
  const [word, ...others] = variables.get(name) ?? [];
  return word === undefined || others.length > 0 ? undefined : knownText(word);
}

export function knownText({ text, isOpen, isGlob }: Argument): string | undefined {
  return isOpen || isGlob ? undefined : text;
}

/** Where a word stands: what the shell knows there. */
export interface Scope {
  /** The variables with known values. */
  readonly variables: Variables;
  /** Returns the output of a command substitution; undefined where it is unknown. */
  readonly output: (substitution: Substitution, scope: Scope) => Argument | undefined;
  readonly root: string | null;
  readonly budget: Budget;
}

export type Substitution = WordPart & { readonly type: "CommandExpansion" };

const MAX_ALTERNATIVES = 100;
/** The length up to which words are read, in characters. A file that the script writes may be one word. */
const MAX_WORD_CHARS = 16_777_216;
const UNKNOWN = '"${?}"';

/** Returns the arguments to which one word expands: none, one or several. */
export function expandWord(word: Word, scope: Scope): Argument[] {
  const { budget } = scope;
  const { text: source, value, parts } = word;
  budget.spend(1 + source.length / 64);
  if (parts === undefined && !source.startsWith("~")) {
    return [{ text: value, isOpen: value.length > MAX_WORD_CHARS, isGlob: false, source }];
  }
  if (parts?.some(({ type }) => type === "BraceExpansion")) {
    return spellOut(parts, budget).flatMap((alternative) => expandWord(alternative, scope))
      .map((argument) => ({ ...argument, source }));
  }
  const pieces = parts?.map((part, i) => fieldsOf(part, scope, { isFirst: i === 0 })) ??
    [[beginning(source, value, scope)]];
  const words = joined(pieces).flatMap((field) => field === null ? [] : [{ ...field, source }]);
  budget.spend(words.reduce((steps, { text }) => steps + 1 + text.length / 256, 0));
  return words;
}

/** Expands a word that the shell turns into one text, such as the target of a redirection or a value. */
export function expandToOne(word: Word, scope: Scope): Argument {
  const [first = literal(""), ...others] = expandWord(word, scope);
  return others.length === 0 ? first : { ...first, isOpen: true };
}

export function literal(text: string): Argument {
  return { text, isOpen: false, isGlob: false };
}

/** A piece of an argument; null for no argument at all. */
type Field = Pick<Argument, "text" | "isOpen" | "isGlob" | "isName"> | null;

const EMPTY: Argument = literal("");

/** Returns the fields of a part. The shell cuts the word between two fields. */
function fieldsOf(
  part: WordPart,
  scope: Scope,
  { isFirst = false, isQuoted = false } = {},
): readonly Field[] {
  switch (part.type) {
    case "Literal":
      return [isFirst ? beginning(part.text, part.value, scope) : literal(part.value)];
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [literal(part.value)];
    case "DoubleQuoted":
    case "LocaleString": {
      const [first, ...others] = part.parts;
      if (others.length === 0 && first?.type === "SimpleExpansion" && first.text === "$@") {
        return fieldsOf(first, scope);
      }
      const isText = others.length > 0 || !part.parts.every(isWholeArray);
      const fields = part.parts.map((child) => fieldsOf(child, scope, { isQuoted: true }));
      return joined([[isText ? literal("") : null], ...fields]);
    }
    case "Glob":
      return [{ text: part.text, isOpen: false, isGlob: true }];
    case "ExtendedGlob":
      return [{ text: "*", isOpen: false, isGlob: true }];
    default: {
      // If the script sets `IFS`, only the shell knows how it splits a value.
      const isSplitByIfs = !isQuoted && scope.variables.has("IFS");
      const words = isSplitByIfs ? undefined : valuesOf(part, scope);
      return (words ?? [OPEN]).flatMap((word) =>
        word.isOpen || word.isGlob || isQuoted ? [word] : splitAtBlanks(word.text)
      );
    }
  }
}

/** Splits a value without quotes, whose pieces may be patterns. */
function splitAtBlanks(value: string): Field[] {
  return value.split(/[ \t\n]+/).map((text) =>
    text === "" ? null : { text, isOpen: false, isGlob: /[*?[]/.test(text) }
  );
}

/** Returns the beginning of a word. `~` is the known home; another user's home is unknown. */
function beginning(written: string, value: string, { variables }: Scope): Field {
  const home = textIn(variables, "HOME");
  const [tilde, user] = /^~([\w.-]*)(?=\/|$)/.exec(written) ?? [];
  if (tilde === undefined || home === undefined) return literal(value);
  const isHome = user === "" || home.endsWith(`/${user}`);
  return isHome ? literal(home + value.slice(tilde.length)) : OPEN;
}

/** Joins the fields of the parts of a word: the last field of a part continues in the first one of the next. */
function joined(parts: readonly (readonly Field[])[]): Field[] {
  const fields: Field[] = [null];
  for (const pieces of parts) {
    pieces.forEach((piece, i) => fields.push(extended(i === 0 ? fields.pop()! : null, piece)));
  }
  return fields;
}

/** Adds a piece to an argument, whose text ends at the first unknown piece. */
function extended(field: Field, piece: Field): Field {
  if (piece === null) return field;
  const { text, isOpen, isGlob, isName: wasName } = field ?? EMPTY;
  const isTooLong = text.length + piece.text.length > MAX_WORD_CHARS;
  const isKnown = !isOpen && !isTooLong;
  const ends = piece.isOpen || isTooLong;
  // The unknown part is a name only if each unknown piece is a name.
  const isName = ends ? piece.isName && (!isOpen || wasName) : wasName;
  const whole = {
    text: isKnown ? text + piece.text : text,
    isOpen: isOpen || ends,
    isGlob: isGlob || (isKnown && piece.isGlob),
  };
  return isName ? { ...whole, isName } : whole;
}

/** Returns the words to which the shell expands a word with `{a,b}`. */
function spellOut(parts: readonly WordPart[], budget: Budget): Word[] {
  let texts = [""];
  for (const part of parts) {
    const choices = part.type === "BraceExpansion" ? alternatives(part.text) : [part.text];
    budget.spend(1 + texts.length / 8);
    texts = texts.flatMap((text) => choices.map((choice) => text + choice));
    // One unknown word stands for the words that are left out.
    if (texts.length > MAX_ALTERNATIVES) texts = [...texts.slice(0, MAX_ALTERNATIVES), UNKNOWN];
  }
  return texts.flatMap((text) => {
    budget.spend(10 + text.length / 8);
    const command = parse(`: ${text}`).commands[0]?.command;
    const [first] = command?.type === "Command" ? command.suffix : [];
    return first?.type === "Word" ? [first] : [];
  });
}

/** Splits `{a,{b,c}}` into `a` and `{b,c}`. */
function alternatives(braces: string): string[] {
  const [, first] = RANGE.exec(braces) ?? [];
  if (first !== undefined) return [first];
  const pieces: string[] = [];
  let depth = 0;
  let quote = "";
  let piece = "";
  for (const letter of braces.slice(1, -1)) {
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === "'" || letter === '"') quote = letter;
    else if (letter === "{") depth++;
    else if (letter === "}") depth--;
    if (letter === "," && depth === 0 && quote === "") {
      pieces.push(piece);
      piece = "";
    } else piece += letter;
  }
  return pieces.length === 0 ? [UNKNOWN] : [...pieces, piece];
}

type Parameter = WordPart & { readonly type: "ParameterExpansion" };

const NUMBERS = /^(?:[$!]|RANDOM|SRANDOM|UID|EUID|PPID|BASHPID|SECONDS|EPOCHSECONDS|LINENO|SHLVL)$/;

/** Stands for an unknown number, which is no option, and no file or folder that a rule could name. */
export const SOME_NUMBER = literal("0");

/** Matches `{1..5}` and `{a..e}`, of which the first value stands for all. */
const RANGE = /^\{(-?\w+)\.\.-?\w+(?:\.\.-?\d+)?\}$/;

/** Returns the words of an expansion: those of an array, or one; undefined where they are unknown. */
function valuesOf(part: WordPart, scope: Scope): readonly Argument[] | undefined {
  switch (part.type) {
    case "CommandExpansion": {
      const output = scope.output(part, scope);
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

/** Tells whether the shell makes one argument from each word of an array. */
function isWholeArray(part: WordPart): boolean {
  return part.type === "ParameterExpansion" && part.prefix === undefined &&
    part.operation === undefined && /^[@*]$/.test(part.index?.value ?? "");
}

function valueOf(name: string, { variables }: Scope): readonly Argument[] | undefined {
  const words = variables.get(name);
  if (words !== undefined) return name === "@" ? words : [words[0] ?? literal("")];
  return NUMBERS.test(name) ? [SOME_NUMBER] : undefined;
}

function parameter(part: Parameter, scope: Scope): readonly Argument[] | undefined {
  const { parameter: name, operation, index } = part;
  const words = scope.variables.get(name);
  if (isWholeArray(part)) return words ?? valueOf(name, scope);
  const value = index === undefined ? valueOf(name, scope) : element(index, words);
  if (operation === undefined) return value;
  const [word] = value ?? [];
  // The variable may come from outside of this script.
  if (word === undefined || word.isOpen) return undefined;
  if (operation.type === "Remove") {
    const text = withoutPart(word.text, operation.operator, operation.operand);
    return text === undefined ? undefined : [{ ...word, text }];
  }
  const isDefault = operation.type === "Default" && operation.operator.endsWith("-");
  return isDefault && word.text !== "" ? value : undefined;
}

function element(
  { value }: Word,
  words: readonly Argument[] | undefined,
): readonly Argument[] | undefined {
  if (!/^\d+$/.test(value) || !words?.every(({ isOpen }) => !isOpen)) return undefined;
  return [words[Number(value)] ?? literal("")];
}

/** Removes a text's beginning or end, as `${f%.ts}` does; undefined for patterns that are not read. */
function withoutPart(text: string, operator: string, { value }: Word): string | undefined {
  const isPlain = !/[*?[\\$`]/.test(value);
  if (operator.startsWith("%")) {
    if (isPlain) return text.endsWith(value) ? text.slice(0, text.length - value.length) : text;
    if (value !== "/*" && value !== ".*") return undefined;
    const at = operator === "%%" ? text.indexOf(value[0]!) : text.lastIndexOf(value[0]!);
    return at < 0 ? text : text.slice(0, at);
  }
  if (isPlain) return text.startsWith(value) ? text.slice(value.length) : text;
  return value === "*/" && operator === "##" ? text.slice(text.lastIndexOf("/") + 1) : undefined;
}

/** The error of a command that costs too much to read. */
export class TooMuchWork extends Error {}

/** How many steps one command may take. A step takes about a microsecond, so all take less than half a second. */
const MAX_STEPS = 250_000;

/** Counts the work of reading a command, without a clock, so that the same command always gets the same answer. */
export class Budget {
  #left = MAX_STEPS;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork();
  }
}

/** Returns the cost of parsing a script, in steps. */
export function stepsToParse(script: string): number {
  // The parser reads nested parts again at each level, and looks through all here-documents for each one.
  const openings = script.match(/[$<>][({]|`/g)?.length ?? 0;
  const hereDocuments = script.split("<<").length - 1;
  return 10 + script.length / 32 + openings * 15 + hereDocuments ** 2 / 500;
}
