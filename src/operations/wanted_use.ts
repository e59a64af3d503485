/** Finds the tool use that a person is asked to permit, since Claude Code's own question names at most the tool. */
import type { DatabaseSync } from "node:sqlite";
import { isOfSession } from "../claude/session_changes.ts";
import { listExecutions } from "../db/executions.ts";
import { findSessions } from "../db/sessions.ts";
import { wantedIn } from "../memory/project_paths.ts";
import type { Question } from "../work/store.ts";

/**
 * Returns the last tool use that a person was asked to permit, with its command or file; null if no hook reported it.
 * @param folder The folder that paths become relative to.
 */
export function wantedUse(db: DatabaseSync, sessionId: string, folder: string | null) {
  const [request] = listExecutions(db, {
    ...{ sessionId, hookName: "PermissionRequest", toolName: null, status: null },
    ...{ sinceMs: null, limit: 1 },
  });
  if (request === undefined) return null;
  const { toolName: tool, metadata } = request;
  return { tool, wanted: wantedIn(metadata["tool_input"], folder) };
}

/** Adds to each question the tool use that it asks for: `Bash: npm test`; null unless it asks an open permission. */
export function withWanted<Row extends Question>(
  db: DatabaseSync,
  questions: readonly Row[],
): (Row & { readonly wanted: string | null })[] {
  return questions.map((question) => {
    const { type, status, sessionId } = question;
    const isOpen = type === "permission" && status === "pending" && isOfSession(question);
    const folderOf = (id: string) => findSessions(db, id)[0]?.projectDir ?? null;
    const use = isOpen ? wantedUse(db, sessionId!, folderOf(sessionId!)) : null;
    return { ...question, wanted: use && [use.tool, use.wanted].filter(Boolean).join(": ") };
  });
}

/** Words a question for lists. The tool use comes first, since the end of a line may be cut. */
export function askedText(
  { text, wanted }: { readonly text: string; readonly wanted: string | null },
): string {
  return wanted === null ? text : `${wanted} (${text})`;
}
