/** Lists what is open in a project, and the tool use that a person is asked to permit. */
import type { DatabaseSync } from "node:sqlite";
import { cutToColumns } from "../base/columns.ts";
import { plain } from "../base/plain.ts";
import { isOfSession } from "../claude/session_changes.ts";
import { listExecutions } from "../db/executions.ts";
import { lostClaims, openTasks, waitingWorkflows } from "../db/open_work.ts";
import { findSessions } from "../db/sessions.ts";
import { wantedIn } from "../memory/project_paths.ts";
import { openFailuresOf, todosOfProject } from "../memory/tell/open_now.ts";
import { newestOfProject } from "../memory/tell/told_rows.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { Violation } from "../policy/effects/types.ts";
import { listQuestions, type Question, readTask } from "../work/store.ts";
import type { CliContext } from "./context.ts";
import { agoText } from "./list_and_show.ts";
import { firstLines, section } from "./table.ts";

/** All open items, the newest first; tasks come the most urgent first. */
export type OpenHere = ReturnType<typeof openHere>;

/** The most columns of a task's title that other text follows. */
const TITLE_COLUMNS = 32;

const ALL = Number.MAX_SAFE_INTEGER;

/** @param options `lookedAt`: see {@linkcode openFailuresOf}. `newest`: the project's newest rows, if already read. */
export function openHere(
  db: DatabaseSync,
  project: string,
  { nowMs, lookedAt, newest = newestOfProject(db, project) }: {
    readonly nowMs: number;
    readonly lookedAt?: number | undefined;
    readonly newest?: ReturnType<typeof newestOfProject>;
  },
) {
  const questions = listQuestions(db, { statuses: ["pending"] });
  return {
    failures: openFailuresOf(db, project, { nowMs, lookedAt })
      .map(({ id, title, branch, updatedAtMs }) => ({ id, title, branch, updatedAtMs })),
    todos: todosOfProject(project, newest, nowMs)
      .map(({ text, of: { sessionId: session, updatedAtMs } }) => ({ text, session, updatedAtMs })),
    lostClaims: lostClaims(db, project),
    tasks: openTasks(db, project, ALL),
    workflows: waitingWorkflows(db, project, ALL),
    questions: withWanted(db, questions.filter((one) => projectOf(db, one) === project))
      .map(({ id, text, wanted, createdAtMs }) => ({ id, text, wanted, createdAtMs })),
  };
}

function projectOf(db: DatabaseSync, { taskId, sessionId }: Question): string | null {
  const place = taskId === null
    ? sessionId === null ? undefined : findSessions(db, sessionId)[0]
    : readTask(db, taskId);
  return place?.repository ?? place?.projectDir ?? null;
}

/** Formats the open items as lists of at most `most` lines. @param onwards The command that shows all of them. */
export function openLines(open: OpenHere, most: number, onwards: string): string[] {
  const short = (id: string) => id.slice(-8);
  const lists: Readonly<Record<string, readonly string[]>> = {
    "Failed, and left open": open.failures
      .map(({ id, title, updatedAtMs }) => `#${id} ${agoText(updatedAtMs)}  ${title}`),
    "Left to do": open.todos.map(({ text, updatedAtMs }) => `${agoText(updatedAtMs)}  ${text}`),
    "Lost to others of the team (`conclaude team held`)": open.lostClaims
      .map(({ uid, detail, heldAtMs }) => `${short(uid)} ${agoText(heldAtMs)}  ${detail}`),
    "Tasks (`conclaude task show ID`)": open.tasks
      .map(({ id, title, status }) => `${short(id)} ${status.replace("_", " ")}  ${title}`),
    "Workflows that wait for a person (`conclaude workflow show ID`)": open.workflows
      .map(({ id, name, taskTitle, status, reason }) => {
        const title = cutToColumns(taskTitle ?? "-", TITLE_COLUMNS);
        const why = reason === null ? name : `${name}: ${reason}`;
        return `${short(id)} ${title}  ${status.replace("_", " ")}  ${why}`;
      }),
    "Questions (`conclaude question answer ID TEXT`)": open.questions
      .map((one) => `${one.id} ${agoText(one.createdAtMs)}  ${askedText(one)}`),
  };
  return Object.entries(lists)
    .flatMap(([title, lines]) => section(title, firstLines(lines.map(plain), most, onwards)));
}

/** Returns those of the violations that are open as files, branches and commits are now. */
export async function stillOpenIn(
  { cwd, environment }: Pick<CliContext, "cwd" | "environment">,
  violations: readonly Violation[],
  { db, config }: { readonly db: DatabaseSync; readonly config: HookConfig },
): Promise<Violation[]> {
  if (violations.length === 0) return [];
  const { stillOpen } = await import("../policy/effects/still_open.ts");
  return await stillOpen(violations, {
    db,
    config,
    environment,
    projectDir: cwd,
    atMs: Date.now(),
  });
}

/** Returns the last tool use that a person was asked to permit, with its command or file; null if no hook reported it. */
export function wantedUse(db: DatabaseSync, sessionId: string, folder: string | null) {
  const asked = { hookName: "PermissionRequest", toolName: null, status: null, sinceMs: null };
  const [request] = listExecutions(db, { sessionId, ...asked, limit: 1 });
  if (request === undefined) return null;
  const { toolName: tool, metadata } = request;
  return { tool, wanted: wantedIn(metadata["tool_input"], folder) };
}

/** Adds to each question the tool use that it asks for: `Bash: npm test`; null unless it asks an open permission. */
export function withWanted<Row extends Question>(
  db: DatabaseSync,
  questions: readonly Row[],
): (Row & { readonly wanted: string | null })[] {
  return questions.map((question) => {
    const { type, status, sessionId } = question;
    const isOpen = type === "permission" && status === "pending" && isOfSession(question);
    const folderOf = (id: string) => findSessions(db, id)[0]?.projectDir ?? null;
    const use = isOpen ? wantedUse(db, sessionId!, folderOf(sessionId!)) : null;
    return { ...question, wanted: use && [use.tool, use.wanted].filter(Boolean).join(": ") };
  });
}

/** Words a question for lists. The tool use comes first, since the end of a line may be cut. */
export function askedText(
  { text, wanted }: { readonly text: string; readonly wanted: string | null },
): string {
  return wanted === null ? text : `${wanted} (${text})`;
}
