import { groundFor } from "../policy/requirements/ground.ts";
import { standOf } from "../policy/requirements/standings.ts";
import type { RequirementPolicy } from "../policy/requirements/requirement_policy.ts";
import { reminderText } from "../policy/requirements/requirement_text.ts";
import { isPaused } from "../policy/store.ts";
import type { HookWork } from "./handler.ts";
import { transcriptOf } from "./protocol.ts";

/** What a prompt that speaks of changes is told of open requirements. Call it once the event is saved. */
export async function reminderFor(work: HookWork): Promise<string> {
  const prompt = work.event.own["prompt"];
  const ground = groundFor(work);
  if (work.config.requirements === "" || typeof prompt !== "string" || ground.kind === "none") {
    return "";
  }
  const policy: RequirementPolicy = JSON.parse(work.config.requirements);
  const db = policy.reminds ? work.spareDb() : null;
  if (db === null) return "";
  const { sessionId, atMs } = work;
  if (isPaused(db, { sessionId, subject: "requirements", atMs })) return "";
  const gates = policy.requirements.filter(({ stopOnly, condition }) =>
    !stopOnly && condition.type !== "branch_size"
  );
  const { open } = await standOf(gates, {
    ...work,
    db,
    ground,
    transcriptPath: transcriptOf(work.sent),
  });
  return reminderText(prompt, open);
}
