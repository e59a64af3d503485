/** The rules of a policy as a list for people: names, patterns, and why a rule does not match. */
import { count } from "../../base/counts.ts";
import { DANGEROUS_RULE } from "./dangerous.ts";
import { BLIND_RULE, STRICT_RULE } from "./decide.ts";
import { IGNORED_RULE, ROOT_RULE } from "./file_rules.ts";
import {
  type Actor,
  concerns,
  type FileRule,
  forbidsFor,
  type GuardPolicy,
  isAbout,
  type ToolRule,
} from "./guard_policy.ts";
import { PROTECT_RULE } from "./protected.ts";
import type { StopPolicy } from "../stops/stop_policy.ts";

export interface SingleRule {
  readonly name: string;
  readonly glob: string;
  readonly isOn: boolean;
  readonly allows: boolean;
  readonly aim: Aim;
  /** The reason where the rule is asked and neither forbids nor allows. */
  readonly otherwise: string;
}

type Aim = Pick<ToolRule, "tool" | "toolPattern" | "agent" | "about">;

const EVERYTHING: Aim = { tool: "*", toolPattern: null, agent: null, about: "file" };

/** Every rule that a policy has or could switch on, in the order in which they are tried. */
export function rulesOf(policy: GuardPolicy): SingleRule[] {
  const single = (name: string, isOn: boolean, otherwise: string): SingleRule => ({
    name,
    glob: "",
    isOn,
    allows: false,
    aim: EVERYTHING,
    otherwise,
  });
  const aboutFiles = ({ name, glob, agent }: FileRule, verb: string): SingleRule => ({
    ...single(name, true, `${glob} matches nothing that it ${verb}`),
    glob,
    aim: { ...EVERYTHING, agent },
  });
  const { isStrict } = policy;
  return [
    single(BLIND_RULE, policy.whenBlind !== "allow", "what it has to know can be read"),
    single(
      STRICT_RULE,
      isStrict,
      "what it does is known before it runs",
    ),
    ...policy.tools.map((rule): SingleRule => {
      const { name, glob, about, action } = rule;
      const otherwise = about === "command"
        ? `${glob} matches none of its commands, or a rule before it has decided`
        : `${glob} matches none of its files`;
      return { ...single(name, true, otherwise), glob, allows: action === "allow", aim: rule };
    }),
    single(
      DANGEROUS_RULE,
      policy.deniesDangerous,
      "none of its commands is known as dangerous",
    ),
    single(PROTECT_RULE, policy.protectsItself, "it changes nothing that belongs to the guards"),
    single(IGNORED_RULE, policy.protectsIgnored, "git ignores nothing that it changes"),
    single(
      ROOT_RULE,
      policy.preventsRootAdditions,
      policy.root === null
        ? "there is no configuration file of the project"
        : "it adds nothing directly to the project's folder, or git ignores that",
    ),
    single(
      "preToolUse.preventGeneratedFileEdits",
      policy.protectsGenerated,
      "nothing that it changes says it is generated",
    ),
    ...policy.uneditable.map((rule) => aboutFiles(rule, "changes")),
    ...policy.noAdditions.map((rule) => aboutFiles(rule, "makes")),
  ];
}

/** Why a rule is not for this tool or this agent; null when it is. */
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

/** What holds a stop back, by name and in a few words. */
export function stopRulesOf(
  policy: StopPolicy,
): { readonly name: string; readonly glob: string }[] {
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
