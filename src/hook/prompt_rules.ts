import { quietly } from "../base/errors.ts";
import { contextFor, type PromptPolicy, runForPrompt } from "../policy/prompts/prompt_commands.ts";
import type { StopPolicy } from "../policy/stops/stop_blocks.ts";
import { joinPath } from "../base/paths.ts";
import { keepFirstPrompt } from "../policy/store.ts";
import { commandGround, commandNotifier, notesOfRuns } from "./event_commands.ts";
import type { Draft, HookWork } from "./handler.ts";
import { isLifted, wayToSend } from "./lifted.ts";
import { tellable } from "./other_event.ts";

const MAX_KEPT_CHARS = 100;

/**
 * @param usual What is recorded of the prompt in any case. @returns `draft`: the whole record; `texts` that Claude is told
 * beside the prompt; `block`: the answer to a prompt that is held back; `gone` settles once interrupted commands ended.
 */
export async function applyPromptRules(work: HookWork, usual: Draft) {
  const { config, home, locations } = work;
  if (config.stop !== "") keepFirst(work, JSON.parse(config.stop));
  if (config.prompts === "") {
    return { draft: usual, texts: [], block: null, gone: Promise.resolve() };
  }
  const policy: PromptPolicy = JSON.parse(config.prompts);
  const sent = work.sent["prompt"];
  const prompt = typeof sent === "string" ? sent : "";
  const folder = policy.root ?? (home === null ? null : joinPath(home, ".conclaude"));
  const { texts, rules, missing } = contextFor(policy, prompt, { folder, by: locations });
  const { runs, block, gone } = await runForPrompt(policy, prompt, {
    ground: commandGround(work, policy.root),
    ran: await commandNotifier(work),
  });
  const paused = block !== null && isLifted(work);
  const held = paused ? null : block;
  const [reason] = await tellable(work, usual, [held?.reason ?? ""]);
  const metadata = {
    ...usual.metadata,
    ...(rules.length > 0 ? { context: rules } : {}),
    ...(missing.length > 0 ? { missing } : {}),
    ...notesOfRuns(runs),
    ...(block !== null ? { rules: [block.rule] } : {}),
    ...(paused ? { paused } : {}),
  };
  if (held === null) return { draft: { ...usual, metadata }, texts, block: null, gone };
  const draft: Draft = {
    ...usual,
    status: "blocked",
    errorMessage: reason ?? held.rule,
    metadata,
  };
  const next = `The prompt was not sent. Correct this and send it again. ${await wayToSend(work)}`;
  return { draft, texts, block: `${held.reason}\n${next}`, gone };
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
