import type { DatabaseSync } from "node:sqlite";
import type { AllowedUse } from "../requirement/single_use.ts";

/** The single uses that a tool use was when it was allowed; none when nobody noted it. */
export function readAllowedUses(
  db: DatabaseSync,
  { sessionId, toolUseId }: { readonly sessionId: string; readonly toolUseId: string },
): AllowedUse[] {
  const row = db.prepare(
    `SELECT metadata ->> '$.uses' AS uses
       FROM hook_executions
      WHERE session_id = ?
        AND tool_use_id = ?
        AND hook_name = 'PreToolUse'
        AND metadata ->> '$.uses' IS NOT NULL
      ORDER BY created_at_ms DESC
      LIMIT 1`,
  ).get(sessionId, toolUseId);
  return row === undefined ? [] : JSON.parse(String(row["uses"]));
}
