/** The process of a step: its command, its input, its environment. */
import type { DatabaseSync } from "node:sqlite";
import type { OrchestrationSettings } from "../orchestration_section.ts";
import { builtinPrompt, CHECK_VARIABLE } from "../builtins.ts";
import type { Move } from "../progress.ts";
import { renderPrompt, renderScriptStep } from "../render_step.ts";
import { type AgentStep, type ScriptStep, stepTimeoutMs } from "../workflow.ts";
import { joinPath } from "../../base/paths.ts";
import { shellWords } from "../../system/process/start.ts";
import type { Agent } from "../agents_table.ts";
import { listQuestions, type Question } from "../questions_table.ts";
import type { WorkflowRow } from "../workflows_table.ts";
import { AGENT_VARIABLE } from "./agent_files.ts";
import type { Launch } from "./launch.ts";
import { readPlan } from "./advance.ts";
import { isNotFound, statSync } from "../../system/files.ts";

export interface StepLaunch {
  readonly launch: Launch;
  /** How long it may run, in milliseconds; null for no limit. */
  readonly timeoutMs: number | null;
  readonly answered: Question | null;
  /** Why the folder of a script cannot be used, which may not exist yet; null when it can. */
  readonly obstacle: string | null;
}

/** The program of an agent's step when the configuration names none. */
export const AGENT_COMMAND = "claude";

/**
 * Puts together the process of a step.
 *
 * @param place `folder`: the working tree, or the project. `database`: where the hooks of an agent write.
 *
 * @throws {TemplateError} When a template names a value that does not exist.
 */
export function launchOf(
  db: DatabaseSync,
  { agent, workflow, move, config, folder, database }: {
    readonly agent: Agent;
    readonly workflow: WorkflowRow;
    readonly move: Extract<Move, { readonly kind: "run" }>;
    readonly config: OrchestrationSettings;
    readonly folder: string;
    readonly database: string;
  },
): StepLaunch {
  const variables = {
    CONCLAUDE_DB_PATH: database,
    CONCLAUDE_TASK_ID: workflow.taskId,
    CONCLAUDE_WORKFLOW_ID: workflow.id,
    [AGENT_VARIABLE]: agent.id,
    CLAUDE_PROJECT_DIR: folder,
    ...(config.check === null ? {} : { [CHECK_VARIABLE]: config.check }),
  };
  const { step } = move;
  if (step.type === "merge") throw new Error("a merge starts no process");
  const timeoutMs = stepTimeoutMs(step, { agentMs: config.agentTimeoutMinutes * 60_000 });
  const place = { folder, variables };
  return step.type === "script"
    ? { ...scriptLaunch(step, move, place), timeoutMs, answered: null }
    : { ...agentLaunch(db, step, { move, workflow, config, place }), timeoutMs, obstacle: null };
}

type Place = Pick<Launch, "folder" | "variables">;
type Run = Extract<Move, { readonly kind: "run" }>;

function scriptLaunch(
  step: ScriptStep,
  { context }: Run,
  place: Place,
): Pick<StepLaunch, "launch" | "obstacle"> {
  const { command, env, workdir } = renderScriptStep(step, context);
  const folder = workdir === null ? place.folder : joinPath(place.folder, workdir);
  const launch = {
    words: shellWords(command),
    folder,
    variables: { ...place.variables, ...env },
    input: "",
  };
  const fault = workdir === null ? null : folderFault(folder);
  return { launch, obstacle: fault === null ? null : `workdir ${workdir} ${fault}` };
}

/** Why a folder cannot be used; null when it can. */
function folderFault(folder: string): string | null {
  try {
    return statSync(folder).isDirectory ? null : "is no folder";
  } catch (thrown) {
    return isNotFound(thrown) ? "does not exist" : "cannot be looked into";
  }
}

function agentLaunch(
  db: DatabaseSync,
  step: AgentStep,
  { move, workflow, config, place }: {
    readonly move: Run;
    readonly workflow: WorkflowRow;
    readonly config: OrchestrationSettings;
    readonly place: Place;
  },
): Pick<StepLaunch, "launch" | "answered"> {
  const { prompts } = readPlan(db, workflow.id);
  const tools = config.allowedTools.length === 0
    ? []
    : ["--allowedTools", config.allowedTools.join(",")];
  const words = [config.agentCommand ?? AGENT_COMMAND, ...config.agentArgs, ...tools];
  const answered = answerFor(db, workflow, move.key);
  if (answered?.sessionId) {
    const resume = config.resumeArgs.map((word) =>
      word.replaceAll("{session_id}", () => answered.sessionId!)
    );
    const launch = { ...place, words: [...words, ...resume], input: answered.answer ?? "" };
    return { launch, answered };
  }
  const { text } = renderPrompt(step, move.context, (name) => prompts[name] ?? builtinPrompt(name));
  // Without a session to resume, the agent gets its prompt again, with its question and the answer.
  const input = answered === null
    ? text
    : `${text}\n\nYou asked before: ${answered.text}\nThe answer is: ${answered.answer}\n`;
  return { launch: { ...place, words, input }, answered };
}

/** The newest answer to this step that has not been delivered. */
function answerFor(db: DatabaseSync, workflow: WorkflowRow, key: string): Question | null {
  return listQuestions(db, { statuses: ["answered"], workflowId: workflow.id })
    .findLast(({ stepKey }) => stepKey === key) ?? null;
}
