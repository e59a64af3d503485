/** Edits that were taken back before a success: they are not what mended anything. */
import type { DatabaseSync } from "node:sqlite";
import { isRestored, restoredBy } from "../memory/observe/restored_files.ts";
import { lastContent } from "../store/memory_context.ts";
import type { Observation } from "../store/observations.ts";
import { scriptsBetween } from "../store/session_observations.ts";

/** Of some edits of a session those of files that are another content in the end than before the first of them. */
export function withoutUndone(
  db: DatabaseSync,
  edits: readonly Observation[],
  between: { readonly sessionId: string; readonly fromMs: number; readonly untilMs: number },
): Observation[] {
  if (edits.length === 0) return [];
  const { sessionId, untilMs } = between;
  const commands = scriptsBetween(db, sessionId, { ...between, holding: "git" })
    .map(({ script, updatedAtMs }) => ({ updatedAtMs, paths: restoredBy(script) }));
  const isBack = (path: string) => {
    const { facts: { before } } = edits.find(({ files }) => files.includes(path))!;
    return before !== undefined && lastContent(db, { sessionId, path, untilMs }) === before;
  };
  return edits.filter(({ files, updatedAtMs }) =>
    !files.every((path) =>
      commands.some((one) => one.updatedAtMs > updatedAtMs && isRestored(path, one.paths)) ||
      isBack(path)
    )
  );
}
