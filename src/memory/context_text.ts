/** What a session is told of earlier ones, in a few lines, each with a number that opens the whole. */
import { plainLines } from "../capture/plain.ts";
import { relativeTime } from "../time.ts";
import type { ObservationKind } from "./observation.ts";

/** Claude Code cuts what a hook says at 10,000 characters. */
export const MAX_CONTEXT_CHARS = 9_000;
const CHARS_PER_TOKEN = 3.5;

/** Something that may be told. */
export interface Tellable {
  readonly id: number;
  readonly sessionId: string;
  readonly branch: string | null;
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly files: readonly string[];
  /** Of a summary: what the session left open. */
  readonly open: readonly string[];
  readonly resolvedBy: number | null;
  readonly updatedAtMs: number;
  /** Whether one of its files is another one now, or gone. */
  readonly isStale: boolean;
}

/** What is to be told, and to whom. */
export interface ContextFacts {
  /** Of this branch, the newest first. */
  readonly ofBranch: readonly Tellable[];
  /** Of the whole project, the newest first. */
  readonly ofProject: readonly Tellable[];
  readonly tasks: readonly { readonly id: string; readonly title: string }[];
  readonly branch: string | null;
  readonly nowMs: number;
}

const MAX_OPEN = 6;
const MAX_TASKS = 5;
const MAX_SESSIONS = 3;

/** How much a kind is worth, when it is new. */
const WORTH: Readonly<Partial<Record<ObservationKind, number>>> = {
  note: 1.5,
  decision: 1.3,
  fix: 1.2,
  commit: 1,
  failure: 0.5,
  test: 0.3,
  edit: 0.5,
};
/** Half of the worth is gone after so long. */
const HALF_LIFE_MS = 5 * 86_400_000;
/** What the same files are still being worked on is worth more. */
const WARM_FILE = 0.3;
const OTHER_BRANCH = 0.6;
/** What of a fix's worth does not go away. */
const LASTING_FIX = 0.1;

/**
 * The context of a session within a budget, by whole lines: what was left open first, then what is known, the most useful
 * first.
 *
 * @param options `tokens`: the budget. `room`: characters that are left of what a hook may say.
 * @returns The empty text when there is nothing to tell.
 */
export function contextText(
  facts: ContextFacts,
  { tokens, room }: { readonly tokens: number; readonly room: number },
): string {
  const maxChars = Math.min(Math.floor(tokens * CHARS_PER_TOKEN), room, MAX_CONTEXT_CHARS);
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

const HEADING = "## Memory of this project (conclaude)";
const FOOTER = "\n`conclaude memory show N` opens #N; `conclaude memory search WORDS` finds more.";

interface Line {
  readonly section: string;
  readonly line: string;
}

function linesOf({ ofBranch, ofProject, tasks, branch, nowMs }: ContextFacts): Line[] {
  const open = openEnds(ofBranch).slice(0, MAX_OPEN);
  const sessions = ofBranch.filter(({ kind }) => kind === "summary").slice(0, MAX_SESSIONS);
  const told = new Set([...open, ...sessions].map(({ id }) => id));
  const known = [...ofBranch, ...ofProject.filter((one) => one.branch !== branch)]
    .filter(({ id, kind }) => !told.has(id) && kind !== "summary");
  const ranked = byWorth(known, { branch, nowMs });
  const tell = (one: Tellable) => lineOf(one, nowMs);
  const tellOpen = ({ id, title, updatedAtMs }: Tellable) =>
    `#${id} ${relativeTime(updatedAtMs, nowMs)}: ${oneLine(title)}`;
  return [
    ...section(`Left open${branch === null ? "" : ` on ${branch}`}:`, [
      ...open.map(tellOpen),
      ...openTasksOf(sessions),
    ]),
    ...section(
      "Open tasks:",
      tasks.slice(0, MAX_TASKS).map(({ id, title }) => `${id.slice(-8)}: ${oneLine(title)}`),
    ),
    ...section(
      "Last sessions:",
      sessions.map(({ title, ...one }) =>
        tellOpen({ ...one, title: title.replace(/^Session: /, "") })
      ),
    ),
    ...section("Known:", ranked.map(tell)),
  ];
}

/** Failures that nothing has mended, each said once. */
function openEnds(rows: readonly Tellable[]): Tellable[] {
  const titles = new Set<string>();
  return rows.filter(({ kind, outcome, resolvedBy, title }) => {
    const isOpen = outcome === "failure" && resolvedBy === null &&
      (kind === "failure" || kind === "test");
    if (!isOpen || titles.has(title)) return false;
    titles.add(title);
    return true;
  });
}

/** What the last session had on its list and did not do; its failures are told by themselves. */
function openTasksOf([last]: readonly Tellable[]): string[] {
  if (last === undefined) return [];
  return last.open.filter((title) => !/ failed\b|^Tests fail/.test(title)).slice(0, MAX_OPEN)
    .map((title) => `#${last.id} task: ${oneLine(title)}`);
}

/** The most useful first; of several edits of a file, and of equal titles, only the newest. */
function byWorth(
  rows: readonly Tellable[],
  { branch, nowMs }: { readonly branch: string | null; readonly nowMs: number },
): Tellable[] {
  const warm = new Set(rows.filter(({ kind }) => kind === "edit").flatMap(({ files }) => files));
  const seen = new Set<string>();
  return rows
    .filter(({ kind, outcome, resolvedBy, title, files }) => {
      // What is mended is told by its fix, and what passes is as it should be.
      if (
        (kind === "test" || kind === "failure") && (outcome === "success" || resolvedBy !== null)
      ) {
        return false;
      }
      const key = kind === "edit" ? `edit ${files.join()}` : title;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .map((one) => {
      const age = Math.max(0, nowMs - one.updatedAtMs);
      const worth = (WORTH[one.kind] ?? 0.4) * (one.branch === branch ? 1 : OTHER_BRANCH) *
          (one.kind === "note" || one.kind === "decision" ? 1 : 2 ** (-age / HALF_LIFE_MS)) +
        (one.files.some((file) => warm.has(file)) && one.kind !== "edit" ? WARM_FILE : 0) -
        (one.isStale ? 0.3 : 0) + (one.kind === "fix" ? LASTING_FIX : 0);
      return { one, worth };
    })
    .sort((a, b) => b.worth - a.worth || b.one.id - a.one.id)
    .map(({ one }) => one);
}

function lineOf(one: Tellable, nowMs: number): string {
  const { id, kind, title, updatedAtMs, isStale, outcome, resolvedBy } = one;
  const state = isStale
    ? " (its file has changed since)"
    : outcome === "failure" && resolvedBy === null
    ? " (open)"
    : "";
  return `#${id} ${relativeTime(updatedAtMs, nowMs)}, ${kind}: ${oneLine(title)}${state}`;
}

function oneLine(title: string): string {
  return title.includes("\n") ? title.replaceAll("\n", " ") : title;
}

function section(name: string, lines: readonly string[]): Line[] {
  return lines.map((line) => ({ section: name, line }));
}
