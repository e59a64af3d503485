import { summarizeInput } from "../capture/payload.ts";
import { countPending } from "../store/captures.ts";
import type { Answer, HookWork } from "./handler.ts";

/** Stop comes after every turn, so it changes nothing of the session; it notes how much waits in the queue. */
export async function handle(work: HookWork): Promise<Answer> {
  const pending = work.db === null ? {} : { pending: pendingOf(work) };
  const told = work.keepsContent ? summarizeInput(work.event.own) : {};
  await work.save({ metadata: { ...pending, ...told } });
  return { continue: true, suppressOutput: true };
}

function pendingOf({ db, sessionId }: HookWork): number | null {
  try {
    return db === null ? null : countPending(db, sessionId);
  } catch {
    // A damaged database: saving the event will say so.
    return null;
  }
}
