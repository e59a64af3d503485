import type { CliContext } from "../context.ts";
import type { View } from "../view.ts";

/** `conclaude hook [EVENT]`, when it comes through the command line after all. */
export async function runHookHere(
  { globals }: CliContext,
  _flags: Readonly<Record<never, never>>,
  event?: string,
): Promise<View> {
  const { runHook } = await import("../../hook/run.ts");
  return await runHook([
    ...(event === undefined ? [] : [event]),
    ...(globals.db === undefined ? [] : ["--db", globals.db]),
    ...(globals.noDb ? ["--no-db"] : []),
  ]);
}
