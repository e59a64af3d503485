/** The policies in the sections of a configuration. */
import { parseOnce } from "../base/parse_once.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { type GuardPolicy, guardPolicyIn } from "./guards/guard_policy.ts";
import type { PromptPolicy, SubagentPolicy } from "./prompts/prompt_commands.ts";
import { type RequirementPolicy, requirementPolicyIn } from "./requirements/requirement_policy.ts";
import type { StopPolicy } from "./stops/stop_policy.ts";

/** Each is null where the configuration has none. */
export interface Policies {
  readonly guards: GuardPolicy | null;
  readonly requirements: RequirementPolicy | null;
  readonly stop: StopPolicy | null;
  readonly subagentStop: SubagentPolicy | null;
  readonly prompts: PromptPolicy | null;
}

const stopPolicyIn = parseOnce<StopPolicy>();
const subagentPolicyIn = parseOnce<SubagentPolicy>();
const promptPolicyIn = parseOnce<PromptPolicy>();

export function policiesIn(
  { guards, requirements, stop, subagentStop, prompts }: Pick<HookConfig, keyof Policies>,
): Policies {
  return {
    guards: read(guards, guardPolicyIn),
    requirements: read(requirements, requirementPolicyIn),
    stop: read(stop, stopPolicyIn),
    subagentStop: read(subagentStop, subagentPolicyIn),
    prompts: read(prompts, promptPolicyIn),
  };
}

function read<Policy>(section: string, parse: (section: string) => Policy): Policy | null {
  return section === "" ? null : parse(section);
}
