/** What the shell knows at one place of a script, and how its commands change it. */
import type { Assignment, Command, SyntaxNode } from "unbash";
import type { ShellCommand } from "./command.ts";
import { type Argument, expandToOne, expandWord, literal, type Scope } from "./word.ts";

/** The shell at one place of a script. */
export interface State {
  variables: Map<string, string>;
  /** Variables that are more than one known text: arrays, patterns. No name is in both. */
  lists: Map<string, readonly Argument[]>;
  folder: string | null;
  /** The folders that `popd` goes back to, the last one first to go to; null where it is not known. */
  left: readonly (string | null)[];
  readonly functions: Map<string, SyntaxNode>;
  readonly aliases: Map<string, Argument>;
  readonly startedBy: ShellCommand | null;
  readonly depth: number;
  /** How often what is read here is read: the rounds of the loops around it. */
  rounds: number;
}

/** A longer value of a variable counts as unknown. */
const MAX_VALUE_CHARS = 65_536;
/** An array of more words counts as unknown. */
const MAX_ELEMENTS = 1_000;

/** For a shell of its own: what happens in it changes nothing outside. */
export function copyOf(state: State): State {
  return { ...state, variables: new Map(state.variables), lists: new Map(state.lists) };
}

/** For what a command starts, or what a called function does. */
export function inner(state: State, startedBy: ShellCommand | null): State {
  return { ...copyOf(state), startedBy, depth: state.depth + 1 };
}

/** Gives a variable a word as its value; one that is not known makes it unknown. */
export function setVariable(name: string, word: Argument | undefined, state: State): void {
  state.variables.delete(name);
  state.lists.delete(name);
  if (word === undefined || (word.isOpen && !word.isName)) return;
  if (word.isOpen || word.isGlob) state.lists.set(name, [word]);
  // A script can make a text longer than the machine has room for.
  else if (word.text.length <= MAX_VALUE_CHARS) state.variables.set(name, word.text);
}

/** The shell with the variables of `X=a command`, for what that starts. */
export function withPrefix(prefix: Command["prefix"], state: State, scope: Scope): State {
  if (prefix.length === 0) return state;
  const own = copyOf(state);
  assignAll(prefix, own, scope);
  return own;
}

/** The same of `env X=a command`. */
export function withAssigned([program, ...words]: readonly Argument[], state: State): State {
  const assigned = /^(?:cross-)?env$/.test(program?.text ?? "")
    ? words.filter(({ text }) => /^[A-Za-z_]\w*=/.test(text))
    : [];
  if (assigned.length === 0) return state;
  const own = copyOf(state);
  for (const word of assigned) {
    const at = word.text.indexOf("=");
    setVariable(word.text.slice(0, at), { ...word, text: word.text.slice(at + 1) }, own);
  }
  return own;
}

/** `X=a`, `X+=b`, `X=(a b)`, `X+=(c)`. */
export function assign(
  { name, value, append, index }: Assignment,
  state: State,
  scope: Scope,
): void {
  if (value.type === "ArrayValue") {
    const before = append ? wordsBefore(name, state) : [];
    const words = value.elements.flatMap((word) => expandWord(word, scope));
    setVariable(name, undefined, state);
    if (before === undefined || before.length + words.length > MAX_ELEMENTS) return;
    state.lists.set(name, [...before, ...words]);
    return;
  }
  const before = append ? state.variables.get(name) : "";
  const word = index || before === undefined ? undefined : expandToOne(value, scope);
  setVariable(name, word && { ...word, text: before + word.text }, state);
}

function wordsBefore(name: string, { lists, variables }: State): readonly Argument[] | undefined {
  const value = variables.get(name);
  return lists.get(name) ?? (value === undefined ? undefined : [literal(value)]);
}

/** The assignments that stand before a command, or by themselves. */
export function assignAll(prefix: Command["prefix"], state: State, scope: Scope): void {
  for (const part of prefix) if (part.type === "Assignment") assign(part, state, scope);
}

/** `of=x` in `dd of=x` is an argument like any other. */
export function assignmentWord({ name, value, text }: Assignment, scope: Scope): Argument {
  if (value.type !== "Word") return literal(text);
  const right = expandToOne(value, scope);
  return { ...right, text: `${name}=${right.text}`, source: text };
}

/** `$1` to `$9` and `$@`. */
export function setParameters(variables: Map<string, string>, words: readonly Argument[]): void {
  for (let i = 1; i <= 9; i++) variables.delete(String(i));
  variables.delete("@");
  variables.delete("*");
  for (const [i, { text, isOpen }] of words.entries()) {
    if (!isOpen) variables.set(String(i + 1), text);
  }
  if (words.every(({ isOpen }) => !isOpen)) {
    const all = words.map(({ text }) => text).join(" ");
    variables.set("@", all).set("*", all);
  }
}
