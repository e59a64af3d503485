/** What was said, planned and decided: prompts, messages, plans, answers, lists of tasks. */
import { LETTER_OR_DIGIT, occursIn } from "../../letters.ts";
import { digestOf } from "../fnv.ts";
import type { ObservationKind, Observed, ToolUse } from "../observation.ts";
import { COMPACTION, isContinuation } from "../own_prompt.ts";
import { pathInProject } from "../paths.ts";
import { headAndTail, KEPT_ANSWER, shortened, textIn, titleLine } from "../text.ts";
import { CLEARED_LIST } from "../todos.ts";
import { chained } from "./chained.ts";
import { standingRules } from "./standing_rules.ts";
import { errorInWords } from "../session_end.ts";
import { observeNotification, readNotification } from "./task_notification.ts";

/** Longer texts keep head and tail; the whole is behind the observation. */
const KEPT = { head: 48_000, tail: 16_000 };
const MAX_OPEN = 20;
/** What stands before the name of a plan, and what any plan might begin with. */
const PLAN_MARK =
  /^(?:(?:the|my|our|an?|implementation|proposed|detailed|final|updated) )*plan *[:–—-] +/i;
const ANY_PLAN =
  /^(?:(?:okay|ok|sure|great|alright)[,.!:]? *)?(?:(?:here(?:'s|’s| is)|this is|below is) (?:the|my|our|an?) (?:[\w-]+ ){0,3}plan\b.{0,40}|(?:(?:the|my|our|an?|implementation|proposed|detailed|final|updated|project) )*plan|context|overview|background|summary|goals?|objectives?|introduction|problem(?: statement)?|approach|steps?|tasks?|proposal|analysis|motivation|changes|current (?:state|situation)|requirements|scope|to-?do|(?:step|phase|part) \d+|next steps)[.:]*$/i;
const MAX_PLAN_LINES = 40;

/** A prompt; what Claude Code itself sends in a person's place (`<task-notification>`) is none. */
export function observePrompt({ payload }: ToolUse): Observed | null {
  const prompt = textIn(payload, "prompt").trim();
  const notification = readNotification(prompt);
  if (notification !== null) return observeNotification(notification);
  return /^<[a-z-]+>/.test(prompt) || isContinuation(prompt)
    ? relayed(said("message", prompt))
    : withRules(said("prompt", prompt), prompt);
}

function relayed(message: Observed | null): Observed | null {
  return message === null ? null : { ...message, facts: { isRelayed: true } };
}

/** A prompt with the rules in it, each as a decision that outlasts it. */
function withRules(told: Observed | null, prompt: string): Observed | null {
  if (told === null) return null;
  const besides = chained(
    standingRules(prompt).map((rule) => said("decision", rule)).filter((rule) => rule !== null),
  );
  return besides === null ? told : { ...told, besides };
}

/** What Claude said last in a turn. */
export function observeMessage({ payload }: ToolUse): Observed | null {
  return said("message", textIn(payload, "last_assistant_message").trim());
}

/** An error of the API that ended a turn. */
export function observeStopFailure({ payload }: ToolUse): Observed | null {
  const stopped = textIn(payload, "error").trim();
  const parts = [textIn(payload, "last_assistant_message"), textIn(payload, "error_details")]
    .map((part) => part.trim()).filter((part) => part !== "");
  const what = errorInWords(stopped);
  const found = said("message", parts.join("\n") || what);
  if (found === null) return null;
  const title = titleLine(`Cut off (${what})${parts.length === 0 ? "" : `: ${found.title}`}`);
  const sameAs = `stop failure ${stopped} ${found.sameAs}`;
  return { ...found, outcome: "failure", title, facts: { stopped }, sameAs };
}

/** What a compaction kept of a session: the summary, without the thoughts before it. */
export function observeCompaction({ payload }: ToolUse): Observed | null {
  const whole = textIn(payload, "compact_summary");
  const [, summary = whole] = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(whole) ?? [];
  const found = said("message", summary.trim());
  return found === null ? null : { ...found, title: titleLine(`${COMPACTION}${found.title}`) };
}

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

/** TodoWrite: the whole list; a later one takes the place of an earlier one. */
export function observeTodos({ payload }: ToolUse): Observed | null {
  const todos: unknown = Object(payload["tool_input"]).todos;
  if (!Array.isArray(todos)) return null;
  // A sub-agent has a list of its own, and what is left on it is not left by the session.
  const agent = textIn(payload, "agent_id");
  if (todos.length === 0) return agent === "" ? clearedList() : null;
  const items = todos.map((todo) => ({
    text: oneLine(textIn(todo, "content") || textIn(todo, "subject")),
    isDone: textIn(todo, "status") === "completed",
  })).filter(({ text }) => text !== "");
  const open = items.filter(({ isDone }) => !isDone).map(({ text }) => shortened(text, 120));
  return {
    kind: "task",
    outcome: null,
    title: `Tasks${agent === "" ? "" : " of a sub-agent"}: ${
      items.length - open.length
    } of ${items.length} done`,
    text: items.map(({ text, isDone }) => `${isDone ? "[x]" : "[ ]"} ${text}`).join("\n"),
    files: [],
    facts: agent === "" ? { open: open.slice(0, MAX_OPEN) } : {},
    sameAs: agent === "" ? "todos" : `todos ${agent}`,
    mends: null,
  };
}

/** The list itself stays, with what was done of it. */
function clearedList(): Observed {
  return { ...taskOf(CLEARED_LIST, "", []), sameAs: "todos cleared" };
}

/** TaskCreate and TaskUpdate: a task by its number. */
export function observeTask({ toolName, payload, outcome }: ToolUse): Observed | null {
  if (outcome === "failure") return null;
  const input = payload["tool_input"];
  const made = Object(payload["tool_response"]).task;
  const number = textIn(input, "taskId") || textIn(made, "id");
  const subject = oneLine(textIn(input, "subject") || textIn(made, "subject"));
  const status = textIn(input, "status") || (toolName === "TaskCreate" ? "pending" : "");
  if (subject === "") {
    // Only what a task has become: the list of the session tells it, under the number.
    if (number === "" || status === "") return null;
    return {
      ...taskOf(`Task ${number}: ${status}`, status, []),
      sameAs: `task status ${number}`,
    };
  }
  const open = status === "completed" ? [] : [shortened(subject, 120)];
  const task = taskOf(`Task ${number || "?"}: ${subject}`, textIn(input, "description"), open);
  return { ...task, sameAs: number === "" ? null : `task ${number}` };
}

/** What is to be done, in the same words while it is open and when it is done. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function taskOf(title: string, text: string, open: readonly string[]): Observed {
  return {
    kind: "task",
    outcome: null,
    title: titleLine(title),
    text,
    files: [],
    facts: { open },
    sameAs: null,
    mends: null,
  };
}

/** What a sub-agent was asked, and what it came back with. */
export function observeAgent({ payload, outcome }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const answer = textOfBlocks(Object(payload["tool_response"]).content);
  const asked = textIn(input, "prompt");
  if (asked === "" && answer === "") return null;
  const name = textIn(input, "subagent_type") || "agent";
  return {
    kind: "message",
    outcome,
    title: titleLine(`${name}: ${textIn(input, "description") || asked}`),
    text: [headAndTail(asked, KEPT_ANSWER), headAndTail(answer, KEPT)].filter((part) => part !== "")
      .join("\n\n"),
    files: [],
    facts: { tool: "Agent" },
    sameAs: null,
    mends: null,
  };
}

/** Any other tool, of an MCP server for example: what it was given and what it gave. */
export function observeOther({ toolName, payload, outcome, root }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const given = typeof input === "object" && input !== null
    ? JSON.stringify(input)
    : String(input ?? "");
  const error = typeof payload["error"] === "string" ? payload["error"] : "";
  const response = payload["tool_response"];
  const answer = typeof response === "string"
    ? response
    : textOfBlocks(Object(response).content ?? response) || JSON.stringify(response ?? "");
  const failed = outcome === "failure";
  const named = failed ? textIn(input, "file_path") || textIn(input, "notebook_path") : "";
  const text = headAndTail([given, failed ? error : answer].join("\n"), KEPT_ANSWER);
  return {
    kind: failed ? "failure" : "command",
    outcome,
    title: titleLine(
      failed ? `${toolName} failed: ${error}` : `${toolName} ${shortened(given, 100)}`,
    ),
    text,
    files: named === "" ? [] : [{ path: pathInProject(named, root), digest: null }],
    facts: { tool: toolName, ...(failed ? { error: titleLine(error) } : {}) },
    sameAs: `${failed ? "failure" : "tool"} ${toolName} ${digestOf(given)}`,
    mends: failed ? null : `failure ${toolName} ${digestOf(given)}`,
  };
}

/** A text that somebody said; null when there is nothing in it. */
export function said(kind: ObservationKind, text: string): Observed | null {
  if (text === "") return null;
  return {
    kind,
    outcome: null,
    title: titleLine(text),
    text: headAndTail(text, KEPT),
    files: [],
    facts: {},
    sameAs: `${kind} ${digestOf(text)}`,
    mends: null,
  };
}

function textOfBlocks(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => textIn(block, "text")).filter((text) => text !== "").join("\n");
}
