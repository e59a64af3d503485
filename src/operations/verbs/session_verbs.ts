import { listAgents } from "../../work/store.ts";
import { listCounters } from "../../db/counters.ts";
import { listSessions as readSessions, type SessionRow, tellingId } from "../../db/sessions.ts";
import {
  LIMIT_FLAG,
  oneOf,
  optional,
  proposing,
  switchOn,
  text,
  timeFlag,
  toggle,
} from "../flags.ts";
import { agoText, listVerb } from "../list_and_show.ts";
import { hintsHere } from "../next_command.ts";
import { openStore } from "../open_store.ts";
import { projectHere, sessionOf } from "../session_lookup.ts";
import { sessionStory } from "../../memory/tell/shown_story.ts";
import { storyLines } from "../session_story_view.ts";
import { factLines } from "../table.ts";
import { shortTaskId } from "../task_view.ts";
import { group, lazyFrom, verb } from "../verb.ts";

const list = listVerb({
  flags: {
    status: optional(oneOf(["active", "ended", "abandoned"], "Only sessions with this status")),
    here: toggle("Only of the project in this folder"),
    until: timeFlag("Only those whose last sign of life was before then, as an age or a time"),
    limit: LIMIT_FLAG,
  },
  brief: "List sessions, newest first",
  about: "Lists the sessions that hooks have reported, the newest first.",
  examples: ["conclaude session list", "conclaude session list --here --status abandoned --json"],
  name: "sessions",
  rows: ({ db, context }, { status, here, until }, { limit }) =>
    readSessions(db, {
      project: here ? projectHere(context.cwd) : null,
      status: status ?? null,
      ...until === undefined ? {} : { untilMs: until },
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

const show = verb({
  args: [proposing("session", text("Its id, or 4 or more characters of its beginning", "id"))],
  flags: { verbose: switchOn("With where it ran, its process, and its counters") },
  brief: "Show what happened in one session",
  about:
    "Shows the story of one session: what was asked and done, what failed and what mended it, what was decided and left " +
    "open, and how it ended.",
  examples: ["conclaude session show 01980c5e", "conclaude session show 0198 --json"],
  async run(context, { verbose }, id) {
    const { db } = await openStore(context, "read");
    const session = sessionOf(db, id);
    const counters = listCounters(db, session.sessionId);
    const agents = listAgents(db, { kinds: ["subagent"], sessionId: session.sessionId });
    const story = sessionStory(db, session);
    const lines = [
      ...storyLines(db, session, { story, agents }),
      ...verbose ? ["", ...plumbingOf(session, counters)] : [],
    ];
    return {
      json: { session, counters, agents, story },
      text: hintsHere(lines.join("\n"), context.globals),
    };
  },
});

/** Where a session ran, and what was counted in it. */
function plumbingOf(session: SessionRow, counters: ReturnType<typeof listCounters>): string[] {
  return factLines([
    ["title", session.title],
    ["status", session.endReason ? `${session.status} (${session.endReason})` : session.status],
    ["source", session.source],
    ["repository", session.repository],
    ["folder", session.cwd],
    ["permissions", session.permissionMode],
    ["process", session.claudePid],
    ["agent", session.agentId],
    ["started", agoText(session.startedAtMs)],
    ...counters.map(({ type, value }) => [type, value] as const),
  ]);
}

export const session = group({
  verbs: {
    list,
    show,
    log: lazyFrom(() => import("./session_log_verbs.ts"))("Show every step of one session", "log"),
  },
  examples: ["conclaude session list --here", "conclaude session show 01980c5e --json"],
});
