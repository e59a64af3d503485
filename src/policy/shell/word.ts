/** The words of a shell command after quotes, braces and variables, as far as they are known without running it. */
import { parse, type Word, type WordPart } from "unbash";
import { resolvePath } from "../../base/paths.ts";
import type { Search } from "../guards/types.ts";
import type { Budget } from "./budget.ts";

export interface Argument {
  /** The text without quotes; of an open argument, what is sure to stand at its beginning. */
  readonly text: string;
  /** True when only the running shell knows how the text goes on, or whether more arguments follow. */
  readonly isOpen: boolean;
  /** True when the text is a pattern that the shell replaces by names of files. */
  readonly isGlob: boolean;
  /** True when the unknown part is a name: no option, nothing with blanks. */
  readonly isName?: boolean;
  /** The word as it stands in the script; absent where none stands there, as for what `xargs` appends. */
  readonly source?: string;
  /** The names of files that a search finds stand in its place. */
  readonly found?: Found;
}

/** What a command searches, and how. */
export interface Found {
  /** Whether it finds everything in its folders. */
  readonly isAll: boolean;
  readonly roots: readonly Argument[];
  readonly searchFrom: (root: Argument, how: Pick<Search, "takesFolders">) => Search;
}

export function withText({ found: _, ...word }: Argument, text: string): Argument {
  return { ...word, text };
}

/** The path that a word names, absolute; null when only the running shell knows it. */
export function placeOf({ text, isOpen }: Argument, folder: string | null): string | null {
  const isKnown = !isOpen && (folder !== null || text.startsWith("/"));
  return isKnown ? resolvePath(text, { folder: folder ?? "/" }) : null;
}

/** An argument of which only the running shell knows the text. */
export const OPEN: Argument = { text: "", isOpen: true, isGlob: false };

/** What is known of the shell at this place of the script. */
export interface Scope {
  /** Variables, and positional parameters under `1`, `2`, `@`; absent ones are not known. */
  readonly variables: ReadonlyMap<string, string>;
  /** Arrays and patterns. Without an index the first word counts. */
  readonly lists: ReadonlyMap<string, readonly Argument[]>;
  /** What a command substitution prints, if that is sure. */
  readonly output: (part: WordPart & { readonly type: "CommandExpansion" }) => Argument | undefined;
  readonly root: string | null;
  readonly budget: Budget;
}

const MAX_ALTERNATIVES = 100;
/** How a longer word goes on counts as unknown; a file that is written comes as one word, too. */
const MAX_WORD_CHARS = 16_777_216;
const UNKNOWN = '"${?}"';

/** The arguments that one word becomes: none, one, or several. */
export function expandWord(word: Word, scope: Scope): Argument[] {
  scope.budget.spend(1 + word.text.length / 64);
  if (word.parts?.some(({ type }) => type === "BraceExpansion")) {
    return spellOut(word, scope.budget).flatMap((alternative) => expandWord(alternative, scope))
      .map((argument) => ({ ...argument, source: word.text }));
  }
  const fields = new Fields(word.text);
  if (word.parts === undefined) addStart(word.text, word.value, { fields, scope });
  else {
    word.parts.forEach((part, i) => addPart(part, { fields, scope, isFirst: i === 0 }));
  }
  const words = fields.end();
  scope.budget.spend(words.reduce((steps, { text }) => steps + 1 + text.length / 256, 0));
  return words;
}

/** {@linkcode expandWord} where the shell makes exactly one text of it: the target of a redirection, a value. */
export function expandToOne(word: Word, scope: Scope): Argument {
  const [first, ...others] = expandWord(word, scope);
  if (first === undefined) return literal("");
  return others.length === 0 ? first : { ...first, isOpen: true };
}

export function literal(text: string): Argument {
  return { text, isOpen: false, isGlob: false };
}

/** Collects the pieces of a word, and cuts them where the shell would. */
class Fields {
  readonly #done: Argument[] = [];
  readonly #source: string;
  #text = "";
  #isOpen = false;
  #isGlob = false;
  #isName = true;
  #hasPart = false;

  constructor(source: string) {
    this.#source = source;
  }

  add(text: string): void {
    this.#hasPart = true;
    if (this.#text.length + text.length > MAX_WORD_CHARS) this.#isOpen = true;
    if (!this.#isOpen) this.#text += text;
  }

  /** The value of an unquoted variable: blanks in it part arguments, and it may be a pattern. */
  addSplit(text: string): void {
    for (const [i, piece] of text.split(/[ \t\n]+/).entries()) {
      if (i > 0) this.cut();
      if (/[*?[]/.test(piece)) this.addGlob(piece);
      else if (piece !== "") this.add(piece);
    }
  }

  /** Words that an expansion puts in, one argument each. */
  addWords(words: readonly Argument[], isQuoted: boolean): void {
    for (const [i, { text, isOpen, isGlob, isName = false }] of words.entries()) {
      if (i > 0) this.cut();
      if (isOpen) {
        this.add(text);
        this.addUnknown(isName);
      } else if (isGlob) this.addGlob(text);
      else if (isQuoted) this.add(text);
      else this.addSplit(text);
    }
  }

  addGlob(text: string): void {
    this.add(text);
    if (!this.#isOpen) this.#isGlob = true;
  }

  addUnknown(isName = false): void {
    this.#hasPart = true;
    this.#isOpen = true;
    this.#isName &&= isName;
  }

  end(): Argument[] {
    this.cut();
    return this.#done;
  }

  cut(): void {
    if (this.#hasPart) {
      const word = { text: this.#text, isOpen: this.#isOpen, isGlob: this.#isGlob };
      const name = word.isOpen && this.#isName ? { isName: true } : {};
      this.#done.push({ ...word, ...name, source: this.#source });
    }
    this.#text = "";
    this.#isOpen = this.#isGlob = this.#hasPart = false;
    this.#isName = true;
  }
}

interface Place {
  readonly fields: Fields;
  readonly scope: Scope;
  readonly isFirst?: boolean;
  readonly isQuoted?: boolean;
}

function addPart(part: WordPart, place: Place): void {
  const { fields, scope, isFirst = false, isQuoted = false } = place;
  switch (part.type) {
    case "Literal":
      if (isFirst && !isQuoted) addStart(part.text, part.value, place);
      else fields.add(part.value);
      break;
    case "SingleQuoted":
    case "AnsiCQuoted":
      fields.add(part.value);
      break;
    case "DoubleQuoted":
    case "LocaleString":
      if (isAllParameters(part.parts)) return addPart(part.parts[0]!, { fields, scope });
      if (part.parts.length > 1 || !part.parts.every(isWholeArray)) fields.add("");
      for (const child of part.parts) addPart(child, { fields, scope, isQuoted: true });
      break;
    case "Glob":
      fields.addGlob(part.text);
      break;
    case "ExtendedGlob":
      fields.addGlob("*");
      break;
    default: {
      const words = wordsOf(part, scope);
      if (words === undefined) fields.addUnknown();
      else fields.addWords(words, isQuoted);
    }
  }
}

/** `"$@"`: one argument for each parameter. */
function isAllParameters(parts: readonly WordPart[]): boolean {
  const [only, ...others] = parts;
  return others.length === 0 && only?.type === "SimpleExpansion" && only.text === "$@";
}

/** The beginning of a word, where `~` stands for a home: ours is known, that of somebody else is not. */
function addStart(written: string, value: string, { fields, scope }: Place): void {
  const home = scope.variables.get("HOME");
  const [tilde, user] = /^~([\w.-]*)(?=\/|$)/.exec(written) ?? [];
  if (tilde === undefined || home === undefined) fields.add(value);
  else if (user === "" || home.endsWith(`/${user}`)) fields.add(home + value.slice(tilde.length));
  else fields.addUnknown();
}

/** A word with `{a,b}` as the words that the shell makes of it. */
function spellOut(word: Word, budget: Budget): Word[] {
  let texts = [""];
  const parts = word.parts ?? [];
  for (const part of parts) {
    const choices = part.type === "BraceExpansion" ? alternatives(part.text) : [part.text];
    budget.spend(1 + texts.length / 8);
    texts = texts.flatMap((text) => choices.map((choice) => text + choice));
    // What is left out is no less there.
    if (texts.length > MAX_ALTERNATIVES) texts = [...texts.slice(0, MAX_ALTERNATIVES), UNKNOWN];
  }
  return texts.flatMap((text) => {
    budget.spend(10 + text.length / 8);
    const command = parse(`: ${text}`).commands[0]?.command;
    const [first] = command?.type === "Command" ? command.suffix : [];
    return first?.type === "Word" ? [first] : [];
  });
}

/** `{a,{b,c}}` as `a`, `{b,c}`. */
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

/** Variables that the shell itself fills with a number. */
const NUMBERS = /^(?:[$!]|RANDOM|SRANDOM|UID|EUID|PPID|BASHPID|SECONDS|EPOCHSECONDS|LINENO|SHLVL)$/;

/** Stands for an unknown number: no option, no folder, no name that a rule could mean. */
export const SOME_NUMBER: Argument = { text: "0", isOpen: false, isGlob: false };

/** `{1..5}`, `{a..e}`: the first of them stands for all. */
const RANGE = /^\{(-?\w+)\.\.-?\w+(?:\.\.-?\d+)?\}$/;

/** The words that an expansion puts in: those of an array, or one; undefined when that cannot be told. */
function wordsOf(part: WordPart, scope: Scope): readonly Argument[] | undefined {
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
function isWholeArray(part: WordPart): boolean {
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
