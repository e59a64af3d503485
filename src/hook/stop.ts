import { summarizeInput } from "../capture/payload.ts";
import type { Block } from "../guard/policy.ts";
import { countPending } from "../store/captures.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";

/** Lets Claude stop, and keeps the hook out of its transcript. */
const SILENT: Answer = { continue: true, suppressOutput: true };

/** Stop comes after every turn, so it changes nothing of the session; it notes how much waits in the queue. */
export async function handle(work: HookWork): Promise<Answer> {
  if (work.config.stop === "") {
    // It was looked at only because a file might have asked for something.
    if (work.event.stopHookActive) return null;
    await work.save(draftOf(work));
    return SILENT;
  }
  const { holdBack, judgeGuards } = await import("./stop_guards.ts");
  const guards = await judgeGuards(work);
  const blocks: Block[] = [...guards.blocks];
  // Whatever else is judged at a stop adds its blocks here: there is one answer.
  if (blocks.length === 0) blocks.push(...guards.goOn());
  const usual = draftOf(work);
  const draft = { ...usual, ...guards.draft, metadata: { ...usual.metadata, ...guards.notes } };
  if (blocks.length > 0) return await holdBack(work, blocks, { ...guards, draft }) ?? SILENT;
  await work.save(draft);
  return SILENT;
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
