/** Brings what can be read of a damaged database that was set aside into the new one. */
import { compileRedactPatterns } from "../secrets/redact.ts";
import { openDatabase } from "../store/database.ts";
import { openToLook } from "../store/identity.ts";
import { workInAgain } from "../store/lost_again.ts";
import { receiptsWithoutKey } from "../store/lost_forget_key.ts";
import { copyForgotten } from "../store/without_index.ts";
import { exportLines } from "./export.ts";
import { importLines, linesOfExport } from "./import.ts";
import type { SourceLine } from "./import_lines.ts";

/** What became of the rows. */
export interface BroughtBack {
  readonly rows: number;
  readonly withoutPayload: number;
  readonly lost: number;
  readonly again: number;
  /** Whether the key is lost by which words are known that were forgotten. */
  readonly isKeyLost: boolean;
}

/**
 * Puts all rows that can be read into the database, which is made when it is not there, and what was forgotten into it
 * first, so that it stays away.
 *
 * @param lostRows How many are known not to be there any more, which an export may not see.
 * @returns How many rows that can be read are in it now, those of an earlier rescue that was stopped included; how many
 * captures came without a payload that can be read, at least how many rows cannot be, and how many captures are to be
 * worked in once more, since what was made of them is lost. @throws {Error} What SQLite says.
 */
export async function bringBack(
  aside: string,
  database: string,
  { nowMs, busyTimeoutMs, redactPatterns, lostRows }: {
    readonly nowMs: number;
    readonly busyTimeoutMs: number;
    readonly redactPatterns: readonly string[];
    readonly lostRows: number;
  },
): Promise<BroughtBack> {
  const from = openToLook(aside);
  try {
    const to = await openDatabase(database, { busyTimeoutMs });
    try {
      copyForgotten(from, to);
      const told = { lost: 0, damaged: 0 };
      const lines = linesOfExport(
        numbered(exportLines(from, { sessionId: null, sinceMs: null, atMs: nowMs }), told),
      );
      const { imported, known, replaced, outdated, damaged } = importLines(to, lines, {
        rules: compileRedactPatterns(redactPatterns),
        dryRun: false,
      });
      const all = [...Object.values(imported), ...Object.values(known), replaced, outdated]
        .reduce((sum, count) => sum + count, 0);
      // The export may have counted the same rows, by an index that names them.
      const lost = Math.max(told.lost + damaged, lostRows);
      return {
        rows: all - told.damaged,
        withoutPayload: told.damaged,
        lost,
        again: lost === 0 ? 0 : workInAgain(to, nowMs),
        isKeyLost: receiptsWithoutKey(to).length > 0,
      };
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}

/** The lines as an import reads them from a file. */
function* numbered(
  lines: ReturnType<typeof exportLines>,
  told: { lost: number; damaged: number },
): Generator<SourceLine> {
  let step = lines.next();
  for (let number = 1; !step.done; step = lines.next(), number++) {
    yield { number, text: step.value, fault: null, isWhole: true };
  }
  told.lost = step.value.unreadable;
  told.damaged = step.value.damaged;
}
