/** Names that a script gives to commands itself: aliases of the shell, and those of git. */
import { withoutGitOptions } from "./git_options.ts";
import { type Inner, scriptFrom } from "./inner.ts";
import { type Argument, literal } from "./word.ts";

/** What each name stands for; those of git as `git NAME`. */
export type Aliases = ReadonlyMap<string, Argument>;

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
    aliases.set(`git ${after[at]!.text.slice(6)}`, { ...value, text: ofGit(value.text) });
  }
}

/** The value of an alias of git as a line for the shell. */
export function ofGit(value: string): string {
  return value.startsWith("!") ? value.slice(1) : `git ${value}`;
}

/** What a command stands for whose name is an alias, and that name; null for any other command. */
export function resolveAlias(
  words: readonly Argument[],
  aliases: Aliases,
): { readonly name: string; readonly inner: Inner } | null {
  if (aliases.size === 0) return null;
  const [program, ...rest] = words;
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  const found = [
    { name: program!.text, parameters: rest },
    { name: `${program!.text} ${verb?.text}`, parameters: after },
  ].find(({ name }) => aliases.has(name));
  if (found === undefined) return null;
  const value = aliases.get(found.name)!;
  // What was given to the alias follows what it stands for.
  const inner: Inner = value.isOpen
    ? scriptFrom(value)
    : { kind: "script", text: literal(`${value.text} "$@"`), parameters: found.parameters };
  return { name: found.name, inner };
}
