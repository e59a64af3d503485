/** Makes the context of a starting session from memory, after comparing it with git and the files as they are now. */
import type { DatabaseSync } from "node:sqlite";
import { goneBranches } from "../../system/git/branches.ts";
import { count } from "../../base/counts.ts";
import {
  type ContextBudget,
  type ContextSection,
  contextWithin,
  withState,
} from "./context_text.ts";
import type { Tellable } from "./memory_context_table.ts";
import { exists } from "../../system/on_disk.ts";
import { commits, edits, fixes, keptFacts } from "./known_now.ts";
import {
  claimsLost,
  cutOff,
  quoted,
  stillFailing,
  stoppedOperations,
  tasksLeft,
  todosLeft,
  workflowsLeft,
} from "./open_now.ts";
import { withStale } from "./stale_files.ts";
import {
  type ContextPlace,
  isToldTo,
  newestFirst,
  OF_PROJECT,
  rowsOf,
  sinceMs,
} from "./told_rows.ts";

const MAX_FAILURES = 5;
/** How many decisions and notes come before the sessions. The others come after them. */
const MAX_KEPT_FIRST = 12;
const MAX_SESSIONS = 3;
const MAX_TASKS = 5;
const MAX_WORKFLOWS = 3;

/**
 * Returns the context of a session: its text, empty without anything to tell, its lines, and one line that tells the
 * person what memory holds. @throws {Error} The error of SQLite.
 */
export async function sessionContext(
  db: DatabaseSync,
  given: ContextPlace,
  budget: ContextBudget,
): Promise<ReturnType<typeof contextWithin> & { readonly notice: string }> {
  // When the project's folder is missing, none of its files is reported as gone.
  const place = { ...given, root: given.root !== null && exists(given.root) ? given.root : null };
  const { project, branch, nowMs } = place;
  const since = sinceMs(place);
  const isGone = goneBranches({ commonDir: project, branch });
  const allRows = rowsOf(db, place, isGone);
  const rows = allRows.filter((row) => isToldTo(row, place, since));
  const isHere = (row: { readonly branch: string | null }) => row.branch === branch;
  const failures = stillFailing(db, rows, { ...place, isGone });
  const open = failures.filter(isHere).slice(0, MAX_FAILURES);
  const elsewhere = failures.filter((one) => !isHere(one)).slice(0, MAX_FAILURES - open.length);
  const sessions = tellingSessions(rows);
  const todos = todosLeft(sessions, nowMs, isGone);
  const byBranch = [...sessions.filter(isHere), ...sessions.filter((one) => !isHere(one))];
  const openOf = ({ sessionId }: Tellable) =>
    [...failures, ...todos.map((one) => one.of)].filter((one) => one.sessionId === sessionId)
      .length;
  const isNew = since === null;
  const decisions = keptFacts(db, rows, place);
  const [tasks, workflows] = [tasksLeft(db, project), workflowsLeft(db, project)];
  const whyOpen = "failed or was cut off last, and nothing has mended it";
  const sections: ContextSection[] = [
    [`Left open${branch === null ? "" : ` on ${branch}`}:`, whyOpen, [
      ...cutOff(db, byBranch.find(isHere), nowMs),
      ...withStale(db, open, place).map((one) => withState(one)),
      ...todos.filter(({ of }) => isHere(of)),
    ]],
    ["Under way in git:", "git waits for its end", isNew ? stoppedOperations(project) : []],
    [
      "Lost to others of the team:",
      "not this machine's any more",
      isNew ? claimsLost(db, project) : [],
    ],
    ["Left open elsewhere:", whyOpen, [
      ...elsewhere.map((one) => withState(one)),
      ...todos.filter(({ of }) => !isHere(of)),
    ]],
    [
      "Open tasks (`conclaude task show ID`):",
      "not closed",
      isNew ? tasks.slice(0, MAX_TASKS) : [],
    ],
    [
      "Workflows that wait for a person (`conclaude workflow show ID`):",
      "a person has to go on with it",
      isNew ? workflows.slice(0, MAX_WORKFLOWS) : [],
    ],
    [
      "The end of the last session, as Claude said it:",
      "the newest session that is told ended with it",
      quoted(db, byBranch[0], since),
    ],
    ["Known:", "known of this project", [
      ...fixes(db, rows, place),
      ...decisions.slice(0, MAX_KEPT_FIRST),
    ]],
    [
      "Last sessions:",
      "one of the newest sessions",
      telling("brief", byBranch).slice(0, MAX_SESSIONS).map((one) => ({
        of: one,
        text: [
          one.title.replace(/^Session: /, ""),
          ...openOf(one) === 0 ? [] : [`${openOf(one)} open`],
          ...passedOver(one) === 0 ? [] : [`${passedOver(one)} passed over`],
        ].join(", "),
      })),
    ],
    ["Captured, and not worked in yet:", "no drain has taken it yet", place.waiting],
    ["Not in the log of this branch:", "not in the log", [
      ...await commits(db, rows, place),
      ...edits(db, allRows, { ...place, since }),
    ]],
    ["Known as well:", "known of this project", decisions.slice(MAX_KEPT_FIRST)],
  ];
  const notice = heldNotice(allRows, {
    // In a resumed session Claude is told only what is new, and the person is told everything.
    failure: (isNew ? failures : stillFailing(db, allRows, { ...place, isGone })).length,
    todo: (isNew ? todos : todosLeft(tellingSessions(allRows), nowMs, isGone)).length,
    task: tasks.length,
    workflow: workflows.length,
  });
  return { ...contextWithin(sections, place, budget), notice };
}

/** Tells the person in one line what memory holds of a project. @param open The number of open things of each kind. */
function heldNotice(
  rows: readonly Tellable[],
  open: Readonly<Record<"failure" | "todo" | "task" | "workflow", number>>,
): string {
  const left = Object.entries(open).filter(([, n]) => n > 0).map(([noun, n]) => count(n, noun));
  if (rows.length === 0 && left.length === 0) return "";
  const sessions = new Set(rows.map(({ sessionId }) => sessionId)).size;
  // At most `OF_PROJECT` rows of a project are read, so there may be more.
  const most = rows.length >= OF_PROJECT ? " or more" : "";
  const memory = rows.length === 0
    ? "nothing is remembered here yet"
    : `memory of ${sessions}${most} ${sessions === 1 && most === "" ? "session" : "sessions"} here`;
  const what = left.length === 0 ? "" : `; open: ${left.join(", ")}`;
  return `conclaude: ${memory}${what}. \`conclaude memory ${left.length === 0 ? "list" : "open"}\``;
}

function passedOver({ facts }: Tellable): number {
  return facts.todos?.passedOver?.length ?? 0;
}

/** Returns the summaries without small talk, newest first. */
function tellingSessions(rows: readonly Tellable[]): readonly Tellable[] {
  return telling("trivial", newestFirst(rows.filter(({ kind }) => kind === "summary")));
}

/** Leaves out sessions that tell little, unless there are no others. */
function telling(fact: "trivial" | "brief", sessions: readonly Tellable[]): readonly Tellable[] {
  const found = sessions.filter(({ facts }) => facts[fact] !== true);
  return found.length === 0 ? sessions : found;
}
