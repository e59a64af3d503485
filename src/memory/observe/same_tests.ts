/** Whether runs that were called in other words fail with the same tests. */
import type { ObservedFacts } from "../observation.ts";
import { areSameFolder } from "./same_folder.ts";
import { isOneOf, tellPlaces } from "./test_name.ts";

/**
 * Whether all tests that failed in one run are among those that failed in another: they have the same names, in the same
 * folder and set-up, and where the names tell no place, in the same files.
 */
export function areAmong(
  { failsAt: at, failing = [] }: ObservedFacts,
  { failsAt: others, failing: names = [] }: ObservedFacts,
): boolean {
  if (at === undefined || at.place !== others?.place || failing.length === 0) return false;
  if (!failing.every(isOneOf(names))) return false;
  const isThere = (file: string) => others.files.some((other) => areSameFolder(file, other));
  return tellPlaces(failing) || at.files.length > 0 && at.files.every(isThere);
}
