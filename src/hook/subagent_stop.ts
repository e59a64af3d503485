import { commandsFor, type SubagentPolicy } from "../policy/prompts/prompt_commands.ts";
import { runCommands } from "../policy/run_commands.ts";
import { failureText } from "../policy/notify.ts";
import { commandGround, commandNotifier, handleOnce, notesOfRuns } from "./event_commands.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { draftOf, tellable } from "./other_event.ts";
import { nameOf } from "./protocol.ts";

/** Runs the configured commands after a subagent has stopped, and tells the person of failures. Blocks nothing. */
export async function handle(work: HookWork): Promise<Answer> {
  await (await import("./told.ts")).saveTold(work);
  const draft = await draftOf(work);
  if (work.config.subagentStop === "") {
    await work.save(draft);
    return null;
  }
  return await handleOnce(work, draft, () => runForSubagent(work, draft));
}

async function runForSubagent(work: HookWork, draft: Draft): Promise<Answer> {
  const policy: SubagentPolicy = JSON.parse(work.config.subagentStop);
  const agentId = nameOf(work.sent["agent_id"]);
  const path = work.sent["agent_transcript_path"];
  const names = [nameOf(work.sent["agent_type"]), agentId].filter((name) => name !== null);
  const ground = commandGround(work, policy.root, {
    CONCLAUDE_AGENT_ID: agentId,
    CONCLAUDE_AGENT_TRANSCRIPT_PATH: typeof path === "string" ? path : null,
  });
  const { runs, gone } = await runCommands(commandsFor(policy.groups, names), ground, {
    untilFailure: false,
    done: await commandNotifier(work),
  });
  const failures = runs.filter(({ end }) => end.kind !== "passed").map(failureText);
  if (failures.length > 0) work.tell(["conclaude, after a subagent:", ...failures].join("\n"));
  const [error] = await tellable(work, draft, [failures.join("\n")]);
  await work.save({
    ...draft,
    ...(failures.length > 0 ? { status: "failure", errorMessage: error ?? "" } : {}),
    metadata: { ...draft.metadata, ...notesOfRuns(runs) },
  });
  await gone;
  return null;
}
