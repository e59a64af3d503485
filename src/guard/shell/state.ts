/** What the shell knows at one place of a script, and how its commands change it. */
import type { Assignment, Command, SyntaxNode } from "unbash";
import type { ShellCommand } from "./command.ts";
import { type Argument, expandToOne, literal, type Scope } from "./word.ts";

/** The shell at one place of a script. */
export interface State {
  variables: Map<string, string>;
  folder: string | null;
  /** The folders that `popd` goes back to, the last one first to go to; null where it is not known. */
  left: readonly (string | null)[];
  readonly functions: Map<string, SyntaxNode>;
  readonly startedBy: ShellCommand | null;
  readonly depth: number;
  /** How often what is read here is read: the rounds of the loops around it. */
  rounds: number;
}

/** A longer value of a variable counts as unknown. */
const MAX_VALUE_CHARS = 65_536;

/** For a shell of its own: what happens in it changes nothing outside. */
export function copyOf(state: State): State {
  return { ...state, variables: new Map(state.variables) };
}

/** For what a command starts, or what a called function does. */
export function inner(state: State, startedBy: ShellCommand | null): State {
  return { ...copyOf(state), startedBy, depth: state.depth + 1 };
}

/** `X=a`, `X+=b`; a value that is not known makes the variable unknown. */
export function assign(
  { name, value, append, index }: Assignment,
  state: State,
  scope: Scope,
): void {
  const known = value.type === "Word" && !index ? expandToOne(value, scope) : undefined;
  const before = append ? state.variables.get(name) : "";
  const isUnknown = known === undefined || known.isOpen || known.isGlob || before === undefined;
  // A script can make a text longer than the machine has room for.
  if (isUnknown || before.length + known.text.length > MAX_VALUE_CHARS) {
    state.variables.delete(name);
  } else state.variables.set(name, before + known.text);
}

/** The assignments that stand before a command, or by themselves. */
export function assignAll({ prefix }: Command, state: State, scope: Scope): void {
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
