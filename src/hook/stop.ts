import { summarizeInput } from "../capture/payload.ts";
import { countPending } from "../store/captures.ts";
import type { StopPolicy } from "../guard/stop.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";

/** Lets Claude stop, and keeps the hook out of its transcript. */
const SILENT: Answer = { continue: true, suppressOutput: true };

/** Stop comes after every turn, so it changes nothing of the session; it notes how much waits in the queue. */
export async function handle(work: HookWork): Promise<Answer> {
  const policy: StopPolicy | null = work.config.stop === "" ? null : JSON.parse(work.config.stop);
  if (policy === null) {
    // It was looked at only because a file might have asked for something.
    if (work.event.stopHookActive) return null;
    await work.save(draftOf(work));
    return SILENT;
  }
  const { judge } = await import("./stop_guards.ts");
  return await judge(work, { policy, draft: draftOf(work) }) ?? SILENT;
}

/** What is recorded of every stop. */
function draftOf(work: HookWork): Draft {
  const pending = work.db === null ? {} : { pending: pendingOf(work) };
  const told = work.keepsContent ? summarizeInput(work.event.own) : {};
  return { metadata: { ...pending, ...told } };
}

function pendingOf({ db, sessionId }: HookWork): number | null {
  try {
    return db === null ? null : countPending(db, sessionId);
  } catch {
    // A damaged database: saving the event will say so.
    return null;
  }
}
