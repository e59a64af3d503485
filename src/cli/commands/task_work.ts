import type {
  BlockFlags,
  ClaimFlags,
  CompleteFlags,
  ReleaseFlags,
  TokenFlag,
} from "../actions/task_work.ts";
import { command, someText } from "../command.ts";
import type { ByFlag } from "../task_lookup.ts";
import {
  AGENT_FLAG,
  ALL_PROJECTS,
  ONE_TASK,
  switchFlag,
  textFlag,
  TOKEN_FLAG,
} from "./task_flags.ts";

type Id = [id: string];

const load = () => import("../actions/task_work.ts");

/** Verbs of `conclaude task` that are the way of a task from open to closed. */
export const TASK_WORK = {
  claim: command<ClaimFlags, [id?: string]>({
    load: async () => (await load()).claim,
    parameters: {
      positional: {
        kind: "tuple",
        parameters: [{ ...ONE_TASK.parameters[0], optional: true }],
      },
      flags: {
        next: switchFlag("The first one that is ready"),
        allProjects: ALL_PROJECTS,
        agentId: AGENT_FLAG,
      },
    },
    brief: "Take a task up",
    about:
      "Claims a task: of all who ask at once exactly one gets it. The claim counts for `store.claimTimeoutMinutes` " +
      "and has to be renewed before; then anybody may claim the task. Whoever has it already gets it as it is.",
    examples: [
      "conclaude task claim 1a2b3c4d --agent-id worker-1",
      "conclaude task claim --next --agent-id worker-1 --json",
    ],
  }),
  renew: command<ByFlag & TokenFlag, Id>({
    load: async () => (await load()).renew,
    parameters: {
      positional: ONE_TASK,
      flags: { agentId: AGENT_FLAG, claimToken: TOKEN_FLAG },
    },
    brief: "Let a claim count longer",
    about: "Lets a claim count for another `store.claimTimeoutMinutes` from now.",
    examples: ["conclaude task renew 1a2b3c4d --agent-id worker-1"],
  }),
  release: command<ReleaseFlags, Id>({
    load: async () => (await load()).release,
    parameters: {
      positional: ONE_TASK,
      flags: { force: switchFlag("Also another one's"), agentId: AGENT_FLAG },
    },
    brief: "Give a task back",
    about: "Gives a task back: open again, for anybody.",
    examples: [
      "conclaude task release 1a2b3c4d --agent-id worker-1",
      "conclaude task release 1a2b3c4d --force",
    ],
  }),
  complete: command<CompleteFlags, Id>({
    load: async () => (await load()).complete,
    parameters: {
      positional: ONE_TASK,
      flags: {
        summary: textFlag("What was done"),
        claimToken: TOKEN_FLAG,
        agentId: AGENT_FLAG,
      },
    },
    brief: "Close a task",
    about:
      "Closes a task that is in work, by whoever has claimed it and whose claim still counts; or one that is blocked.",
    examples: [
      "conclaude task complete 1a2b3c4d --agent-id worker-1 --summary 'Expired tokens get a 401'",
    ],
  }),
  block: command<BlockFlags, Id>({
    load: async () => (await load()).block,
    parameters: {
      positional: ONE_TASK,
      flags: {
        reason: {
          kind: "parsed",
          parse: someText,
          brief: "Why it cannot go on",
          placeholder: "text",
        },
        claimToken: TOKEN_FLAG,
        agentId: AGENT_FLAG,
      },
    },
    brief: "Say that a task cannot go on",
    about: "Says that a task cannot go on, and gives up its claim.",
    examples: ["conclaude task block 1a2b3c4d --reason 'needs the keys of the test system'"],
  }),
  unblock: command<ByFlag, Id>({
    load: async () => (await load()).unblock,
    parameters: { positional: ONE_TASK, flags: { agentId: AGENT_FLAG } },
    brief: "Open a blocked task again",
    about: "Opens a blocked task again, for anybody to claim.",
    examples: ["conclaude task unblock 1a2b3c4d"],
  }),
  start: command<ByFlag, Id>({
    load: async () => (await load()).start,
    parameters: { positional: ONE_TASK, flags: { agentId: AGENT_FLAG } },
    brief: "Hand a task to the scheduler",
    about:
      "Hands a task to the scheduler, which runs its workflow as soon as it is ready; a blocked one is opened again. " +
      "The scheduler is a part of the daemon.",
    examples: ["conclaude task start 1a2b3c4d"],
  }),
};
