import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { quietly, UserError } from "../../base/errors.ts";
import { type ExportCounts, exportLines, type LostRow } from "../../upkeep/transfer/store.ts";
import { noteCopy } from "../../db/notes.ts";
import { type CliContext, typedPath } from "../context.ts";
import { hearSignals, withoutDraftsLeft } from "../drafts_on_signal.ts";
import { type ProgressLine, progressLine } from "../terminal.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { takeInSpool } from "../spool_drain.ts";
import { openStore } from "../open_store.ts";
import { warnOf } from "../take_over.ts";
import { SHARED, textFlag } from "../flags.ts";
import { verb, wellFormedJson } from "../verb.ts";
import {
  cannotWrite,
  isFileOf,
  makeDraft,
  nameDraft,
  removeDraft,
  removeLeftDrafts,
} from "../../upkeep/care/database_files.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { isNotFound, openSync, pathWritten, statSync } from "../../system/files.ts";

const MAX_NAMED = 5;
/** After so many lines the export checks for signals. */
const LINES_AT_ONCE = 100;

export const exportVerb = verb({
  flags: {
    session: SHARED.session,
    since: SHARED.since,
    output: textFlag(
      "Write this file instead of stdout; it is replaced as a whole, for your eyes only (0600)",
      "file",
    ),
  },
  async run(context, { output, session, since }) {
    const { db, place: { database } } = await openStore(context, "read");
    const filter = { sessionId: sessionFilterOf(db, session), sinceMs: since ?? null };
    const waiting = takeInSpool(db, { database, folders: context.locations.spoolFolders });
    const lost: LostRow[] = [];
    const onLost = (row: LostRow) => void lost.push(row);
    const lines = exportLines(db, { ...filter, atMs: Date.now(), onLost });
    const counts = output === undefined
      ? await writeLines(lines, (text) => context.process.stdout.write(text))
      : await withoutDraftsLeft(() =>
        intoFile(output, context, database, async (write) => {
          using progress = progressLine(context);
          return await writeLines(lines, write, progress);
        })
      );
    tellLosses(context, counts, lost, waiting);
    const exitCode = counts.damaged + counts.unreadable + waiting > 0 ? 1 : 0;
    // Stdout holds the exported lines and nothing else.
    if (output === undefined) return { json: undefined, text: "", exitCode };
    noteCopy(db, { path: typedPath(context, output), atMs: Date.now() });
    const { sessions, executions, captures, observations, counters } = counts;
    const wrote = [
      count(sessions, "session"),
      count(executions, "audit row"),
      count(captures, "capture"),
      count(observations, "observation"),
      count(counters, "counter"),
    ].join(", ");
    return { json: { output, ...counts, waiting }, text: `Wrote ${output}: ${wrote}.`, exitCode };
  },
});

/** How many characters are collected for one write, so that not every line costs a system call. */
const CHUNK_CHARS = 65_536;

async function writeLines(
  lines: ReturnType<typeof exportLines>,
  write: (text: string) => void,
  progress?: ProgressLine,
): Promise<ExportCounts> {
  let step = lines.next();
  let text = "";
  for (let written = 1; !step.done; step = lines.next(), written++) {
    text += `${wellFormedJson(step.value)}\n`;
    if (text.length >= CHUNK_CHARS) {
      write(text);
      text = "";
    }
    progress?.tell("Writing lines", { done: written });
    if (written % LINES_AT_ONCE === 0) await hearSignals();
  }
  write(text);
  return step.value;
}

/** Reports on stderr what is missing, since stdout may hold the exported lines. */
function tellLosses(
  context: CliContext,
  { damaged, unreadable }: ExportCounts,
  lost: readonly LostRow[],
  waiting: number,
): void {
  const named = lost.slice(0, MAX_NAMED).map(({ type, id, why }) => `${type} ${id} (${why})`);
  const more = unreadable > named.length ? ` and ${unreadable - named.length} more` : "";
  const where = named.length === 0
    ? "they lie on damaged pages of the database"
    : plain(named.join(", ")) + more;
  const unread = `At least ${count(unreadable, "row")} cannot be read`;
  const missing = count(waiting, "record of a hook is missing", "records of hooks are missing");
  const spooled = "they wait in the spool, since the database cannot take them now";
  const broken = count(damaged, "payload is damaged", "payloads are damaged");
  const asItIs = "what is stored there cannot be read; the lines hold it as it is";
  warnOf(context, [
    [unreadable, unread, `${where}; all the others were written`, "conclaude doctor"],
    [waiting, missing, spooled, "conclaude queue drain"],
    [damaged, broken, asItIs, "conclaude db check"],
  ]);
}

/**
 * Calls `work`, which writes a file that only the user may read. A draft beside the file gets the text and is renamed at
 * the end. A link stays a link; a pipe or device is written directly. @param database Neither its files nor another
 * database are overwritten. @throws {UserError} If the file cannot be written; its previous version stays.
 */
export async function intoFile<Result>(
  name: string,
  context: CliContext,
  database: string,
  work: (write: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const path = typedPath(context, name);
  const orExplain = <Done>(step: () => Done): Done => {
    try {
      return step();
    } catch (thrown) {
      throw cannotWrite(path, thrown);
    }
  };
  const target = orExplain(() => targetOf(path));
  const others = ["missing", "empty", "garbage", "special", "unreadable"];
  const isDatabase = !others.includes(identifyDatabase(target.path).kind);
  if (isDatabase || isFileOf(database, target.path)) {
    throw new UserError(`Cannot write "${path}"`, {
      why: "it is a file of a database; nothing was changed",
      next: "Name another file: `--output conclaude.jsonl`",
    });
  }
  if (target.isReplaced) removeLeftDrafts(target.path);
  const draft = target.isReplaced ? orExplain(() => makeDraft(target.path)) : null;
  try {
    const file = orExplain(() => openSync(draft ?? target.path, { write: true }));
    // Also closes the file after a failure: Windows cannot remove an open draft.
    using _open = { [Symbol.dispose]: () => quietly(() => file.close()) };
    const encoder = new TextEncoder();
    const result = await work((text) =>
      orExplain(() => {
        const bytes = encoder.encode(text);
        for (let written = 0; written < bytes.length;) {
          written += file.writeSync(bytes.subarray(written));
        }
      })
    );
    orExplain(() => {
      if (draft !== null) file.syncSync();
      // Windows cannot rename an open file.
      file.close();
      if (draft !== null) nameDraft(draft, target.path);
    });
    return result;
  } catch (thrown) {
    if (draft !== null) removeDraft(draft);
    throw thrown;
  }
}

/** Finds the file behind a path's links. `isReplaced` is false for a device or a pipe, which is written directly. */
function targetOf(path: string): { readonly path: string; readonly isReplaced: boolean } {
  try {
    const { isFile, isDirectory } = statSync(path);
    if (isDirectory) throw new Error("it is a folder");
    return isFile ? { path: pathWritten(path), isReplaced: true } : { path, isReplaced: false };
  } catch (thrown) {
    if (isNotFound(thrown)) return { path: pathWritten(path), isReplaced: true };
    throw thrown;
  }
}
