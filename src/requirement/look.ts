/** A cheap look at a tool use: whether any requirement could be about it. Runs before every tool. */

import { SHELL_TOOLS } from "../capture/payload.ts";

/** The tool uses that requirements are about, all together. */
export interface RequiredUses {
  /** Exact names; `*` where a glob may match any. */
  readonly tools: readonly string[];
  /** Whether one of them changes files, so that a shell command that writes counts as well. */
  readonly edits: boolean;
  /** The source of a regular expression (flag `i`) that every command of interest matches; empty for none. */
  readonly commands: string;
}

/** Signs that a command is not what its text says, or that it starts another one. */
const VEILED =
  /[$`{*?[<]|\b(?:eval|xargs|alias|env|command|exec|find|perl|python[\d.]*|node|ruby|php|lua|bun|deno|Rscript|osascript|awk|(?:ba|da|k|z)?sh)\b|\bgit\s+-/;

/** Signs that a command may change files. */
const WRITING =
  />|\b(?:g?(?:rm|mv|cp|sed|awk)|tee|ln|dd|install|rsync|scp|touch|truncate|shred|link|unlink|rmdir|perl|curl|wget|sort|uniq|split|patch|checkout|restore|apply|am|archive|ed|ex|tar|unzip|cpio|g(?:un)?zip|b(?:un)?zip2|(?:un)?xz|zstd|sponge|openssl|mkfifo|mktemp|prettier|eslint|stylelint|markdownlint|standard|biome|ruff|black|isort|autopep8|yapf|gofmt|goimports|rustfmt|clang(?:-format)?|shfmt|rubocop|yq|sd|dos2unix|unix2dos|sops|n?vim?|rimraf|del|trash|iconv|gpg2?|age|ssh-keygen|aws|gsutil|docker|podman|kubectl|oc|unzstd|(?:g|bsd)tar|zip|7za?|gcc|cc|[gc]\+\+|ld|rustc|go|pandoc|dot|esbuild|tsx|ts-node|pg_dump(?:all)?|mysqldump)(?!\w)|\s--output\b/;

/** A longer text is taken apart in any case: what a pattern costs may grow with a power of it. */
const MAX_LOOKED_CHARS = 2_000;

/** Signs that a command only tells of another one: `man git commit`, `git commit --help`. */
const TELLING =
  /^\s*(?:echo|printf|man|which|type|apropos|whatis|tldr)\b|\s(?:-h|--(?:help|dry-run|abort|quit))\b/;

/** A command of plain words: what it says is what it is. */
const PLAIN = /^[\w ./=:@,%+-]*$/;

/** Whether a requirement could be about a tool use. */
export function mayBeRequired(
  uses: RequiredUses,
  { tool, input }: { readonly tool: string; readonly input: unknown },
): boolean {
  if (SHELL_TOOLS.has(tool)) {
    return lookAtCommand(uses, Reflect.get(Object(input), "command")) !== "no";
  }
  return uses.tools.includes(tool) || uses.tools.includes("*");
}

/**
 * A look at a Bash command: `no` when no requirement can mean it, `plain` when it is one command whose text can be judged
 * as it is, else `parse`. Quotes and backslashes are disregarded, since the shell takes them away.
 */
export function lookAtCommand(
  { edits, commands }: RequiredUses,
  command: unknown,
): "no" | "plain" | "parse" {
  if (typeof command !== "string") return "no";
  const unquoted = command.replace(/\\\n|['"\\]/g, "");
  const isUnclear = unquoted.length > MAX_LOOKED_CHARS || VEILED.test(unquoted);
  const mayWrite = edits && (isUnclear || WRITING.test(unquoted));
  const mayMatch = commands !== "" &&
    (isUnclear || new RegExp(commands, "i").test(unquoted));
  if (!mayWrite && !mayMatch) return "no";
  const isPlain = !mayWrite && !isUnclear && !TELLING.test(command);
  return isPlain && PLAIN.test(command) ? "plain" : "parse";
}
