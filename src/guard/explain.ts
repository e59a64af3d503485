/** The rules of a policy one by one, so that each can be asked by itself. */
import { DANGEROUS_RULE } from "./dangerous.ts";
import { IGNORED_RULE } from "./ignored.ts";
import { LOCK_RULE } from "./lock.ts";
import type { GuardPolicy } from "./policy.ts";
import type { StopPolicy } from "./stop.ts";

/** One rule, and a policy that consists of nothing else. */
export interface SingleRule {
  /** As in the configuration: `preToolUse.uneditableFiles[0]`. */
  readonly name: string;
  /** What it says: its glob, or nothing. */
  readonly glob: string;
  readonly alone: GuardPolicy;
}

/** Every rule that a policy has, in the order in which they are asked. */
export function rulesOf(policy: GuardPolicy): SingleRule[] {
  const none: GuardPolicy = {
    ...policy,
    isStrict: false,
    lock: null,
    preventsRootAdditions: false,
    uneditable: [],
    noAdditions: [],
    protectsIgnored: false,
    protectsGenerated: false,
    tools: [],
    deniesDangerous: false,
    protectsItself: false,
  };
  const listed = <Rule extends { readonly glob: string }>(
    key: string,
    rules: readonly Rule[],
    alone: (rule: Rule) => Partial<GuardPolicy>,
  ): SingleRule[] =>
    rules.map((rule, i) => ({
      name: `preToolUse.${key}[${i}]`,
      glob: rule.glob,
      alone: { ...none, ...alone(rule) },
    }));
  const switched = (name: string, isOn: boolean, alone: Partial<GuardPolicy>): SingleRule[] =>
    isOn ? [{ name, glob: "", alone: { ...none, ...alone } }] : [];
  return [
    ...switched(LOCK_RULE, policy.lock !== null, { lock: policy.lock }),
    ...listed("toolUsageValidation", policy.tools, (rule) => ({ tools: [rule] })),
    ...switched(DANGEROUS_RULE, policy.deniesDangerous, { deniesDangerous: true }),
    ...switched("preToolUse.protectPolicy", policy.protectsItself, { protectsItself: true }),
    ...switched(IGNORED_RULE, policy.protectsIgnored, { protectsIgnored: true }),
    ...switched("preToolUse.preventRootAdditions", policy.preventsRootAdditions, {
      preventsRootAdditions: true,
    }),
    ...switched("preToolUse.preventGeneratedFileEdits", policy.protectsGenerated, {
      protectsGenerated: true,
    }),
    ...listed("uneditableFiles", policy.uneditable, (rule) => ({ uneditable: [rule] })),
    ...listed("preventAdditions", policy.noAdditions, (rule) => ({ noAdditions: [rule] })),
  ];
}

/** What holds a stop back, by name and in a few words. */
export function stopRulesOf(
  policy: StopPolicy,
): { readonly name: string; readonly glob: string }[] {
  const { commands, rounds, infiniteMessage, queue } = policy;
  const named = (name: string, glob: string) => ({ name, glob });
  return [
    ...(queue === null
      ? []
      : [named("stop.promptPrefixBlocking", `${queue.messages.length} messages`)]),
    ...commands.map(({ rule, lines }) => named(rule, lines.join("; "))),
    ...(rounds === null ? [] : [named("stop.rounds", String(rounds))]),
    ...(infiniteMessage === null ? [] : [named("stop.infinite", infiniteMessage)]),
  ];
}
