/** Aliases of the shell and of git, and the programs that git starts. */
import { gitCall } from "./git_call.ts";
import { type GitAliases, isOwnVerb } from "./git_verbs.ts";
import { withoutGitOptions } from "./operands.ts";
import { type Inner, join, scriptFrom } from "./shell_command.ts";
import { type Argument, literal } from "./word.ts";

export type Aliases = ReadonlyMap<string, Argument>;

export interface Resolved {
  readonly name: string;
  readonly inner: Inner;
  /** The folder that `git -C` names; null without it. */
  readonly folder: Argument | null;
}

export function configuredAliases(configured: GitAliases): Map<string, Argument> {
  return new Map([...configured].map(([name, value]) => [`git ${name}`, literal(value)]));
}

/** Follows `alias`, `unalias` and `git config`; any other command changes no alias. */
export function learnAliases(
  name: string,
  words: readonly Argument[],
  aliases: Map<string, Argument>,
): void {
  if (name === "alias") {
    for (const word of words) {
      const [, alias, value] = /^([^=]+)=(.*)$/s.exec(word.text) ?? [];
      if (alias !== undefined) aliases.set(alias, { ...word, text: value! });
    }
  } else if (name === "unalias") {
    for (const { text } of words) aliases.delete(text);
  } else if (name === "git") {
    const { words: [verb, ...after] } = withoutGitOptions(words);
    const at = verb?.text === "config" ? after.findIndex(({ text }) => /^alias\../.test(text)) : -1;
    const value = after[at + 1];
    if (at < 0 || value === undefined) return;
    aliases.set(gitName(after[at]!.text.slice(6)), value);
  }
}

export function ofGit(value: string): string {
  return value.startsWith("!") ? value.slice(1) : `git ${value}`;
}

/** What a command means if its name is an alias; null for any other command. */
export function resolveAlias(
  name: string,
  words: readonly Argument[],
  aliases: Aliases,
): Resolved | null {
  if (aliases.size === 0) return null;
  const [program, ...rest] = words;
  const value = aliases.get(program!.text);
  if (value !== undefined) {
    return { name: program!.text, inner: calledWith(value, value.text, rest), folder: null };
  }
  return name === "git" ? resolveOfGit(words, aliases) : null;
}

function resolveOfGit(words: readonly Argument[], aliases: Aliases): Resolved | null {
  const { verb, after, folder } = gitCall(words)!;
  const name = gitName(verb);
  const value = aliases.get(name);
  return value === undefined
    ? null
    : { name, inner: calledWith(value, ofGit(value.text), after), folder };
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
  const set = words.flatMap(({ text }, i) => {
    const value = words[i + 1]?.text ?? "";
    const setting = text === "-c" ? value : verb === "config" ? `${text}=${value}` : "";
    const [, run] = RUN_BY_GIT.exec(setting) ?? [];
    const [, alias] = /^alias\.[^=]+=(.*)$/s.exec(setting) ?? [];
    return run?.replace(/^!/, "") ?? (alias === undefined ? [] : ofGit(alias));
  }).map((script) => scriptFrom(literal(script)));
  const [first, ...others] = after;
  if (verb === "bisect" && first?.text === "run") {
    return [...set, { kind: "command", words: others }];
  }
  const scripts = verb === "submodule" && first?.text === "foreach"
    ? [join(others.filter(({ text }) => !text.startsWith("-")))]
    : verb === "filter-branch"
    ? after.filter((_, i) => /^--\w+-filter$/.test(after[i - 1]?.text ?? ""))
    : values(means.runs ?? "");
  return [...set, ...scripts.map(scriptFrom)];
}
