/** A command that passes by an option with which it had not been called when it failed. */
import { commandKey } from "./command_key.ts";
import { mendingOptions } from "./manner_options.ts";
import { scriptCommands } from "./shell_words.ts";

/**
 * Tells of a script its part that is the command which failed, called with an option more by which it may get through
 * (`npm install --legacy-peer-deps`); null where it has none.
 *
 * @param failed The script that failed.
 */
export function optionPart(failed: string): (script: string) => string | null {
  const key = commandKey(failed);
  const before = mendingOptions(failed);
  return (script) => {
    const part = scriptCommands(script).find(({ source }) =>
      mendingOptions(source).some((option) => !before.includes(option)) &&
      key.includes(commandKey(source))
    );
    return part?.source ?? null;
  };
}
