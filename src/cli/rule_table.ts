/** What every rule says of a tool use, for people: one row a rule, and why. */
import { type AskedUse, judgeUse, unreadText } from "../gate/judge_use.ts";
import { rulesOf, type SingleRule, whyAside } from "../guard/single_rules.ts";
import { answerPermission, isForTool } from "../guard/decide.ts";
import type { OwnPlaces } from "../gate/own_files.ts";
import type { GuardPolicy, PermissionPolicy, Verdict } from "../guard/guard_policy.ts";
import { tableText } from "./table.ts";

/** What one rule says. */
export interface Saying {
  readonly rule: string;
  readonly glob: string;
  readonly says: "forbids" | "allows" | "cannot tell" | "does not match" | "not asked";
  readonly why: string;
}

/** What all rules say together, and each by itself. */
export interface Explanation {
  readonly verdict: Verdict;
  readonly sayings: readonly Saying[];
}

const DECIDED_BEFORE = "a rule before it has decided";

/** Asks all rules, and then each alone. */
export async function explainRules(
  policy: GuardPolicy,
  use: AskedUse,
  places: OwnPlaces,
): Promise<Explanation> {
  const judge = (policy: GuardPolicy) => judgeUse(policy, use, places);
  const all = await judge(policy);
  const sayings: Saying[] = [];
  for (const rule of rulesOf(policy)) sayings.push(await sayingOf(rule, { all, use, judge }));
  return { verdict: all, sayings };
}

/** What is asked about. */
interface Asked {
  readonly use: AskedUse;
  /** What all rules say together. */
  readonly all: Verdict;
  readonly judge: (policy: GuardPolicy) => Promise<Verdict>;
}

/** What one rule says, as far as it counts for what all of them say. */
async function sayingOf(rule: SingleRule, { all, use, judge }: Asked): Promise<Saying> {
  const { name, glob } = rule;
  if (!rule.isOn) return { rule: name, glob, says: "not asked", why: "it is switched off" };
  const forbidding = all.blocks.find((block) => block.rule === name);
  if (forbidding !== undefined) {
    return { rule: name, glob, says: "forbids", why: forbidding.reason };
  }
  const aside = whyAside(rule, use);
  if (aside !== null) return { rule: name, glob, says: "does not match", why: aside };
  const { blocks, doubts: [doubt] } = await judge(rule.alone);
  if (blocks.length > 0) {
    return rule.allows
      ? { rule: name, glob, says: "allows", why: `${glob} matches` }
      : { rule: name, glob, says: "not asked", why: DECIDED_BEFORE };
  }
  // What may be allowed is not allowed.
  return doubt === undefined || rule.allows
    ? { rule: name, glob, says: "does not match", why: await whyNot(rule, judge) }
    : { rule: name, glob, says: "cannot tell", why: doubt.replace(/preToolUse\.\w+\[0\]/, name) };
}

/** What it is in a rule that does not fit. */
async function whyNot({ wider, otherwise }: SingleRule, judge: Asked["judge"]): Promise<string> {
  for (const { policy, why } of wider) {
    const { blocks } = await judge(policy);
    if (blocks.length > 0) return why;
  }
  return otherwise;
}

/** What the rules about permissions say of a tool, in the order in which they are asked: the first that matches decides. */
export function explainPermission(policy: PermissionPolicy, tool: string): Saying[] {
  const answer = answerPermission(policy, tool);
  const decided = answer.kind === "deny"
    ? answer.block.rule
    : answer.kind === "allow"
    ? answer.rule
    : null;
  const row = (
    { rule, glob }: Pick<Saying, "rule" | "glob">,
    says: "forbids" | "allows",
    { matches, why }: { readonly matches: boolean; readonly why: string },
  ): Saying =>
    !matches
      ? { rule, glob, says: "does not match", why }
      : rule === decided
      ? { rule, glob, says, why }
      : { rule, glob, says: "not asked", why: DECIDED_BEFORE };
  const listed = (key: "deny" | "allow", says: "forbids" | "allows") =>
    policy[key].map((rule, i) => {
      const { glob } = rule;
      const matches = isForTool(rule, key, tool);
      const why = `${glob} ${matches ? "matches" : "does not match"} the tool`;
      return row({ rule: `permissionRequest.${key}[${i}]`, glob }, says, { matches, why });
    });
  const { fallback } = policy;
  return [
    ...listed("deny", "forbids"),
    ...listed("allow", "allows"),
    ...(fallback === null ? [] : [
      row(
        { rule: "permissionRequest.default", glob: "" },
        fallback === "deny" ? "forbids" : "allows",
        { matches: true, why: "no rule before it matches" },
      ),
    ]),
  ];
}

/** The rows as a table, and above it what cannot be known. */
export function explanationText(
  { verdict, sayings }: Explanation,
  options: { readonly color: boolean },
): string {
  const table = tableText(sayings, [
    { title: "RULE", value: ({ rule }) => rule },
    { title: "SAYS", value: ({ says }) => says },
    { title: "WHY", value: ({ why }) => why },
  ], { empty: "No rules.", color: options.color });
  const unsure = [
    ...(verdict.unread === undefined ? [] : [`  a person is asked: ${unreadText(verdict.unread)}`]),
    ...verdict.doubts.map((doubt) => `  not known before it runs: ${doubt}`),
  ];
  return [...unsure, "", table].join("\n");
}
