import type { Answer, Draft, HookWork } from "./handler.ts";
import { draftOf } from "./other_event.ts";

/** A person sends a prompt: it is recorded, Claude is told what the configuration adds, and a command may hold it back. */
export async function handle(work: HookWork): Promise<Answer> {
  const draft = await draftOf(work);
  if (work.config.prompts === "" && !work.config.stop.includes('"queue":{')) {
    await work.save(draft);
    return answerWith([]);
  }
  const { applyPromptRules } = await import("./prompt_rules.ts");
  const { extra, texts, block } = await applyPromptRules(work, draft);
  await work.save({ ...draft, ...extra, metadata: { ...draft.metadata, ...extra.metadata } });
  if (block !== null) return { decision: "block", reason: block };
  // What else Claude is to be told with a prompt joins the texts here.
  return answerWith(texts);
}

/** What is added to the record of a prompt. */
export type PromptExtra = Pick<Draft, "status" | "errorMessage" | "metadata">;

function answerWith(texts: readonly string[]): Answer {
  return texts.length === 0 ? null : {
    hookSpecificOutput: {
      hookEventName: "UserPromptSubmit",
      additionalContext: texts.join("\n\n"),
    },
  };
}
