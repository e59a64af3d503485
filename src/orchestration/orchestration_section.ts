/** The section about tasks that are worked on by themselves: agents, workflows, merges. */
import * as z from "zod/mini";
import { bool, int, list, section, text } from "../config/schema_kit.ts";
import type { SectionValues } from "../config/config_schema.ts";

/** What an agent is started with when nothing else is said: it prints what it does, and may change files of its tree. */
const AGENT_ARGS = [
  "-p",
  "--output-format",
  "stream-json",
  "--verbose",
  "--permission-mode",
  "acceptEdits",
];

/** What is added when an agent goes on with an answer. */
const RESUME_ARGS = ["--resume", "{session_id}"];

const word = () => z.string();

/** `orchestration: …` */
export const ORCHESTRATION = section(
  "How the daemon works through tasks. It reads the configuration of each task's project anew when it starts something.",
  {
    autoStart: bool(
      false,
      "Whether the daemon takes every task that is ready. False: only those that were handed to it with " +
        "`conclaude task start`.",
    ),
    maxConcurrentAgents: int(
      [1, 64],
      3,
      "How many agents and scripts run at once, over all projects.",
    ),
    defaultWorkflow: text(
      "The workflow of a task that names none, and that no matcher is for. Without it: `implement`.",
    ),
    agentCommand: text("The program that does an agent's step. Without it: `claude`."),
    agentArgs: list(
      "argument",
      word(),
      "Its arguments. The prompt comes on standard input.",
      AGENT_ARGS,
    ),
    resumeArgs: list(
      "argument",
      word(),
      "More arguments when an agent goes on with the answer to its question, which comes on standard input. " +
        "`{session_id}` is the session that it printed.",
      RESUME_ARGS,
    ),
    allowedTools: list(
      "tool",
      word(),
      "Tools that an agent may use without asking, for example `Bash(npm test:*)`; given to it as `--allowedTools`.",
    ),
    check: text(
      "The project's own check, a shell command: the built-in workflows run it, and pass without one.",
    ),
    agentTimeoutMinutes: int(
      [1, 1440],
      30,
      "How long an agent's step may take when the workflow does not say, in minutes.",
    ),
    workflowTimeoutMinutes: int(
      [1, 43_200],
      120,
      "How long a workflow may run when it does not say, in minutes. Time in which it waits for a person does not count.",
    ),
    killGraceSeconds: int(
      [0, 300],
      10,
      "How long an agent that is to end may take to leave by itself, in seconds.",
    ),
    worktreePath: text(
      "The folder of the tasks' working trees. A relative path starts at the repository. Without it: " +
        "`.conclaude/worktrees`, which git is told to ignore.",
    ),
    baseBranch: text(
      "The branch that work begins at and is merged into. Without it: the one that is checked out when a workflow begins.",
    ),
    notify: bool(
      true,
      "Whether a desktop notification is shown when a task needs a person: a question, a review, work that stopped.",
    ),
  },
);

/** The values of the section. */
export type OrchestrationSettings = SectionValues<
  { orchestration: typeof ORCHESTRATION }
>["orchestration"];
