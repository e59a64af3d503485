import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { quietly, UserError } from "../../base/errors.ts";
import { type ExportCounts, exportLines, type LostRow } from "../../upkeep/transfer/store.ts";
import { noteCopy } from "../../db/notes.ts";
import { type CliContext, typedPath } from "../context.ts";
import { hearSignals, withoutDraftsLeft } from "../drafts_on_signal.ts";
import { progressLine } from "../terminal.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { takeInSpool } from "../spool_drain.ts";
import { openStore } from "../open_store.ts";
import { warnOf } from "../take_over.ts";
import { wellFormedJson } from "../view.ts";
import { SHARED, textFlag } from "../flags.ts";
import { verb } from "../verb.ts";
import {
  cannotWrite,
  isFileOf,
  makeDraft,
  nameDraft,
  removeDraft,
  removeLeftDrafts,
} from "../../upkeep/care/database_files.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { isNotFound, openSync, realPathSync, statSync } from "../../system/files.ts";

/** How many unreadable rows are named at most. */
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
  async run(context, flags) {
    const { db, place } = await openStore(context, "read");
    const filter = { sessionId: sessionFilterOf(db, flags.session), sinceMs: flags.since ?? null };
    const { output } = flags;
    const folders = context.locations.spoolFolders;
    const waiting = takeInSpool(db, { database: place.database, folders });
    const lost: LostRow[] = [];
    const write = async (sink: Sink): Promise<ExportCounts> => {
      using progress = output === undefined ? null : progressLine(context);
      const onLost = (row: LostRow) => void lost.push(row);
      const lines = exportLines(db, { ...filter, atMs: Date.now(), onLost });
      try {
        let step = lines.next();
        let text = "";
        for (let written = 1; !step.done; step = lines.next(), written++) {
          text += `${wellFormedJson(step.value)}\n`;
          if (text.length >= CHUNK_CHARS) {
            sink.write(text);
            text = "";
          }
          progress?.tell("Writing lines", { done: written });
          if (written % LINES_AT_ONCE === 0) await hearSignals();
        }
        sink.write(text);
        sink.close();
        return step.value;
      } catch (thrown) {
        sink.abandon();
        throw thrown;
      }
    };
    const counts = output === undefined
      ? await write({
        write: (text) => context.process.stdout.write(text),
        close() {},
        abandon() {},
      })
      : await withoutDraftsLeft(() => write(fileSink(output, context, place.database)));
    tellLosses({ ...counts, lost, waiting }, context);
    const exitCode = counts.damaged + counts.unreadable + waiting > 0 ? 1 : 0;
    // Stdout holds the exported lines and nothing else.
    if (output === undefined) return { json: undefined, text: "", exitCode };
    noteCopy(db, { path: typedPath(context, output), atMs: Date.now() });
    const { sessions, executions, captures, observations, counters } = counts;
    return {
      json: { output, ...counts, waiting },
      text: [
        `Wrote ${output}: ${count(sessions, "session")}`,
        count(executions, "audit row"),
        count(captures, "capture"),
        count(observations, "observation"),
        `${count(counters, "counter")}.`,
      ].join(", "),
      exitCode,
    };
  },
});

/** Reports on stderr what is missing, since stdout may hold the exported lines. */
function tellLosses(
  { damaged, unreadable, lost, waiting }: ExportCounts & {
    readonly lost: readonly LostRow[];
    readonly waiting: number;
  },
  context: CliContext,
): void {
  const named = lost.slice(0, MAX_NAMED).map(({ type, id, why }) => `${type} ${id} (${why})`);
  const more = unreadable > named.length ? ` and ${unreadable - named.length} more` : "";
  const where = named.length === 0
    ? "they lie on damaged pages of the database"
    : plain(named.join(", ")) + more;
  warnOf(context, [
    [
      unreadable,
      `At least ${count(unreadable, "row")} cannot be read`,
      `${where}; all the others were written`,
      "conclaude doctor",
    ],
    [
      waiting,
      count(waiting, "record of a hook is missing", "records of hooks are missing"),
      "they wait in the spool, since the database cannot take them now",
      "conclaude queue drain",
    ],
    [
      damaged,
      count(damaged, "payload is damaged", "payloads are damaged"),
      "what is stored there cannot be read; the lines hold it as it is",
      "conclaude db check",
    ],
  ]);
}

/** How many characters are collected for one write, so that not every line costs a system call. */
const CHUNK_CHARS = 65_536;

/** The target of an export. After an error, only `close` or `abandon` may be called. */
interface Sink {
  readonly write: (text: string) => void;
  /** Finishes the output; only now the file gets its name. */
  readonly close: () => void;
  /** Removes the unfinished file. */
  readonly abandon: () => void;
}

/**
 * Writes a file that only the user may read. It writes a draft beside the file and renames it at the end. A link stays
 * a link; a pipe or device is written directly. @param database Neither its files nor another database are overwritten.
 * @throws {UserError} If the file cannot be written; its previous version stays.
 */
export function fileSink(name: string, context: CliContext, database: string): Sink {
  const path = typedPath(context, name);
  const orExplain = <Result>(work: () => Result): Result => {
    try {
      return work();
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
  const file = orExplain(() => openSync(draft ?? target.path, { write: true }));
  const encoder = new TextEncoder();
  return {
    write: (text) =>
      orExplain(() => {
        const bytes = encoder.encode(text);
        for (let written = 0; written < bytes.length;) {
          written += file.writeSync(bytes.subarray(written));
        }
      }),
    close: () =>
      orExplain(() => {
        if (draft !== null) file.syncSync();
        // Windows cannot rename an open file.
        file.close();
        if (draft !== null) nameDraft(draft, target.path);
      }),
    abandon() {
      // `close` may have closed the file already.
      quietly(() => file.close());
      if (draft !== null) removeDraft(draft);
    },
  };
}

/** Resolves a path's links, and tells whether a new file replaces it: not if it is a device or a pipe. */
function targetOf(path: string): { readonly path: string; readonly isReplaced: boolean } {
  try {
    const { isFile, isDirectory } = statSync(path);
    if (isDirectory) throw new Error("it is a folder");
    return isFile ? { path: realPathSync(path), isReplaced: true } : { path, isReplaced: false };
  } catch (thrown) {
    if (isNotFound(thrown)) return { path, isReplaced: true };
    throw thrown;
  }
}
