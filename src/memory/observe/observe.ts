/** Which observation a capture makes: one row a tool. */
import type { Observed, ToolUse } from "../observation.ts";
import { withNamedFiles } from "./named_files.ts";
import { observeAgent } from "./observe_agent.ts";
import { observeCommand } from "./observe_command.ts";
import { observePlan, observeQuestion } from "./observe_decision.ts";
import { observeEdit } from "./observe_edit.ts";
import { observeCompaction, observeMessage, observeStopFailure } from "./observe_message.ts";
import { observeOther } from "./observe_other.ts";
import { observePrompt } from "./observe_prompt.ts";
import { observeRead, observeSearch } from "./observe_read.ts";
import { observeTask, observeTodos } from "./observe_task.ts";
import { observeFetch } from "./observe_web.ts";
import { withOpenRank } from "./open_rank.ts";

type Observer = (use: ToolUse) => Observed | null;

/** What is captured of an event that is no tool use has the event's name. */
const OBSERVERS: Readonly<Record<string, Observer>> = {
  Write: observeEdit,
  Edit: observeEdit,
  MultiEdit: observeEdit,
  NotebookEdit: observeEdit,
  Bash: observeCommand,
  PowerShell: observeCommand,
  Monitor: observeCommand,
  Read: observeRead,
  NotebookRead: observeRead,
  Grep: observeSearch,
  Glob: observeSearch,
  LS: observeSearch,
  WebFetch: observeFetch,
  WebSearch: observeFetch,
  ExitPlanMode: observePlan,
  AskUserQuestion: observeQuestion,
  TodoWrite: observeTodos,
  TodoRead: () => null,
  TaskCreate: observeTask,
  TaskUpdate: observeTask,
  TaskList: () => null,
  TaskGet: () => null,
  Agent: observeAgent,
  Task: observeAgent,
  UserPromptSubmit: observePrompt,
  Stop: observeMessage,
  StopFailure: observeStopFailure,
  PostCompact: observeCompaction,
};

/** Those that tell of a failure themselves; of all others what the tool was given and said is told. */
const TELLS_FAILURE: ReadonlySet<Observer | undefined> = new Set([
  observeCommand,
  observePlan,
  observeRead,
]);

/** The observation of a capture; null when there is nothing in it that anybody would look for. */
export function observe(use: ToolUse): Observed | null {
  const known = Object.hasOwn(OBSERVERS, use.toolName) ? OBSERVERS[use.toolName] : undefined;
  const tells = use.outcome === "success" || TELLS_FAILURE.has(known);
  const observer = tells ? known ?? observeOther : observeOther;
  const observed = observer(use);
  return observed === null ? null : withOpenRank(withNamedFiles(observed, use.root));
}
