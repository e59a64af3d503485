/** What transcripts hold that the database does not, by project, and how far a comparison is. */
import type { Progress } from "./context.ts";

/** What `reconcile --json` says, as far as it is told here. */
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
  /** What transcripts hold that hooks should have kept. */
  readonly found: number;
  /** Of that, tool uses and other steps that the database did not have. */
  readonly toolUses: number;
  readonly others: number;
}

/** What a comparison found. */
export type Compared =
  | {
    readonly kind: "done";
    readonly atMs: number;
    readonly transcripts: number;
    readonly projects: readonly ProjectGaps[];
    /** How many captures were written, and how many of them are in memory; null where nothing was to be written. */
    readonly filled: number | null;
    readonly worked: number | null;
  }
  | { readonly kind: "failed"; readonly atMs: number; readonly why: string };

/** How far the comparison that runs is, and what the last one found. */
export interface BackfillState {
  readonly running: (Progress & { readonly doing: string }) | null;
  readonly last: Compared | null;
}

/** Those with the most gaps first. */
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
