/** Shows the story of a session on one screen. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { durationText } from "../base/time.ts";
import { type SessionRow, tellingId } from "../db/sessions.ts";
import type { Agent } from "../work/store.ts";
import { agoText } from "./list_and_show.ts";
import type { Line, SessionStory } from "../memory/tell/shown_story.ts";
import { cutLine, factLines, firstLines, section } from "./table.ts";

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
  // The reason stands below, since a long command would hide it.
  const denied = story.denied.slice(0, MOST.denied).flatMap(({ tool, subject, why }) => [
    cutLine(`${tool}  ${subject}`, 78),
    ...why === "" ? [] : [`  ${cutLine(why, 76)}`],
  ]);
  const moreDenied = story.denied.length - MOST.denied;
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
      asked.count > 1 ? `Asked first, of ${count(asked.count, "prompt")}` : "Asked",
      asked.first === null ? [] : firstLines([asked.first], 1, log),
    ),
    ...section("Done", [
      ...list(files.map(fileLine), MOST.files),
      ...list(story.commits.map(numbered), MOST.commits),
      ...runs === 0 ? [] : [`${count(runs, "test run")}: ${tests.green} green, ${tests.red} red`],
    ]),
    ...section("Denied", denied),
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

function fileLine({ path, added, removed }: SessionStory["files"][number]): string {
  return `${`+${added}`.padStart(6)} ${`−${removed}`.padStart(5)}  ${path}`;
}

function agentLine({ id, name, status }: Agent): string {
  return `${id}  ${name}, ${status}`;
}
