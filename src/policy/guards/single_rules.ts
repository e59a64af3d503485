/** Lists the rules of a policy for people: names, patterns, and why a rule does not match. */
import { count } from "../../base/counts.ts";
import {
  type Actor,
  concerns,
  type FileRule,
  forbidsFor,
  type GuardPolicy,
  isAbout,
  type ToolRule,
} from "./guard_policy.ts";
import type { StopPolicy } from "../stops/stop_blocks.ts";
import {
  BLIND_RULE,
  DANGEROUS_RULE,
  GENERATED_RULE,
  IGNORED_RULE,
  PROTECT_RULE,
  ROOT_RULE,
  STRICT_RULE,
  TREES_RULE,
  UNCOMMITTED_RULE,
} from "./rule_names.ts";

export interface SingleRule {
  readonly name: string;
  readonly glob: string;
  readonly isOn: boolean;
  readonly allows: boolean;
  readonly aim: Aim;
  /** Why the rule applies to the tool and agent but neither forbids nor allows. */
  readonly otherwise: string;
}

type Aim = Pick<ToolRule, "tool" | "toolPattern" | "agent" | "about">;

const EVERYTHING: Aim = { tool: "*", toolPattern: null, agent: null, about: "file" };

/** Rules that a policy switches on or off, each with the reason why it does not forbid. */
const SWITCHED = [
  [DANGEROUS_RULE, "deniesDangerous", "none of its commands is known as dangerous"],
  [UNCOMMITTED_RULE, "protectsUncommitted", "it throws away nothing that git knows of"],
  [TREES_RULE, "protectsOtherTrees", "it changes no other working tree"],
  [PROTECT_RULE, "protectsItself", "it changes nothing that belongs to the guards"],
  [IGNORED_RULE, "protectsIgnored", "git ignores nothing that it changes"],
  [
    ROOT_RULE,
    "preventsRootAdditions",
    "it adds nothing directly to the project's folder, or git ignores that",
  ],
  [GENERATED_RULE, "protectsGenerated", "nothing that it changes says it is generated"],
] as const;

/** Lists every rule that a policy has or could switch on, in the order in which they are tried. */
export function rulesOf(policy: GuardPolicy): SingleRule[] {
  const { isStrict, whenBlind, tools, uneditable, noAdditions } = policy;
  const single = (name: string, otherwise: string, more: Partial<SingleRule> = {}): SingleRule => ({
    ...{ name, glob: "", isOn: true, allows: false, aim: EVERYTHING, otherwise },
    ...more,
  });
  const aboutFiles = ({ name, glob, agent }: FileRule, verb: string) =>
    single(name, `${glob} matches nothing that it ${verb}`, {
      glob,
      aim: { ...EVERYTHING, agent },
    });
  return [
    single(BLIND_RULE, "what it has to know can be read", { isOn: whenBlind !== "allow" }),
    single(STRICT_RULE, "what it does is known before it runs", { isOn: isStrict }),
    ...tools.map((rule) => {
      const { name, glob, about, action } = rule;
      const otherwise = about === "command"
        ? "none of its commands, or a rule before it has decided"
        : "none of its files";
      return single(name, `${glob} matches ${otherwise}`, {
        ...{ glob, allows: action === "allow", aim: rule },
      });
    }),
    ...SWITCHED.map(([name, key, otherwise]) => single(name, otherwise, { isOn: policy[key] })),
    ...uneditable.map((rule) => aboutFiles(rule, "changes")),
    ...noAdditions.map((rule) => aboutFiles(rule, "makes")),
  ];
}

/** Says why a rule does not apply to this tool or this agent; null when it does. */
export function whyAside(
  { aim, allows, glob }: SingleRule,
  use: Actor & { readonly tool: string },
): string | null {
  const isMeant = allows || aim.about === "command"
    ? isAbout(aim, use.tool)
    : forbidsFor({ ...aim, glob }, use.tool);
  if (!isMeant) return `it is about the tool ${aim.tool}`;
  return concerns(aim, use) ? null : "it is for another agent";
}

/** Lists the rules that hold back a stop, by name and in a few words. */
export function stopRulesOf(
  policy: StopPolicy | null,
): { readonly name: string; readonly glob: string }[] {
  if (policy === null) return [];
  const { commands, rounds, infiniteMessage, queue } = policy;
  const named = (name: string, glob: string) => ({ name, glob });
  return [
    ...(queue === null
      ? []
      : [named("stop.promptPrefixBlocking", count(queue.messages.length, "message"))]),
    ...commands.map(({ rule, lines }) => named(rule, lines.join("; "))),
    ...(rounds === null ? [] : [named("stop.rounds", String(rounds))]),
    ...(infiniteMessage === null ? [] : [named("stop.infinite", infiniteMessage)]),
  ];
}
