import type { ListFlags } from "../actions/workflow.ts";
import type { ReasonFlags } from "../actions/workflow_work.ts";
import { command, group, someText } from "../command.ts";
import type { ByFlag } from "../task_lookup.ts";
import {
  AGENT_FLAG,
  ALL_PROJECTS,
  LIMIT_FLAG,
  ONE_TASK,
  switchFlag,
  textFlag,
  wordsFlag,
} from "./task_flags.ts";

type NoFlags = Readonly<Record<never, never>>;
type Id = [id: string];

const look = () => import("../actions/workflow.ts");
const files = () => import("../actions/workflow_files.ts");
const work = () => import("../actions/workflow_work.ts");

const ONE_WORKFLOW = {
  kind: "tuple",
  parameters: [{
    parse: someText,
    brief:
      "The workflow, by its id or its task's, or 4 or more characters of the beginning or end of one",
    placeholder: "id",
  }],
} as const;

/** `conclaude workflow …` */
export const workflow = group({
  verbs: {
    list: command<ListFlags>({
      load: async () => (await look()).listAll,
      parameters: {
        flags: {
          status: wordsFlag(
            "Only with this status: running, pending_merge, blocked, failed, completed, cancelled; a comma is or",
            "status",
          ),
          allProjects: ALL_PROJECTS,
          limit: LIMIT_FLAG,
        },
      },
      brief: "List workflows",
      about:
        "Lists the workflows of this repository, the newest first; outside of a repository those of all projects.",
      examples: [
        "conclaude workflow list --status pending_merge,blocked",
        "conclaude workflow list --json",
      ],
    }),
    show: command<NoFlags, Id>({
      load: async () => (await look()).showWorkflow,
      parameters: { positional: ONE_WORKFLOW, flags: {} },
      brief: "Show a workflow with its steps",
      about:
        "Shows a workflow with its steps, how often each was tried and what came of it, and what you can do with it now.",
      examples: ["conclaude workflow show 1a2b3c4d", "conclaude workflow show 1a2b3c4d --json"],
    }),
    log: command<NoFlags, Id>({
      load: async () => (await look()).showLog,
      parameters: { positional: ONE_WORKFLOW, flags: {} },
      brief: "Show what happened in a workflow",
      about: "Shows what happened in a workflow, the oldest first, as far as events are kept.",
      examples: ["conclaude workflow log 1a2b3c4d"],
    }),
    diff: command<{ readonly full: boolean }, Id>({
      load: async () => (await work()).showDiff,
      parameters: {
        positional: ONE_WORKFLOW,
        flags: { full: switchFlag("The whole diff, however long it is") },
      },
      brief: "Show the work of a workflow",
      about:
        "Shows all work of a workflow since it began, also what is not committed, and with which files it conflicts. " +
        "A diff of 10,000 characters and more is only printed with --full.",
      examples: [
        "conclaude workflow diff 1a2b3c4d",
        "conclaude workflow diff 1a2b3c4d --full | less",
      ],
    }),
    start: command<ByFlag, Id>({
      load: async () => (await import("../actions/task_work.ts")).start,
      parameters: { positional: ONE_TASK, flags: { agentId: AGENT_FLAG } },
      brief: "Have a task worked on",
      about:
        "Hands a task to the scheduler, as `conclaude task start` does. The scheduler is a part of the daemon.",
      examples: ["conclaude workflow start 1a2b3c4d"],
    }),
    approve: command<ByFlag, Id>({
      person: "workflow approve",
      load: async () => (await work()).approve,
      parameters: { positional: ONE_WORKFLOW, flags: { agentId: AGENT_FLAG } },
      brief: "Have the work of a workflow merged",
      about:
        "Lets the work of a workflow that waits for it be merged. The daemon does it: with one this waits up to 60 " +
        "seconds, and says what came of it; a conflict leaves the target as it was. Without one the approval is recorded.",
      examples: ["conclaude workflow approve 1a2b3c4d"],
    }),
    reject: command<ReasonFlags, Id>({
      person: "workflow reject",
      load: async () => (await work()).reject,
      parameters: {
        positional: ONE_WORKFLOW,
        flags: { reason: textFlag("What is wrong with it"), agentId: AGENT_FLAG },
      },
      brief: "Refuse the work of a workflow",
      about:
        "Refuses the work of a workflow that waits to be merged: the workflow and its task are blocked, and the work " +
        "stays where it is.",
      examples: ["conclaude workflow reject 1a2b3c4d --reason 'the old tests are gone'"],
    }),
    retry: command<ByFlag, Id>({
      load: async () => (await work()).retry,
      parameters: { positional: ONE_WORKFLOW, flags: { agentId: AGENT_FLAG } },
      brief: "Let a workflow go on that has stopped",
      about:
        "Lets a workflow go on that is blocked or has failed: the step that stopped it is run again, those that have " +
        "finished are not.",
      examples: ["conclaude workflow retry 1a2b3c4d"],
    }),
    cancel: command<ReasonFlags, Id>({
      load: async () => (await work()).cancel,
      parameters: {
        positional: ONE_WORKFLOW,
        flags: { reason: textFlag("Why"), agentId: AGENT_FLAG },
      },
      brief: "End a workflow for good",
      about:
        "Ends a workflow for good, with the agent that works for it. Its task is open again; its working tree stays.",
      examples: ["conclaude workflow cancel 1a2b3c4d"],
    }),
    files: command<NoFlags>({
      load: async () => (await files()).listFiles,
      parameters: { flags: {} },
      brief: "List the workflows that a task can get",
      about:
        "Lists the workflows of this project, in .conclaude/workflows, and those that come with the program, with what " +
        "is wrong with them.",
      examples: ["conclaude workflow files", "conclaude workflow files --json"],
    }),
    preview: command<{ readonly task?: string }, [name: string]>({
      load: async () => (await files()).preview,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{ parse: someText, brief: "The workflow", placeholder: "name" }],
        },
        flags: { task: textFlag("Show it for this task", "id") },
      },
      brief: "Show what a workflow would do",
      about:
        "Shows what a workflow would do, step by step, and all that is wrong with it. Nothing is executed. " +
        "The exit status is 1 when it cannot be run.",
      examples: [
        "conclaude workflow preview implement",
        "conclaude workflow preview release --task 1a2b3c4d",
      ],
    }),
    match: command<NoFlags, Id>({
      load: async () => (await files()).matchTask,
      parameters: { positional: ONE_TASK, flags: {} },
      brief: "Show which workflow a task gets",
      about:
        "Shows which workflow a task would get and why: the one that the task names, else its tag `workflow:NAME`, else " +
        "the first of .conclaude/workflow-matchers.yaml that fits, else `orchestration.defaultWorkflow`.",
      examples: ["conclaude workflow match 1a2b3c4d"],
    }),
  },
  brief: "How tasks are worked on: steps, reviews, merges",
  examples: [
    "conclaude workflow list --status pending_merge",
    "conclaude workflow diff 1a2b3c4d",
    "conclaude workflow approve 1a2b3c4d",
  ],
});
