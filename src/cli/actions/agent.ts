/** Agents: which there are, and the end of one. */
import { plain } from "../../capture/plain.ts";
import { needAgent, requestEnd } from "../../engine/agent_requests.ts";
import { endHere } from "../../engine/ending.ts";
import { refusal } from "../../orchestration/refusal.ts";
import { checkBody } from "../../orchestration/task_input.ts";
import { type Agent, type AgentKind, type AgentStatus, listAgents } from "../../store/agents.ts";
import { transaction } from "../../store/database.ts";
import { readTask } from "../../store/tasks.ts";
import { readWorkflow } from "../../store/workflows.ts";
import { relativeTime } from "../../time.ts";
import type { CliContext } from "../context.ts";
import { isDaemonHere, startDaemon } from "../daemon_here.ts";
import { knownTaskId } from "../id_lookup.ts";
import { lastingOf, orchestrationOf } from "../orchestration_here.ts";
import { openKeptStore, openStore } from "../store.ts";
import { type Column, tableText } from "../table.ts";
import { authorOf, type ByFlag } from "../task_lookup.ts";
import { maskerOf } from "../task_text.ts";
import { nameOf, shortTaskId } from "../task_view.ts";
import type { View } from "../view.ts";
import { agentIdOf } from "../workflow_lookup.ts";

const ACTIVE: readonly AgentStatus[] = ["starting", "running"];
const STATUSES: readonly AgentStatus[] = [...ACTIVE, "completed", "failed", "killed"];
const KINDS: readonly AgentKind[] = ["agent", "script", "subagent"];

/** Which agents are wanted. */
export type ListFlags = {
  readonly status?: readonly string[];
  readonly kind?: readonly string[];
  readonly task?: string;
  readonly session?: string;
  readonly all: boolean;
  readonly limit: number;
};

const COLUMNS: readonly Column<Agent>[] = [
  { title: "ID", value: ({ id }) => shortTaskId(id) },
  { title: "KIND", value: ({ kind }) => kind },
  { title: "NAME", value: ({ name }) => name },
  { title: "STATUS", value: ({ status }) => status },
  { title: "TASK", value: ({ taskId }) => taskId === null ? null : shortTaskId(taskId) },
  { title: "STARTED", value: ({ startedAtMs }) => ageText(startedAtMs) },
];

/** `conclaude agent list` */
export async function listAll(context: CliContext, flags: ListFlags): Promise<View> {
  const { db } = await openStore(context, "read");
  const { limit, all } = flags;
  const found = listAgents(db, {
    statuses: flags.status?.map((one) => checkWord("status", one, STATUSES)) ??
      (all ? null : ACTIVE),
    kinds: flags.kind?.map((one) => checkWord("kind", one, KINDS)) ?? null,
    taskId: flags.task === undefined ? null : knownTaskId(db, flags.task),
    sessionId: flags.session ?? null,
    limit: limit + 1,
  });
  const agents = found.slice(0, limit);
  const more = found.length > limit;
  const table = tableText(agents, COLUMNS, {
    empty: all || flags.status !== undefined
      ? "No agents."
      : "No agents at work; --all lists those that have ended.",
    color: context.globals.color,
  });
  return { json: { agents, more }, text: more ? `${table}\n… and more: --limit` : table };
}

/** `conclaude agent show ID` */
export async function showAgent(context: CliContext, _flags: object, text: string): Promise<View> {
  const { db } = await openStore(context, "read");
  const agent = needAgent(db, agentIdOf(db, text));
  const task = agent.taskId === null ? undefined : readTask(db, agent.taskId);
  const facts: readonly (readonly [string, string | number | null])[] = [
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
    ["started", ageText(agent.startedAtMs)],
    ["ended", ageText(agent.endedAtMs)],
  ];
  return {
    json: { agent },
    text: [
      agent.name,
      ...facts.filter(([, value]) => value !== null)
        .map(([name, value]) => `  ${`${name}:`.padEnd(13)}${value}`),
    ].map(plain).join("\n"),
  };
}

/** `conclaude agent kill ID` */
export async function kill(
  context: CliContext,
  flags: ByFlag & { readonly reason?: string },
  text: string,
): Promise<View> {
  const by = authorOf(context, flags);
  const { db, place } = await openKeptStore(context, "end an agent");
  const mask = await maskerOf(place.config);
  const reason = flags.reason === undefined ? null : checkBody(mask(flags.reason));
  const { id, workflowId } = transaction(
    db,
    () => requestEnd(db, agentIdOf(db, text), { reason, by, atMs: Date.now() }),
  );
  const told = (tail: string) => {
    const agent = needAgent(db, id);
    return {
      json: { agent },
      text: plain(`Agent ${shortTaskId(id)} (${agent.name}) ${tail}`),
    };
  };
  if (isDaemonHere(context, place)) return told("is being ended by the daemon.");
  const project = workflowId === null ? null : readWorkflow(db, workflowId)?.projectDir ?? null;
  const hasEnded = await endHere(db, id, {
    ...lastingOf(context, place, project),
    database: place.database,
    mask,
    graceMs: orchestrationOf(context, project).killGraceSeconds * 1000,
  });
  return hasEnded ? told("has ended, with all that it had started.") : told(
    `has no process that runs. The next daemon writes down its end: ${startDaemon(context)}`,
  );
}

function ageText(atMs: number | null): string | null {
  return atMs === null ? null : relativeTime(atMs, Date.now());
}

function checkWord(what: string, word: string, words: readonly string[]): string {
  if (words.includes(word)) return word;
  throw refusal("INVALID_INPUT", {
    what: `Cannot take the ${what} "${word}"`,
    why: `${what} must be one of: ${words.join(", ")}`,
    next: "conclaude agent list --help",
  });
}
