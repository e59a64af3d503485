import type { ListFlags } from "../actions/task_list.ts";
import type { ReadyFlags } from "../actions/task_ready.ts";
import type { HistoryFlags } from "../actions/task_show.ts";
import { command, someText, wholeNumber } from "../command.ts";
import { SINCE_FLAG } from "../flags.ts";
import {
  ALL_PROJECTS,
  LIMIT_FLAG,
  ONE_TASK,
  switchFlag,
  textFlag,
  wordsFlag,
} from "./task_flags.ts";

type NoFlags = Readonly<Record<never, never>>;
type Id = [id: string];

const load = () => import("../actions/task_show.ts");

/** Verbs of `conclaude task` that only look. */
export const TASK_LISTS = {
  list: command<ListFlags>({
    load: async () => (await import("../actions/task_list.ts")).listAll,
    parameters: {
      flags: {
        status: wordsFlag(
          "Only with this status: open, in_progress, pending_merge, blocked, closed; a comma is or",
          "status",
        ),
        priority: wordsFlag("Only of this priority, 0 to 4; a comma is or", "n"),
        type: wordsFlag("Only of this type: task, feature, bug; a comma is or", "type"),
        tag: textFlag("Only with this tag", "tag"),
        tagPattern: textFlag(
          "Only with a tag like this: auth*, v[1-3], {bug,fix}*; area/* is right below area, area/** all below it",
          "glob",
        ),
        parent: textFlag("Only right below this task; `none` for those without a parent", "id"),
        claimedBy: textFlag("Only claimed by this agent; `none` for those that nobody has", "name"),
        deleted: switchFlag("Deleted ones as well"),
        allProjects: ALL_PROJECTS,
        limit: LIMIT_FLAG,
        offset: {
          kind: "parsed",
          parse: wholeNumber(0, Number.MAX_SAFE_INTEGER),
          default: "0",
          brief: "How many to leave out at the beginning",
          placeholder: "n",
        },
      },
    },
    brief: "List tasks",
    about:
      "Lists the tasks of this repository, the newest first; outside of a repository those of all projects. Of " +
      "several filters all have to fit.",
    examples: [
      "conclaude task list --status open,blocked --priority 0,1",
      "conclaude task list --tag-pattern 'area/**' --json",
    ],
  }),
  ready: command<ReadyFlags>({
    load: async () => (await import("../actions/task_ready.ts")).listNext,
    // What is done next is among the first; more of them only fill an agent's context.
    parameters: { flags: { allProjects: ALL_PROJECTS, limit: { ...LIMIT_FLAG, default: "20" } } },
    brief: "List what can be done now",
    about:
      "Lists what can be done now, in the order in which it should be: the most urgent first, of those the oldest. " +
      "Ready is what is open and unclaimed, has no child in work, and waits for nothing that is not closed.",
    examples: ["conclaude task ready", "conclaude task ready --limit 1 --json"],
  }),
  show: command<NoFlags, Id>({
    load: async () => (await load()).showTask,
    parameters: { positional: ONE_TASK, flags: {} },
    brief: "Show a task",
    about:
      "Shows a task with what is above and below it, what it waits for, and its last changes; a deleted one as well.",
    examples: ["conclaude task show 1a2b3c4d", "conclaude task show 1a2b3c4d --json"],
  }),
  subtree: command<{ readonly flat: boolean }, Id>({
    load: async () => (await load()).showSubtree,
    parameters: {
      positional: ONE_TASK,
      flags: { flat: switchFlag("As a table instead of a tree") },
    },
    brief: "Show a task and all below it",
    about: "Shows a task and all below it, each after its parent.",
    examples: ["conclaude task subtree 1a2b3c4d", "conclaude task subtree 1a2b3c4d --flat"],
  }),
  ancestors: command<NoFlags, Id>({
    load: async () => (await load()).showAncestors,
    parameters: { positional: ONE_TASK, flags: {} },
    brief: "List what a task is a part of",
    about: "Lists the tasks above a task, the nearest first.",
    examples: ["conclaude task ancestors 1a2b3c4d"],
  }),
  children: command<NoFlags, Id>({
    load: async () => (await load()).showChildren,
    parameters: { positional: ONE_TASK, flags: {} },
    brief: "List the parts of a task",
    about: "Lists the tasks right below a task, the oldest first.",
    examples: ["conclaude task children 1a2b3c4d --json"],
  }),
  history: command<HistoryFlags, Id>({
    load: async () => (await load()).showHistory,
    parameters: {
      positional: ONE_TASK,
      flags: {
        field: {
          kind: "parsed",
          parse: someText,
          optional: true,
          brief: "Only of this field: status, claimed_by, title, tags, …",
          placeholder: "name",
        },
        since: SINCE_FLAG,
      },
    },
    brief: "Show what changed of a task",
    about: "Shows every change of every field of a task, who made it and when, the newest first.",
    examples: [
      "conclaude task history 1a2b3c4d",
      "conclaude task history 1a2b3c4d --field status --since 2d --json",
    ],
  }),
};
