/** Tells quickly, before every tool, whether any requirement could concern the tool use. */
import { commandOf, SHELL_TOOLS } from "../../claude/payload.ts";
import type { RequiredUses } from "../../config/hook_config.ts";
import type { AskedUse } from "../guards/judge_use.ts";
import { mayChange } from "../shell/quick_look.ts";

/** Signs that a command starts another one, or that the shell changes its words. */
const VEILED =
  /[$`{*?[<]|\b(?:eval|xargs|alias|env|command|exec|find|perl|python[\d.]*|node|ruby|php|lua|bun|deno|Rscript|osascript|awk|(?:ba|da|k|z|pw|power)?sh(?:ell)?|cmd)\b|\bgit(?:\s+-|-[a-z])/;

/** Longer commands are always parsed, because patterns can take polynomial time. */
const MAX_LOOKED_CHARS = 2_000;

export function mayBeRequired(
  uses: RequiredUses,
  { tool, input, gitAliases }: Pick<AskedUse, "tool" | "input" | "gitAliases">,
): boolean {
  if (SHELL_TOOLS.has(tool)) {
    const { edits, commands } = uses;
    return gitAliases.size > 0 || mayMean(uses, commandOf(input)) ||
      // The quick look knows only words of the POSIX shell.
      (tool === "PowerShell" && (edits || commands !== ""));
  }
  return uses.tools.includes(tool) || uses.tools.includes("*");
}

/** Tells whether a requirement could concern a command, which must then be parsed. Ignores quotes and redirections. */
export function mayMean({ edits, commands }: RequiredUses, command: string | null): boolean {
  if (command === null) return false;
  const joined = command.replaceAll("\\\n", "");
  const unquoted = joined.replace(/['"\\]/g, "");
  if (!edits && commands === "") return false;
  if (unquoted.length > MAX_LOOKED_CHARS || VEILED.test(unquoted)) return true;
  if (edits && mayChange(unquoted)) return true;
  if (commands === "") return false;
  const plain = (text: string) => text.replace(REDIRECTION, " ").replace(/\s+/g, " ");
  const unredirected = plain(unquoted);
  // `git >log -C elsewhere commit`
  if (VEILED.test(unredirected)) return true;
  const pattern = new RegExp(commands, "i");
  return pattern.test(unquoted) || pattern.test(unredirected) ||
    pattern.test(plain(joined.replace(QUOTED, "''")));
}

/**
 * The verbs of git that move a branch. New commits use up a requirement about `commit`; a branch that advances uses up
 * one about any other verb.
 */
export const MOVES = "commit merge pull rebase cherry-pick revert am".split(" ");

/** Tells whether a requirement could concern a command of git that moves a branch. */
export function mayMeanMoves({ commands }: RequiredUses): boolean {
  return commands !== "" &&
    new RegExp(commands, "i").test(MOVES.map((verb) => `git ${verb} x`).join("\n"));
}

/** A quoted text, which counts as an empty word: see `CommandText` in `trigger_match.ts`. */
const QUOTED = /"(?:\\.|[^"\\])*"|'[^']*'|\\./gs;

/** `2>&1`, `> file` */
const REDIRECTION = /\d*>{1,2}[&|]?[ \t]*[^\s;&|()<>]*/g;
