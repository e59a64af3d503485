import { summarizeInput } from "../capture/payload.ts";
import { countPending } from "../store/captures.ts";
import type { Answer, HookWork } from "./handler.ts";

/** Lets Claude stop, and keeps the hook out of its transcript. */
const MAY_STOP: Answer = { continue: true, suppressOutput: true };

/**
 * Stop comes after every turn, so it changes nothing of the session; it notes how much waits in the queue. It is held,
 * once a turn, while a requirement is open that something in the session fell under.
 */
export async function handle(work: HookWork): Promise<Answer> {
  const pending = work.db === null ? {} : { pending: pendingOf(work) };
  const told = work.keepsContent ? summarizeInput(work.event.own) : {};
  const metadata = { ...pending, ...told };
  if (work.config.requirements === "" || work.event.stopHookActive) {
    await work.save({ metadata });
    return MAY_STOP;
  }
  const { judgeStop } = await import("./stop_judged.ts");
  return await judgeStop(work, metadata) ?? MAY_STOP;
}

function pendingOf({ db, sessionId }: HookWork): number | null {
  try {
    return db === null ? null : countPending(db, sessionId);
  } catch {
    // A damaged database: saving the event will say so.
    return null;
  }
}
