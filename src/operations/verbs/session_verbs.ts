/** `conclaude session list|show`: the sessions and their stories. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { durationText } from "../../base/time.ts";
import { listCounters } from "../../db/counters.ts";
import { listSessions, type SessionRow, tellingId } from "../../db/sessions.ts";
import { violationText } from "../../memory/tell/session_steps.ts";
import { type Line, type SessionStory, sessionStory } from "../../memory/tell/shown_story.ts";
import { type Agent, listAgents } from "../../work/store.ts";
import { briefDenial } from "../denial_text.ts";
import { NAMED_SESSION, oneOfFlag, SHARED, switchOn, timeFlag, toggle } from "../flags.ts";
import { projectHere, sessionOrNewest } from "../session_lookup.ts";
import { openWord, type Violations, violationsIn } from "../session_violations.ts";
import { cutLine, factLines, firstLines, type Lines, section } from "../table.ts";
import { shortTaskId } from "../task_view.ts";
import { agoText, listVerb, readVerb } from "../list_and_show.ts";
import { group, lazyFrom } from "../verb.ts";

const list = listVerb({
  flags: {
    status: oneOfFlag(["active", "ended", "abandoned"], "Only sessions with this status"),
    here: toggle("Only of the project in this folder"),
    until: timeFlag("Only those whose last sign of life was before then, as an age or a time"),
    limit: SHARED.limit,
  },
  name: "sessions",
  rows: ({ db, context }, { status, here, until }, { limit }) =>
    listSessions(db, {
      project: here ? projectHere(context.cwd) : null,
      status: status ?? null,
      ...until !== undefined && { untilMs: until },
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

const show = readVerb({
  args: [NAMED_SESSION],
  flags: { verbose: switchOn("With where it ran, its process, and its counters") },
  async run({ db, context }, { verbose }, id) {
    const session = sessionOrNewest(db, context, id);
    const violations = await violationsIn(context, db, session);
    const counters = listCounters(db, session.sessionId);
    const agents = listAgents(db, { kinds: ["subagent"], sessionId: session.sessionId });
    const story = sessionStory(db, session);
    const { status, endReason } = session;
    const plumbing = factLines([
      ["title", session.title],
      ["status", endReason ? `${status} (${endReason})` : status],
      ["source", session.source],
      ["repository", session.repository],
      ["folder", session.cwd],
      ["permissions", session.permissionMode],
      ["process", session.claudePid],
      ["agent", session.agentId],
      ["started", agoText(session.startedAtMs)],
      ...counters.map(({ type, value }) => [type, value] as const),
    ]);
    return {
      json: { session, counters, agents, story, violations },
      text: [storyLines(db, session, { story, violations, agents }), verbose && ["", plumbing]],
    };
  },
});

/** How many lines each list has at most, so that a story fits on a screen. */
const MAX = {
  denied: 4,
  violated: 4,
  files: 5,
  commits: 4,
  failed: 4,
  fixes: 3,
  decided: 4,
  open: 5,
  agents: 3,
} as const;

/** Formats a session's story in lines of at most 80 columns. */
function storyLines(
  db: DatabaseSync,
  session: SessionRow,
  { story, violations, agents }: {
    readonly story: SessionStory;
    readonly violations: Violations;
    readonly agents: readonly Agent[];
  },
): Lines[] {
  const { sessionId, startedAtMs, updatedAtMs, projectDir, branch, taskId, status } = session;
  const { asked, files, tests, end, waiting } = story;
  const log = `\`conclaude session log ${tellingId(db, sessionId)}\``;
  const list = (lines: readonly string[], most: number) => firstLines(lines, most, log);
  const numbered = ({ id, title }: Line) => `#${id} ${title}`;
  // A failure that is left open appears only in the section for open items.
  const { left = [], told = [] } = Object.groupBy(
    story.failed,
    ({ title, mendedBy }) => mendedBy === null && story.open.includes(title) ? "left" : "told",
  );
  const lineOfLeft = new Map(left.map((one) => [one.title, numbered(one)]));
  const open = story.open.map((title) => lineOfLeft.get(title) ?? title);
  const failed = told.map((one) =>
    `${one.mendedBy === null ? "not mended" : "mended    "}  ${numbered(one)}`
  );
  const runs = tests.green + tests.red;
  // The reason gets a line of its own, since a long command would hide it.
  const pairs = (all: readonly (readonly [what: string, why: string])[], most: number) => [
    all.slice(0, most).map(([what, why]) => [
      cutLine(what, 78),
      why !== "" && `  ${cutLine(why, 76)}`,
    ]),
    all.length > most && `… and ${all.length - most} more: ${log}`,
  ];
  const denied = story.denied.map(({ tool, subject, why, rules }) =>
    [`${tool}  ${subject}`, why && briefDenial(why, rules)] as const
  );
  const openFirst = violations.toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen));
  const violated = openFirst.map((one) => {
    const by = one.who === "command" ? "by a command of the session" : "by whom is unknown";
    const how = `${openWord(one)}; ${by}; told ${agoText(one.createdAtMs)}`;
    return [violationText(one), how] as const;
  });
  return [
    factLines([
      ["session", sessionId],
      ["project", projectDir],
      ["branch", branch],
      ["task", taskId],
      ["lasted", `${durationText(updatedAtMs - startedAtMs)}, until ${agoText(updatedAtMs)}`],
      ["ended", end ?? (status === "active" ? "not yet: it is active" : status)],
    ], 9).map((line) => cutLine(line, 80)),
    section(
      asked.count > 1 ? `Asked (the first of ${count(asked.count, "prompt")})` : "Asked",
      asked.first !== null && firstLines([asked.first], 1, log),
    ),
    section("Done", [
      list(files.map(fileLine), MAX.files),
      list(story.commits.map(numbered), MAX.commits),
      runs > 0 && `${count(runs, "test run")}: ${tests.green} green, ${tests.red} red`,
    ]),
    section("Denied", pairs(denied, MAX.denied)),
    section("Violated", [
      pairs(violated, MAX.violated),
      violations.some(({ isOpen }) => isOpen) &&
      "How each is undone: `conclaude config accept --dry-run`",
    ]),
    section("Failed", [
      list(failed, MAX.failed),
      waiting === 0 && told.some(({ mendedBy }) => mendedBy === null) &&
      "What counts as open: `conclaude memory open --help`",
    ]),
    section("Mended by", list(story.fixes.map(numbered), MAX.fixes)),
    section("Decided", list(story.decided.map(numbered), MAX.decided)),
    section("Left open", list(open, MAX.open)),
    section(
      "Sub-agents",
      list(agents.map(({ id, name, status }) => `${id}  ${name}, ${status}`), MAX.agents),
    ),
    "",
    waiting > 0 && `${count(waiting, "capture")} not worked in yet: \`conclaude queue drain\``,
    `Every step: ${log}`,
  ];
}

function fileLine({ path, added, removed }: SessionStory["files"][number]): string {
  return `${`+${added}`.padStart(6)} ${`−${removed}`.padStart(5)}  ${path}`;
}

const steps = lazyFrom(() => import("./session_log_verb.ts"));

export const session = group({ list, show, log: steps("log") });
