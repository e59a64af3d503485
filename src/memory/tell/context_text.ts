/** Writes what a session is told about earlier ones: lines with the numbers of observations, in sections. */
import { headed, plainLines } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { relativeTime } from "../../base/time.ts";
import type { Observation } from "../drain/observations_table.ts";
import { agoBy } from "../search/observation_view.ts";
import { charsOfTokens } from "../text.ts";

/** Claude Code cuts the text of a hook at 10,000 characters. */
export const MAX_CONTEXT_CHARS = 9_000;

export interface Tellable extends Omit<Observation, "uid" | "project" | "text" | "createdAtMs"> {
  /** Whether the observation's files changed or are gone; null when they did not change, or were not checked. */
  readonly stale: Stale | null;
}

/** An observation as one line of the context. */
export interface ToldLine {
  readonly of: Pick<Tellable, "id" | "branch" | "author" | "updatedAtMs">;
  /** The kind of the line, when its text does not tell it: `task`, `fix`, `asked`. */
  readonly label?: string;
  readonly text: string;
  /** A remark after the text: ` (its file has changed since)`. */
  readonly note?: string;
}

/** A line without an observation's number: a task, a workflow, an operation of git, a waiting capture. */
export interface PlainLine {
  /** The id for use in a command; empty when there is none. */
  readonly name: string;
  readonly atMs: number | null;
  readonly text: string;
}

/** The lines to tell, by section. Within a section the most useful line comes first. */
export interface ContextFacts {
  readonly branch: string | null;
  readonly nowMs: number;
  /** Open work on this branch, and on other branches. */
  readonly open: readonly ToldLine[];
  readonly openElsewhere: readonly ToldLine[];
  readonly operations: readonly PlainLine[];
  /** Claims that a team's server gave to somebody else. */
  readonly lostClaims: readonly PlainLine[];
  readonly tasks: readonly PlainLine[];
  readonly workflows: readonly PlainLine[];
  /** The last message of the last session, quoted. */
  readonly lastWords: readonly ToldLine[];
  /** Fixes, then decisions and notes. */
  readonly known: readonly ToldLine[];
  readonly sessions: readonly ToldLine[];
  /** Edits, and commits on other branches, which `git log` does not show. */
  readonly unlogged: readonly ToldLine[];
  /** Further decisions and notes, told when the budget has room for them. */
  readonly more: readonly ToldLine[];
  /** Captures that wait for a drain. */
  readonly waiting: readonly PlainLine[];
}

export interface ContextBudget {
  readonly tokens: number;
  /** The characters that remain in the text of the hook. */
  readonly room: number;
  /** Replaces the usual heading. The footer, which tells how to find more, is left out then. */
  readonly heading?: string;
}

const HEADING = "## Memory of this project";
const FOOTER = "\n`conclaude memory show N` opens #N; `conclaude memory search WORDS` finds more.";

/** A line of the context, with the reason why it is told. */
export interface ContextLine {
  readonly section: string;
  readonly text: string;
  readonly why: string;
}

/** Returns the context within a budget, its lines, and the lines that did not fit; empty without anything to tell. */
export function contextWithin(facts: ContextFacts, budget: ContextBudget): {
  readonly text: string;
  readonly lines: readonly ContextLine[];
  readonly leftOut: readonly ContextLine[];
} {
  const footer = budget.heading === undefined ? FOOTER : "";
  const maxChars = contextChars(budget) - footer.length;
  const [lines, leftOut]: [ContextLine[], ContextLine[]] = [[], []];
  let text = headed(budget.heading ?? HEADING);
  let heading = "";
  for (const one of linesOf(facts)) {
    const { section } = one;
    const content = one.text.replace(/\s*\n\s*/g, " ");
    const line = `${section === heading ? "" : `\n${section}`}\n- ${content}`;
    const fits = text.length + line.length <= maxChars;
    (fits ? lines : leftOut).push({ ...one, text: content });
    if (!fits) continue;
    text += line;
    heading = section;
  }
  // Claude Code also shows the text on a terminal.
  return { text: heading === "" ? "" : plainLines(text) + footer, lines, leftOut };
}

/** Returns the numbers of the observations in a context. */
export function toldIn(context: string): number[] {
  return Array.from(context.matchAll(/^- #(\d+) /gm), ([, id]) => Number(id));
}

/** Tells that captures wait for a drain. @param waiting The number of captures from other sessions of the project. */
export function waitingText(waiting: number): string {
  if (waiting === 0) return "";
  const are = waiting === 1 ? "is" : "are";
  return `${
    count(waiting, "capture")
  } of other sessions of this project ${are} not worked in yet, ` +
    "so what they tell, and what is still open, may be missing here: `conclaude queue drain`.";
}

export function contextChars({ tokens, room }: ContextBudget): number {
  return Math.min(charsOfTokens(tokens), room, MAX_CONTEXT_CHARS);
}

/** Why lines with these labels are told. Other lines are told for the reason of their section. */
const WHY_LABELED: Readonly<Record<string, string>> = {
  task: "left in the list of tasks of a session",
  fix: "took more than one try, or its cause lay outside of the code",
  decision: "decided, and not replaced",
  note: "noted, and not replaced",
  commit: "stands on another branch only",
  edit: "edited since the last commit on this branch",
};

function linesOf(facts: ContextFacts): ContextLine[] {
  const { branch, nowMs } = facts;
  const observed = (section: string, why: string, lines: readonly ToldLine[]) =>
    lines.map(({ of, label, text, note = "" }): ContextLine => {
      const where = of.branch === branch || of.branch === null ? "" : ` on ${of.branch}`;
      const what = label === undefined ? "" : `, ${label}`;
      // The branch stands before the text, so the text need not repeat it.
      const plain = where === "" ? text : text.replace(`${where}:`, ":");
      return {
        section,
        text: `#${of.id} ${
          agoBy(of.author, relativeTime(of.updatedAtMs, nowMs))
        }${where}${what}: ${plain}${note}`,
        why: WHY_LABELED[label ?? ""] ?? why,
      };
    });
  const named = (section: string, why: string, lines: readonly PlainLine[]) =>
    lines.map(({ name, atMs, text }): ContextLine => {
      const prefix = [name, atMs === null ? "" : relativeTime(atMs, nowMs)].filter((one) =>
        one !== ""
      );
      return { section, text: prefix.length === 0 ? text : `${prefix.join(" ")}: ${text}`, why };
    });
  const here = `Left open${branch === null ? "" : ` on ${branch}`}:`;
  const isOpen = "failed or was cut off last, and nothing has mended it";
  const words = "the newest session that is told ended with it";
  const person = "a person has to go on with it";
  return [
    ...observed(here, isOpen, facts.open),
    ...named("Under way in git:", "git waits for its end", facts.operations),
    ...named("Lost to others of the team:", "not this machine's any more", facts.lostClaims),
    ...observed("Left open elsewhere:", isOpen, facts.openElsewhere),
    ...named("Open tasks (`conclaude task show ID`):", "not closed", facts.tasks),
    ...named(
      "Workflows that wait for a person (`conclaude workflow show ID`):",
      person,
      facts.workflows,
    ),
    ...observed("The end of the last session, as Claude said it:", words, facts.lastWords),
    ...observed("Known:", "known of this project", facts.known),
    ...observed("Last sessions:", "one of the newest sessions", facts.sessions),
    ...named("Captured, and not worked in yet:", "no drain has taken it yet", facts.waiting),
    ...observed("Not in the log of this branch:", "not in the log", facts.unlogged),
    ...observed("Known as well:", "known of this project", facts.more),
  ];
}

/** Makes the line of an observation, with a remark when its files changed. */
export function withState(one: Tellable, label?: string): ToldLine {
  return {
    of: one,
    text: one.title,
    note: staleText(one.stale),
    ...label === undefined ? {} : { label },
  };
}

export type Stale = "changed" | "gone";

/** Returns the remark for an observation's changed or missing files; empty when no file changed. */
export function staleText(stale: Stale | null): string {
  if (stale === "gone") return " (its file is gone)";
  return stale === "changed" ? " (its file has changed since)" : "";
}
