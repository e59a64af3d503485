/** Names that are given to commands: aliases of the shell and of git, by the script itself, or by git's configuration. */
import type { GitAliases } from "../git_verbs.ts";
import { withoutGitOptions } from "./operands.ts";
import { type Inner, scriptFrom } from "./inner.ts";
import { type Argument, literal } from "./word.ts";

/** What each alias stands for. An alias of git is listed as `git NAME`. */
export type Aliases = ReadonlyMap<string, Argument>;

export interface Resolved {
  /** As it is called among the aliases. */
  readonly name: string;
  readonly inner: Inner;
  /** The folder that git is told; null where it is told none. */
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

/** The value of an alias of git as a line for the shell. */
export function ofGit(value: string): string {
  return value.startsWith("!") ? value.slice(1) : `git ${value}`;
}

/** What a command stands for whose name is an alias; null for any other command. @param name That of its program. */
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

function resolveOfGit([git, ...rest]: readonly Argument[], aliases: Aliases): Resolved | null {
  const { words: [verb, ...after], folder } = withoutGitOptions(rest);
  const name = gitName(verb?.text ?? "");
  const value = aliases.get(name);
  if (value === undefined) return null;
  const words = value.isOpen || value.text.startsWith("!") ? null : splitAlias(value.text);
  if (words === null) {
    return { name, inner: calledWith(value, ofGit(value.text), after), folder };
  }
  // Git's own options stay, and what was given to the alias follows what it stands for.
  const options = rest.slice(0, rest.length - after.length - 1);
  const given = [git!, ...options, ...words.map(literal), ...after];
  return { name, inner: { kind: "command", words: given }, folder: null };
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

/** A word, with quotes as git takes them. */
const WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs;
const QUOTED = /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs;

/** The words of an alias of git, which no shell reads. */
function splitAlias(value: string): string[] {
  return Array.from(
    value.matchAll(WORD),
    ([word]) =>
      word.replace(
        QUOTED,
        (_, plain?: string, quoted?: string, letter?: string) =>
          plain ?? quoted?.replace(/\\(.)/gs, "$1") ?? letter ?? "",
      ),
  );
}
