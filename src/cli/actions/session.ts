import { plain } from "../../capture/plain.ts";
import { listAgents } from "../../store/agents.ts";
import { listCounters } from "../../store/counters.ts";
import { listSessions as readSessions, type SessionRow } from "../../store/sessions.ts";
import { relativeTime } from "../../time.ts";
import { limitOf } from "../command.ts";
import type { CliContext } from "../context.ts";
import { projectHere, sessionOf } from "../session_lookup.ts";
import { openStore } from "../store.ts";
import { tableText } from "../table.ts";
import type { View } from "../view.ts";

/** `conclaude session list` */
export async function listSessions(
  context: CliContext,
  flags: {
    readonly status?: SessionRow["status"];
    readonly here: boolean;
    readonly limit?: number;
  },
): Promise<View> {
  const { db } = await openStore(context, "read");
  const project = flags.here ? projectHere(context.cwd) : null;
  const sessions = readSessions(db, {
    project,
    status: flags.status ?? null,
    limit: limitOf(context, flags.limit),
  });
  const now = Date.now();
  return {
    json: { sessions },
    text: tableText(sessions, [
      { title: "ID", value: (s) => s.shortId },
      { title: "STATUS", value: (s) => s.status },
      { title: "LAST SEEN", value: (s) => relativeTime(s.updatedAtMs, now) },
      { title: "BRANCH", value: (s) => s.branch },
      ...sessions.some(({ taskId }) => taskId !== null)
        ? [{ title: "TASK", value: (s: SessionRow) => s.taskId }]
        : [],
      { title: "PROJECT", value: (s) => s.projectDir },
      { title: "TITLE", value: (s) => s.title },
    ], {
      empty:
        "No sessions yet. Hooks write them: run `conclaude install-hooks`, then start Claude Code.",
      color: context.globals.color,
    }),
  };
}

/** `conclaude session show ID` */
export async function showSession(
  context: CliContext,
  _flags: Readonly<Record<never, never>>,
  id: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const session = sessionOf(db, id);
  const counters = listCounters(db, session.sessionId);
  const agents = listAgents(db, { kinds: ["subagent"], sessionId: session.sessionId });
  const running = agents.filter(({ status }) => status === "running").map(({ name }) => name);
  const now = Date.now();
  const facts: readonly (readonly [name: string, value: string | number | null])[] = [
    ["session", session.sessionId],
    ["title", session.title],
    ["status", session.endReason ? `${session.status} (${session.endReason})` : session.status],
    ["source", session.source],
    ["project", session.projectDir],
    ["repository", session.repository],
    ["branch", session.branch],
    ["folder", session.cwd],
    ["permissions", session.permissionMode],
    ["process", session.claudePid],
    ["task", session.taskId],
    ["agent", session.agentId],
    ["sub-agents", subagentsText(agents.length, running)],
    ["started", relativeTime(session.startedAtMs, now)],
    ["last seen", relativeTime(session.updatedAtMs, now)],
    ...counters.map(({ type, value }) => [type, value] as const),
  ];
  return {
    json: { session, counters, agents },
    text: facts.filter(([, value]) => value !== null)
      .map(([name, value]) => `${name.padEnd(14)}${plain(String(value))}`).join("\n"),
  };
}

function subagentsText(count: number, running: readonly string[]): string | null {
  if (count === 0) return null;
  return running.length === 0 ? `${count}` : `${count}, running: ${running.join(", ")}`;
}
