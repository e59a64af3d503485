/** What the shell's own commands do to the shell that reads on. */
import type { Command } from "unbash";
import { assign, folderAt, goTo, setParameters, setVariable, type State } from "./state.ts";
import { type Argument, literal, type Scope } from "./word.ts";

const DECLARING = new Set(["export", "declare", "typeset", "local", "readonly"]);
/** They give variables other values, which nobody knows; the variables are named among the arguments. */
const FILLING = new Set(["unset", "read", "mapfile", "readarray", "getopts", "printf", "let"]);

/** Follows a command that changes variables, parameters or the folder; any other changes nothing. */
export function changeShell(
  name: string,
  { args }: Command,
  at: {
    readonly words: readonly Argument[];
    readonly state: State;
    readonly scope: Scope;
  },
): void {
  const { words, state, scope } = at;
  if (name === "cd") changeFolder(words, state);
  else if (name === "pushd" || name === "popd") changeStack(name, words, state);
  else if (name === "set") setGiven(words, state);
  else if (FILLING.has(name)) { for (const { text } of words) setVariable(text, undefined, state); }
  else if (DECLARING.has(name)) {
    if (name !== "export" && name !== "readonly") {
      for (const { text } of words) state.locals?.add(text.replace(/=.*/s, ""));
    }
    for (const arg of args) if (arg.type === "Assignment") assign(arg, state, scope);
  }
}

/** What `set -- a b` does, and `set -e`; with options alone it changes no parameters. */
function setGiven(words: readonly Argument[], state: State): void {
  const { variables } = state;
  const [first] = words;
  const given = words.map(({ text }) => text).join(" ");
  if (/(?:^| )-(?:[a-z]*e|o errexit|[a-z]*o errexit)/.test(given)) state.endsOnFailure = true;
  else if (/(?:^| )\+(?:[a-z]*e|o errexit)/.test(given)) state.endsOnFailure = false;
  const dashes = words.findIndex(({ text }) => text === "--");
  if (dashes >= 0) setParameters(variables, words.slice(dashes + 1));
  else if (first?.isOpen || /^[^-+]/.test(first?.text ?? "-")) setParameters(variables, words);
}

/** What `pushd FOLDER` and `popd` do; with other words only the running shell knows. */
function changeStack(name: "pushd" | "popd", words: readonly Argument[], state: State): void {
  const { folder, left } = state;
  const [to] = words;
  if (name === "popd") goTo(to === undefined ? left.at(-1) ?? null : null, state);
  else if (to === undefined || /^[-+]/.test(to.text)) goTo(null, state);
  else changeFolder(words, state);
  state.left = name === "popd" ? left.slice(0, -1) : [...left, folder];
}

/** What `cd` does; only a folder that is written out, or where it comes from, is known afterwards. */
function changeFolder(words: readonly Argument[], state: State): void {
  const [to] = words.filter(({ text }) => !/^-[LPe@]+$/.test(text) && text !== "--");
  const target = to ?? literal(state.variables.get("HOME") ?? "");
  const isBack = target.text === "-" && !target.isOpen;
  goTo(isBack ? state.variables.get("OLDPWD") ?? null : folderAt(target, state.folder), state);
}
