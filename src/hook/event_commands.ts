import type { CommandGround } from "../policy/run_commands.ts";
import { endText } from "../policy/notify.ts";
import type { CommandRun } from "../system/process/types.ts";
import { commandDeadlineMs } from "../claude/settings/hooks.ts";
import { fingerprint } from "../base/ids.ts";
import { claim } from "./event_claim.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { folderOf } from "./protocol.ts";

/** Returns why and where an event runs commands. @param root The folder of the project's configuration file. */
export function commandGround(
  work: HookWork,
  root: string | null,
  variables: CommandGround["variables"] = {},
): CommandGround {
  return {
    root,
    projectDir: work.projectDir,
    home: work.home,
    sessionId: work.sessionId,
    hookName: work.event.name,
    cwd: folderOf(work.sent),
    transcriptPath: work.transcriptPath,
    variables,
    untilMs: work.environment.beganMs + commandDeadlineMs(work.event.name),
    environment: work.environment,
  };
}

/** Returns a function that notifies the person of a command, if the configuration wants that. */
export async function commandNotifier(work: HookWork): Promise<(run: CommandRun) => void> {
  if (work.config.notifications === "") return () => {};
  const { notifyOfCommand } = await import("./notification.ts");
  return (run) => notifyOfCommand(work, run);
}

/** Returns the audit trail's note of a command that was run, without its output. */
export function noteOfRun({ command, end, durationMs }: CommandRun): Record<string, unknown> {
  return { rule: command.rule, end: endText(end), durationMs };
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
