import { listAgents } from "../../work/store.ts";
import { listCounters } from "../../db/counters.ts";
import { listSessions as readSessions, tellingId } from "../../db/sessions.ts";
import { LIMIT_FLAG, oneOf, optional, proposing, text, toggle } from "../flags.ts";
import { agoText, listVerb, showVerb } from "../list_and_show.ts";
import { projectHere, sessionOf } from "../session_lookup.ts";
import { factLines } from "../table.ts";
import { shortTaskId } from "../task_view.ts";
import { group } from "../verb.ts";

const list = listVerb({
  flags: {
    status: optional(oneOf(["active", "ended", "abandoned"], "Only sessions with this status")),
    here: toggle("Only of the project in this folder"),
    limit: LIMIT_FLAG,
  },
  brief: "List sessions, newest first",
  about: "Lists the sessions that hooks have reported, the newest first.",
  examples: ["conclaude session list", "conclaude session list --here --status abandoned --json"],
  name: "sessions",
  rows: ({ db, context }, { status, here }, { limit }) =>
    readSessions(db, {
      project: here ? projectHere(context.cwd) : null,
      status: status ?? null,
      limit,
    }),
  columns: ({ db }) => ({
    ID: (s) => tellingId(db, s.sessionId),
    STATUS: (s) => s.status,
    "LAST SEEN": (s) => agoText(s.updatedAtMs),
    BRANCH: (s) => s.branch,
    TASK: (s) => s.taskId === null ? null : shortTaskId(s.taskId),
    PROJECT: (s) => s.projectDir,
    TITLE: (s) => s.title,
  }),
  empty:
    "No sessions yet. Hooks write them: run `conclaude install-hooks`, then start Claude Code.",
});

const show = showVerb({
  arg: proposing("session", text("Its id, or 4 or more characters of its beginning", "id")),
  brief: "Show one session",
  about: "Shows one session: where it ran, how it ended, and its counters.",
  examples: ["conclaude session show 01980c5e", "conclaude session show 0198 --json"],
  read({ db }, id) {
    const session = sessionOf(db, id);
    const counters = listCounters(db, session.sessionId);
    const agents = listAgents(db, { kinds: ["subagent"], sessionId: session.sessionId });
    const running = agents.filter(({ status }) => status === "running").map(({ name }) => name);
    const lines = factLines([
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
      ["started", agoText(session.startedAtMs)],
      ["last seen", agoText(session.updatedAtMs)],
      ...counters.map(({ type, value }) => [type, value] as const),
    ]);
    return { json: { session, counters, agents }, lines };
  },
});

export const session = group({
  verbs: { list, show },
  examples: ["conclaude session list --here", "conclaude session show 01980c5e --json"],
});

function subagentsText(count: number, running: readonly string[]): string | null {
  if (count === 0) return null;
  return running.length === 0 ? `${count}` : `${count}, running: ${running.join(", ")}`;
}
