/** Aliases of the shell and of git. */
import { gitCall } from "./git_call.ts";
import type { GitAliases } from "./git_verbs.ts";
import { type Inner, scriptFrom, type ShellCommand } from "./shell_command.ts";
import { type Argument, literal } from "./word.ts";
import { meantByAlias } from "./wrappers.ts";

export function configuredAliases(configured: GitAliases): Map<string, Argument> {
  return new Map([...configured].map(([name, value]) => [`git ${name}`, literal(value)]));
}

/** Follows `alias`, `unalias` and `git config`; any other command changes no alias. */
export function learnAliases(
  { program, args, words }: Pick<ShellCommand, "program" | "args" | "words">,
  aliases: Map<string, Argument>,
): void {
  if (program === "alias") {
    for (const word of args) {
      const [, alias, value] = /^([^=]+)=(.*)$/s.exec(word.text) ?? [];
      if (alias !== undefined) aliases.set(alias, { ...word, text: value! });
    }
  } else if (program === "unalias") {
    for (const { text } of args) aliases.delete(text);
  } else {
    const { verb, after = [] } = gitCall(words) ?? {};
    if (verb !== "config") return;
    const at = after.findIndex(({ text }) => /^alias\../.test(text));
    const value = after[at + 1];
    if (at >= 0 && value !== undefined) aliases.set(gitName(after[at]!.text.slice(6)), value);
  }
}

/**
 * Returns what a command means whose name, or whose verb of git, is an alias; null for any other command. `folder` is
 * the one that `git -C` names; null without it.
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
