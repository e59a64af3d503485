import { summarizeInput } from "../claude/payload.ts";
import { countPending } from "../db/captures.ts";
import { DEFAULT_HOOK_CONFIG, hasWrittenRules } from "../config/discover.ts";
import { quietly } from "../base/errors.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";

/** Lets Claude stop, and keeps the hook out of its transcript. */
const MAY_STOP: Answer = { continue: true, suppressOutput: true };

/** Handles Stop, which comes after every turn and ends no session. Guards and requirements may hold Claude back. */
export async function handle(work: HookWork): Promise<Answer> {
  const { config, event } = work;
  // True if nothing can hold this stop: `handleHook()` then came here only because a file might have had a rule.
  const isFree = config.stop === "" && config.requirements === "" &&
    !await checksEffects(config);
  if (isFree && event.stopHookActive) return null;
  await (await import("./told.ts")).saveTold(work);
  if (hasWrittenRules(config)) {
    (await import("./past_gate_notice.ts")).tellPastGates(work, "this session");
  }
  const draft = { ...draftOf(work), ...await (await import("./other_event.ts")).saidIn(work) };
  if (isFree) {
    await work.save(draft);
    return MAY_STOP;
  }
  const { answerStop } = await import("./stop_judged.ts");
  return await answerStop(work, draft) ?? MAY_STOP;
}

/** Tells whether rules protect files or branches that commands of the turn may have changed. */
async function checksEffects({ guards }: HookWork["config"]): Promise<boolean> {
  if (guards === DEFAULT_HOOK_CONFIG.guards) return false;
  return (await import("../policy/guards/guard_policy.ts")).guardPolicyIn(guards).looksAfter;
}

function draftOf({ db, sessionId, keepsContent, event }: HookWork): Draft {
  const pending = db === null
    ? {}
    : { pending: quietly(() => countPending(db, sessionId)) ?? null };
  const summary = keepsContent ? summarizeInput(event.own) : {};
  return { metadata: { ...pending, ...summary } };
}
