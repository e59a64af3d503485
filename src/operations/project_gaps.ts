/** Counts by project what transcripts hold and the database lacks; describes the progress of a comparison. */
import type { Progress } from "./context.ts";

export interface Reconciled {
  readonly transcripts: number;
  readonly sessions: readonly {
    readonly projectDir: string | null;
    readonly found: number;
    readonly missing: Readonly<Record<string, number>>;
  }[];
  readonly filled: { readonly written: number } | null;
  readonly worked: number | null;
}

export interface ProjectGaps {
  readonly projectDir: string | null;
  readonly sessions: number;
  /** How many events in the transcripts hooks should have stored. */
  readonly found: number;
  /** How many of these the database lacked: tool uses, and others. */
  readonly toolUses: number;
  readonly others: number;
}

export type Compared =
  | {
    readonly kind: "done";
    readonly atMs: number;
    readonly transcripts: number;
    readonly projects: readonly ProjectGaps[];
    /** How many captures were written and how many of them memory holds now; null if none was to be written. */
    readonly filled: number | null;
    readonly worked: number | null;
  }
  | { readonly kind: "failed"; readonly atMs: number; readonly why: string };

export interface BackfillState {
  readonly running: (Progress & { readonly doing: string }) | null;
  readonly last: Compared | null;
}

/** Sums up the gaps of each project, the most first. */
export function gapsByProject(sessions: Reconciled["sessions"]): ProjectGaps[] {
  const projects = Map.groupBy(sessions, ({ projectDir }) => projectDir);
  return [...projects].map(([projectDir, all]) => {
    const sum = (of: (one: (typeof all)[number]) => number) =>
      all.reduce((total, one) => total + of(one), 0);
    const toolUses = sum(({ missing }) => missing["toolUse"] ?? 0);
    const missing = sum((one) => Object.values(one.missing).reduce((a, b) => a + b, 0));
    return {
      ...{ projectDir, sessions: all.length, found: sum(({ found }) => found) },
      ...{ toolUses, others: missing - toolUses },
    };
  }).sort((a, b) => b.toolUses + b.others - a.toolUses - a.others);
}
