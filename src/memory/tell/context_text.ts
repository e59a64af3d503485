/** Writes what a session is told about earlier ones: lines with the numbers of observations, in sections. */
import { headed, plainLines } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { relativeTime } from "../../base/time.ts";
import { agoBy } from "../search/observation_view.ts";
import { charsOfTokens } from "../text.ts";
import type { Tellable } from "./memory_context_table.ts";

/** Claude Code cuts the text of a hook at 10,000 characters. */
export const MAX_CONTEXT_CHARS = 9_000;

/** A line of the context: an observation, or a task, a workflow, an operation of git, a waiting capture. */
export interface ToldLine {
  readonly of?: Pick<Tellable, "id" | "branch" | "author" | "updatedAtMs">;
  /** The kind of an observation, when its text does not tell it: `task`, `fix`, `asked`. */
  readonly label?: string;
  /** In a line without an observation: the id for use in a command, and a time. */
  readonly name?: string;
  readonly atMs?: number;
  readonly text: string;
  /** A remark after the text: ` (its file has changed since)`. */
  readonly note?: string;
}

/** A section: its heading, why its lines are told, and these, the most useful first. */
export type ContextSection = readonly [heading: string, why: string, lines: readonly ToldLine[]];

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
export type ContextLine = Readonly<{ section: string; text: string; why: string }>;

/** Returns the context within a budget, its lines, and the lines that did not fit; empty without anything to tell. */
export function contextWithin(
  sections: readonly ContextSection[],
  here: Here,
  budget: ContextBudget,
): Readonly<{ text: string; lines: readonly ContextLine[]; leftOut: readonly ContextLine[] }> {
  const footer = budget.heading === undefined ? FOOTER : "";
  const maxChars = contextChars(budget) - footer.length;
  const [lines, leftOut]: [ContextLine[], ContextLine[]] = [[], []];
  let text = headed(budget.heading ?? HEADING);
  let heading = "";
  for (const [section, usual, ofSection] of sections) {
    for (const one of ofSection) {
      const content = lineText(one, here).replace(/\s*\n\s*/g, " ");
      const line = `${section === heading ? "" : `\n${section}`}\n- ${content}`;
      const fits = text.length + line.length <= maxChars;
      const why = WHY_LABELED[one.label ?? ""] ?? usual;
      (fits ? lines : leftOut).push({ section, text: content, why });
      if (!fits) continue;
      text += line;
      heading = section;
    }
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
  const captures = `${count(waiting, "capture")} of other sessions of this project`;
  return `${captures} ${waiting === 1 ? "is" : "are"} not worked in yet, ` +
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

/** The branch and the moment at which the context is told. */
type Here = Readonly<{ branch: string | null; nowMs: number }>;

function lineText(
  { of, label, name, atMs, text, note = "" }: ToldLine,
  { branch, nowMs }: Here,
): string {
  if (of === undefined) {
    const lead = [...name ? [name] : [], ...atMs === undefined ? [] : [relativeTime(atMs, nowMs)]];
    return lead.length === 0 ? text : `${lead.join(" ")}: ${text}`;
  }
  const where = of.branch === branch || of.branch === null ? "" : ` on ${of.branch}`;
  const what = label === undefined ? "" : `, ${label}`;
  const when = agoBy(of.author, relativeTime(of.updatedAtMs, nowMs));
  // The branch stands before the text, so the text need not repeat it.
  const plain = where === "" ? text : text.replace(`${where}:`, ":");
  return `#${of.id} ${when}${where}${what}: ${plain}${note}`;
}

/** Makes the line of an observation, with a remark when its files changed. */
export function withState(
  one: Tellable & { readonly stale?: Stale | null },
  label?: string,
) {
  return {
    of: one,
    text: one.title,
    note: staleText(one.stale ?? null),
    ...label !== undefined && { label },
  };
}

export type Stale = "changed" | "gone";

/** Returns the remark for an observation's changed or missing files; empty when no file changed. */
export function staleText(stale: Stale | null): string {
  if (stale === "gone") return " (its file is gone)";
  return stale === "changed" ? " (its file has changed since)" : "";
}
