/** Runs configured commands for a hook, within the time that Claude Code gives the hook. */
import type { Environment } from "../system/environment.ts";
import { runCommand } from "../system/process/configured_command.ts";
import type { CommandRule, CommandRun } from "../system/process/types.ts";

export interface CommandGround {
  readonly root: string | null;
  readonly projectDir: string | null;
  readonly home: string | null;
  readonly sessionId: string;
  readonly hookName: string;
  readonly cwd: string | null;
  readonly transcriptPath: string | null;
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
  const folder = ground.root ?? ground.projectDir ?? ground.cwd ?? "/";
  const variables = variablesOf(ground);
  const runs: CommandRun[] = [];
  for (const command of commands) {
    const leftMs = ground.untilMs - performance.now();
    const { environment } = ground;
    const { run, gone } = await runCommand(command, { folder, variables, leftMs, environment });
    runs.push(run);
    options.done?.(run);
    if (run.end.kind === "interrupted") return { runs, gone };
    if (options.untilFailure && run.end.kind !== "passed") break;
  }
  return { runs, gone: Promise.resolve() };
}

function variablesOf(ground: CommandGround): Record<string, string> {
  const ofUser = ground.home === null ? null : `${ground.home}/.conclaude`;
  const all = {
    CONCLAUDE_CONFIG_DIR: ground.root ?? ofUser,
    CONCLAUDE_SESSION_ID: ground.sessionId,
    CONCLAUDE_HOOK_EVENT: ground.hookName,
    CONCLAUDE_CWD: ground.cwd,
    CONCLAUDE_TRANSCRIPT_PATH: ground.transcriptPath,
    ...ground.variables,
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      (value ?? "").replaceAll("\0", "").slice(0, MAX_VALUE_CHARS).toWellFormed(),
    ]),
  );
}
