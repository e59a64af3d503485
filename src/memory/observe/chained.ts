import type { Observed } from "../observation.ts";

/** Several that one capture tells, as one: the first, with the others as what it tells besides. Null of none. */
export function chained(told: readonly Observed[]): Observed | null {
  return told.reduceRight<Observed | null>(
    (later, one) => later === null ? one : { ...one, besides: later },
    null,
  );
}
