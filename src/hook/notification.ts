import {
  endText,
  type HandledEvent,
  lineOf,
  notificationOf,
  type NotificationPolicy,
} from "../policy/notify.ts";
import type { CommandRun } from "../system/process/types.ts";
import { showNotification } from "../system/process/notifier.ts";
import type { HookWork } from "./handler.ts";
import { nameOf } from "./protocol.ts";

/** The field that says what an event is about, where that is not its tool. */
const TELLING_FIELDS: Readonly<Record<string, string>> = {
  Notification: "message",
  SessionStart: "source",
  SessionEnd: "reason",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  PreCompact: "trigger",
  PostCompact: "trigger",
  StopFailure: "error",
  TaskCreated: "task_subject",
  TaskCompleted: "task_subject",
};

/** Shows the person what became of the event, where the configuration asks for it. Never throws. */
export function notifyOfEvent(work: HookWork): void {
  const { event, saved } = work;
  if (saved === null) return;
  const failure = saved.errorMessage?.split("\n")[0];
  const about = event.toolName ?? nameOf(event.own[TELLING_FIELDS[event.name] ?? ""]);
  show(work, {
    hookName: event.name,
    status: saved.status ?? "success",
    context: failure || about,
  });
}

/** Notifies the person of how one command ended. Never throws. */
export function notifyOfCommand(work: HookWork, { command, end, line }: CommandRun): void {
  if (!command.notifies || work.config.notifications === "") return;
  show(work, {
    hookName: work.event.name,
    status: end.kind === "passed" ? "success" : "failure",
    context: `${lineOf({ command, line }) ?? command.rule} ${endText(end)}`,
  });
}

function show({ config, environment }: HookWork, event: HandledEvent): void {
  try {
    const notification = notificationOf(
      JSON.parse(config.notifications) as NotificationPolicy,
      event,
    );
    if (notification !== null) showNotification(notification, environment);
  } catch {
    // A notification is less important than the event.
  }
}
