import type { CommandGround } from "../policy/run_commands.ts";
import { endText } from "../policy/notify.ts";
import type { CommandRun } from "../system/process/types.ts";
import { lookAtProcesses, OWN_PID } from "../system/process/process_identity.ts";
import { type Claimant, claimEvent, releaseEvent } from "../db/event_claims.ts";
import { withDatabase } from "../policy/stops/stop_blocks.ts";
import { commandDeadlineMs } from "../claude/settings/hooks.ts";
import { fingerprint } from "../base/ids.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { folderOf } from "./protocol.ts";

/** Returns why and where an event runs commands. @param root The folder of the project's configuration file. */
export function commandGround(
  work: HookWork,
  root: string | null,
  variables: CommandGround["variables"] = {},
): CommandGround {
  const { sent, event: { name }, projectDir, home, sessionId, transcriptPath, environment } = work;
  const cwd = folderOf(sent);
  return {
    folder: root ?? projectDir ?? cwd ?? "/",
    variables: {
      CONCLAUDE_CONFIG_DIR: root ?? (home === null ? null : `${home}/.conclaude`),
      CONCLAUDE_SESSION_ID: sessionId,
      CONCLAUDE_HOOK_EVENT: name,
      CONCLAUDE_CWD: cwd,
      CONCLAUDE_TRANSCRIPT_PATH: transcriptPath,
      ...variables,
    },
    untilMs: environment.beganMs + commandDeadlineMs(name),
    environment,
  };
}

/** Returns a function that notifies the person of a command, if the configuration wants that. */
export async function commandNotifier(work: HookWork): Promise<(run: CommandRun) => void> {
  if (work.config.notifications === "") return () => {};
  const { notifyOfCommand } = await import("./notification.ts");
  return (run) => notifyOfCommand(work, run);
}

/** Returns the audit trail's notes of the commands that were run, without their output. */
export function notesOfRuns(runs: readonly CommandRun[]): Record<string, unknown> {
  const commands = runs.map(({ command, end, durationMs }) => ({
    rule: command.rule,
    end: endText(end),
    durationMs,
  }));
  return commands.length === 0 ? {} : { commands };
}

/** Handles an event that hooks of two settings files received: one of them handles it, the other only records it. */
export async function handleOnce(
  work: HookWork,
  usual: Draft,
  handle: () => Promise<Answer>,
): Promise<Answer> {
  const release = await claim(fingerprint(JSON.stringify([work.event.name, work.sent])), work);
  if (release === null) {
    await work.save({ ...usual, metadata: { ...usual.metadata, twin: true } });
    return null;
  }
  try {
    return await handle();
  } finally {
    release();
  }
}

/**
 * Claims an event by its fingerprint within the session. Without a database every process handles the event.
 * @returns A function to call once the event is handled; null where another process handles or has handled it.
 */
async function claim(
  event: string,
  { db, sessionId, environment }: HookWork,
): Promise<(() => void) | null> {
  const beganAtMs = Math.floor(performance.timeOrigin + environment.beganMs);
  const claimant: Claimant = { sessionId, event, pid: OWN_PID, beganAtMs };
  const gone = new Set<number>();
  for (;;) {
    const now = { gone, atMs: Date.now() };
    const holder = withDatabase({ db }, (db) => claimEvent(db, claimant, now));
    if (holder === undefined || holder === OWN_PID) {
      return () => void withDatabase({ db }, (db) => releaseEvent(db, claimant, Date.now()));
    }
    if (holder === 0 || (await lookAtProcesses([holder])).get(holder)?.alive) return null;
    gone.add(holder);
  }
}
