/** Lists the open failures, todos, tasks, workflows and questions of a project. */
import type { DatabaseSync } from "node:sqlite";
import { cutToColumns } from "../base/columns.ts";
import { plain } from "../base/plain.ts";
import { lostClaims, openTasks, waitingWorkflows } from "../db/open_work.ts";
import { findSessions } from "../db/sessions.ts";
import { openFailuresOf, todosOfProject } from "../memory/tell/open_now.ts";
import { newestOfProject } from "../memory/tell/told_rows.ts";
import { listQuestions, readTask } from "../work/store.ts";
import { agoText } from "./list_and_show.ts";
import { firstLines, section } from "./table.ts";
import { askedText, withWanted } from "./wanted_use.ts";

/** All open items, the newest first; tasks come the most urgent first. */
export type OpenHere = ReturnType<typeof openHere>;

/** The most columns of a task's title that has more behind it. */
const TITLE_COLUMNS = 32;

const ALL = Number.MAX_SAFE_INTEGER;

/**
 * @param project A common git directory, or a folder.
 * @param reading `lookedAt`: the most failures to read, or all. `newest`: the project's newest, if already read.
 */
export function openHere(
  db: DatabaseSync,
  project: string,
  { nowMs, lookedAt, newest = newestOfProject(db, project) }: {
    readonly nowMs: number;
    readonly lookedAt?: number | undefined;
    readonly newest?: ReturnType<typeof newestOfProject>;
  },
) {
  return {
    failures: openFailuresOf(db, project, { nowMs, lookedAt })
      .map(({ id, title, branch, updatedAtMs }) => ({ id, title, branch, updatedAtMs })),
    todos: todosOfProject(project, newest, nowMs).map(({ text, of }) => ({
      text,
      session: of.sessionId,
      updatedAtMs: of.updatedAtMs,
    })),
    lostClaims: lostClaims(db, project),
    tasks: openTasks(db, project, ALL),
    workflows: waitingWorkflows(db, project, ALL),
    questions: withWanted(
      db,
      listQuestions(db, { statuses: ["pending"] })
        .filter((question) => projectOf(db, question) === project),
    ).map(({ id, text, wanted, createdAtMs }) => ({ id, text, wanted, createdAtMs })),
  };
}

/** Returns the project of a question's task, or of its session. */
function projectOf(
  db: DatabaseSync,
  { taskId, sessionId }: ReturnType<typeof listQuestions>[number],
): string | null {
  const place = taskId === null
    ? sessionId === null ? undefined : findSessions(db, sessionId)[0]
    : readTask(db, taskId);
  return place?.repository ?? place?.projectDir ?? null;
}

/**
 * Formats the open items as lists of at most `most` lines; no lines if nothing is open. @param onwards The command that
 * shows all of them.
 */
export function openLines(
  open: OpenHere,
  { most, onwards }: { readonly most: number; readonly onwards: string },
): string[] {
  const lists: readonly (readonly [title: string, lines: readonly string[]])[] = [
    [
      "Failed, and not mended",
      open.failures.map(({ id, title, updatedAtMs }) => `#${id} ${agoText(updatedAtMs)}  ${title}`),
    ],
    ["Left to do", open.todos.map(({ text, updatedAtMs }) => `${agoText(updatedAtMs)}  ${text}`)],
    [
      "Lost to others of the team (`conclaude team held`)",
      open.lostClaims.map(({ uid, detail, heldAtMs }) =>
        `${uid.slice(-8)} ${agoText(heldAtMs)}  ${detail}`
      ),
    ],
    [
      "Tasks (`conclaude task show ID`)",
      open.tasks.map(({ id, title, status }) =>
        `${id.slice(-8)} ${status.replace("_", " ")}  ${title}`
      ),
    ],
    [
      "Workflows that wait for a person (`conclaude workflow show ID`)",
      open.workflows.map(({ id, name, taskTitle, status, reason }) =>
        `${id.slice(-8)} ${cutToColumns(taskTitle ?? "-", TITLE_COLUMNS)}  ${
          status.replace("_", " ")
        }  ${name}${reason === null ? "" : `: ${reason}`}`
      ),
    ],
    [
      "Questions (`conclaude question answer ID TEXT`)",
      open.questions.map((one) => `${one.id} ${agoText(one.createdAtMs)}  ${askedText(one)}`),
    ],
  ];
  return lists.flatMap(([title, lines]) =>
    section(title, firstLines(lines.map(plain), most, onwards))
  );
}
