/** Sessions in a few words, as their summaries tell of them, and what of them is open. */
import { stillOpen, supersededIn } from "../../src/memory/context_open.ts";
import { openEnds } from "../../src/memory/open_lines.ts";
import type { Tellable } from "../../src/memory/context_text.ts";
import { type SummarizedPart, summarizeSession } from "../../src/memory/session_summary.ts";

/** What happened in a session. */
export type Happened = Pick<SummarizedPart, "kind" | "title"> & Partial<SummarizedPart>;

/** A turn: what was asked, what Claude said at its end, and which file was changed, or what was committed. */
export interface ToldTurn {
  readonly asked: string;
  readonly said: string;
  readonly file?: string;
  readonly commit?: string;
  readonly more?: readonly Happened[];
}

const BEGIN = 1e12;

/** What is told to be open after some sessions, the oldest first. */
export function openAfter(...sessions: readonly (readonly ToldTurn[])[]): string[] {
  const rows = sessions.flatMap((turns, n) => rowsOf(turns, n)).reverse();
  const left = stillOpen(rows, { superseded: supersededIn(rows), nowMs: BEGIN });
  return openEnds(rows, left).map(({ label, text }) =>
    label === "said" ? text : `${label ?? "failure"}: ${text}`
  );
}

let last = 0;

function rowsOf(turns: readonly ToldTurn[], session: number): Tellable[] {
  const parts = turns.flatMap(partsOf);
  const rows = parts.filter(({ kind }) => kind === "failure" || kind === "test");
  const { title, files, facts } = summarizeSession(parts)!;
  return [...rows, partOf({ kind: "summary", title, files, facts })]
    .map((one) => ({ ...one, sessionId: `s${session}`, repeats: 1, stale: null }));
}

function partsOf({ asked, said, file, commit, more = [] }: ToldTurn): SummarizedPart[] {
  const happened: Happened[] = [{ kind: "prompt", title: asked }];
  if (file !== undefined) happened.push({ kind: "edit", title: `Edit ${file}`, files: [file] });
  if (commit !== undefined) {
    const title = `Commit 1a2b3c4 on main: ${commit}`;
    happened.push({ kind: "commit", title, facts: { command: "git commit" } });
  }
  return [...happened, ...more, { kind: "message" as const, title: said }].map(partOf);
}

function partOf(happened: Happened): SummarizedPart {
  const id = ++last;
  const { kind, title } = happened;
  return {
    id,
    branch: "main",
    outcome: kind === "commit" ? "success" : null,
    text: title,
    files: [],
    facts: {},
    resolvedBy: null,
    updatedAtMs: BEGIN - 1e6 + id,
    ...happened,
  };
}
