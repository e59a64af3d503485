/** What a session is told of earlier ones, in a few lines, each with a number that opens the whole. */
import { count } from "../counts.ts";
import { headed, plainLines } from "../capture/plain.ts";
import { relativeTime } from "../time.ts";
import {
  type CommitsSince,
  sessionsOf,
  type StillOpen,
  stillOpen,
  supersededIn,
} from "./context_open.ts";
import { type OpenEnd, openEnds } from "./open_lines.ts";
import { subjectOf } from "./session_subject.ts";
import { shortened } from "./text.ts";
import { byWorth, type StaleOf } from "./context_worth.ts";
import { openEndRank } from "./open_ends.ts";
import type { ObservationKind, ObservedFacts } from "./observation.ts";
import { type Stale, staleText } from "./stale.ts";
import { charsOfTokens } from "./tokens.ts";

/** Claude Code cuts what a hook says at 10,000 characters. */
export const MAX_CONTEXT_CHARS = 9_000;

/** Something that may be told. */
export interface Tellable {
  readonly id: number;
  readonly sessionId: string;
  readonly branch: string | null;
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly files: readonly string[];
  readonly facts: ObservedFacts;
  /** How often it happened in its session. */
  readonly repeats: number;
  readonly resolvedBy: number | null;
  readonly updatedAtMs: number;
  /** What has become of its files: one is another one now, or is not there any more; null when neither is so. */
  readonly stale: Stale | null;
}

/** What is to be told, and to whom. */
export interface ContextFacts {
  /** Of the project, each once, the branch's own first; of a branch the newest first. */
  readonly rows: readonly Tellable[];
  readonly tasks: readonly {
    readonly id: string;
    readonly title: string;
    readonly createdAtMs: number;
  }[];
  readonly branch: string | null;
  readonly nowMs: number;
  readonly staleOf?: StaleOf;
  readonly commitsSince?: CommitsSince;
}

/** How much may be said. */
export interface ContextBudget {
  readonly tokens: number;
  /** Characters that are left of what a hook may say. */
  readonly room: number;
}

const MAX_TASKS = 5;
const MAX_SESSIONS = 3;
/** Open ends of other branches: where this one has none, and beside its own. */
const MAX_ELSEWHERE = 6;
const MAX_ELSEWHERE_BESIDE = 3;

/**
 * The context of a session within a budget, by whole lines: what was left open first, then what is known, the most useful
 * first.
 *
 * @returns The empty text when there is nothing to tell.
 */
export function contextText(facts: ContextFacts, budget: ContextBudget): string {
  const maxChars = contextChars(budget) - FOOTER.length;
  let text = HEADING;
  let heading = "";
  for (const { section, lead, title, end } of linesOf(facts)) {
    // Most of them do not fit: their length tells it before they are written.
    if (text.length + title.length > maxChars) continue;
    const start = section === heading ? "" : `\n${section}`;
    const line = `${start}\n- ${lead()}: ${oneLine(title)}${end}`;
    if (text.length + line.length > maxChars) continue;
    text += line;
    heading = section;
  }
  // Claude Code shows it on a terminal, too.
  return heading === "" ? "" : plainLines(text) + FOOTER;
}

/** The numbers of what a context tells. */
export function toldIn(context: string): number[] {
  return Array.from(context.matchAll(/^- #(\d+) /gm), ([, id]) => Number(id));
}

/** That captures wait to be worked in, of which nothing can be told. @param waiting Of other sessions of the project. */
export function waitingText(waiting: number): string {
  if (waiting === 0) return "";
  const are = waiting === 1 ? "is" : "are";
  return `${
    count(waiting, "capture")
  } of other sessions of this project ${are} not worked in yet, so what they tell, and what is still open, ` +
    "may be missing here: `conclaude queue drain`.";
}

/** Characters of a budget. */
export function contextChars({ tokens, room }: ContextBudget): number {
  return Math.min(charsOfTokens(tokens), room, MAX_CONTEXT_CHARS);
}

const NOTHING_OPEN: StillOpen = {
  failures: [],
  todos: [],
  said: [],
  cutOff: null,
  isWorkedOn: false,
};
const MAX_SUBJECT_CHARS = 60;
const A_WORD = /^[`*_]{0,3}[\w./-]{1,30}[`*_]{0,3}[.:]?$/;
const WORKED_ON = " (its files were changed since)";
const HEADING = headed("## Memory of this project");
const FOOTER = "\n`conclaude memory show N` opens #N; `conclaude memory search WORDS` finds more.";

interface Line {
  readonly section: string;
  /** What stands before the title: a number to open it by, its age, what it is. */
  readonly lead: () => string;
  readonly title: string;
  readonly end: string;
}

function linesOf({ rows, tasks, branch, nowMs, staleOf, commitsSince }: ContextFacts): Line[] {
  const own = rows.filter((one) => one.branch === branch);
  const others = rows.filter((one) => one.branch !== branch);
  const superseded = supersededIn(rows);
  const left = stillOpen(rows, { superseded, nowMs, branch, commitsSince });
  const here = openEnds(own, left);
  const elsewhere = openEnds(others, left)
    .slice(0, here.length === 0 ? MAX_ELSEWHERE : MAX_ELSEWHERE_BESIDE);
  const ends = [...here, ...elsewhere];
  const told = new Set(ends.map(({ of }) => of.id));
  const sessions = tellingSessions([...sessionsOf(own), ...sessionsOf(others)])
    .slice(0, MAX_SESSIONS);
  const known = rows.filter((one) =>
    one.kind !== "summary" && !told.has(one.id) && !superseded.has(one)
  );
  const isElsewhere = (one: Pick<Tellable, "branch">) =>
    one.branch !== branch && one.branch !== null;
  const head = ({ id, updatedAtMs, ...one }: Tellable) =>
    `#${id} ${relativeTime(updatedAtMs, nowMs)}${isElsewhere(one) ? ` on ${one.branch}` : ""}`;
  const openOf = ({ id }: Tellable) => {
    const { failures, todos, said, cutOff } = left.get(id) ?? NOTHING_OPEN;
    return failures.length + todos.length + said.length + (cutOff === null ? 0 : 1);
  };
  const failed = here.filter(({ label }) => label === null).map(({ of }) => of);
  const changed = failed.length === 0 ? undefined : staleOf?.(failed);
  const tellOpen = (section: string) => ({ of, label, text }: OpenEnd): Line => ({
    section,
    lead: () => `${head(of)}${label === null ? "" : `, ${label}`}`,
    title: text,
    end: label === null
      ? staleText(changed?.get(of.id) ?? null)
      : `${ofWhat({ of, label, text })}${
        label !== "task" && left.get(of.id)?.isWorkedOn === true ? WORKED_ON : ""
      }`,
  });
  return [
    ...here.map(tellOpen(`Left open${branch === null ? "" : ` on ${branch}`}:`)),
    ...elsewhere.map(tellOpen("Left open elsewhere:")),
    ...tasks.slice(0, MAX_TASKS)
      .map(({ id, title, createdAtMs }) => ({
        section: "Open tasks (`conclaude task show ID`):",
        lead: () => `${id.slice(-8)} ${relativeTime(createdAtMs, nowMs)}`,
        title,
        end: "",
      })),
    ...sessions.map((one) => ({
      section: "Last sessions:",
      lead: () => head(one),
      title: sessionTitle(one, openOf(one)),
      end: "",
    })),
    ...byWorth(known, { branch, nowMs, staleOf }).map((one) => ({
      section: "Known:",
      lead: () => `${head(one)}, ${one.kind}`,
      // Where it was done is said before it.
      title: isElsewhere(one) ? one.title.replace(` on ${one.branch}:`, ":") : one.title,
      end: stateOf(one),
    })),
  ];
}

/** What a session was about that said a single word, which tells nothing without: `docs (of: Rate limits for the login)`. */
function ofWhat({ of, label, text }: OpenEnd): string {
  if (label !== "said" || !A_WORD.test(text)) return "";
  return ` (of: ${shortened(subjectOf(of.title), MAX_SUBJECT_CHARS)})`;
}

/** Without those of a few short words, unless there is no other. */
function tellingSessions(sessions: readonly Tellable[]): readonly Tellable[] {
  const telling = sessions.filter(({ facts }) => facts.trivial !== true);
  return telling.length === 0 ? sessions : telling;
}

/** What a session was about, and how much of what it left is open now. */
function sessionTitle({ title }: Tellable, open: number): string {
  const about = title.replace(/^Session: /, "");
  return open === 0 ? about : `${about}, ${open} open`;
}

function stateOf(one: Tellable): string {
  return `${staleText(one.stale)}${openEndRank(one) === null ? "" : " (open)"}`;
}

function oneLine(title: string): string {
  return title.includes("\n") ? title.replaceAll("\n", " ") : title;
}
