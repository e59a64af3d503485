/** Reads what a shell command runs, as far as its words tell. Loaded only where something has changed, or cannot be compared. */
import { readShellUse } from "../files/shell_lookup.ts";
import { onlyLooks } from "../shell/unexplained.ts";

/**
 * `isPlain`: whether only programs run that look at something, and nothing unknown. `pushes`: whether git pushes, and its
 * words say what.
 */
export async function readCommand(
  command: string,
  at: { readonly folder: string | null; readonly home: string | null },
): Promise<{
  readonly commands: readonly (readonly string[])[];
  readonly isPlain: boolean;
  readonly pushes: boolean;
}> {
  const { steps, untold } = await readShellUse(command, at);
  const commands = steps.flatMap((step) => step.commands);
  const isPlain = command.trim() !== "" && untold.commands.length === 0 &&
    commands.every(onlyLooks);
  return { commands, isPlain, pushes: steps.some((step) => step.pushesPlainly) };
}
