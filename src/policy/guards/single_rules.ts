/** The rules of a policy one by one: each can be asked by itself, and why it does not match. */
import { count } from "../../base/counts.ts";
import { DANGEROUS_RULE } from "./dangerous.ts";
import { STRICT_RULE } from "./decide.ts";
import { IGNORED_RULE, ROOT_RULE } from "./file_rules.ts";
import {
  type Actor,
  concerns,
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
  /** A policy with this rule alone, which denies what the rule matches, also where the rule allows. */
  readonly alone: GuardPolicy;
  readonly allows: boolean;
  readonly aim: Aim;
  /** Policies that deny more and more: the first one that denies a tool use tells why the rule does not match it. */
  readonly wider: readonly { readonly policy: GuardPolicy; readonly why: string }[];
  /** The reason where even the widest policy does not match. */
  readonly otherwise: string;
}

type Aim = Pick<ToolRule, "tool" | "toolPattern" | "agent" | "about">;

/** A wider policy, and why the rule does not match when this one does. */
type Wider = readonly [policy: Partial<GuardPolicy>, why: string];

const EVERYTHING: Aim = { tool: "*", toolPattern: null, agent: null, about: "file" };
const ANYTHING = { name: "", glob: "**", pattern: "", needle: "", message: null, agent: null };
const EVERY_FILE: Partial<GuardPolicy> = { uneditable: [ANYTHING] };
const EVERY_COMMAND: Partial<GuardPolicy> = {
  tools: [{ ...ANYTHING, ...EVERYTHING, action: "block", about: "command", isPrefix: false }],
};

const NO_FILE = "it changes no file";
const NO_COMMAND = "it runs no shell command";
const NOT_NEW: Wider = [EVERY_FILE, "what it changes is there already"];

/** Every rule that a policy has or could switch on, in the order in which they are tried. */
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
  const single = (
    name: string,
    alone: Partial<GuardPolicy>,
    { wider = [], ...about }: {
      readonly isOn?: boolean;
      readonly glob?: string;
      readonly allows?: boolean;
      readonly aim?: Aim;
      readonly wider?: readonly Wider[];
      readonly otherwise: string;
    },
  ): SingleRule => ({
    name,
    glob: "",
    isOn: true,
    allows: false,
    aim: EVERYTHING,
    ...about,
    alone: { ...none, ...alone },
    wider: wider.map(([more, why]) => ({ policy: { ...none, ...more }, why })),
  });
  return [
    single(STRICT_RULE, { lock: policy.lock }, {
      isOn: policy.isStrict || policy.lock !== null,
      otherwise: policy.lock === null ? "what it does is known before it runs" : "it only looks",
    }),
    ...policy.tools.map((rule) =>
      single(rule.name, { tools: [{ ...rule, action: "block" }] }, {
        glob: rule.glob,
        allows: rule.action === "allow",
        aim: rule,
        ...(rule.about === "command"
          ? {
            wider: [[EVERY_COMMAND, `${rule.glob} matches none of its commands`]],
            otherwise: NO_COMMAND,
          }
          : { otherwise: `${rule.glob} matches none of its files` }),
      })
    ),
    single(DANGEROUS_RULE, { deniesDangerous: true }, {
      isOn: policy.deniesDangerous,
      wider: [[EVERY_COMMAND, "none of its commands is known as dangerous"]],
      otherwise: NO_COMMAND,
    }),
    single(PROTECT_RULE, { protectsItself: true }, {
      isOn: policy.protectsItself,
      wider: [
        [EVERY_FILE, "it changes nothing that belongs to the guards"],
        [EVERY_COMMAND, "none of its commands is a person's"],
      ],
      otherwise: NO_FILE,
    }),
    single(IGNORED_RULE, { protectsIgnored: true }, {
      isOn: policy.protectsIgnored,
      wider: [[EVERY_FILE, "git ignores nothing that it changes"]],
      otherwise: NO_FILE,
    }),
    single(ROOT_RULE, { preventsRootAdditions: true }, {
      isOn: policy.preventsRootAdditions,
      wider: [
        [
          { noAdditions: [ANYTHING] },
          policy.root === null
            ? "there is no configuration file of the project"
            : "what it makes is not directly in the project's folder, or git ignores it",
        ],
        NOT_NEW,
      ],
      otherwise: NO_FILE,
    }),
    single("preToolUse.preventGeneratedFileEdits", { protectsGenerated: true }, {
      isOn: policy.protectsGenerated,
      wider: [[EVERY_FILE, "nothing that it changes says it is generated"]],
      otherwise: NO_FILE,
    }),
    ...policy.uneditable.map((rule) =>
      single(rule.name, { uneditable: [rule] }, {
        glob: rule.glob,
        aim: { ...EVERYTHING, agent: rule.agent },
        wider: [[EVERY_FILE, `${rule.glob} matches nothing that it changes`]],
        otherwise: NO_FILE,
      })
    ),
    ...policy.noAdditions.map((rule) =>
      single(rule.name, { noAdditions: [rule] }, {
        glob: rule.glob,
        aim: { ...EVERYTHING, agent: rule.agent },
        wider: [
          [{ noAdditions: [ANYTHING] }, `${rule.glob} matches nothing that it makes`],
          NOT_NEW,
        ],
        otherwise: NO_FILE,
      })
    ),
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
