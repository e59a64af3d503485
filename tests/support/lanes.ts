/** Tests that do more in the slow lane than in the fast one, or are in the slow one alone; the whole lane does the most. */
import { testWhere } from "./requirements.ts";

/** Runs of a generated test in the fast lane. */
const FAST_RUNS = 100;
/** Ends the names of tests that the slow lane takes from folders of the fast one. */
export const SLOW_MARK = "[all]";

const LANE = Deno.env.get("CONCLAUDE_LANE");

/** Whether `deno task test:slow` or `deno task test:whole` runs these tests. */
export const IS_SLOW_LANE = LANE === "slow" || LANE === "whole";

/** How much a test does in each lane. The slow lane has to end in minutes on a slow machine too. */
export function sizeOf<Size>(
  sizes: { readonly fast: Size; readonly slow: Size; readonly whole: Size },
): Size {
  return LANE === "whole" ? sizes.whole : IS_SLOW_LANE ? sizes.slow : sizes.fast;
}

/** A test of the slow lane; the fast one names it, and skips it. @param missing As for `testWhere()`. */
export function slowTest(
  name: string,
  body: () => void | Promise<void>,
  missing: string | null = null,
): void {
  sizedTest(name, body, missing ?? (IS_SLOW_LANE ? null : "slow lane"));
}

/** A test of both lanes, with {@linkcode runs}, {@linkcode someOf} or a size by {@linkcode IS_SLOW_LANE} in it. */
export function sizedTest(
  name: string,
  body: () => void | Promise<void>,
  missing: string | null = null,
): void {
  testWhere(missing, IS_SLOW_LANE ? `${name} ${SLOW_MARK}` : name, body);
}

/** Runs of a generated test. @param all As many as the slow lane makes. */
export function runs(all: number): number {
  return IS_SLOW_LANE ? all : Math.min(all, FAST_RUNS);
}

/** Some rows of a table, spread over it. @param count As many as the fast lane tries; the slow one tries all. */
export function someOf<Row>(rows: readonly Row[], count: number): readonly Row[] {
  if (IS_SLOW_LANE || rows.length <= count) return rows;
  return Array.from({ length: count }, (_, i) => rows[Math.floor(i * rows.length / count)]!);
}
