/** Aliases of the shell and of git, and the programs that git starts. */
import { gitCall, settingsOf } from "./git_call.ts";
import { type GitAliases, isOwnVerb } from "./git_verbs.ts";
import { inRunner } from "./runners.ts";
import { type Inner, scriptFrom, type ShellCommand } from "./shell_command.ts";
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

/** What a command means if its name, or the verb of git, is an alias; null for any other command. */
export function resolveAlias(words: readonly Argument[], aliases: Aliases): Resolved | null {
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
  const started = inRunner(`git-${verb}`, after);
  return [
    ...set,
    ...values(means.runs ?? "").map(scriptFrom),
    ...started === undefined ? [] : [started],
  ];
}
