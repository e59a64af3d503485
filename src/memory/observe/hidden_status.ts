/** Commands whose own exit status the shell hides: behind a pipe, before `; echo`, before `|| true`. */
import { isOnlyLooking } from "../looking_commands.ts";
import { isHarmless } from "./script_words.ts";
import type { ScriptCommand } from "./shell_words.ts";

/** Words of the shell before a command, and those that stand for themselves. */
const BEFORE = /^(?:(?:do|then|else|if|elif|while|until|!|\{)(?:\s+|$))+/;
const STRUCTURE = /^(?:$|(?:for|case|select|done|fi|esac|set)\b|\})/;
const STOPS = /^-[a-z]*e|^errexit$/;
const PIPES = /^pipefail$/;

/** Whether a script may end well although one of its commands did not; what only looks or says something is none. */
export function hidesStatus(commands: readonly ScriptCommand[]): boolean {
  return commands.some((command, at) => does(command) && isHidden(commands, at));
}

function does(command: ScriptCommand): boolean {
  const source = command.source.replace(BEFORE, "");
  return !STRUCTURE.test(source) && !isHarmless({ ...command, before: "" }) &&
    !isHarmless({ ...command, words: source.split(/\s+/, 1), before: "" }) &&
    !isOnlyLooking(source);
}

function isHidden(commands: readonly ScriptCommand[], at: number): boolean {
  if (commands[at]!.before === "||") return true;
  const stops = hasSet(commands, { at, option: STOPS });
  const hasPipes = hasSet(commands, { at, option: PIPES });
  return !commands.slice(at).every(({ after }, behind) =>
    after === "" || after === "&&" || after === ";" && stops ||
    // What stands in a later pipe has a status of its own.
    after === "|" && (behind > 0 || hasPipes)
  );
}

function hasSet(
  commands: readonly ScriptCommand[],
  { at, option }: { readonly at: number; readonly option: RegExp },
): boolean {
  return commands.slice(0, at).some(({ words: [program, ...args] }) =>
    program === "set" && args.some((word) => option.test(word))
  );
}
