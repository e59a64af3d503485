/** Aliases of the shell and of git, and the programs that git starts. */
import { gitCall, settingsOf } from "./git_call.ts";
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

/** What `alias`, `unalias` and `git config` do; any other command changes nothing. */
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

/** Git ignores upper and lower case in the names of aliases. */
function gitName(alias: string): string {
  return `git ${alias.toLowerCase()}`;
}

/** Git's settings whose value git runs. */
const RUN_BY_GIT =
  /^[^=]*(?:pager|editor|command|helper|external|program|cmd|textconv|fsmonitor|askpass)=(.+)$/is;

/** The verb that such a program stands for: `push` for `git-push`, which lies beside `git`; null for other programs. */
export function verbOfProgram(name: string): string | null {
  const verb = name.startsWith("git-") ? name.slice(4) : "";
  return isOwnVerb(verb) ? verb : null;
}

/** What git runs by its words: aliases and programs that are set here, commands of `bisect` or `rebase --exec`. */
export function inGit(words: readonly Argument[]): Inner[] {
  const { verb, after, means, values } = gitCall(words)!;
  const set = settingsOf(words).flatMap((setting) => {
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
