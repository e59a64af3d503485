import type { Answer, HookWork } from "./handler.ts";
import { draftOf, saidIn } from "./other_event.ts";
import { partOf } from "./part.ts";
import { withContext } from "./protocol.ts";

/** Records a prompt, adds to it what the configuration adds, and lets a command hold it back. */
export async function handle(work: HookWork): Promise<Answer> {
  await (await import("./told.ts")).saveTold(work);
  const usual = { ...await draftOf(work), ...await saidIn(work) };
  const { prompts, stop, requirements } = work.config;
  if (prompts === "" && requirements === "" && !stop.includes('"queue":{')) {
    await work.save(usual);
    return withContext(null, "UserPromptSubmit", await recalled(work));
  }
  const { applyPromptRules } = await import("./prompt_rules.ts");
  const { draft, texts, block, gone } = await applyPromptRules(work, usual);
  await work.save(draft);
  await gone;
  if (block !== null) return { decision: "block", reason: block };
  const reminder = requirements === "" ? "" : await partOf(
    work,
    "what requirements are open",
    async () => (await import("./session_requirements.ts")).reminderFor(work),
  );
  return withContext(null, "UserPromptSubmit", ...texts, reminder, await recalled(work));
}

async function recalled(work: HookWork): Promise<string> {
  if (!work.config.recallsPrompts) return "";
  return (await import("./recall_beside.ts")).recallOfPrompt(work);
}
