import type { Executables } from "../support/executables.ts";
import type { Workplace } from "./fixture.ts";

/** What a measurement is given. */
export interface BenchContext extends Executables {
  /** An empty folder of its own, and the one for all, in which others may lie. */
  readonly folder: string;
  readonly root: string;
  /** A home with 100,000 captures and as many audit rows; made once, for all. */
  usedWorkplace(): Promise<Workplace>;
  /** A folder of transcripts of real sessions (`--sessions DIR`). */
  readonly sessions: string | undefined;
  /** How many counted runs, at least 30. */
  readonly runs: number;
}

/** What a measurement found: compared with the budget, and how it came about. */
export interface Figure {
  /** Null when it cannot be measured on this machine; `detail` says why. */
  readonly value: number | null;
  readonly detail: string;
}

/** One thing that is measured. */
export interface Bench {
  readonly name: string;
  /** In a few words: what is divided by what. */
  readonly about: string;
  /** The figure is to be at most this; with `isLeast`, at least. */
  readonly budget: number;
  readonly isLeast?: true;
  measure(context: BenchContext): Promise<Figure>;
}
