import { plain } from "../../capture/plain.ts";
import { needAgent, requestEnd } from "../../engine/requests.ts";
import { endHere } from "../../engine/supervise.ts";
import { checkBody } from "../../orchestration/task_input.ts";
import { type AgentKind, type AgentStatus, listAgents } from "../../store/agents.ts";
import { transaction } from "../../store/database.ts";
import { readTask } from "../../store/tasks.ts";
import { readWorkflow } from "../../store/workflows.ts";
import { relativeTime } from "../../time.ts";
import { isDaemonHere, startDaemon } from "../daemon_here.ts";
import { AGENT_FLAG, clearingFlag, PAGE_FLAG, switchOn, text, wordsFlag } from "../flags.ts";
import { lastingOf, orchestrationOf } from "../orchestration_here.ts";
import { openKeptStore, openStore } from "../store.ts";
import { type Facts, pageView, titledFacts } from "../table.ts";
import { authorOf } from "../task_lookup.ts";
import { maskerOf } from "../task_text.ts";
import { nameOf, shortTaskId } from "../task_view.ts";
import { group, lazy, verb } from "../verb.ts";
import { agentIdOf, checkWord, knownTaskId } from "../work_lookup.ts";

const AGENT = text("The agent, by its id, or 4 or more characters of its beginning or end", "id");

const list = verb({
  flags: {
    status: wordsFlag(
      "Only with this status: starting, running, completed, failed, killed; a comma is or",
      "status",
    ),
    kind: wordsFlag("Only of this kind: agent, script, subagent; a comma is or", "kind"),
    task: clearingFlag("Only of this task", "id"),
    session: clearingFlag("Only of this session, by its id", "id"),
    all: switchOn("Also those that have ended"),
    limit: PAGE_FLAG,
  },
  brief: "List agents",
  about:
    "Lists the agents and scripts that work for tasks, and the sub-agents of sessions, the newest first.",
  examples: ["conclaude agent list", "conclaude agent list --all --task 1a2b3c4d --json"],
  async run(context, flags) {
    const { db } = await openStore(context, "read");
    const { limit, all } = flags;
    const agents = listAgents(db, {
      statuses: flags.status?.map((one) =>
        checkWord(one, { what: "status", words: STATUSES, noun: "agent" })
      ) ??
        (all ? null : ACTIVE),
      kinds: flags.kind?.map((one) =>
        checkWord(one, { what: "kind", words: KINDS, noun: "agent" })
      ) ?? null,
      taskId: flags.task === undefined ? null : knownTaskId(db, flags.task),
      sessionId: flags.session ?? null,
      limit: limit + 1,
    });
    return pageView(context, { agents }, {
      ID: ({ id }) => shortTaskId(id),
      KIND: ({ kind }) => kind,
      NAME: ({ name }) => name,
      STATUS: ({ status }) => status,
      TASK: ({ taskId }) => taskId === null ? null : shortTaskId(taskId),
      STARTED: ({ startedAtMs }) => ageText(startedAtMs),
    }, {
      limit,
      empty: all || flags.status !== undefined
        ? "No agents."
        : "No agents at work; --all lists those that have ended.",
    });
  },
});

const show = verb({
  args: [AGENT],
  brief: "Show an agent",
  about: "Shows an agent: what it works for, its process, and how it ended.",
  examples: ["conclaude agent show 1a2b3c4d"],
  async run(context, _flags, text) {
    const { db } = await openStore(context, "read");
    const agent = needAgent(db, agentIdOf(db, text));
    const task = agent.taskId === null ? undefined : readTask(db, agent.taskId);
    const facts: Facts = [
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
    return { json: { agent }, text: [agent.name, ...titledFacts(facts)].map(plain).join("\n") };
  },
});

const kill = verb({
  args: [AGENT],
  flags: { reason: clearingFlag("Why"), agentId: AGENT_FLAG },
  brief: "End an agent",
  about: "Ends an agent with all processes that it has started; those that do not leave in " +
    "`orchestration.killGraceSeconds` are made to. Its workflow is blocked then: " +
    "`conclaude workflow retry` runs the step again.",
  examples: ["conclaude agent kill 1a2b3c4d --reason 'it runs in circles'"],
  async run(context, flags, text) {
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
      return { json: { agent }, text: plain(`Agent ${shortTaskId(id)} (${agent.name}) ${tail}`) };
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
  },
});

export const agent = group({
  verbs: {
    list,
    show,
    output: lazy(
      "Show what an agent has written",
      async () => (await import("./agent_output_verbs.ts")).output,
    ),
    kill,
  },
  examples: ["conclaude agent list", "conclaude agent output 1a2b3c4d --follow"],
});

const ACTIVE: readonly AgentStatus[] = ["starting", "running"];
const STATUSES: readonly AgentStatus[] = [...ACTIVE, "completed", "failed", "killed"];
const KINDS: readonly AgentKind[] = ["agent", "script", "subagent"];

function ageText(atMs: number | null): string | null {
  return atMs === null ? null : relativeTime(atMs, Date.now());
}
