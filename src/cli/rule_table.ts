/** What every rule says of a tool use, for people: one row a rule, and why. */
import { type AskedUse, judgeUse } from "../gate/judge.ts";
import type { OwnPlaces } from "../gate/own_files.ts";
import { rulesOf, type SingleRule } from "../guard/explain.ts";
import type { GuardPolicy, PermissionPolicy, Verdict } from "../guard/policy.ts";
import { tableText } from "./table.ts";

/** What one rule says. */
export interface Saying {
  readonly rule: string;
  readonly glob: string;
  readonly says: "forbids" | "allows" | "cannot tell" | "does not match";
  readonly why: string;
}

/** What all rules say together, and each by itself. */
export interface Explanation {
  readonly verdict: Verdict;
  readonly sayings: readonly Saying[];
}

/** Asks all rules, and then each alone. */
export async function explainRules(
  policy: GuardPolicy,
  use: AskedUse,
  places: OwnPlaces,
): Promise<Explanation> {
  const verdict = await judgeUse(policy, use, places);
  const sayings: Saying[] = [];
  for (const rule of rulesOf(policy)) {
    sayings.push(sayingOf(rule, await judgeUse(rule.alone, use, places)));
  }
  return { verdict, sayings };
}

/** What the rules about permissions say of a tool, in the order in which they are asked. */
export function explainPermission(
  { deny, allow, fallback }: PermissionPolicy,
  tool: string,
): Saying[] {
  const listed = (
    key: "deny" | "allow",
    rules: PermissionPolicy["deny"],
    says: "forbids" | "allows",
  ) =>
    rules.map(({ glob, pattern }, i): Saying => ({
      rule: `permissionRequest.${key}[${i}]`,
      glob,
      says: new RegExp(pattern, "s").test(tool) ? says : "does not match",
      why: "",
    }));
  return [
    ...listed("deny", deny, "forbids"),
    ...listed("allow", allow, "allows"),
    ...(fallback === null ? [] : [
      {
        rule: "permissionRequest.default",
        glob: "",
        says: fallback === "deny" ? "forbids" : "allows",
        why: "where no rule before it matches",
      } as const,
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
    { title: "WHY", value: ({ why, glob }) => why || glob },
  ], { empty: "No rules.", color: options.color });
  const unsure = verdict.doubts.map((doubt) => `  not known before it runs: ${doubt}`);
  return [...unsure, "", table].join("\n");
}

function sayingOf({ name, glob }: SingleRule, { blocks, doubts }: Verdict): Saying {
  const [block] = blocks;
  if (block !== undefined) return { rule: name, glob, says: "forbids", why: block.reason };
  // A doubt that every rule has is told once, above.
  const own = doubts.find((doubt) => doubt.includes("[0]"));
  return own === undefined
    ? { rule: name, glob, says: "does not match", why: "" }
    : { rule: name, glob, says: "cannot tell", why: own.replace(/preToolUse\.\w+\[0\]/, name) };
}
