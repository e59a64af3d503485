/** Shows the story of a session: as fields for programs, and on one screen for people. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { plain } from "../base/plain.ts";
import { listExecutions } from "../db/executions.ts";
import { durationText } from "../base/time.ts";
import { countPending } from "../db/captures.ts";
import { sessionEnd, type SessionRow, tellingId } from "../db/sessions.ts";
import { observationsToSummarize, readObservations } from "../memory/store.ts";
import { endInWords } from "../memory/tell/ended_session.ts";
import { storyOf } from "../memory/tell/session_story.ts";
import type { Agent } from "../work/store.ts";
import { agoText } from "./list_and_show.ts";
import { wantedIn } from "./session_steps.ts";
import { cutLine, factLines, firstLines, section } from "./table.ts";

/** Of a longer session the newest observations are read. */
const MAX_PARTS = 5_000;

interface Line {
  readonly id: number;
  readonly title: string;
}

/** What happened in a session, as `session show --json` prints it. */
export interface SessionStory {
  /** The first prompt; null where none is known. */
  readonly asked: { readonly first: string | null; readonly count: number };
  readonly files: readonly {
    readonly path: string;
    readonly added: number;
    readonly removed: number;
  }[];
  readonly commits: readonly Line[];
  /** Runs of tests. */
  readonly tests: { readonly green: number; readonly red: number };
  readonly failed: readonly (Line & {
    /** The observation that mended it, 0 when that was deleted; null while it is open. */
    readonly mendedBy: number | null;
    /** The step that failed, as `session log` numbers it. */
    readonly step: string;
    /** The step that mended it; null while it is open, and where another session did. */
    readonly mendedByStep: string | null;
  })[];
  /** Tool uses that a gate denied, and why. */
  readonly denied: readonly {
    readonly tool: string;
    /** The command or the file. */
    readonly subject: string;
    readonly why: string;
  }[];
  readonly fixes: readonly Line[];
  readonly decided: readonly Line[];
  readonly open: readonly string[];
  /** Claude's last message; null where none is known. */
  readonly last: string | null;
  /** How it ended, in words; null while it goes on. */
  readonly end: string | null;
  /** Captures that are not worked into memory yet, so that the story lacks them. */
  readonly waiting: number;
}

export function sessionStory(
  db: DatabaseSync,
  { sessionId, title, projectDir }: SessionRow,
): SessionStory {
  const story = storyOf(observationsToSummarize(db, sessionId, MAX_PARTS));
  const { asked, files, tests, open } = story;
  const lines = (parts: readonly Line[]) => parts.map(({ id, title }) => ({ id, title }));
  const end = sessionEnd(db, sessionId);
  const mending = new Map(
    readObservations(db, story.failed.flatMap(({ resolvedBy }) => resolvedBy ?? []))
      .flatMap((one) => one.sessionId === sessionId ? [[one.id, stepOf(one)] as const] : []),
  );
  return {
    asked: { first: asked[0] ?? title, count: asked.length },
    files,
    commits: lines(story.commits),
    tests,
    failed: story.failed.map(({ id, uid, title, resolvedBy }) => ({
      ...{ id, title, mendedBy: resolvedBy, step: stepOf({ uid }) },
      mendedByStep: mending.get(resolvedBy ?? 0) ?? null,
    })),
    denied: deniedIn(db, sessionId, projectDir),
    fixes: lines(story.fixes),
    decided: lines(story.decided),
    open,
    last: story.last || null,
    end: end === null ? null : endInWords(end) || null,
    waiting: countPending(db, sessionId),
  };
}

/** The step of which an observation tells: the capture whose id its uid begins with. */
function stepOf({ uid }: { readonly uid: string }): string {
  return uid.replace(/\/.*/, "");
}

function deniedIn(
  db: DatabaseSync,
  sessionId: string,
  folder: string | null,
): SessionStory["denied"] {
  const blocked = listExecutions(db, {
    ...{ sessionId, hookName: "PreToolUse", toolName: null, status: "blocked" },
    ...{ sinceMs: null, limit: MAX_PARTS },
  });
  return blocked.reverse().map(({ toolName, metadata, errorMessage }) => ({
    tool: toolName ?? "",
    subject: wantedIn(metadata["tool_input"], folder),
    why: errorMessage ?? "",
  }));
}

/** The most lines of each list, so that a story fits on a screen. */
const MOST = {
  denied: 4,
  files: 5,
  commits: 4,
  failed: 4,
  fixes: 3,
  decided: 4,
  open: 5,
  agents: 3,
} as const;

/** The story as lines of at most 80 columns. @param agents The sub-agents of the session. */
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
  const failed = story.failed.map((one) =>
    `${one.mendedBy === null ? "not mended" : "mended    "}  ${numbered(one)}`
  );
  const runs = tests.green + tests.red;
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
      asked.count > 1 ? `Asked first, of ${count(asked.count, "prompt")}` : "Asked",
      asked.first === null ? [] : firstLines([asked.first], 1, log),
    ),
    ...section("Done", [
      ...list(files.map(fileLine), MOST.files),
      ...list(story.commits.map(numbered), MOST.commits),
      ...runs === 0 ? [] : [`${count(runs, "test run")}: ${tests.green} green, ${tests.red} red`],
    ]),
    ...section("Denied", list(story.denied.map(deniedLine), MOST.denied)),
    ...section("Failed", list(failed, MOST.failed)),
    ...section("Mended by", list(story.fixes.map(numbered), MOST.fixes)),
    ...section("Decided", list(story.decided.map(numbered), MOST.decided)),
    ...section("Left open", list(story.open, MOST.open)),
    ...section("Sub-agents", list(agents.map(agentLine), MOST.agents)),
    "",
    ...waiting === 0
      ? []
      : [`${count(waiting, "capture")} not worked in yet: \`conclaude queue drain\``],
    `Every step: ${log}`,
  ];
}

function deniedLine({ tool, subject, why }: SessionStory["denied"][number]): string {
  return [tool, subject, why].filter((text) => text !== "").map(plain).join("  ");
}

function fileLine({ path, added, removed }: SessionStory["files"][number]): string {
  return `${`+${added}`.padStart(6)} ${`−${removed}`.padStart(5)}  ${path}`;
}

function agentLine({ id, name, status }: Agent): string {
  return `${id}  ${name}, ${status}`;
}
