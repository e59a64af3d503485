/** Makes parts of an answer separately: when one breaks, the person is told, and the others are still given. */
import type { HookWork } from "./handler.ts";

/**
 * Makes a part of the answer, once the event is saved; empty when it breaks.
 *
 * @param what Names the part, before the words `cannot be told`.
 */
export async function partOf(
  work: HookWork,
  what: string,
  make: () => Promise<string>,
): Promise<string> {
  try {
    return await make();
  } catch (thrown) {
    (await import("./failure.ts")).tellBroken(thrown, what, work);
    return "";
  }
}
