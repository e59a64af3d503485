/** What a prompt tells, and what Claude Code sends in a person's place: the end of what ran in the background. */
import type { Observed, ToolUse } from "../observation.ts";
import { isContinuation } from "../own_prompt.ts";
import { headAndTail, KEPT_ANSWER, textIn, titleLine } from "../text.ts";
import { chained } from "./chained.ts";
import { said } from "./said.ts";
import { standingRules } from "./standing_rules.ts";

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

/** The end of what ran in the background. */
export interface TaskNotification {
  /** The tool use that began it; null when it is not told. */
  readonly toolUseId: string | null;
  /** How it ended; null when it was stopped, or that is not told. */
  readonly outcome: "success" | "failure" | null;
  readonly exitCode: number | null;
  /** `Background command "Build" failed with exit code 2` */
  readonly summary: string;
  /** What it says beside that, an agent's last words; the empty text where there is nothing. */
  readonly result: string;
}

const NAME = "task-notification";
const MARK = `<${NAME}>`;
const EXIT_CODE = /\bexit code (\d+)\b/;

/** Reads a prompt; null when it is none of these. */
export function readNotification(prompt: string): TaskNotification | null {
  if (!prompt.startsWith(MARK)) return null;
  const summary = inTag(prompt, "summary") ?? inTag(prompt, NAME) ?? prompt;
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

/** What it tells where nobody knows which command it was: a failure that nothing can mend is none that is open. */
export function observeNotification({ outcome, summary, result }: TaskNotification): Observed {
  const failed = outcome === "failure";
  return {
    kind: failed ? "failure" : "message",
    outcome: failed ? "failure" : null,
    title: titleLine(summary),
    text: headAndTail(result === "" ? summary : `${summary}\n${result}`, KEPT_ANSWER),
    files: [],
    facts: failed ? { tool: "Task", error: titleLine(summary) } : { isRelayed: true },
    sameAs: null,
  };
}

function inTag(text: string, tag: string): string | null {
  const from = text.indexOf(`<${tag}>`);
  const end = from < 0 ? -1 : text.indexOf(`</${tag}>`, from);
  const inside = end < 0 ? "" : text.slice(from + tag.length + 2, end).trim();
  return inside === "" ? null : inside;
}
