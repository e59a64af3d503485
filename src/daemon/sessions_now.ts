/** Tells which tool each session runs now, and why it waits for its person. */
import type { DatabaseSync } from "node:sqlite";
import { type LastHook, lastHookOf, listExecutions } from "../db/executions.ts";
import { listSessions, type SessionRow } from "../db/sessions.ts";
import { wantedIn } from "../memory/tell/session_steps.ts";
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

/** The most later uses of a tool that are read. */
const MOST_LATER = 50;

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
    const permission = asks === "permission" ? openPermission(db, sessionId) : null;
    const waitsFor = session.status !== "active"
      ? null
      : asks !== undefined && permission !== "over"
      ? asks
      : waitAfter(last);
    const use = waitsFor !== null && permission !== "over" && permission !== null
      ? permission
      : last?.hook === "PreToolUse" || last?.hook === "PermissionRequest"
      ? last
      : null;
    return {
      ...session,
      tool: use?.tool ?? null,
      wanted: use === null ? "" : wantedIn(use.metadata["tool_input"], session.projectDir),
      lastHook: last?.hook ?? null,
      lastAtMs: last?.atMs ?? session.updatedAtMs,
      waitsFor,
    };
  });
}

/** Whether a session of Claude Code asks it on its own: it is answered where the session runs. */
function isOfSession({ source }: Question): boolean {
  return source === "notification" || source === "elicitation";
}

function waitAfter(last: LastHook | null): string | null {
  if (last?.hook !== "Notification") return WAITS[last?.hook ?? ""] ?? null;
  const { notification_type: type } = last.metadata;
  // Older clients do not name the type.
  return type === undefined ? "an answer" : NOTIFIED[String(type)] ?? null;
}

/** The hooks of a tool that has run, or was not to run. */
const RAN: ReadonlySet<string> = new Set(["PostToolUse", "PostToolUseFailure"]);

/**
 * The tool use that a person was asked to permit last; null where no hook told of it. The question itself stays until the
 * turn ends.
 */
function openPermission(
  db: DatabaseSync,
  sessionId: string,
): Pick<LastHook, "tool" | "metadata"> | "over" | null {
  const of = { sessionId, status: null };
  const [request] = listExecutions(db, {
    ...{ ...of, hookName: "PermissionRequest", toolName: null, sinceMs: null, limit: 1 },
  });
  if (request === undefined) return null;
  const { toolName, metadata, createdAtMs } = request;
  const wanted = JSON.stringify(metadata["tool_input"]);
  const later = listExecutions(db, {
    ...{ ...of, hookName: null, toolName, sinceMs: createdAtMs, limit: MOST_LATER },
  });
  const isOver = later.some(({ hookName, metadata: { tool_input: input = null } }) =>
    RAN.has(hookName) && (input === null || JSON.stringify(input) === wanted)
  );
  return isOver ? "over" : { tool: toolName, metadata };
}
