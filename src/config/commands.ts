/** Commands of the configuration, compiled: where a line of theirs begins something is found here, once. */
import { parse } from "unbash";
import type { CommandRule } from "../guard/commands_policy.ts";

/** A command as the schema has it; of keys that its section does not know, the defaults count. */
export interface ConfiguredCommand {
  readonly run: string;
  readonly message?: string | undefined;
  readonly showStdout?: boolean;
  readonly showStderr?: boolean;
  readonly maxOutputLines?: number | null;
  readonly timeout?: number | null;
  readonly showCommand?: boolean;
  readonly notifyPerCommand?: boolean;
}

/** Longest line of a command that is told, in characters. */
const MAX_TOLD_CHARS = 200;

/**
 * What stands before the script. Before every line that begins something, the line before it is judged, and where the
 * script has come to is written down: so the first line that fails ends it, and is known, also when it hangs. All of it
 * stands in the lines that a person wrote, so that the shell's own messages count them rightly.
 */
const MARKING = [
  "__conclaude_report=$1; shift; __conclaude_at() { __conclaude_status=$?;",
  '[ "$__conclaude_status" -eq 0 ] || exit "$__conclaude_status";',
  'printf %s "$1" 2>/dev/null >|"$__conclaude_report" || :; }; ',
].join(" ");

/** Compiles one command. @param rule Its name: `stop.commands[0]`. */
export function compileCommand(command: ConfiguredCommand, rule: string): CommandRule {
  const parts = splitScript(command.run);
  return {
    rule,
    script: MARKING + "\n".repeat(linesBefore(command.run, parts)) +
      parts.map((part, i) => `__conclaude_at ${i}; ${part}`).join("") + "\n",
    lines: parts.map(firstLine),
    message: command.message ?? null,
    showStdout: command.showStdout ?? false,
    showStderr: command.showStderr ?? false,
    maxOutputLines: command.maxOutputLines ?? null,
    timeoutSeconds: command.timeout ?? null,
    showCommand: command.showCommand ?? true,
    notifies: command.notifyPerCommand ?? false,
  };
}

/**
 * The parts of a script, cut where a line begins a new statement: what belongs together (an `if`, a here-document) stays
 * so. A script that cannot be read is one part; the shell will say what is wrong with it.
 */
export function splitScript(script: string): string[] {
  const { commands, errors } = parse(script);
  if (errors !== undefined && errors.length > 0) return [script];
  const starts = commands
    .map(({ pos }) => pos)
    .filter((pos) => /(?:^|\n)[ \t]*$/.test(script.slice(0, pos)));
  const parts = starts.map((start, i) => script.slice(start, starts[i + 1]));
  return parts.length === 0 ? [script] : parts;
}

/** Comments and empty lines before the first part are in none. */
function linesBefore(script: string, parts: readonly string[]): number {
  const before = script.slice(0, script.length - parts.join("").length);
  return before.split("\n").length - 1;
}

function firstLine(part: string): string {
  const [line = "", ...more] = part.trim().split("\n");
  const whole = more.some((next) => next.trim() !== "" && !next.trim().startsWith("#"))
    ? `${line} …`
    : line;
  return whole.length <= MAX_TOLD_CHARS
    ? whole
    : `${whole.slice(0, MAX_TOLD_CHARS - 1).toWellFormed()}…`;
}
