import { type Agent, listAgents } from "../../work/store.ts";
import { listCounters } from "../../db/counters.ts";
import { listSessions as readSessions, type SessionRow, tellingId } from "../../db/sessions.ts";
import { NAMED_SESSION, oneOfFlag, SHARED, switchOn, timeFlag, toggle } from "../flags.ts";
import { agoText, listVerb, readVerb } from "../list_and_show.ts";
import { projectHere, sessionOrNewest } from "../session_lookup.ts";
import { type Line, type SessionStory, sessionStory } from "../../memory/tell/shown_story.ts";
import { briefDenial } from "../denial_text.ts";
import { cutLine, factLines, firstLines, section } from "../table.ts";
import { shortTaskId } from "../task_view.ts";
import { group, lazyFrom } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { durationText } from "../../base/time.ts";

const list = listVerb({
  flags: {
    status: oneOfFlag(["active", "ended", "abandoned"], "Only sessions with this status"),
    here: toggle("Only of the project in this folder"),
    until: timeFlag("Only those whose last sign of life was before then, as an age or a time"),
    limit: SHARED.limit,
  },
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

const show = readVerb({
  args: [NAMED_SESSION],
  flags: { verbose: switchOn("With where it ran, its process, and its counters") },
  run({ db, context }, { verbose }, id) {
    const session = sessionOrNewest(db, context, id);
    const counters = listCounters(db, session.sessionId);
    const agents = listAgents(db, { kinds: ["subagent"], sessionId: session.sessionId });
    const story = sessionStory(db, session);
    const lines = [
      ...storyLines(db, session, { story, agents }),
      ...verbose ? ["", ...plumbingOf(session, counters)] : [],
    ];
    return { json: { session, counters, agents, story }, text: lines };
  },
});

/** Lists where a session ran, its process, and its counters. */
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
  list,
  show,
  log: lazyFrom(() => import("./session_log_verbs.ts"))("log"),
});

/** How many lines each list has at most, so that a story fits on a screen. */
const MAX = {
  denied: 4,
  files: 5,
  commits: 4,
  failed: 4,
  fixes: 3,
  decided: 4,
  open: 5,
  agents: 3,
} as const;

/** Formats a session's story in lines of at most 80 columns. @param agents The session's sub-agents. */
export function storyLines(
  db: DatabaseSync,
  session: SessionRow,
  { story, agents }: { readonly story: SessionStory; readonly agents: readonly Agent[] },
): string[] {
  const { sessionId, startedAtMs, updatedAtMs, projectDir, branch, taskId, status } = session;
  const { asked, files, tests, end, waiting } = story;
  const log = `\`conclaude session log ${tellingId(db, sessionId)}\``;
  const list = (lines: readonly string[], most: number) => firstLines(lines, most, log);
  const numbered = ({ id, title }: Line) => `#${id} ${title}`;
  // A failure that is left open appears only in the section for open items.
  const isLeft = ({ title, mendedBy }: SessionStory["failed"][number]) =>
    mendedBy === null && story.open.includes(title);
  const left = new Map(story.failed.filter(isLeft).map((one) => [one.title, numbered(one)]));
  const failed = story.failed.filter((one) => !isLeft(one)).map((one) =>
    `${one.mendedBy === null ? "not mended" : "mended    "}  ${numbered(one)}`
  );
  const runs = tests.green + tests.red;
  // The reason gets a line of its own, since a long command would hide it.
  const denied = story.denied.slice(0, MAX.denied).flatMap(({ tool, subject, why, rules }) => [
    cutLine(`${tool}  ${subject}`, 78),
    ...why === "" ? [] : [`  ${cutLine(briefDenial(why, rules), 76)}`],
  ]);
  const moreDenied = story.denied.length - MAX.denied;
  if (moreDenied > 0) denied.push(`… and ${moreDenied} more: ${log}`);
  return [
    ...factLines([
      ["session", sessionId],
      ["project", projectDir],
      ["branch", branch],
      ["task", taskId],
      ["lasted", `${durationText(updatedAtMs - startedAtMs)}, until ${agoText(updatedAtMs)}`],
      ["ended", end ?? (status === "active" ? "not yet: it is active" : status)],
    ], 9).map((line) => cutLine(line, 80)),
    ...section(
      asked.count > 1 ? `Asked (the first of ${count(asked.count, "prompt")})` : "Asked",
      asked.first === null ? [] : firstLines([asked.first], 1, log),
    ),
    ...section("Done", [
      ...list(files.map(fileLine), MAX.files),
      ...list(story.commits.map(numbered), MAX.commits),
      ...runs === 0 ? [] : [`${count(runs, "test run")}: ${tests.green} green, ${tests.red} red`],
    ]),
    ...section("Denied", denied),
    ...section("Failed", list(failed, MAX.failed)),
    ...section("Mended by", list(story.fixes.map(numbered), MAX.fixes)),
    ...section("Decided", list(story.decided.map(numbered), MAX.decided)),
    ...section("Left open", list(story.open.map((title) => left.get(title) ?? title), MAX.open)),
    ...section("Sub-agents", list(agents.map(agentLine), MAX.agents)),
    "",
    ...waiting === 0
      ? []
      : [`${count(waiting, "capture")} not worked in yet: \`conclaude queue drain\``],
    `Every step: ${log}`,
  ];
}

function fileLine({ path, added, removed }: SessionStory["files"][number]): string {
  return `${`+${added}`.padStart(6)} ${`−${removed}`.padStart(5)}  ${path}`;
}

function agentLine({ id, name, status }: Agent): string {
  return `${id}  ${name}, ${status}`;
}
