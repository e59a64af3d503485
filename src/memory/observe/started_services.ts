/** Commands that go on in the background: what could not be reached before may be what they serve. */
import { isOnlyLooking } from "../looking_commands.ts";
import { builds } from "./builders.ts";
import { isHarmless } from "./script_words.ts";
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";

/** Words by which a tool that builds is told to serve. */
const SERVES: ReadonlySet<string> = new Set(["dev", "start", "serve", "preview"]);

/**
 * The first part of a script that may serve something from the background, as it was typed; null when none does.
 *
 * @param isStarted Whether the whole script goes on there: its last part does then.
 */
export function startedPart(script: string, isStarted: boolean): string | null {
  const commands = scriptCommands(script);
  const part = commands.find((command, at) =>
    (command.after === "&" || isStarted && at === commands.length - 1) && mayServe(command)
  );
  return part === undefined ? null : part.source.split("\n", 1)[0]!.trim();
}

function mayServe(command: ScriptCommand): boolean {
  if (isHarmless(command) || isOnlyLooking(command.source)) return false;
  return !builds(command) || command.words.some((word) => SERVES.has(word));
}
