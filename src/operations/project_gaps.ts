/** Counts by project what transcripts hold and the database lacks; describes the progress of a comparison. */
import { sumOf } from "../base/counts.ts";
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
  /** The number of events in the transcripts that hooks should have stored. */
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
    let [found, toolUses, others] = [0, 0, 0];
    for (const one of all) {
      const ofTools = one.missing["toolUse"] ?? 0;
      found += one.found;
      toolUses += ofTools;
      others += sumOf(one.missing) - ofTools;
    }
    return { projectDir, sessions: all.length, found, toolUses, others };
  }).sort((a, b) => b.toolUses + b.others - a.toolUses - a.others);
}
