/** Prepares and starts the process of an agent, so that a later daemon can find it again. */
import { readProcesses } from "../../system/process/process_identity.ts";
import { feed, shellWords, startWords } from "../../system/process/start.ts";
import { AGENT_VARIABLE, type AgentFiles, NOT_FOUND } from "./agent_files.ts";
import { isNotFound, mkdirSync, statSync, writeTextFileSync } from "../../system/files.ts";
import type { DatabaseSync } from "node:sqlite";
import type { OrchestrationSettings } from "../orchestration_section.ts";
import { builtinPrompt, CHECK_VARIABLE } from "./workflow_files.ts";
import type { Move } from "../progress.ts";
import { renderPrompt, renderScriptStep } from "../render_step.ts";
import { type AgentStep, type ScriptStep, stepTimeoutMs } from "../workflow.ts";
import { joinPath } from "../../base/paths.ts";
import * as work from "../store.ts";
import { readPlan } from "./advance.ts";
import { ownValue } from "../../base/mapping.ts";

export interface Launch {
  readonly words: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly input: string;
}

/**
 * The script of the shell around an agent. It waits for a line on standard input, and exits when the input ends because
 * the daemon has died. After the line, it runs the agent with files as input and output, and writes the exit code. It
 * ignores signals and outlives the agent, even while it waits for room on the disk, but exits when its folder is gone.
 * It removes the variables of a Claude Code session: the daemon may have been started from a session, which agents do
 * not belong to.
 */
const SHELL = `IFS= read -r go || exit 125
input=$1 out=$2 err=$3 begun=$4 exit=$5
shift 5
unset AI_AGENT CLAUDECODE CLAUDE_CODE_CHILD_NOTES_DIR CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT \\
  CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_SESSION_ID \\
  CLAUDE_CODE_SSE_PORT CLAUDE_ENV_FILE CLAUDE_PID
trap ':' TERM INT HUP
(umask 077; : >"$begun") || exit 125
if command -v -- "$1" >/dev/null 2>&1; then
  "$@" <"$input" >>"$out" 2>>"$err"
  code=$?
else
  printf '%s: not found\\n' "$1" >>"$err"
  code="${NOT_FOUND}"
fi
until (umask 077; printf '%s\\n' "$code" >"$exit.new") && mv -f "$exit.new" "$exit"; do
  [ -d "\${exit%/*}" ] || exit 125
  sleep 1
done 2>/dev/null`;

/** A process that waits for permission to begin. */
export type Held = ReturnType<typeof hold>;

/** Starts a process that does nothing until it is released. @throws {Error} When it or its files cannot be made. */
export function hold(launch: Launch & { readonly id: string }, files: AgentFiles) {
  mkdirSync(files.folder, { recursive: true, mode: 0o700 });
  const mode = { mode: 0o600 };
  writeTextFileSync(files.input, launch.input, mode);
  for (const path of [files.stdout, files.stderr]) writeTextFileSync(path, "", mode);
  const { input, stdout, stderr, begun, exit } = files;
  const shell = ["/bin/sh", "-c", SHELL, `conclaude-agent-${launch.id}`];
  const child = startWords([...shell, input, stdout, stderr, begun, exit, ...launch.words], {
    folder: launch.folder,
    variables: launch.variables,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  });
  return {
    pid: child.pid,
    /** When the process started, in the system's own format; null when the system does not tell. */
    mark: readProcesses([child.pid]).get(child.pid)?.mark ?? null,
    exited: child.status.then(() => {}, () => {}),
    /**
     * Lets the process begin. When this program dies before, the process exits without having done anything. If it has
     * exited already, `supervise` notices.
     */
    release: () => feed(child, "go\n"),
  };
}

/** The program of an agent's step when the configuration names none. */
export const AGENT_COMMAND = "claude";

type Run = Extract<Move, { readonly kind: "run" }>;

/**
 * Composes the process of a step.
 * @param options `folder`: the working tree, or the project. `database`: the database for the hooks of an agent.
 * @returns `timeoutMs`: the time limit of the process. `answered`: the question whose answer the agent gets.
 * `obstacle`: why the folder of a script cannot be used; null when it can.
 * @throws {TemplateError} When a template names a value that does not exist.
 */
export function launchOf(
  db: DatabaseSync,
  { agent, workflow, move, config, folder, database }: {
    readonly agent: work.Agent;
    readonly workflow: work.WorkflowRow;
    readonly move: Run;
    readonly config: OrchestrationSettings;
    readonly folder: string;
    readonly database: string;
  },
) {
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

function scriptLaunch(step: ScriptStep, { context }: Run, place: Place) {
  const { command, env, workdir } = renderScriptStep(step, context);
  const folder = workdir === null ? place.folder : joinPath(place.folder, workdir);
  const variables = { ...place.variables, ...env };
  const launch: Launch = { words: shellWords(command), folder, variables, input: "" };
  const fault = workdir === null ? null : folderFault(folder);
  return { launch, obstacle: fault === null ? null : `workdir ${workdir} ${fault}` };
}

/** Explains why a folder cannot be used; null when it can. */
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
    readonly workflow: work.WorkflowRow;
    readonly config: OrchestrationSettings;
    readonly place: Place;
  },
) {
  const { prompts } = readPlan(db, workflow.id);
  const tools = config.allowedTools.length === 0
    ? []
    : ["--allowedTools", config.allowedTools.join(",")];
  const words = [config.agentCommand ?? AGENT_COMMAND, ...config.agentArgs, ...tools];
  // This is the newest answer to the step that was not delivered.
  const answered = work.listQuestions(db, { statuses: ["answered"], workflowId: workflow.id })
    .findLast(({ stepKey }) => stepKey === move.key) ?? null;
  const launchWith = (resume: readonly string[], input: string): Launch => {
    return { ...place, words: [...words, ...resume], input };
  };
  if (answered?.sessionId) {
    const resume = config.resumeArgs.map((word) =>
      word.replaceAll("{session_id}", () => answered.sessionId!)
    );
    return { launch: launchWith(resume, answered.answer ?? ""), answered };
  }
  const text = renderPrompt(
    step,
    move.context,
    (name) => ownValue(prompts, name) ?? builtinPrompt(name),
  );
  // Without a session to resume, the agent gets its prompt again, with the question and the answer.
  const input = answered === null
    ? text
    : `${text}\n\nYou asked before: ${answered.text}\nThe answer is: ${answered.answer}\n`;
  return { launch: launchWith([], input), answered };
}
