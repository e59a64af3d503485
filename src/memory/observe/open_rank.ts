/** Ranks failures among open ends. The failure of a command that only tried or looked for something is not one. */
import {
  isHarmless,
  isOnlyLooking,
  isTemporary,
  looks,
  nameOf,
  type ScriptCommand,
  scriptCommands,
  withoutLaunchers,
} from "./shell_words.ts";
import { OPEN_RANKS } from "../tell/open_ends.ts";
import type { Observed } from "./observation.ts";

/** What git prints when there is nothing to commit. */
const NOTHING_TO_COMMIT: readonly string[] = [
  "nothing to commit",
  "nothing added to commit",
  "no changes added",
];
/** Errors that nobody has to mend, since a person or a rule refused, or there was nothing to do. */
const REFUSED: readonly string[] = [
  ...NOTHING_TO_COMMIT,
  "doesn't want to proceed",
  "doesn't want to take",
  "was rejected",
  "interrupted by",
  "permission to use",
  "requires approval",
  "hook error",
  "hook blocked",
  "blocked by",
];
/** Matches operations of git that can stop with a conflict. Git's own files tell whether one is still under way. */
const STOPPED = /\bgit\b.*\b(?:merge|rebase|pull|cherry-pick|revert|am)\b/;
const IN_CONFLICT = /^conflict \(|could not apply|fix conflicts|automatic merge failed/;

/** Exit codes of commands that timed out, were interrupted, or were ended from outside. */
const NOBODYS_STATUS: ReadonlySet<number | undefined> = new Set([124, 130, 143]);
const COMMAND_NOT_FOUND = 127;
/** Programs that can run a text in place of a file. */
const INTERPRETER = /^(?:python[\d.]*|py|node|deno|bun|ruby|perl|php|bash|sh|zsh|tsx|ts-node)$/;
const TEXT_OPTION = /^(?:-[a-z]*[cepr]|--eval|--print|eval)$/;
const CLEARING: ReadonlySet<string> = new Set(
  ["mkdir", "rmdir", "rm", "chmod", "chown", "touch", "kill", "killall", "pkill"],
);

/** Adds the rank to a failure. Every start of a session reads it. */
export function withOpenRank(observed: Observed): Observed {
  const { kind, outcome, facts } = observed;
  if ((kind !== "failure" && kind !== "test") || outcome !== "failure") return observed;
  return { ...observed, facts: { ...facts, openRank: rankOf(observed) } };
}

/** Tells whether git reported that there was nothing to commit. No later change is a fix for that. */
export function saysNothingToCommit(error: string): boolean {
  const line = error.toLowerCase();
  return NOTHING_TO_COMMIT.some((words) => line.includes(words));
}

function rankOf({ title, facts }: Observed): number | null {
  const { command = "", tool = "", exitCode, check, isElsewhere } = facts;
  const error = (facts.error ?? title).toLowerCase();
  if (isElsewhere === true || REFUSED.some((words) => error.includes(words))) return null;
  if (NOBODYS_STATUS.has(exitCode)) return null;
  if (STOPPED.test(command) && IN_CONFLICT.test(error)) return null;
  // Claude Code's own tools fail because of their input, so only tools of MCP servers count.
  if (tool !== "" && !tool.startsWith("mcp__")) return null;
  if (check !== undefined) return check === "test" ? OPEN_RANKS.tests : OPEN_RANKS.checks;
  if (exitCode === COMMAND_NOT_FOUND || error.includes("command not found")) return null;
  return isOnlyTried(command) ? null : OPEN_RANKS.others;
}

/** Tells whether a script only looks for something, tries something out, or clears up. */
function isOnlyTried(script: string): boolean {
  const commands = scriptCommands(script);
  const done = commands.filter((command) => !isHarmless(command));
  return done.length === 0
    ? isOnlyLooking(commands)
    : done.every((one) => looks(one) || tries(one));
}

function tries({ words, input }: ScriptCommand): boolean {
  const [program = "", ...args] = withoutLaunchers(words);
  const name = nameOf(program);
  if (CLEARING.has(name)) return true;
  if (!INTERPRETER.test(name)) return isTemporary(program);
  const [script] = args.filter((word) => !word.startsWith("-"));
  return script === undefined && input !== null || args.some((word) => TEXT_OPTION.test(word)) ||
    isTemporary(script ?? "");
}
