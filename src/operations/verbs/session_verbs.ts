import { listAgents } from "../../work/store.ts";
import { listCounters } from "../../db/counters.ts";
import { listSessions as readSessions, type SessionRow } from "../../db/sessions.ts";
import { relativeTime } from "../../base/time.ts";
import { LIMIT_FLAG, limitOf, oneOf, optional, text, toggle } from "../flags.ts";
import { projectHere, sessionOf } from "../session_lookup.ts";
import { openStore } from "../open_store.ts";
import { factLines, type Facts, listView } from "../table.ts";
import { group, verb } from "../verb.ts";

const list = verb({
  flags: {
    status: optional(oneOf(["active", "ended", "abandoned"], "Only sessions with this status")),
    here: toggle("Only of the project in this folder"),
    limit: LIMIT_FLAG,
  },
  brief: "List sessions, newest first",
  about: "Lists the sessions that hooks have seen, newest first.",
  examples: ["conclaude session list", "conclaude session list --here --status abandoned --json"],
  async run(context, flags) {
    const { db } = await openStore(context, "read");
    const project = flags.here ? projectHere(context.cwd) : null;
    const sessions = readSessions(db, {
      project,
      status: flags.status ?? null,
      limit: limitOf(context, flags.limit),
    });
    const now = Date.now();
    return listView(context, { sessions }, {
      ID: (s) => s.shortId,
      STATUS: (s) => s.status,
      "LAST SEEN": (s) => relativeTime(s.updatedAtMs, now),
      BRANCH: (s) => s.branch,
      ...sessions.some(({ taskId }) => taskId !== null) && { TASK: (s: SessionRow) => s.taskId },
      PROJECT: (s) => s.projectDir,
      TITLE: (s) => s.title,
    }, "No sessions yet. Hooks write them: run `conclaude install-hooks`, then start Claude Code.");
  },
});

const show = verb({
  args: [text("Its id, or the beginning of it", "id")],
  brief: "Show one session",
  about:
    "Shows one session: where it ran, how it ended, what its counters say. Four characters of the id do, when no\n" +
    "other id begins with them; case and dashes do not matter.",
  examples: ["conclaude session show 01980c5e", "conclaude session show 0198 --json"],
  async run(context, _flags, id) {
    const { db } = await openStore(context, "read");
    const session = sessionOf(db, id);
    const counters = listCounters(db, session.sessionId);
    const agents = listAgents(db, { kinds: ["subagent"], sessionId: session.sessionId });
    const running = agents.filter(({ status }) => status === "running").map(({ name }) => name);
    const now = Date.now();
    const facts: Facts = [
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
    return { json: { session, counters, agents }, text: factLines(facts).join("\n") };
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
