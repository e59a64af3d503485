import { quietly } from "../base/errors.ts";
import { contextFor, type PromptPolicy, runForPrompt } from "../policy/prompts/prompt_commands.ts";
import type { StopPolicy } from "../policy/stops/stop_blocks.ts";
import { joinPath } from "../base/paths.ts";
import { keepFirstPrompt } from "../policy/store.ts";
import { commandGround, commandNotifier, noteOfRun } from "./event_commands.ts";
import type { Draft, HookWork } from "./handler.ts";
import { isLifted, wayToSend } from "./lifted.ts";
import { tellable } from "./other_event.ts";

const MAX_KEPT_CHARS = 100;

interface Applied {
  /** Fields that are added to the record of the prompt. */
  readonly extra: Pick<Draft, "status" | "errorMessage" | "metadata">;
  /** Texts that Claude is told beside the prompt. */
  readonly texts: readonly string[];
  /** The answer to a prompt that is held back; null for a prompt that is sent. */
  readonly block: string | null;
  /** Settled when no interrupted command runs any more. */
  readonly gone: Promise<void>;
}

export async function applyPromptRules(work: HookWork, draft: Draft): Promise<Applied> {
  if (work.config.stop !== "") keepFirst(work, JSON.parse(work.config.stop));
  if (work.config.prompts === "") {
    return { extra: {}, texts: [], block: null, gone: Promise.resolve() };
  }
  const policy: PromptPolicy = JSON.parse(work.config.prompts);
  const sent = work.sent["prompt"];
  const prompt = typeof sent === "string" ? sent : "";
  const ofUser = work.home === null ? null : joinPath(work.home, ".conclaude");
  const { texts, rules, missing } = contextFor(policy, prompt, {
    folder: policy.root ?? ofUser,
    by: work.locations,
  });
  const { runs, block, gone } = await runForPrompt(policy, prompt, {
    ground: commandGround(work, policy.root),
    ran: await commandNotifier(work),
  });
  const paused = block !== null && isLifted(work);
  const held = block !== null && !paused;
  const [reason] = await tellable(work, draft, [held ? block.reason : ""]);
  const metadata = {
    ...(rules.length > 0 ? { context: rules } : {}),
    ...(missing.length > 0 ? { missing } : {}),
    ...(runs.length > 0 ? { commands: runs.map(noteOfRun) } : {}),
    ...(block !== null ? { rules: [block.rule] } : {}),
    ...(paused ? { paused } : {}),
  };
  return {
    extra: held
      ? { status: "blocked", errorMessage: reason ?? block.rule, metadata }
      : { metadata },
    texts,
    block: held
      ? `${block.reason}\nThe prompt was not sent. Correct this and send it again. ${await wayToSend(
        work,
      )}`
      : null,
    gone,
  };
}

/** Stores how the session began, for stop rules that depend on it. */
function keepFirst({ db, event, sessionId, atMs, keepsContent }: HookWork, policy: StopPolicy) {
  const prompt = event.own["prompt"];
  if (policy.queue === null || db === null || !keepsContent) return;
  // A prompt that begins with a tag is Claude Code's own message, such as a finished background task.
  if (typeof prompt !== "string" || prompt.trim() === "" || prompt.startsWith("<")) return;
  const beginning = prompt.replaceAll("\0", "").slice(0, MAX_KEPT_CHARS).toWellFormed();
  quietly(() => keepFirstPrompt(db, { sessionId, prompt: beginning, atMs }));
}
