/** What a plan tells, and what a person answers to a question: decisions. */
import { LETTER_OR_DIGIT, occursIn } from "../../letters.ts";
import type { Observed, ToolUse } from "../observation.ts";
import { shortened, textIn, titleLine } from "../text.ts";
import { said } from "./said.ts";

/** What stands before the name of a plan, and what any plan might begin with. */
const PLAN_MARK =
  /^(?:(?:the|my|our|an?|implementation|proposed|detailed|final|updated) )*plan *[:–—-] +/i;
const ANY_PLAN =
  /^(?:(?:okay|ok|sure|great|alright)[,.!:]? *)?(?:(?:here(?:'s|’s| is)|this is|below is) (?:the|my|our|an?) (?:[\w-]+ ){0,3}plan\b.{0,40}|(?:(?:the|my|our|an?|implementation|proposed|detailed|final|updated|project) )*plan|context|overview|background|summary|goals?|objectives?|introduction|problem(?: statement)?|approach|steps?|tasks?|proposal|analysis|motivation|changes|current (?:state|situation)|requirements|scope|to-?do|(?:step|phase|part) \d+|next steps)[.:]*$/i;
const MAX_PLAN_LINES = 40;

/** A plan that was shown to the person. */
export function observePlan({ payload, outcome }: ToolUse): Observed | null {
  const plan = textIn(payload["tool_input"], "plan") || textIn(payload["tool_response"], "plan");
  const found = said("decision", plan.trim());
  if (found === null) return null;
  const what = outcome === "failure" ? "Plan refused" : "Plan";
  return { ...found, outcome, title: titleLine(`${what}: ${planTitle(plan)}`) };
}

/** The first line of a plan that tells what it is about; where none does, the first. */
function planTitle(plan: string): string {
  const lines = plan.split("\n", MAX_PLAN_LINES)
    .map((line) => titleLine(line).replaceAll("**", "").replace(PLAN_MARK, "").trim())
    .filter((line) => occursIn(LETTER_OR_DIGIT, line));
  return lines.find((line) => !ANY_PLAN.test(line)) ?? lines[0] ?? "";
}

/** Questions to the person, with the answers. */
export function observeQuestion({ payload }: ToolUse): Observed | null {
  const asked: unknown = Object(payload["tool_input"]).questions;
  const questions = Array.isArray(asked) ? asked.map((one) => textIn(one, "question")) : [];
  const answers = Object.entries(Object(Object(payload["tool_response"]).answers));
  const lines = answers.length > 0
    ? answers.map(([question, answer]) => `${question}\n→ ${String(answer)}`)
    : [...questions, textIn(payload, "tool_response")];
  const found = said("decision", lines.filter((line) => line !== "").join("\n"));
  const [first] = answers;
  return found === null || first === undefined ? found : {
    ...found,
    title: titleLine(`${shortened(first[0], 90)} → ${String(first[1])}`),
  };
}
