/** Which protections hold in a folder: what is built in, rules that are written, and whether Claude Code asks for them. */
import { count } from "../base/counts.ts";
import { unarmedText } from "../claude/settings/armed.ts";
import { DEFAULT_HOOK_CONFIG } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import type { HooksHere } from "../policy/armed_gates.ts";
import { type Policies, policiesIn } from "../policy/policies.ts";
import { rulesOf, stopRulesOf } from "../policy/guards/single_rules.ts";

/** Names of the guards that a configuration switches on. */
function guardsIn({ guards }: Policies): string[] {
  return (guards === null ? [] : rulesOf(guards)).filter(({ isOn }) => isOn).map(({ name }) =>
    name
  );
}

export function protectionsOf(config: HookConfig, { unarmed }: Pick<HooksHere, "unarmed">) {
  const policies = policiesIn(config);
  const builtIn = guardsIn(policiesIn(DEFAULT_HOOK_CONFIG));
  const guards = guardsIn(policies);
  return {
    /** Guards that are built in. */
    builtIn: builtIn.filter((name) => guards.includes(name)),
    /** Those of them that the configuration switches off. */
    switchedOff: builtIn.filter((name) => !guards.includes(name)),
    /** Rules of the project about tools and about stops. */
    guards: guards.filter((name) => !builtIn.includes(name)).length +
      stopRulesOf(policies.stop).length,
    requirements: policies.requirements?.requirements.length ?? 0,
    strict: policies.guards?.isStrict ?? false,
    /** Why Claude Code does not ask for some or all of them; empty where it asks for each. */
    unarmed: unarmed.map(unarmedText),
  };
}

/** One line of at most 80 columns. */
export function protectionsText(
  { builtIn, switchedOff, guards, requirements, strict, unarmed }: ReturnType<typeof protectionsOf>,
): string {
  const off = switchedOff.length;
  return [
    builtIn.length === 0 ? "nothing built in" : off === 0 ? BUILT_IN : `built-in (${off} off)`,
    ...guards === 0 ? [] : [count(guards, "guard")],
    ...requirements === 0 ? [] : [count(requirements, "requirement")],
    ...strict ? ["strict"] : [],
    unarmed.length === 0 ? "armed" : "NOT ARMED",
  ].join(", ");
}

const BUILT_IN = "built-in protections";
