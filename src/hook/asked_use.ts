import { MAIN_AGENT } from "../policy/guards/guard_policy.ts";
import type { AskedUse } from "../policy/guards/judge_use.ts";
import { gitAliasesFor } from "../policy/shell/git_verbs.ts";
import type { HookWork } from "./handler.ts";
import { folderOf, nameOf } from "./protocol.ts";

/** Reads the tool use that a gate judges; null when the event names no tool. */
export async function askedUse(
  { environment, sent, isInputCut, home, projectDir, repository }: Pick<
    HookWork,
    "environment" | "sent" | "isInputCut" | "home" | "projectDir" | "repository"
  >,
): Promise<AskedUse | null> {
  const tool = nameOf(sent["tool_name"]);
  if (tool === null) return null;
  const input = sent["tool_input"];
  return {
    environment,
    tool,
    input,
    ...(isInputCut ? { isCut: true } : {}),
    agents: agentsOf(sent),
    folder: folderOf(sent) ?? projectDir,
    projectDir,
    home,
    gitAliases: await gitAliasesFor({ tool, input, home, environment }, repository),
  };
}

/** Returns the agent's types. `--agent` gives the main thread a type too, but only subagents have an id. */
function agentsOf(sent: HookWork["sent"]): string[] {
  const type = nameOf(sent["agent_type"]) ?? "";
  if (nameOf(sent["agent_id"]) !== null) return [type];
  return type === "" ? [MAIN_AGENT] : [MAIN_AGENT, type];
}
