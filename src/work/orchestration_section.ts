/** Defines the section of the configuration about the daemon's work: agents, workflows, merges. */
import * as z from "zod/mini";
import { bool, int, list, section, text } from "../config/schema_kit.ts";
import type { SectionValues } from "../config/config_schema.ts";

/** The default arguments of an agent: it prints what it does, and may change files of its working tree. */
const AGENT_ARGS = "-p --output-format stream-json --verbose --permission-mode acceptEdits".split(
  " ",
);

/** The default arguments to add when an agent goes on with an answer. */
const RESUME_ARGS = ["--resume", "{session_id}"];

const word = () => z.string();

export const ORCHESTRATION = section("How the daemon works through tasks.", {
  autoStart: bool(false, "Whether it takes every ready task, and not only those that are started."),
  maxConcurrentAgents: int([1, 64], 3, "Agents and scripts that run at once, over all projects."),
  defaultWorkflow: text("For tasks that name none and match none. Without it: `implement`."),
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
    "More arguments when an agent goes on with an answer; `{session_id}` is its session.",
    RESUME_ARGS,
  ),
  allowedTools: list(
    "tool",
    word(),
    "Tools that an agent may use without asking: `Bash(npm test:*)`.",
  ),
  check: text("The project's own check, a shell command for the built-in workflows."),
  agentTimeoutMinutes: int([1, 1440], 30, "For an agent's step, unless the workflow says."),
  workflowTimeoutMinutes: int(
    [1, 43_200],
    120,
    "For a workflow, unless it says; waiting for a person does not count.",
  ),
  killGraceSeconds: int([0, 300], 10, "How long an agent may take to end before it is killed."),
  worktreePath: text("The folder of working trees. Without it: `.conclaude/worktrees`."),
  baseBranch: text("Where work begins and is merged. Without it: the branch that is checked out."),
  notify: bool(true, "Whether a notification is shown when a task needs a person."),
});

export type OrchestrationSettings = SectionValues<
  { orchestration: typeof ORCHESTRATION }
>["orchestration"];
