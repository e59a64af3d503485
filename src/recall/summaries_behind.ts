/** Summaries of sessions whose captures nobody has worked in, as after a crash: what they were asked is told all the same. */
import type { DatabaseSync } from "node:sqlite";
import { observePrompt } from "../memory/observe/words.ts";
import type { SummarizedPart } from "../memory/session_summary.ts";
import { type BehindSession, behindSessions } from "../store/behind_sessions.ts";
import { transaction } from "../store/database.ts";
import { removeForgottenAgain } from "../store/forgotten_again.ts";
import { readPayload } from "../store/payloads.ts";
import { askForSummary, promptsWaiting } from "../store/queue_work.ts";
import type { LateRedaction } from "./late_redaction.ts";
import { writeSummary } from "./summaries.ts";

/** So many are told of at most. */
const MAX_SESSIONS = 3;

/**
 * Writes the summaries of a project's newest sessions that are behind, with the prompts that wait; a later drain writes them
 * anew.
 *
 * @param options `except`: the session that is told. `untilMs`: when no further one is begun, in milliseconds since the process
 * started. @throws {Error} What SQLite says.
 */
export function summarizeBehind(
  db: DatabaseSync,
  { project, except, untilMs, redact }: {
    readonly project: string;
    readonly except: string;
    readonly untilMs: number;
    readonly redact: LateRedaction | undefined;
  },
): void {
  const sessions = behindSessions(db, { project, except, limit: MAX_SESSIONS });
  for (const [n, session] of sessions.entries()) {
    if (n > 0 && performance.now() >= untilMs) return;
    const { sessionId, branch, isWaiting, hasWorked } = session;
    const prompts = isWaiting ? promptsOf(db, session, redact) : [];
    transaction(db, () => {
      writeSummary(db, sessionId, { prompts, place: { project, branch }, hasWorked });
      if (isWaiting) askForSummary(db, sessionId);
    });
  }
}

function promptsOf(
  db: DatabaseSync,
  { sessionId, branch }: BehindSession,
  redact: LateRedaction | undefined,
): SummarizedPart[] {
  const waiting = promptsWaiting(db, sessionId, { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER });
  return removeForgottenAgain(db, waiting).flatMap((capture) => {
    try {
      const { text, value } = readPayload(capture);
      const whole: Record<string, unknown> = Object(value);
      const payload = redact?.(whole, text) ?? whole;
      const use = {
        toolName: "UserPromptSubmit",
        outcome: "success",
        payload,
        root: null,
      } as const;
      const seen = observePrompt(use);
      if (seen?.kind !== "prompt") return [];
      const { kind, title, text: prompt, facts } = seen;
      const { createdAtMs } = capture;
      return [{
        ...{ id: 0, branch, kind, outcome: null, title, text: prompt, files: [], facts },
        ...{ resolvedBy: null, createdAtMs, updatedAtMs: createdAtMs },
      }];
    } catch {
      // It cannot be read; the drain says so.
      return [];
    }
  });
}
