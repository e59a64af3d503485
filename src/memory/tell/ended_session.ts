/** Describes how a session ended: by itself, by the person, by an error of the API, or because its process died. */
import type { SessionEnd } from "../../db/sessions.ts";

/** The reasons that Claude Code gives when a person ends a session. `claude -p` and a closed terminal give `other`. */
const BY_PERSON: ReadonlySet<string> = new Set(["prompt_input_exit", "clear", "logout", "resume"]);
const MAX_ERROR_CHARS = 60;
/** Begins the last line of a summary, which tells how the session ended. */
const MARK = "\nEnded: ";

/** Returns an error of the API in words: `rate limit` for `rate_limit`, `API error` for `unknown`. */
export function errorInWords(error: string): string {
  const words = error.replaceAll("_", " ").replace(/\s+/g, " ").trim().slice(0, MAX_ERROR_CHARS);
  return words === "" || words === "unknown" ? "API error" : words;
}

/** Returns why a session's last turn was cut off; null when the turn had ended, or still runs. */
export function whyCutOff({ status, reason, turn }: SessionEnd): string | null {
  if (turn?.kind === "failed") return errorInWords(turn.error);
  if (turn?.kind !== "begun" || status === "active") return null;
  if (status === "abandoned") return "its process died";
  return isByPerson(reason) ? "by the person" : "its session ended";
}

/** Returns in words how a session ended, or the error that cut off its last turn; empty while it goes on. */
export function endInWords(end: SessionEnd): string {
  const { status, reason, turn } = end;
  if (turn?.kind === "failed") {
    const what = errorInWords(turn.error);
    return `cut off by an error of the API${what === "API error" ? "" : ` (${what})`}`;
  }
  if (status === "active") return "";
  const when = turn === null ? "" : turn.kind === "begun" ? ", in a turn" : ", after its last turn";
  if (status === "abandoned") return `its process died${when}`;
  if (isByPerson(reason)) return `by the person${when}`;
  return turn?.kind === "begun" ? "cut off in a turn" : `by itself${when}`;
}

/** Returns the text of a summary with a last line about the session's end, which replaces an older such line. */
export function withEnd(text: string, end: string): string {
  const without = withoutEnd(text);
  return end === "" ? without : `${without}${MARK}${end}`;
}

/** Returns the text of a summary without the line about the session's end. */
export function withoutEnd(text: string): string {
  const at = text.lastIndexOf("\n");
  return at >= 0 && text.startsWith(MARK, at) ? text.slice(0, at) : text;
}

function isByPerson(reason: string | null): boolean {
  return reason !== null && BY_PERSON.has(reason);
}
