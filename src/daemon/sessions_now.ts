/** Tells which tool each session runs now, and why it waits for its person. */
import type { DatabaseSync } from "node:sqlite";
import { isOfSession } from "../claude/session_changes.ts";
import { type LastHook, lastHookOf } from "../db/executions.ts";
import { listSessions } from "../db/sessions.ts";
import { wantedIn } from "../memory/project_paths.ts";
import { wantedUse } from "../operations/open_here.ts";
import type { Question } from "../work/store.ts";

/** By hook, what a session waits for after it. */
const WAITS: Readonly<Record<string, string>> = {
  PermissionRequest: "permission",
  Elicitation: "question",
  Stop: "next prompt",
};
/** By type of notification, what a session waits for; notifications that ask something become questions. */
const NOTIFIED: Readonly<Record<string, string>> = { idle_prompt: "next prompt" };

/** The most sessions that are listed, the latest first. */
const MAX_SESSIONS = 50;

/** Lists sessions with their activity. @param questions The open questions. @param status Null means all sessions. */
export function sessionsNow(
  db: DatabaseSync,
  questions: readonly Question[],
  status: "active" | null,
) {
  // Other tools and sub-agents may run on while the session's question is open.
  const openQuestions = new Map(
    questions.filter(isOfSession).map(({ sessionId, type }) => [
      sessionId!,
      type === "permission" ? "permission" : "question",
    ]),
  );
  return listSessions(db, { project: null, status, limit: MAX_SESSIONS }).map((session) => {
    const { sessionId } = session;
    const last = lastHookOf(db, sessionId);
    const question = openQuestions.get(sessionId);
    const waitsFor = session.status !== "active" ? null : question ?? waitAfter(last);
    const permission = waitsFor === "permission" && question === waitsFor
      ? wantedUse(db, sessionId, session.projectDir)
      : null;
    const isUse = last?.hook === "PreToolUse" || last?.hook === "PermissionRequest";
    return {
      ...session,
      /** The running tool, or the tool that a person is asked to permit. */
      tool: permission?.tool ?? (isUse ? last.tool : null),
      /** The tool's command or file; empty if it has none. */
      wanted: permission?.wanted ??
        (isUse ? wantedIn(last.metadata["tool_input"], session.projectDir) : ""),
      lastHook: last?.hook ?? null,
      lastAtMs: last?.atMs ?? session.updatedAtMs,
      waitsFor,
    };
  });
}

function waitAfter(last: LastHook | null): string | null {
  if (last?.hook !== "Notification") return WAITS[last?.hook ?? ""] ?? null;
  const { notification_type: type } = last.metadata;
  // Older versions of Claude Code do not send the type.
  return type === undefined ? "an answer" : NOTIFIED[String(type)] ?? null;
}
