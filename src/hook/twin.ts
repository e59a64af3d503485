import { fingerprint } from "../ids.ts";
import { claim } from "../gate/event_claim.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";

/**
 * Handles an event once, however many hooks it was sent to: where the program stands in a person's settings and in the
 * project's, Claude Code starts both at the same moment with the same input, and listens to either. The second one
 * records the event, and nothing else.
 *
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
