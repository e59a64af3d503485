/** Tells which tool each session runs now, and why it waits for its person. */
import type { DatabaseSync } from "node:sqlite";
import { isOfSession } from "../claude/session_changes.ts";
import { type LastHook, lastHookOf } from "../db/executions.ts";
import { listSessions, type SessionRow } from "../db/sessions.ts";
import { wantedIn } from "../memory/project_paths.ts";
import { wantedUse } from "../operations/wanted_use.ts";
import type { Question } from "../work/store.ts";

interface SessionNow extends SessionRow {
  /** The tool that runs, or that a person is asked to permit. */
  readonly tool: string | null;
  /** Its command or file; empty where it has none. */
  readonly wanted: string;
  readonly lastHook: string | null;
  readonly lastAtMs: number;
  readonly waitsFor: string | null;
}

/** Hooks after which a session waits for its person, by what it waits for. */
const WAITS: Readonly<Record<string, string>> = {
  PermissionRequest: "permission",
  Elicitation: "question",
  Stop: "next prompt",
};
/** The same by the type of a notification. What asks something is a question as well. */
const NOTIFIED: Readonly<Record<string, string>> = { idle_prompt: "next prompt" };

/** @param questions Those that wait for an answer. @param status Null takes sessions that have ended too. */
export function sessionsNow(
  db: DatabaseSync,
  { questions, status, limit }: {
    readonly questions: readonly Question[];
    readonly status: "active" | null;
    readonly limit: number;
  },
): SessionNow[] {
  // A tool that ran beside it, or a sub-agent, does not end what a session has asked.
  const asked = new Map(
    questions.filter(isOfSession).map(({ sessionId, type }) => [
      sessionId!,
      type === "permission" ? "permission" : "question",
    ]),
  );
  return listSessions(db, { project: null, status, limit }).map((session) => {
    const { sessionId } = session;
    const last = lastHookOf(db, sessionId);
    const asks = asked.get(sessionId);
    const waitsFor = session.status !== "active" ? null : asks ?? waitAfter(last);
    const permission = waitsFor === "permission" && asks === waitsFor
      ? wantedUse(db, sessionId, session.projectDir)
      : null;
    const isUse = last?.hook === "PreToolUse" || last?.hook === "PermissionRequest";
    return {
      ...session,
      tool: permission?.tool ?? (isUse ? last.tool : null),
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
  // Older clients do not name the type.
  return type === undefined ? "an answer" : NOTIFIED[String(type)] ?? null;
}
