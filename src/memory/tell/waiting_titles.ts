/** Makes titles of the newest captures that wait for a drain, as after a crash. */
import type { DatabaseSync } from "node:sqlite";
import type { ToldLine } from "./context_text.ts";
import { isOwnPrompt } from "../../claude/transcript/spoken.ts";
import { wantedIn } from "../project_paths.ts";
import { whyCutOff } from "./ended_session.ts";
import { shortened, textIn, titleLine } from "../text.ts";
import { readPayload } from "../../db/payloads.ts";
import { newestWaiting, type WaitingCapture } from "../../db/queue_work.ts";
import { sessionEnd } from "../../db/sessions.ts";
import type { WithoutForgotten } from "../drain/capture_drain.ts";
import type { LateRedaction } from "../drain/late_redaction.ts";

const MAX_SESSIONS = 3;
/** The most tool uses that are told of a session, beside its last prompt. */
const MAX_USES = 2;
const MAX_INPUT_CHARS = 120;

interface HowTold {
  /** The folder to which paths are relative. */
  readonly root: string | null;
  readonly redact: LateRedaction | undefined;
}

/** Returns titles of other sessions' waiting captures in the project: each one's last prompt, then tool uses. */
export function waitingTitles(
  db: DatabaseSync,
  { project, except, withoutForgotten, ...how }: HowTold & {
    readonly project: string;
    readonly except: string;
    /** Null when nothing was ever forgotten. */
    readonly withoutForgotten: WithoutForgotten | null;
  },
): ToldLine[] {
  const newest = newestWaiting(db, { project, except, sessions: MAX_SESSIONS, uses: MAX_USES });
  return (withoutForgotten?.(db, newest) ?? newest).flatMap((capture) => {
    const title = titleOf(db, capture, how);
    return title === null ? [] : { atMs: capture.createdAtMs, text: title };
  });
}

function titleOf(
  db: DatabaseSync,
  capture: WaitingCapture,
  { root, redact }: HowTold,
): string | null {
  try {
    const { text, value } = readPayload(capture);
    const whole: Record<string, unknown> = Object(value);
    const payload = redact?.(whole, text) ?? whole;
    if (capture.toolName !== "UserPromptSubmit") {
      const what = wantedIn(payload["tool_input"], root);
      if (what.trim() === "") return null;
      const end = capture.outcome === "failure" ? " (failed)" : "";
      return `${capture.toolName} ${shortened(titleLine(what), MAX_INPUT_CHARS)}${end}`;
    }
    const prompt = textIn(payload, "prompt");
    if (isOwnPrompt(prompt) || prompt.trim() === "") return null;
    const end = sessionEnd(db, capture.sessionId);
    const why = end === null ? null : whyCutOff(end);
    return `asked${why === null ? "" : `, cut off (${why})`}: ${titleLine(prompt)}`;
  } catch {
    // The drain reports a payload that cannot be read.
    return null;
  }
}
