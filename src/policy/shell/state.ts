/** The shell's state at one place of a script, how commands change it, and what an alias means. */
import type { Assignment, Command, SyntaxNode } from "unbash";
import { gitCall } from "./git_call.ts";
import { type Inner, meantByAlias, scriptFrom, type ShellCommand } from "./shell_command.ts";
import { leading } from "./operands.ts";
import {
  type Argument,
  expandToOne,
  expandWord,
  literal,
  placeOf,
  type Scope,
  textIn,
} from "./word.ts";

export interface State extends Scope {
  variables: Map<string, readonly Argument[]>;
  folder: string | null;
  /** The folders that `popd` returns to, in reverse order; null for an unknown one. */
  left: readonly (string | null)[];
  /** The bodies of functions, by name. */
  readonly functions: Map<string, SyntaxNode>;
  readonly aliases: Map<string, Argument>;
  readonly startedBy: ShellCommand | null;
  readonly depth: number;
  /** How often this place is read: the product of the rounds of all loops around it. */
  rounds: number;
  /** The local variables of the called function; null outside of functions. */
  readonly locals: Set<string> | null;
}

const MAX_VALUE_CHARS = 65_536;
/** How many variables are kept, since every subshell copies all of them. */
const MAX_VARIABLES = 500;
const MAX_PARAMETERS = 99;
const MAX_ELEMENTS = 1_000;

/** The parts of a command that set variables. */
export type Assigning = Pick<Command, "args" | "prefix">;

/** Returns the state of a subshell, whose changes stay inside it. */
export function copyOf(state: State): State {
  const { variables, folder, budget } = state;
  budget.spend(4 + variables.size / 8 + (folder ?? "").length / 64);
  return { ...state, variables: new Map(variables) };
}

export function inner(state: State, startedBy: ShellCommand | null): State {
  return { ...copyOf(state), startedBy, depth: state.depth + 1 };
}

/** Takes over the changes that a called function has made to the state. */
export function returnFrom(called: State, state: State): void {
  const isItsOwn = (name: string) => called.locals!.has(name) || /^[\d@*]/.test(name);
  state.variables = new Map([
    ...[...called.variables].filter(([name]) => !isItsOwn(name)),
    ...[...state.variables].filter(([name]) => isItsOwn(name)),
  ]);
  const { folder, left } = called;
  Object.assign(state, { folder, left });
}

/** Makes unknown what differs between two states, since only the running shell knows which state holds. */
export function forgetChanges(state: State, before: State): void {
  for (const [name, words] of state.variables) {
    const other = before.variables.get(name);
    const isSame = words === other ||
      (words.length === other?.length && words.every(({ text }, i) => text === other[i]!.text));
    if (!isSame) state.variables.delete(name);
  }
  if (state.folder !== before.folder) goTo(null, state);
}

function goTo(folder: string | null, state: State): void {
  for (const [name, value] of [["OLDPWD", state.folder], ["PWD", folder]] as const) {
    setVariable(name, value === null ? undefined : literal(value), state);
  }
  state.folder = folder;
}

/** Sets a variable; an unknown word makes its value unknown. */
export function setVariable(name: string, word: Argument | undefined, state: State): void {
  const isUnknown = word === undefined || (word.isOpen && !word.isName) ||
    // A script can build a text that does not fit into memory.
    word.text.length > MAX_VALUE_CHARS;
  const isText = !isUnknown && !word.isOpen && !word.isGlob;
  setWords(name, isUnknown ? undefined : [isText ? literal(word.text) : word], state);
}

/** Sets an array; undefined makes its words unknown. */
export function setWords(
  name: string,
  words: readonly Argument[] | undefined,
  { variables }: State,
): void {
  variables.delete(name);
  if (words === undefined || words.length > MAX_ELEMENTS || variables.size >= MAX_VARIABLES) return;
  variables.set(name, words);
}

/** Returns the state for the command that `X=a command` starts. */
export function withPrefix({ prefix }: Assigning, state: State): State {
  if (prefix.length === 0) return state;
  const own = copyOf(state);
  assignAll(prefix, own, state);
  return own;
}

/** Options of `env` and `sudo` that take a value. */
const BEFORE_PROGRAM = { valued: "uCDghp", valuedLong: "unset chdir user group" };

/** Returns the state for the command that `env X=a command` starts; `-C` also changes the folder. */
export function withAssigned([program, ...words]: readonly Argument[], state: State): State {
  if (!/^(?:(?:cross-)?env|sudo)$/.test(program?.text ?? "")) return state;
  const assigned = words.filter(({ text }) => /^[A-Za-z_]\w*=/.test(text));
  const option = program!.text === "sudo" ? "-D --chdir" : "-C --chdir";
  const folder = leading(words, BEFORE_PROGRAM).values(option).at(-1);
  if (assigned.length === 0 && folder === undefined) return state;
  const own = copyOf(state);
  if (folder !== undefined) goTo(folderAt(folder, state.folder), own);
  for (const word of assigned) {
    const at = word.text.indexOf("=");
    setVariable(word.text.slice(0, at), { ...word, text: word.text.slice(at + 1) }, own);
  }
  return own;
}

/** Returns the folder that a word names; null where only the running shell knows it. */
function folderAt(word: Argument, folder: string | null): string | null {
  return word.isGlob || word.text === "-" || word.text === "" ? null : placeOf(word, folder);
}

function assign(
  { name, value, append, index }: Assignment,
  state: State,
  scope = state,
): void {
  const { variables } = state;
  if (value.type === "ArrayValue") {
    const before = append ? variables.get(name) : [];
    const words = value.elements.flatMap((word) => expandWord(word, scope));
    return setWords(name, before && [...before, ...words], state);
  }
  const before = append ? textIn(variables, name) : "";
  const word = index || before === undefined ? undefined : expandToOne(value, scope);
  setVariable(name, word && { ...word, text: before + word.text }, state);
}

/** Sets variables as `X=a` does. The values are expanded in `scope`. */
export function assignAll(prefix: Command["prefix"], state: State, scope = state): void {
  for (const part of prefix) if (part.type === "Assignment") assign(part, state, scope);
}

export function setParameters(
  variables: Map<string, readonly Argument[]>,
  words: readonly Argument[],
): void {
  for (const name of variables.keys()) if (/^(?:[1-9]\d*|[@*])$/.test(name)) variables.delete(name);
  for (const [i, { text, isOpen }] of words.slice(0, MAX_PARAMETERS).entries()) {
    if (!isOpen) variables.set(String(i + 1), [literal(text)]);
  }
  if (words.some(({ isOpen }) => isOpen)) return;
  const texts = words.map(({ text }) => text);
  variables.set("@", texts.map(literal)).set("*", [literal(texts.join(" "))]);
}

const DECLARING = new Set(["export", "declare", "typeset", "local", "readonly"]);
/** Commands that set variables to unknown values. */
const FILLING = new Set(["unset", "read", "mapfile", "readarray", "getopts", "printf", "let"]);

/** Applies a command that changes the shell; any other command changes nothing. */
export function changeShell(
  { program: name, args: words, words: all }: ShellCommand,
  { args, prefix }: Assigning,
  state: State,
): void {
  if (name === "cd") {
    // Each folder of CDPATH may contain the named folder.
    const isSearched = state.variables.has("CDPATH") ||
      prefix.some((part) => part.type === "Assignment" && part.name === "CDPATH");
    if (isSearched && !/^\.{0,2}\//.test(words[0]?.text ?? "/")) goTo(null, state);
    else changeFolder(words, state);
  } else if (name === "pushd" || name === "popd") changeStack(name, words, state);
  else if (name === "set") setGiven(words, state);
  else if (FILLING.has(name)) { for (const { text } of words) setVariable(text, undefined, state); }
  else if (DECLARING.has(name)) {
    if (name !== "export" && name !== "readonly") {
      for (const { text } of words) state.locals?.add(text.replace(/=.*/s, ""));
    }
    // With `-n` a name stands for another variable.
    const isReference = words.some(({ text }) => /^-[a-zA-Z]*n/.test(text));
    for (const arg of args) {
      if (arg.type !== "Assignment") continue;
      if (isReference) setVariable(arg.name, undefined, state);
      else assign(arg, state);
    }
  } else if (name === "alias") {
    for (const word of words) {
      const [, alias, value] = /^([^=]+)=(.*)$/s.exec(word.text) ?? [];
      if (alias !== undefined) state.aliases.set(alias, { ...word, text: value! });
    }
  } else if (name === "unalias") { for (const { text } of words) state.aliases.delete(text); }
  else if (name === "git") {
    const { verb, after } = gitCall(all)!;
    const at = verb === "config" ? after.findIndex(({ text }) => /^alias\../.test(text)) : -1;
    const value = after[at + 1];
    if (at >= 0 && value !== undefined) {
      state.aliases.set(gitName(after[at]!.text.slice(6)), value);
    }
  }
}

/** Applies `set -- a b`, which sets the parameters; options alone do not. */
function setGiven(words: readonly Argument[], state: State): void {
  const { variables } = state;
  const [first] = words;
  const dashes = words.findIndex(({ text }) => text === "--");
  if (dashes >= 0) setParameters(variables, words.slice(dashes + 1));
  else if (first?.isOpen || /^[^-+]/.test(first?.text ?? "-")) setParameters(variables, words);
}

/** Applies `pushd FOLDER` and `popd`; with other words the folder is unknown. */
function changeStack(name: "pushd" | "popd", words: readonly Argument[], state: State): void {
  const { folder, left } = state;
  const [to] = words;
  if (name === "popd") goTo(to === undefined ? left.at(-1) ?? null : null, state);
  else if (to === undefined || /^[-+]/.test(to.text)) goTo(null, state);
  else changeFolder(words, state);
  state.left = name === "popd" ? left.slice(0, -1) : [...left, folder];
}

/** Applies `cd`. Afterwards the folder is known only if the script writes it out, or if it was the last folder. */
function changeFolder(words: readonly Argument[], state: State): void {
  const [to] = words.filter(({ text }) => !/^-[LPe@]+$/.test(text) && text !== "--");
  const target = to ?? literal(textIn(state.variables, "HOME") ?? "");
  const isBack = target.text === "-" && !target.isOpen;
  goTo(isBack ? textIn(state.variables, "OLDPWD") ?? null : folderAt(target, state.folder), state);
}

/**
 * Returns what an alias means that is the name of a command, or its verb of git; null for a command without an alias.
 * `folder` is the one that `git -C` names; null without it.
 */
export function resolveAlias(words: readonly Argument[], aliases: ReadonlyMap<string, Argument>) {
  if (aliases.size === 0) return null;
  const [program, ...rest] = words;
  const name = program!.text;
  const value = aliases.get(name);
  if (value !== undefined) {
    return { name, inner: calledWith(value, value.text, rest), folder: null };
  }
  const { verb = "", after = [], folder = null } = gitCall(words) ?? {};
  const ofVerb = aliases.get(gitName(verb));
  return ofVerb === undefined ? null : {
    name: gitName(verb),
    inner: calledWith(ofVerb, meantByAlias(ofVerb.text), after),
    folder,
  };
}

function calledWith(value: Argument, text: string, parameters: readonly Argument[]): Inner {
  return value.isOpen
    ? scriptFrom({ ...value, text })
    : { kind: "script", text: literal(`${text} "$@"`), parameters };
}

/** Returns the key of a git alias, whose name git reads without regard to upper and lower case. */
function gitName(alias: string): string {
  return `git ${alias.toLowerCase()}`;
}
