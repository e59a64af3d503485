/** Aliases of the shell and of git, and the programs that git starts. */
import { gitCall, settingsOf } from "./git_call.ts";
import { type GitAliases, isOwnVerb } from "./git_verbs.ts";
import { inRunner } from "./runners.ts";
import { type Inner, scriptFrom, type ShellCommand } from "./shell_command.ts";
import { type Argument, literal } from "./word.ts";

export function configuredAliases(configured: GitAliases): Map<string, Argument> {
  return new Map([...configured].map(([name, value]) => [`git ${name}`, literal(value)]));
}

/** Follows `alias`, `unalias` and `git config`; any other command changes no alias. */
export function learnAliases(
  { program, args, words }: Pick<ShellCommand, "program" | "args" | "words">,
  aliases: Map<string, Argument>,
): void {
  const { verb, after } = gitCall(words) ?? {};
  if (program === "alias") {
    for (const word of args) {
      const [, alias, value] = /^([^=]+)=(.*)$/s.exec(word.text) ?? [];
      if (alias !== undefined) aliases.set(alias, { ...word, text: value! });
    }
  } else if (program === "unalias") {
    for (const { text } of args) aliases.delete(text);
  } else if (verb === "config") {
    const at = after!.findIndex(({ text }) => /^alias\../.test(text));
    const value = after![at + 1];
    if (at >= 0 && value !== undefined) aliases.set(gitName(after![at]!.text.slice(6)), value);
  }
}

export function ofGit(value: string): string {
  return value.startsWith("!") ? value.slice(1) : `git ${value}`;
}

/**
 * Returns what a command means whose name, or whose verb of git, is an alias; null for any other command. `folder` is
 * the one that `git -C` names; null without it.
 */
export function resolveAlias(words: readonly Argument[], aliases: ReadonlyMap<string, Argument>) {
  if (aliases.size === 0) return null;
  const [program, ...rest] = words;
  const value = aliases.get(program!.text);
  if (value !== undefined) {
    return { name: program!.text, inner: calledWith(value, value.text, rest), folder: null };
  }
  const { verb = "", after = [], folder = null } = gitCall(words) ?? {};
  const name = gitName(verb);
  const ofVerb = aliases.get(name);
  return ofVerb === undefined
    ? null
    : { name, inner: calledWith(ofVerb, ofGit(ofVerb.text), after), folder };
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

/** Settings whose value git runs. */
const RUN_BY_GIT =
  /^[^=]*(?:pager|editor|command|helper|external|program|cmd|textconv|fsmonitor|askpass)=(.+)$/is;

/** Returns the verb of a program that lies beside `git`: `push` for `git-push`; null for other programs. */
export function verbOfProgram(name: string): string | null {
  const verb = name.startsWith("git-") ? name.slice(4) : "";
  return isOwnVerb(verb) ? verb : null;
}

/** Finds what a call of git runs: aliases and programs that it sets, commands of `bisect` or `rebase --exec`. */
export function inGit(words: readonly Argument[]): Inner[] {
  const { verb, after, means, values } = gitCall(words)!;
  const set = settingsOf(words).flatMap((setting) => {
    const [, run] = RUN_BY_GIT.exec(setting) ?? [];
    const [, alias] = /^alias\.[^=]+=(.*)$/s.exec(setting) ?? [];
    return run?.replace(/^!/, "") ?? (alias === undefined ? [] : ofGit(alias));
  }).map((script) => scriptFrom(literal(script)));
  const started = inRunner(`git-${verb}`, after);
  return [
    ...set,
    ...values(means.runs ?? "").map(scriptFrom),
    ...started === undefined ? [] : [started],
  ];
}
