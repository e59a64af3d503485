/** Edits that were taken back before a success: they are not what mended anything. */
import type { DatabaseSync } from "node:sqlite";
import { isRestored, restoredBy } from "../memory/observe/restored_files.ts";
import { lastContent } from "../store/memory_context.ts";
import { type Change, changesBetween, type Pass } from "../store/session_observations.ts";

/** So many edits are looked through for the first of a file. */
const MAX_EDITS = 200;

/**
 * Of some edits of a session those of files that are another content in the end than before the first of them.
 *
 * @param between `firstMs`: when the failure was seen first, before which no edit counts; since `fromMs` it was seen again.
 */
export function withoutUndone(
  db: DatabaseSync,
  edits: readonly Change[],
  between: {
    readonly sessionId: string;
    readonly firstMs: number;
    readonly fromMs: number;
    readonly untilMs: number;
    /** The scripts of git that went well there. */
    readonly scripts: readonly Pass[];
  },
): Change[] {
  if (edits.length === 0) return [];
  const { sessionId, firstMs, fromMs, untilMs, scripts } = between;
  const all = firstMs === fromMs
    ? edits
    : changesBetween(db, sessionId, { fromMs: firstMs, untilMs, limit: MAX_EDITS });
  const commands = scripts
    .map(({ command, updatedAtMs }) => ({
      updatedAtMs,
      paths: restoredBy(command).filter(({ from }) => from === null || from === 0),
    }));
  const isBack = (path: string) => {
    const { facts: { before } } = all.find((one) => one.files.includes(path)) ?? edits[0]!;
    return before !== undefined && lastContent(db, { sessionId, path, untilMs }) === before;
  };
  return edits.filter(({ files, updatedAtMs }) =>
    !files.every((path) =>
      commands.some((one) => one.updatedAtMs > updatedAtMs && isRestored(path, one.paths)) ||
      isBack(path)
    )
  );
}
