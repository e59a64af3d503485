import {
  endText,
  type HandledEvent,
  lineOf,
  notificationOf,
  type NotificationPolicy,
} from "../policy/notify.ts";
import type { CommandRun } from "../system/process/types.ts";
import { quietly } from "../base/errors.ts";
import { showNotification } from "../system/process/desktop.ts";
import type { HookWork } from "./handler.ts";
import { nameOf } from "./protocol.ts";

/** The fields that tell what an event is about, for events without a tool. */
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

/** Shows the person the result of the event, if the configuration asks for it. Never throws. */
export function notifyOfEvent(work: HookWork): void {
  const { event, saved } = work;
  if (saved === null) return;
  const failure = saved.errorMessage?.split("\n")[0];
  const about = event.toolName ?? nameOf(event.own[TELLING_FIELDS[event.name] ?? ""]);
  show(work, saved.status ?? "success", failure || about);
}

/** Shows the person how one command ended, if the configuration asks for it. Never throws. */
export function notifyOfCommand(work: HookWork, { command, end, line }: CommandRun): void {
  if (!command.notifies || work.config.notifications === "") return;
  const context = `${lineOf({ command, line }) ?? command.rule} ${endText(end)}`;
  show(work, end.kind === "passed" ? "success" : "failure", context);
}

/** Shows a notification. It matters less than the event, so errors are ignored. */
function show(
  { config, environment, event }: HookWork,
  status: HandledEvent["status"],
  context: HandledEvent["context"],
): void {
  quietly(() => {
    const policy: NotificationPolicy = JSON.parse(config.notifications);
    const notification = notificationOf(policy, { hookName: event.name, status, context });
    if (notification !== null) showNotification(notification, environment);
  });
}
