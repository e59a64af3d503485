import { plain } from "../../base/plain.ts";
import { filesOfAgent, type OutputLine, readOutputPage } from "../../work/engine/agent_files.ts";
import { needAgent, requestEnd } from "../../work/engine/requests.ts";
import { endHere } from "../../work/engine/agent_runs.ts";
import { reviewAgent, reviewWorkflow } from "../../work/engine/work_folder.ts";
import { readAgentLine } from "../../work/agent_text.ts";
import { refusal } from "../../work/refusal.ts";
import { checkWord } from "../../work/task_input.ts";
import * as work from "../../work/store.ts";
import type { CliContext } from "../context.ts";
import { isDaemonHere, START_DAEMON } from "../daemon_here.ts";
import {
  clearingFlag,
  numberFlag,
  proposing,
  SHARED,
  switchOn,
  text,
  type Values,
  wordsFlag,
} from "../flags.ts";
import { endingOf } from "../orchestration_here.ts";
import { type OpenStore, type Place } from "../open_store.ts";
import { reviewView } from "../workflow_view.ts";
import { titledFacts } from "../table.ts";
import { agentIdOf, beginChange, knownTaskId, taskIdOf } from "../work_lookup.ts";
import { nameOf, shortTaskId } from "../task_view.ts";
import { agoText, listVerb, readVerb } from "../list_and_show.ts";
import { group, verb, type View } from "../verb.ts";
import { fileSize } from "../../system/on_disk.ts";

const AGENT = proposing(
  "agent",
  text("The agent, by its id, or 4 or more characters of its beginning or end", "id"),
);
const ACTIVE = ["starting", "running"];
const { status: STATUSES, kind: KINDS } = work.AGENT_FIELDS;

const list = listVerb({
  flags: {
    status: wordsFlag(`Only with this status: ${STATUSES.join(", ")}; a comma is or`, "status"),
    kind: wordsFlag(`Only of this kind: ${KINDS.join(", ")}; a comma is or`, "kind"),
    task: SHARED.ofTask,
    session: proposing("session", clearingFlag("Only of this session, by its id", "id")),
    all: switchOn("Also those that have ended"),
    limit: SHARED.page,
  },
  name: "agents",
  rows({ db }, { status, kind, task, session, all }, { limit }) {
    const checked = <Word extends string>(what: string, words: readonly Word[]) => (one: string) =>
      checkWord(one, words, { what, next: "conclaude agent list --help" });
    return work.listAgents(db, {
      statuses: status?.map(checked("status", STATUSES)) ?? (all ? null : ACTIVE),
      kinds: kind?.map(checked("kind", KINDS)) ?? null,
      taskId: task === undefined ? null : knownTaskId(db, task),
      sessionId: session ?? null,
      limit,
    });
  },
  columns: {
    ID: ({ id }) => shortTaskId(id),
    KIND: ({ kind }) => kind,
    NAME: ({ name }) => name,
    STATUS: ({ status }) => status,
    TASK: ({ taskId }) => taskId === null ? null : shortTaskId(taskId),
    STARTED: ({ startedAtMs }) => agoText(startedAtMs),
  },
  empty: ({ all, status }) =>
    all || status !== undefined
      ? "No agents."
      : "No agents at work; --all lists those that have ended.",
});

const show = readVerb({
  args: [AGENT],
  run({ db }, _flags, text) {
    const agent = needAgent(db, agentIdOf(db, text));
    const task = work.readTask(db, agent.taskId);
    const facts = titledFacts([
      ["id", agent.id],
      ["kind", agent.kind],
      ["status", agent.status],
      ["error", agent.error],
      ["exit code", agent.exitCode],
      ["task", task === undefined ? agent.taskId : nameOf(task)],
      ["workflow", agent.workflowId],
      ["step", agent.stepKey === null ? null : `${agent.stepKey} (try ${agent.attempt})`],
      ["session", agent.sessionId],
      ["process", agent.pid],
      ["command", agent.command.join(" ") || null],
      ["folder", agent.worktree],
      ["output", agent.outputFile],
      ["to be ended", agent.killRequestedAtMs === null ? null : agent.killReason],
      ["started", agoText(agent.startedAtMs)],
      ["ended", agoText(agent.endedAtMs)],
    ]);
    return { json: { agent }, text: [agent.name, ...facts] };
  },
});

const OUTPUT_FLAGS = {
  since: numberFlag(0, Number.MAX_SAFE_INTEGER, "Only lines after the one with this number", "seq"),
  limit: numberFlag(1, Number.MAX_SAFE_INTEGER, "How many lines at most"),
  follow: switchOn("Go on until the agent has ended"),
  raw: switchOn("As it was written, instead of what is said in it"),
};

type OutputFlags = Values<typeof OUTPUT_FLAGS>;

const output = readVerb({
  args: [
    proposing(
      "agent",
      text("The agent, or a task: then the output of all its agents, the oldest first", "id"),
    ),
  ],
  flags: OUTPUT_FLAGS,
  async run({ db, place, context }, flags, text) {
    const agentId = agentIdOf(db, text);
    const task = work.readAgent(db, agentId) === undefined
      ? work.readTask(db, taskIdOf(db, text))
      : undefined;
    if (task !== undefined) return outputOfTask({ db, place }, task.id, flags);
    const agent = needAgent(db, agentId);
    if (flags.follow) return await followOutput(context, agent, { db, flags, place });
    const { lines, lastSeq } = linesOf(agent, place, flags);
    return {
      json: { agentId, taskId: agent.taskId, lines, lineCount: lines.length, lastSeq },
      text: outputFormatter(flags)(lines).join("\n"),
      quoted: true,
    };
  },
});

const diff = readVerb({
  args: [AGENT],
  flags: { full: switchOn("The whole diff, however long it is") },
  async run({ db, context }, { full }, text) {
    const agent = needAgent(db, agentIdOf(db, text));
    const workflow = work.readWorkflow(db, agent.workflowId);
    const review = workflow === undefined ? reviewAgent(agent) : reviewWorkflow(workflow);
    return reviewView(context, await review, {
      whole: full ? null : `conclaude agent diff ${shortTaskId(agent.id)} --full`,
      target: workflow?.baseBranch ?? "the main working tree",
    });
  },
});

const kill = verb({
  args: [AGENT],
  flags: { reason: clearingFlag("Why"), agentId: SHARED.agentId },
  async run(context, flags, text) {
    const { change, db, place, mask, masked } = await beginChange(context, flags, "end an agent");
    const reason = masked(flags.reason);
    const { id, workflowId } = change((author) =>
      requestEnd(db, agentIdOf(db, text), { reason, ...author })
    );
    const viewOf = (tail: string) => {
      const agent = needAgent(db, id);
      return { json: { agent }, text: [`Agent ${shortTaskId(id)} (${agent.name}) ${tail}`] };
    };
    if (isDaemonHere(context, place)) return viewOf("is being ended by the daemon.");
    const project = work.readWorkflow(db, workflowId)?.projectDir ?? null;
    const hasEnded = await endHere(db, id, { ...endingOf(context, place, project), mask });
    return viewOf(
      hasEnded
        ? "has ended, with all that it had started."
        : `has no process that runs. The next daemon writes down its end: ${START_DAEMON}`,
    );
  },
});

export const agent = group({ list, show, output, diff, kill });

/** Shows the output of all agents of a task, the oldest agent first. Each agent numbers its own lines. */
function outputOfTask({ db, place }: OpenStore, taskId: string, flags: OutputFlags): View {
  if (flags.since !== undefined || flags.follow) {
    throw refusal("INVALID_INPUT", {
      what: `Cannot tell which agent of task ${taskId} is meant`,
      why: "lines are numbered for each agent, so --since and --follow need the id of one",
      next: `conclaude agent list --all --task ${taskId}`,
    });
  }
  const parts = work.listAgents(db, { taskId, kinds: ["agent", "script"] }).reverse()
    .map((agent) => ({ agent, lines: linesOf(agent, place, {}).lines }));
  const lines = parts
    .flatMap(({ agent, lines }) => lines.map((line) => ({ agentId: agent.id, ...line })))
    .slice(0, flags.limit);
  const shown = parts.flatMap(({ agent, lines }) => [
    ...flags.raw ? [] : [plain(`── ${agent.name} (${agent.status})`)],
    ...outputFormatter(flags)(lines),
  ]);
  const lastSeq = lines.at(-1)?.seq ?? 0;
  return {
    json: { agentId: null, taskId, lines, lineCount: lines.length, lastSeq },
    text: shown.slice(0, flags.limit).join("\n"),
    quoted: true,
  };
}

/** How often `--follow` looks for new output, in milliseconds. */
const LOOK_MS = 200;

/** Prints new lines until the agent has ended or `--limit` is reached. */
async function followOutput(
  { process, globals }: CliContext,
  { id }: work.Agent,
  { db, flags, place }: OpenStore & { readonly flags: OutputFlags },
): Promise<View> {
  let since = flags.since ?? 0;
  let left = flags.limit ?? Infinity;
  const textOf = outputFormatter(flags);
  for (let bytes = -1; left > 0;) {
    // An agent's last output is written before its end is recorded. So the agent must be read before its output.
    const current = needAgent(db, id);
    const size = fileSize(pathOf(current, place));
    if (size !== bytes) {
      bytes = size;
      const { lines, lastSeq } = linesOf(current, place, { since, limit: left });
      const shown = globals.json ? lines.map((line) => JSON.stringify(line)) : textOf(lines);
      if (shown.length > 0) process.stdout.write(shown.join("\n") + "\n");
      since = lines.length === 0 ? since : lastSeq;
      left -= lines.length;
    } else if (current.endedAtMs !== null) break;
    else await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return { json: undefined, text: "" };
}

function pathOf({ outputFile, id }: work.Agent, { database }: Place): string {
  return outputFile ?? filesOfAgent(database, id).output;
}

function linesOf(
  agent: work.Agent,
  place: Place,
  { since = 0, limit = Infinity }: { readonly since?: number; readonly limit?: number },
) {
  return readOutputPage(pathOf(agent, place), { since, limit });
}

/** Returns a function that turns lines of output into text for people; with `--raw` it leaves them as they are. */
function outputFormatter({ raw }: OutputFlags) {
  let last: string | null = null;
  return (lines: readonly Omit<OutputLine, "next">[]): string[] =>
    raw ? lines.map(({ data }) => data) : lines.flatMap(({ stream, data }) => {
      const { text, isResult } = stream === "stdout"
        ? readAgentLine(data)
        : { text: data, isResult: false };
      // A result repeats the text before it.
      if (text === null || (isResult && text.trim() === last?.trim())) return [];
      last = text;
      return text.split("\n").map(plain);
    });
}
