/** A copy of a damaged database in which whatever is left of its rows can be reached. */
import { openDatabase } from "../store/database.ts";
import { lacksHeader, writeHeader } from "../store/file_header.ts";
import { mendSchema } from "../store/mend_schema.ts";
import { SCHEMA_ROOT } from "../store/page_format.ts";
import { reattachLeaves } from "../store/reattach_leaves.ts";
import { tableRoots } from "../store/table_roots.ts";
import { DATABASE_FILES, removeDatabase } from "./set_aside.ts";
import { isThere, targetOf } from "./whole_file.ts";

/**
 * Makes the copy: with its log moved into it, with a header where that is lost, with empty pages in the place of an end
 * that is missing (SQLite opens no such file), with this program's schema where its own is damaged, and with rows that
 * nothing leads to in their tables again.
 *
 * @param bytes How long the file was; null when its end is there.
 * @returns The path to read; the damaged one when there is no room for a copy. `lostRows` is at least how many are
 * not there any more, as far as nothing else tells it.
 */
export async function readableCopy(
  path: string,
  { copy, bytes }: { readonly copy: string; readonly bytes: number | null },
): Promise<{ readonly path: string; readonly lostRows: number }> {
  try {
    // SQLite keeps the log beside the file that a link leads to.
    const from = targetOf(path);
    for (const ending of DATABASE_FILES) {
      if (isThere(from + ending)) Deno.copyFileSync(from + ending, copy + ending);
    }
    if (bytes !== null) Deno.truncateSync(copy, bytes);
  } catch (thrown) {
    if (bytes !== null) throw thrown;
    return { path, lostRows: 0 };
  }
  if (lacksHeader(copy)) await giveHeader(copy);
  const roots = tableRoots(copy);
  if (isThere(`${copy}-wal`)) return { path: copy, lostRows: 0 };
  // What tells of the tables comes first: their roots may be known only after that.
  const schema = reattachLeaves(copy, [SCHEMA_ROOT]);
  const isMended = mendSchema(copy);
  const tables = reattachLeaves(
    copy,
    schema.leaves === 0 && !isMended ? roots : tableRoots(copy),
  );
  return { path: copy, lostRows: (isMended ? 0 : schema.lost) + tables.lost };
}

/** Gives a file without a header that of a database which is made today. */
async function giveHeader(path: string): Promise<void> {
  const model = `${path}-model`;
  try {
    (await openDatabase(model, { busyTimeoutMs: 0 })).close();
    writeHeader(path, model);
  } finally {
    removeDatabase(model);
  }
}
