/** Faults of a database in a few words. */
import { shortened } from "../memory/text.ts";
import { MAX_FAULTS } from "../store/care.ts";

const MAX_CHARS = 200;

/** The first fault, cut where it is long, and how many more there are. */
export function faultsText(faults: readonly string[]): string {
  const [first = "", ...others] = faults;
  if (others.length === 0) return shortened(first, MAX_CHARS);
  const more = faults.length < MAX_FAULTS ? others.length : `at least ${others.length}`;
  return `${shortened(first, MAX_CHARS)} (and ${more} more)`;
}
