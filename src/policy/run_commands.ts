/** Runs configured commands for a hook, within the time that Claude Code gives the hook. */
import type { Environment } from "../system/environment.ts";
import { runCommand } from "../system/process/configured_command.ts";
import type { CommandRule, CommandRun } from "../system/process/types.ts";

export interface CommandGround {
  readonly folder: string;
  /** Variables of the environment; null becomes the empty text. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** When all commands must be done, in milliseconds of `performance.now()`. */
  readonly untilMs: number;
  readonly environment: Environment;
}

const MAX_VALUE_CHARS = 30_000;

export interface CommandRuns {
  readonly runs: readonly CommandRun[];
  /** Resolves once no interrupted command runs any more. The hook writes the event before that. */
  readonly gone: Promise<void>;
}

/** Runs commands one after the other, with `untilFailure` up to the first failure. Calls `done` as each one ends. */
export async function runCommands(
  commands: readonly CommandRule[],
  ground: CommandGround,
  options: { readonly untilFailure: boolean; readonly done?: (run: CommandRun) => void },
): Promise<CommandRuns> {
  const { folder, environment } = ground;
  const variables = passable(ground.variables);
  const runs: CommandRun[] = [];
  for (const command of commands) {
    const leftMs = ground.untilMs - performance.now();
    const { run, gone } = await runCommand(command, { folder, variables, leftMs, environment });
    runs.push(run);
    options.done?.(run);
    if (run.end.kind === "interrupted") return { runs, gone };
    if (options.untilFailure && run.end.kind !== "passed") break;
  }
  return { runs, gone: Promise.resolve() };
}

/** Returns variables that the system takes: without NUL, and of limited length. */
function passable(variables: CommandGround["variables"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      (value ?? "").replaceAll("\0", "").slice(0, MAX_VALUE_CHARS).toWellFormed(),
    ]),
  );
}
