/** Lists the rules of a policy for people: names, patterns, and what each says of a tool use. */
import { count } from "../../base/counts.ts";
import {
  type Actor,
  BLIND_RULE,
  concerns,
  DANGEROUS_RULE,
  forbidsFor,
  GENERATED_RULE,
  type GuardPolicy,
  IGNORED_RULE,
  isAbout,
  isForTool,
  namesTools,
  PROTECT_RULE,
  ROOT_RULE,
  type Rule,
  STRICT_RULE,
  TREES_RULE,
  UNCOMMITTED_RULE,
  type Verdict,
} from "./guard_policy.ts";
import type { StopPolicy } from "../stops/stop_blocks.ts";

interface SingleRule {
  readonly name: string;
  readonly glob: string;
  readonly isOn: boolean;
  /** Why the rule applies to the tool and agent but neither forbids nor allows. */
  readonly otherwise: string;
  /** Absent for a rule that a policy switches on or off. */
  readonly listed?: Rule;
}

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

const UNMATCHED: Readonly<Record<Rule["about"], string>> = {
  command: "none of its commands, or a rule before it has decided",
  file: "none of its files",
  change: "nothing that it changes",
  addition: "nothing that it makes",
};

/** Lists every rule that a policy has or could switch on. */
export function rulesOf(policy: GuardPolicy): SingleRule[] {
  const single = (name: string, isOn: boolean, otherwise: string) => {
    return { name, glob: "", isOn, otherwise };
  };
  const listed = (namingTools: boolean): SingleRule[] =>
    policy.rules.filter((rule) => namesTools(rule) === namingTools).map((rule) => {
      const { name, glob, about } = rule;
      const otherwise = `${glob} matches ${UNMATCHED[about]}`;
      return { name, glob, isOn: true, otherwise, listed: rule };
    });
  return [
    single(BLIND_RULE, policy.whenBlind !== "allow", "what it has to know can be read"),
    single(STRICT_RULE, policy.isStrict, "what it does is known before it runs"),
    ...listed(true),
    ...SWITCHED.map(([name, key, otherwise]) => single(name, policy[key], otherwise)),
    ...listed(false),
  ];
}

/** What a rule says of a tool use. */
export interface Saying {
  readonly rule: string;
  readonly glob: string;
  readonly says: "forbids" | "allows" | "cannot tell" | "does not match" | "not asked";
  readonly why: string;
}

type Use = Actor & { readonly tool: string };

/** Tells what every rule says of a tool use that was judged. */
export function sayingsOf(policy: GuardPolicy, { blocks, doubts }: Verdict, use: Use): Saying[] {
  const rules = rulesOf(policy);
  const blockBy = (name: string) => blocks.find(({ rule }) => rule === name);
  // When no allowing rule matches, the first of these rules forbids.
  const noneAllows = rules.some(({ listed, name }) =>
    listed?.action === "allow" && blockBy(name) !== undefined
  );
  return rules.map(({ name, glob, isOn, otherwise, listed }): Saying => {
    const saying = (says: Saying["says"], why: string) => ({ rule: name, glob, says, why });
    if (!isOn) return saying("not asked", "it is switched off");
    const block = blockBy(name);
    if (block !== undefined) return saying("forbids", block.reason);
    const aside = listed === undefined ? null : whyAside(listed, use);
    if (aside !== null) return saying("does not match", aside);
    if (listed?.action === "allow") {
      return noneAllows
        ? saying("does not match", otherwise)
        : saying("allows", `${glob} matches, or another rule that allows`);
    }
    const doubt = doubts.find((one) =>
      listed?.about === "command" ? one.includes(name) : !one.includes("preToolUse.")
    );
    return doubt === undefined ? saying("does not match", otherwise) : saying("cannot tell", doubt);
  });
}

/** Says why a rule does not apply to this tool or this agent; null when it does. */
function whyAside(rule: Rule, use: Use): string | null {
  const applies = rule.action === "allow" || rule.about === "command" ? isAbout : forbidsFor;
  if (!applies(rule, use.tool)) return `it is about the tool ${rule.tool}`;
  return concerns(rule, use) ? null : "it is for another agent";
}

/** Tells what each rule about permissions says of a tool. The first one that is for the tool decides. */
export function permissionSayings({ permission }: GuardPolicy, tool: string): Saying[] {
  const decisive = permission.find((one) => isForTool(one, tool));
  return permission.map((one): Saying => {
    const { rule, glob } = one;
    if (!isForTool(one, tool)) {
      return { rule, glob, says: "does not match", why: `${glob} does not match the tool` };
    }
    if (one !== decisive) {
      return { rule, glob, says: "not asked", why: "a rule before it has decided" };
    }
    const why = glob === "" ? "no rule before it matches" : `${glob} matches the tool`;
    return { rule, glob, says: one.answer === "deny" ? "forbids" : "allows", why };
  });
}

/** Lists the rules that hold back a stop, by name and in a few words. */
export function stopRulesOf(
  policy: StopPolicy | null,
): { readonly name: string; readonly glob: string }[] {
  if (policy === null) return [];
  const { commands, rounds, infiniteMessage, queue } = policy;
  const rules: readonly (readonly [name: string, glob: string | null])[] = [
    ["stop.promptPrefixBlocking", queue && count(queue.messages.length, "message")],
    ...commands.map(({ rule, lines }) => [rule, lines.join("; ")] as const),
    ["stop.rounds", rounds === null ? null : String(rounds)],
    ["stop.infinite", infiniteMessage],
  ];
  return rules.flatMap(([name, glob]) => glob === null ? [] : [{ name, glob }]);
}
