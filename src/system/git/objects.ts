/** Tells by the age of git's files when an object was written, since a commit's dates can be made up. */
import { joinPath } from "../../base/paths.ts";
import { bornBefore } from "../on_disk.ts";
import type { Repository } from "./repository.ts";

/**
 * Tells whether an object was written since a moment. Of an object that git has packed only its date is known.
 * @param object `datedMs`: its date, in epoch milliseconds.
 */
export function isWrittenSince(
  { commonDir }: Pick<Repository, "commonDir">,
  { id, datedMs }: { readonly id: string; readonly datedMs: number },
  sinceMs: number,
): boolean {
  const path = joinPath(commonDir, `objects/${id.slice(0, 2)}/${id.slice(2)}`);
  return (bornBefore(path) ?? datedMs) >= sinceMs;
}
