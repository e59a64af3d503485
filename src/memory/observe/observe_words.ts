/** Observes prompts, messages, plans, questions and compactions, and the notices that Claude Code sends as prompts. */
import FORMS from "./rule_forms.json" with { type: "json" };
import { makeObserved, type ObservationKind, type Observed, type ToolUse } from "./observation.ts";
import { bareSummary, COMPACTION, isContinuation } from "../../claude/transcript/spoken.ts";
import { headAndTail, KEPT_ANSWER, shortened, textIn, titleLine } from "../text.ts";
import { errorInWords } from "../tell/ended_session.ts";
import { LETTER_OR_DIGIT, occursIn } from "../../base/letters.ts";
import { digestOf } from "../../base/fnv.ts";

/**
 * Observes a prompt, with its standing rules, each as a decision. Prompts that Claude Code itself sends
 * (`<task-notification>`) become messages, or failures.
 */
export function observePrompt({ payload }: ToolUse): Observed | null {
  const prompt = textIn(payload, "prompt").trim();
  const notification = readNotification(prompt);
  if (notification !== null) return observeNotification(notification);
  if (/^<[a-z-]+>/.test(prompt) || isContinuation(prompt)) {
    const message = observeText("message", prompt);
    return message && { ...message, facts: { isRelayed: true } };
  }
  const rules = standingRules(prompt).flatMap((rule) => observeText("decision", rule) ?? []);
  const besides = chainObservations(rules);
  const observed = observeText("prompt", prompt);
  return observed && besides ? { ...observed, besides } : observed;
}

/** Claude Code's notice that a background command or agent has ended. */
export interface TaskNotification {
  /** The tool use that started the command or agent; null when the notice does not name it. */
  readonly toolUseId: string | null;
  /** How the task ended; null when it was stopped, or the notice does not tell. */
  readonly outcome: "success" | "failure" | null;
  readonly exitCode: number | null;
  /** What happened, in one sentence: `Background command "Build" failed with exit code 2`. */
  readonly summary: string;
  /** The result, such as an agent's last words; empty when there is none. */
  readonly result: string;
}

const TAG = "task-notification";
const MARK = `<${TAG}>`;
const EXIT_CODE = /\bexit code (\d+)\b/;

/** Reads a notice from a prompt; null for any other prompt. */
export function readNotification(prompt: string): TaskNotification | null {
  if (!prompt.startsWith(MARK)) return null;
  const summary = inTag(prompt, "summary") ?? inTag(prompt, TAG) ?? prompt;
  const [, code] = EXIT_CODE.exec(summary) ?? EXIT_CODE.exec(prompt) ?? [];
  const exitCode = code === undefined ? null : Number(code);
  const status = inTag(prompt, "status");
  const hasFailed = status === "failed" || status === "completed" && (exitCode ?? 0) !== 0;
  const hasPassed = status === "completed" && exitCode === 0;
  return {
    toolUseId: inTag(prompt, "tool-use-id"),
    outcome: hasFailed ? "failure" : hasPassed ? "success" : null,
    exitCode,
    summary,
    result: inTag(prompt, "result") ?? "",
  };
}

/** Observes a notice whose command is unknown. Its failure is not an open end, since no command could mend it. */
export function observeNotification({ outcome, summary, result }: TaskNotification): Observed {
  const text = headAndTail(result === "" ? summary : `${summary}\n${result}`, KEPT_ANSWER);
  if (outcome !== "failure") {
    return makeObserved("message", summary, { text, facts: { isRelayed: true } });
  }
  const facts = { tool: "Task", error: titleLine(summary) };
  return makeObserved("failure", summary, { outcome, text, facts });
}

function inTag(text: string, tag: string): string | null {
  const from = text.indexOf(`<${tag}>`);
  const end = from < 0 ? -1 : text.indexOf(`</${tag}>`, from);
  const inside = end < 0 ? "" : text.slice(from + tag.length + 2, end).trim();
  return inside === "" ? null : inside;
}

/** Joins observations of one capture: the first one holds the others in `besides`; null for an empty list. */
export function chainObservations(observed: readonly Observed[]): Observed | null {
  return observed.reduceRight<Observed | null>(
    (later, one) => later === null ? one : { ...one, besides: later },
    null,
  );
}

interface RuleForm {
  readonly name: string;
  readonly pattern: RegExp;
  readonly example: string;
  /** A sentence that begins like a rule and is not one. */
  readonly counterexample: string;
}

/** The beginnings of rules. The rest of a rule is quoted, but not interpreted. */
export const RULE_FORMS: readonly RuleForm[] = FORMS.map((form) => ({
  ...form,
  pattern: new RegExp(form.pattern, "i"),
}));

/** How many characters of a prompt are searched. The rest is probably pasted. */
const MAX_LOOKED_AT = 4_000;
const MAX_RULES = 3;
const MIN_WORDS = 3;
const MAX_CHARS = 240;
/** Matches code blocks and quoted lines, which are not the person's own words. */
const NOT_OWN = /^ *```[\s\S]*?(?:^ *```|(?![\s\S]))|^ *>.*$/gm;
const SENTENCE_END = /(?<=[.!?]["”»]?)\s+|\n+/;
/** Matches what may stand before a rule: a mark of a list, and `please`. */
const BEFORE = /^(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:please,?\s+)?/i;

/** Quotes the rules in a prompt, at most three. A question is not a rule. */
export function standingRules(prompt: string): string[] {
  const sentences = prompt.slice(0, MAX_LOOKED_AT).replace(NOT_OWN, "\n").split(SENTENCE_END);
  const rules = sentences.map((sentence) => sentence.trim().replace(BEFORE, "")).filter(isRule);
  return [...new Set(rules)].slice(0, MAX_RULES).map((rule) => shortened(rule, MAX_CHARS));
}

function isRule(sentence: string): boolean {
  return !/[?:]$/.test(sentence) && sentence.split(/\s+/).length >= MIN_WORDS &&
    RULE_FORMS.some(({ pattern }) => pattern.test(sentence));
}

export function observeMessage({ payload }: ToolUse): Observed | null {
  return observeText("message", textIn(payload, "last_assistant_message").trim());
}

/** Observes an error of the API that ended a turn. */
export function observeStopFailure({ payload }: ToolUse): Observed {
  const stopped = textIn(payload, "error").trim();
  const what = errorInWords(stopped);
  const said = [textIn(payload, "last_assistant_message"), textIn(payload, "error_details")]
    .map((part) => part.trim()).filter(Boolean).join("\n");
  const title = said === "" ? `Cut off (${what})` : `Cut off (${what}): ${titleLine(said)}`;
  return makeObserved("message", title, {
    outcome: "failure",
    text: headAndTail(said || what, KEPT_WORDS),
    facts: { stopped },
    sameAs: `stop failure ${stopped} message ${digestOf(said || what)}`,
  });
}

/** Observes the summary of a compaction, without the reasoning before the summary. */
export function observeCompaction({ payload }: ToolUse): Observed | null {
  const found = observeText("message", bareSummary(textIn(payload, "compact_summary")).trim());
  return found && { ...found, title: titleLine(`${COMPACTION}${found.title}`) };
}

/** Matches words before the name of a plan. `ANY_PLAN` matches first lines that any plan could have. */
const PLAN_MARK =
  /^(?:(?:the|my|our|an?|implementation|proposed|detailed|final|updated) )*plan *[:–—-] +/i;
const ANY_PLAN =
  /^(?:(?:okay|ok|sure|great|alright)[,.!:]? *)?(?:(?:here(?:'s|’s| is)|this is|below is) (?:the|my|our|an?) (?:[\w-]+ ){0,3}plan\b.{0,40}|(?:(?:the|my|our|an?|implementation|proposed|detailed|final|updated|project) )*plan|context|overview|background|summary|goals?|objectives?|introduction|problem(?: statement)?|approach|steps?|tasks?|proposal|analysis|motivation|changes|current (?:state|situation)|requirements|scope|to-?do|(?:step|phase|part) \d+|next steps)[.:]*$/i;
const MAX_PLAN_LINES = 40;

/** Observes a plan that was shown to the person. */
export function observePlan({ payload, outcome }: ToolUse): Observed | null {
  const plan = textIn(payload["tool_input"], "plan") || textIn(payload["tool_response"], "plan");
  const found = observeText("decision", plan.trim());
  const what = outcome === "failure" ? "Plan refused" : "Plan";
  return found && { ...found, outcome, title: titleLine(`${what}: ${planTitle(plan)}`) };
}

/** Returns the first line of a plan that tells its subject; the first line when none does. */
function planTitle(plan: string): string {
  const lines = plan.split("\n", MAX_PLAN_LINES)
    .map((line) => titleLine(line).replaceAll("**", "").replace(PLAN_MARK, "").trim())
    .filter((line) => occursIn(LETTER_OR_DIGIT, line));
  return lines.find((line) => !ANY_PLAN.test(line)) ?? lines[0] ?? "";
}

/** Observes questions that the person was asked, with the answers. */
export function observeQuestion({ payload }: ToolUse): Observed | null {
  const sent: unknown = Object(payload["tool_input"]).questions;
  const questions = Array.isArray(sent) ? sent.map((one) => textIn(one, "question")) : [];
  const answers = Object.entries(Object(Object(payload["tool_response"]).answers));
  const lines = answers.length > 0
    ? answers.map(([question, answer]) => `${question}\n→ ${String(answer)}`)
    : [...questions, textIn(payload, "tool_response")];
  const found = observeText("decision", lines.filter(Boolean).join("\n"));
  const title = answers.map(([question, answer]) => `${shortened(question, 90)} → ${answer}`)[0];
  return found && { ...found, title: titleLine(title ?? found.title) };
}

/** How many characters of a longer text are stored. The capture holds the whole text. */
export const KEPT_WORDS = { head: 48_000, tail: 16_000 };

/** Makes an observation that holds a text; null when the text is empty. */
export function observeText(kind: ObservationKind, text: string): Observed | null {
  return text === "" ? null : makeObserved(kind, text, {
    text: headAndTail(text, KEPT_WORDS),
    sameAs: `${kind} ${digestOf(text)}`,
  });
}
