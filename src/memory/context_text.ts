/** What a session is told of earlier ones, in a few lines, each with a number that opens the whole. */
import { plainLines } from "../capture/plain.ts";
import { relativeTime } from "../time.ts";
import { type OpenEnd, openEnds, sessionsOf, type StillOpen, stillOpen } from "./context_open.ts";
import { byWorth } from "./context_worth.ts";
import type { ObservationKind, ObservedFacts } from "./observation.ts";
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
  /** Whether one of its files is another one now, or gone. */
  readonly isStale: boolean;
}

/** What is to be told, and to whom. */
export interface ContextFacts {
  /** Of the project, each once, the branch's own first; of a branch the newest first. */
  readonly rows: readonly Tellable[];
  readonly tasks: readonly { readonly id: string; readonly title: string }[];
  readonly branch: string | null;
  readonly nowMs: number;
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
  const maxChars = contextChars(budget);
  const lines = linesOf(facts);
  if (lines.length === 0) return "";
  let text = HEADING;
  let told = 0;
  let heading = "";
  for (const { section, line } of lines) {
    const added = `${section === heading ? "" : `\n${section}`}\n- ${line}`;
    if (text.length + added.length + FOOTER.length > maxChars) continue;
    text += added;
    heading = section;
    told++;
  }
  // Claude Code shows it on a terminal, too.
  return told === 0 ? "" : plainLines(text) + FOOTER;
}

/** Characters of a budget. */
export function contextChars({ tokens, room }: ContextBudget): number {
  return Math.min(charsOfTokens(tokens), room, MAX_CONTEXT_CHARS);
}

const HEADING = "## Memory of this project (conclaude)";
const FOOTER = "\n`conclaude memory show N` opens #N; `conclaude memory search WORDS` finds more.";

interface Line {
  readonly section: string;
  readonly line: string;
}

function linesOf({ rows, tasks, branch, nowMs }: ContextFacts): Line[] {
  const own = rows.filter((one) => one.branch === branch);
  const others = rows.filter((one) => one.branch !== branch);
  const left = stillOpen(rows, nowMs);
  const here = openEnds(own, left);
  const elsewhere = openEnds(others, left)
    .slice(0, here.length === 0 ? MAX_ELSEWHERE : MAX_ELSEWHERE_BESIDE);
  const sessions = [...sessionsOf(own), ...sessionsOf(others)].slice(0, MAX_SESSIONS);
  const told = new Set([...here, ...elsewhere].map(({ of }) => of.id));
  const known = rows.filter(({ id, kind }) => kind !== "summary" && !told.has(id));
  const head = ({ id, updatedAtMs, ...one }: Tellable) =>
    `#${id} ${relativeTime(updatedAtMs, nowMs)}${
      one.branch === branch || one.branch === null ? "" : ` on ${one.branch}`
    }`;
  const tellOpen = ({ of, label, text }: OpenEnd) =>
    `${head(of)}${label === null ? "" : `, ${label}`}: ${oneLine(text)}`;
  return [
    ...section(`Left open${branch === null ? "" : ` on ${branch}`}:`, here.map(tellOpen)),
    ...section("Left open elsewhere:", elsewhere.map(tellOpen)),
    ...section(
      "Open tasks:",
      tasks.slice(0, MAX_TASKS).map(({ id, title }) => `${id.slice(-8)}: ${oneLine(title)}`),
    ),
    ...section(
      "Last sessions:",
      sessions.map((one) => `${head(one)}: ${oneLine(sessionTitle(one, left.get(one.id)))}`),
    ),
    ...section(
      "Known:",
      byWorth(known, { branch, nowMs })
        .map((one) => `${head(one)}, ${one.kind}: ${oneLine(one.title)}${stateOf(one)}`),
    ),
  ];
}

/** What a session was about, and how much of what it left is open now. */
function sessionTitle({ title, facts }: Tellable, left: StillOpen | undefined): string {
  const about = title.replace(/^Session: /, "");
  const was = ` ${facts.open?.length ?? 0} open)`;
  // Titles of old summaries tell how much was open at the end of the session.
  const told = about.endsWith(`,${was}`)
    ? `${about.slice(0, -was.length - 1)})`
    : about.endsWith(` (${was.slice(1)}`)
    ? about.slice(0, -was.length - 1)
    : about;
  const open = left === undefined ? 0 : left.failures.length + left.todos.length;
  return open === 0 ? told : `${told}, ${open} open`;
}

function stateOf({ isStale, outcome, resolvedBy }: Tellable): string {
  if (isStale) return " (its file has changed since)";
  return outcome === "failure" && resolvedBy === null ? " (open)" : "";
}

function oneLine(title: string): string {
  return title.includes("\n") ? title.replaceAll("\n", " ") : title;
}

function section(name: string, lines: readonly string[]): Line[] {
  return lines.map((line) => ({ section: name, line }));
}
