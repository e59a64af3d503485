/** What Claude Code sends in a person's place when something in the background has ended. */
import type { Observed } from "../observation.ts";
import { headAndTail, KEPT_ANSWER, titleLine } from "../text.ts";

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
    mends: null,
  };
}

function inTag(text: string, tag: string): string | null {
  const from = text.indexOf(`<${tag}>`);
  const end = from < 0 ? -1 : text.indexOf(`</${tag}>`, from);
  const inside = end < 0 ? "" : text.slice(from + tag.length + 2, end).trim();
  return inside === "" ? null : inside;
}
