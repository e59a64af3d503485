/** Leaves out the rows of an export that were forgotten here. */
import type { DatabaseSync } from "node:sqlite";
import { FORGOTTEN_MARK } from "../../memory/observe/forget_mark.ts";
import { keptJson } from "../../memory/observe/observation.ts";
import { summaryUid } from "../../memory/store.ts";
import {
  keysOfCapture,
  keysOfObservation,
  titleKey,
  useKeyOfCapture,
} from "../../memory/observe/capture_keys.ts";
import type { ExportType } from "./exported_tables.ts";
import { isForgotten, sessionName } from "../forget/forgotten_names_table.ts";
import type { ImportedColumns } from "./import_rows_table.ts";
import { type Arrival, isKeyForgotten, stayAway } from "../forget/stay_away_table.ts";
import { statement } from "../../db/statement.ts";

/** Gives a row as it may come in; null where it was forgotten here. */
export type Admit = (type: ExportType, columns: ImportedColumns) => ImportedColumns | null;

/**
 * Checks the rows of an export. It is to be asked for every row that is about to be written, in the order of the export and in
 * the transaction that writes it.
 */
export function forgottenRows(db: DatabaseSync): Admit {
  const away = stayAway(db);
  /** Numbers, in the export, of observations that stay away. What is made of them stays away, too. */
  const leftOut = new Set<number>();
  const questions = new Set<string>();
  return (type, columns) => {
    if (statement(db, "SELECT 1 FROM forget_receipts LIMIT 1").get() === undefined) return columns;
    if (type === "session") return withoutTitle(columns, away);
    if (type === "event" && isAbout(db, String(columns["entity_id"]), questions)) return null;
    const isAway = isMadeOf(type, columns, leftOut) || isOldSummary(db, type, columns) ||
      (OF_SESSIONS.has(type) && away.has(arrivalOf(type, columns))) ||
      isKeyForgotten(db, type, columns);
    if (!isAway) return columns;
    if (type === "observation") leftOut.add(Number(columns["id"]));
    if (type === "question") questions.add(String(columns["id"]));
    return null;
  };
}

const OF_SESSIONS: ReadonlySet<ExportType> = new Set([
  "observation",
  "capture",
  "execution",
  "question",
]);

function arrivalOf(type: ExportType, columns: ImportedColumns): Arrival {
  const { id, uid, tool_use_id: use, session_id, created_at_ms, payload } = columns;
  const text = (value: unknown) => typeof value === "string" ? value : null;
  return {
    sessionId: String(session_id),
    atMs: Number(created_at_ms),
    names: [text(type === "observation" ? uid : id)].filter((name) => name !== null),
    use: typeof use !== "string" ? undefined : {
      toolUseId: use,
      key: () =>
        typeof payload === "string"
          ? useKeyOfCapture({ toolUseId: use, toolName: String(columns["tool_name"]), payload })
          : null,
    },
    keys: type === "observation"
      ? keysOfObservation(String(columns["kind"]), String(columns["text"]))
      : type === "capture" && typeof payload === "string"
      ? keysOfCapture(String(columns["tool_name"]), payload)
      : [],
  };
}

/** Whether an event tells of a question that was forgotten. */
function isAbout(db: DatabaseSync, id: string, leftOut: ReadonlySet<string>): boolean {
  return leftOut.has(id) ||
    statement(db, `SELECT 1 FROM questions WHERE id = ? AND text = '${FORGOTTEN_MARK}'`)
        .get(id) !== undefined;
}

/** Whether a fix or a capture belongs to an observation that stays away: it tells the same. */
function isMadeOf(
  type: ExportType,
  columns: ImportedColumns,
  leftOut: ReadonlySet<number>,
): boolean {
  if (type === "capture") return leftOut.has(Number(columns["observation_id"] ?? NaN));
  if (type !== "observation" || columns["kind"] !== "fix") return false;
  const { mended, by } = keptJson<{ mended?: number; by?: unknown }>(columns["facts"], {});
  return [mended, ...Array.isArray(by) ? by : []].some((id) => leftOut.has(id));
}

/** Whether this is the summary of a session of which something was forgotten: it is written anew of what is left. */
function isOldSummary(db: DatabaseSync, type: ExportType, columns: ImportedColumns): boolean {
  const sessionId = String(columns["session_id"]);
  if (type !== "observation" || columns["uid"] !== summaryUid(sessionId)) return false;
  return isForgotten(db, sessionName(sessionId));
}

/** Takes away the title of a session that is called after a forgotten prompt. */
function withoutTitle(
  columns: ImportedColumns,
  away: ReturnType<typeof stayAway>,
): ImportedColumns {
  const { title, session_id: sessionId, started_at_ms: startedAtMs } = columns;
  if (typeof title !== "string") return columns;
  const isAway = away.has({
    sessionId: String(sessionId),
    atMs: Number(startedAtMs),
    names: [],
    keys: [titleKey(title)],
  });
  return isAway ? { ...columns, title: null } : columns;
}
