/** Commands that try something out, clear up, or are told to do what there is not: that they fail leaves nothing open. */
import { isOnlyLooking } from "../looking_commands.ts";
import { gitArguments } from "./git_words.ts";
import { nameOf, withoutLaunchers } from "./launchers.ts";
import { isHarmless, isThrownAway } from "./script_words.ts";
import type { ScriptCommand } from "./shell_words.ts";

/** What runs a text that is nobody's file. */
const INTERPRETER =
  /^(?:python[\d.]*|py|node|deno|bun|ruby|perl|php|lua|bash|sh|zsh|tsx|ts-node|Rscript)$/;
const TEXT_FLAG = /^(?:-[a-z]*[cepr]|--eval|--print|eval)$/;
const DOCUMENT = /<<-?\s*\\?['"]?\w/;
/** What puts a place in order. */
const CLEARING: ReadonlySet<string> = new Set(
  ["mkdir", "rmdir", "rm", "chmod", "chown", "touch", "unlink", "kill", "killall", "pkill"],
);
/** What git says of a name that it does not know, and of what it does not have. */
const GIT_HAS_NONE =
  /^(?:error: pathspec .* did not match|fatal: (?:invalid reference|ambiguous argument|not a valid|bad revision|couldn't find remote ref)|(?:error: )?No stash entries found|error: branch .* not found)/m;
/** What a program says that was called in a way that it does not know. */
const MISCALLED =
  /^(?:npm (?:ERR!|error) Missing script|error: (?:Script|Task) not found|error Command "[^"]*" not found|ERR_PNPM_NO_SCRIPT|usage: |Usage: |(?:\S+: )?(?:error: )?(?:unknown|unrecognized|unexpected|invalid|illegal|no such) (?:option|argument|flag|command|subcommand)s?\b)/m;
const SCRIPT_OF_PACKAGE =
  /^(?:npm|pnpm|yarn|bun|make|just|rake|deno task|turbo|nx|tox|nox|gradlew?|mvnw?)$/;
const TIMED_OUT = 124;

/** Whether a script that failed did nothing that somebody has to mend. */
export function isOnlyTried(
  { commands, output, exitCode }: {
    readonly commands: readonly ScriptCommand[];
    readonly output: string;
    readonly exitCode: number | null;
  },
): boolean {
  const done = commands.filter((command) => !isHarmless(command));
  if (done.length === 0) return false;
  if (exitCode === TIMED_OUT && done.some(({ words }) => nameOf(words[0]!) === "timeout")) {
    return true;
  }
  if (done.every((command) => tries(command) || isOnlyLooking(command.source))) return true;
  const isGit = done.every(({ words }) => gitArguments(words) !== null);
  if (isGit && GIT_HAS_NONE.test(output)) return true;
  return done.length === 1 && MISCALLED.test(output) && wasMiscalled(done[0]!, output);
}

function tries({ words, input, source }: ScriptCommand): boolean {
  const [program = "", ...args] = withoutLaunchers(words);
  const name = nameOf(program);
  if (CLEARING.has(name)) return true;
  if (name === "cat" || name === "tee") return /(?:>|tee)\s*["']?\/(?:tmp|var\/tmp)\//.test(source);
  if (!INTERPRETER.test(name)) return isThrownAway(program);
  const plain = args.filter((word) => !word.startsWith("-"));
  // Before a pipe the text is told of the last command in its line.
  if ((input !== null || DOCUMENT.test(source)) && plain.length === 0) return true;
  const text = args.findIndex((word) => TEXT_FLAG.test(word));
  if (text >= 0 && args.slice(0, text).every((word) => word.startsWith("-"))) return true;
  return isThrownAway(plain.find((word) => word !== "run") ?? "");
}

/** A script of a package calls others, which may be called wrongly for ever: only that it is not there counts. */
function wasMiscalled({ words }: ScriptCommand, output: string): boolean {
  const [program = ""] = withoutLaunchers(words);
  return !SCRIPT_OF_PACKAGE.test(nameOf(program)) ||
    /^(?:npm (?:ERR!|error) Missing script|error: Script not found|error Command "|ERR_PNPM_NO_SCRIPT)/m
      .test(output);
}
