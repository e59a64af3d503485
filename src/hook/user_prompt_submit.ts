import type { Answer, HookWork } from "./handler.ts";
import { draftOf } from "./other_event.ts";

/** A prompt: recorded, and answered with what Claude should know beside it. */
export async function handle(work: HookWork): Promise<Answer> {
  await work.save(await draftOf(work));
  const lines = work.config.requirements === ""
    ? []
    : [await (await import("./reminder.ts")).reminderFor(work)];
  const context = lines.filter((line) => line !== "").join("\n\n");
  return context === ""
    ? null
    : { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: context } };
}
