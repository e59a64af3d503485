/** Makes the context of a starting session from memory, compared with git and the files as they are now. */
import type { DatabaseSync } from "node:sqlite";
import { goneBranches } from "../../system/git/branches.ts";
import {
  type ContextBudget,
  type ContextFacts,
  contextWithin,
  type Tellable,
  withState,
} from "./context_text.ts";
import { exists } from "../../system/on_disk.ts";
import { commits, edits, fixes, keptFacts } from "./known_now.ts";
import {
  cutOff,
  quoted,
  stillFailing,
  stoppedOperations,
  tasksLeft,
  todosLeft,
  workflowsLeft,
} from "./open_now.ts";
import { withStale } from "./stale_files.ts";
import { type ContextPlace, isToldTo, newestFirst, rowsOf, sinceMs } from "./told_rows.ts";

const MAX_FAILURES = 5;
/** The number of decisions and notes that come before the sessions; the others come after them. */
const MAX_KEPT_FIRST = 12;
const MAX_SESSIONS = 3;

/** The context of a session: its text, empty when there is nothing to tell, and its lines. @throws {Error} What SQLite says. */
export async function sessionContext(
  db: DatabaseSync,
  told: ContextPlace,
  budget: ContextBudget,
): Promise<ReturnType<typeof contextWithin>> {
  // When the project's folder is missing, its files are not reported as gone.
  const place = { ...told, root: told.root !== null && exists(told.root) ? told.root : null };
  const { project, branch, nowMs } = place;
  const since = sinceMs(place);
  const isGone = goneBranches({ commonDir: project, branch });
  const rows = rowsOf(db, place, isGone).filter((row) => isToldTo(row, place, since));
  const isHere = (row: { readonly branch: string | null }) => row.branch === branch;
  const failures = stillFailing(db, rows, { ...place, isGone });
  const open = failures.filter(isHere).slice(0, MAX_FAILURES);
  const elsewhere = failures.filter((one) => !isHere(one)).slice(0, MAX_FAILURES - open.length);
  const sessions = tellingSessions(rows);
  const todos = todosLeft(sessions, nowMs, isGone);
  const of = [...sessions.filter(isHere), ...sessions.filter((one) => !isHere(one))];
  const openOf = ({ sessionId }: Tellable) =>
    [...failures, ...todos.map((one) => one.of)].filter((one) => one.sessionId === sessionId)
      .length;
  const isNew = since === null;
  const kept = keptFacts(db, rows, place);
  const facts: ContextFacts = {
    branch,
    nowMs,
    open: [
      ...cutOff(db, of.find(isHere), nowMs),
      ...withStale(db, open, place).map((one) => withState(one)),
      ...todos.filter(({ of }) => isHere(of)),
    ],
    openElsewhere: [
      ...elsewhere.map((one) => withState(one)),
      ...todos.filter(({ of }) => !isHere(of)),
    ],
    operations: isNew ? stoppedOperations(project) : [],
    tasks: isNew ? tasksLeft(db, project) : [],
    workflows: isNew ? workflowsLeft(db, project) : [],
    waiting: place.waiting,
    lastWords: quoted(db, of[0], since),
    known: [...fixes(db, rows, place), ...kept.slice(0, MAX_KEPT_FIRST)],
    more: kept.slice(MAX_KEPT_FIRST),
    sessions: of.slice(0, MAX_SESSIONS).map((one) => ({
      of: one,
      text: [
        one.title.replace(/^Session: /, ""),
        ...openOf(one) === 0 ? [] : [`${openOf(one)} open`],
        ...passedOver(one) === 0 ? [] : [`${passedOver(one)} passed over`],
      ].join(", "),
    })),
    unlogged: [...await commits(db, rows, place), ...edits(db, place, since)],
  };
  return contextWithin(facts, budget);
}

function passedOver({ facts }: Tellable): number {
  return facts.todos?.passedOver?.length ?? 0;
}

/** The summaries without small talk, unless there are no others. */
function tellingSessions(rows: readonly Tellable[]): Tellable[] {
  const all = newestFirst(rows.filter(({ kind }) => kind === "summary"));
  const telling = all.filter(({ facts }) => facts.trivial !== true);
  return telling.length === 0 ? all : telling;
}
