import { fingerprint } from "../base/ids.ts";
import { claim } from "../policy/stops/event_claim.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";

/**
 * Handles an event once, although several hooks got it: Claude Code starts the hooks of a person's settings and of
 * the project's at the same moment with the same input. The second one only records the event.
 * @param usual What is recorded of it anyway.
 */
export async function handleOnce(
  work: HookWork,
  usual: Draft,
  handle: () => Promise<Answer>,
): Promise<Answer> {
  const claimed = await claim(fingerprint(JSON.stringify([work.event.name, work.sent])), work);
  if (claimed.kind === "twin") {
    await work.save({ ...usual, metadata: { ...usual.metadata, twin: true } });
    return null;
  }
  try {
    return await handle();
  } finally {
    claimed.release();
  }
}
