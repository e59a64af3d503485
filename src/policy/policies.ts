import type { HookConfig } from "../config/hook_config.ts";
import { guardPolicyIn } from "./guards/guard_policy.ts";
import type { PromptPolicy, SubagentPolicy } from "./prompts/prompt_commands.ts";
import { requirementPolicyIn } from "./requirements/requirement_policy.ts";
import type { StopPolicy } from "./stops/stop_blocks.ts";

export type Policies = ReturnType<typeof policiesIn>;

/** Parses the policies in the sections of a configuration; null for each section without rules. */
export function policiesIn(
  config: Pick<HookConfig, "guards" | "requirements" | "stop" | "subagentStop" | "prompts">,
) {
  return {
    guards: config.guards === "" ? null : guardPolicyIn(config.guards),
    requirements: config.requirements === "" ? null : requirementPolicyIn(config.requirements),
    stop: policyIn<StopPolicy>(config.stop),
    subagentStop: policyIn<SubagentPolicy>(config.subagentStop),
    prompts: policyIn<PromptPolicy>(config.prompts),
  };
}

function policyIn<Policy>(section: string): Policy | null {
  return section === "" ? null : JSON.parse(section);
}
