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
import { heldNotice } from "./held_notice.ts";
import { type ContextPlace, isToldTo, newestFirst, rowsOf, sinceMs } from "./told_rows.ts";

const MAX_FAILURES = 5;
/** The number of decisions and notes that come before the sessions; the others come after them. */
const MAX_KEPT_FIRST = 12;
const MAX_SESSIONS = 3;
const MAX_TASKS = 5;
const MAX_WORKFLOWS = 3;

/**
 * The context of a session: its text, empty when there is nothing to tell, its lines, and in one line for the person what
 * memory holds. @throws {Error} What SQLite says.
 */
export async function sessionContext(
  db: DatabaseSync,
  told: ContextPlace,
  budget: ContextBudget,
): Promise<ReturnType<typeof contextWithin> & { readonly notice: string }> {
  // When the project's folder is missing, its files are not reported as gone.
  const place = { ...told, root: told.root !== null && exists(told.root) ? told.root : null };
  const { project, branch, nowMs } = place;
  const since = sinceMs(place);
  const isGone = goneBranches({ commonDir: project, branch });
  const held = rowsOf(db, place, isGone);
  const rows = held.filter((row) => isToldTo(row, place, since));
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
  const [tasks, workflows] = [tasksLeft(db, project), workflowsLeft(db, project)];
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
    lostClaims: isNew ? claimsLost(db, project) : [],
    tasks: isNew ? tasks.slice(0, MAX_TASKS) : [],
    workflows: isNew ? workflows.slice(0, MAX_WORKFLOWS) : [],
    waiting: place.waiting,
    lastWords: quoted(db, of[0], since),
    known: [...fixes(db, rows, place), ...kept.slice(0, MAX_KEPT_FIRST)],
    more: kept.slice(MAX_KEPT_FIRST),
    sessions: telling("brief", of).slice(0, MAX_SESSIONS).map((
      one,
    ) => ({
      of: one,
      text: [
        one.title.replace(/^Session: /, ""),
        ...openOf(one) === 0 ? [] : [`${openOf(one)} open`],
        ...passedOver(one) === 0 ? [] : [`${passedOver(one)} passed over`],
      ].join(", "),
    })),
    unlogged: [...await commits(db, rows, place), ...edits(db, held, { ...place, since })],
  };
  const notice = heldNotice(held, {
    // Claude hears only what is new when a session is resumed; the person hears everything.
    failure: (isNew ? failures : stillFailing(db, held, { ...place, isGone })).length,
    todo: (isNew ? todos : todosLeft(tellingSessions(held), nowMs, isGone)).length,
    task: tasks.length,
    workflow: workflows.length,
  });
  return { ...contextWithin(facts, budget), notice };
}

function passedOver({ facts }: Tellable): number {
  return facts.todos?.passedOver?.length ?? 0;
}

/** The summaries, the newest first, without small talk. */
function tellingSessions(rows: readonly Tellable[]): readonly Tellable[] {
  return telling("trivial", newestFirst(rows.filter(({ kind }) => kind === "summary")));
}

/** Leaves out sessions that tell little, unless there are no others. */
function telling(fact: "trivial" | "brief", sessions: readonly Tellable[]): readonly Tellable[] {
  const found = sessions.filter(({ facts }) => facts[fact] !== true);
  return found.length === 0 ? sessions : found;
}
