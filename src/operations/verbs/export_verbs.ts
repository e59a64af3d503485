import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { messageOf, quietly, UserError } from "../../base/errors.ts";
import { type ExportCounts, exportLines, type LostRow } from "../../upkeep/transfer/store.ts";
import { noteCopy } from "../../db/written_copies.ts";
import { type CliContext, typedPath } from "../context.ts";
import { hearSignals, withoutDraftsLeft } from "../drafts_on_signal.ts";
import { progressLine } from "../terminal.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { takeInSpool } from "../spool_drain.ts";
import { openStore } from "../open_store.ts";
import { warnOf } from "../take_over.ts";
import { wellFormedJson } from "../view.ts";
import { SESSION_FLAG, SINCE_FLAG, textFlag } from "../flags.ts";
import { verb } from "../verb.ts";
import {
  isFileOf,
  makeDraft,
  nameDraft,
  removeDraft,
  removeLeftDrafts,
  writeAdvice,
} from "../../upkeep/care/database_files.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { isNotFound, openSync, realPathSync, statSync } from "../../system/files.ts";

/** The most unreadable rows that are named. */
const MAX_NAMED = 5;
/** The lines after which a signal can end the process. */
const LINES_AT_ONCE = 100;

export const exportVerb = verb({
  flags: {
    session: SESSION_FLAG,
    since: SINCE_FLAG,
    output: textFlag(
      "Write this file instead of stdout; it is replaced as a whole, for your eyes only (0600)",
      "file",
    ),
  },
  about:
    "Writes all that is kept as JSON Lines for `conclaude import`, except what is made anew (the search index) and what " +
    "belongs to running sessions alone. It takes in the spool first. Exit status 1 when a record of the spool or a row " +
    "on a damaged page is missing.",
  examples: [
    "conclaude export --output conclaude.jsonl",
    `conclaude export --since 3d | jq -r 'select(.type == "capture") | .payload.tool_name'`,
  ],
  async run(context, flags) {
    const { db, place } = await openStore(context, "read");
    const filter = {
      sessionId: sessionFilterOf(db, flags.session),
      sinceMs: flags.since ?? null,
    };
    const { output } = flags;
    const folders = context.locations.spoolFolders;
    const waiting = takeInSpool(db, { database: place.database, folders });
    const lost: LostRow[] = [];
    const write = async (sink: LineSink): Promise<ExportCounts> => {
      using progress = output === undefined ? null : progressLine(context);
      const onLost = (row: LostRow) => void lost.push(row);
      const lines = exportLines(db, { ...filter, atMs: Date.now(), onLost });
      try {
        let step = lines.next();
        for (let written = 1; !step.done; step = lines.next(), written++) {
          sink.write(wellFormedJson(step.value));
          progress?.tell("Writing lines", { done: written });
          if (written % LINES_AT_ONCE === 0) await hearSignals();
        }
        sink.close();
        return step.value;
      } catch (thrown) {
        sink.abandon();
        throw thrown;
      }
    };
    const counts = output === undefined
      ? await write(stdoutSink(context))
      : await withoutDraftsLeft(() => write(fileSink(output, context, place.database)));
    tellLosses({ ...counts, lost, waiting }, context);
    const exitCode = counts.damaged + counts.unreadable + waiting > 0 ? 1 : 0;
    // On stdout the lines are all that there is to say.
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

/** Reports on stderr what is missing: stdout may hold the lines. */
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

/** Characters that are gathered before they are written. */
const CHUNK_CHARS = 65_536;

/** Where lines go. Nothing but `close` or `abandon` may follow an error. */
export interface LineSink {
  readonly write: (line: string) => void;
  /** Writes what is gathered; a file gets its name only now. */
  readonly close: () => void;
  /** Leaves no file behind. */
  readonly abandon: () => void;
}

export function stdoutSink({ process: { stdout } }: CliContext): LineSink {
  return gathering({ write: (text) => stdout.write(text), close: () => {}, abandon: () => {} });
}

/**
 * Writes lines into a file that only the user may read: a draft beside it, renamed at the end. A link stays a link; a
 * pipe or device is written directly. @param database No file of this or another database is written over.
 * @throws {UserError} When it cannot be written; what was there before stays.
 */
export function fileSink(name: string, context: CliContext, database: string): LineSink {
  const path = typedPath(context, name);
  const orExplain = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (thrown) {
      throw new UserError(`Cannot write "${path}"`, {
        why: `${messageOf(thrown)}; nothing was changed`,
        next: writeAdvice(path, thrown),
        cause: thrown,
      });
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
  return gathering({
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
      // It may be closed already.
      quietly(() => file.close());
      if (draft !== null) removeDraft(draft);
    },
  });
}

/** Where a path leads to, and whether a new file takes its place: not that of a device or a pipe. */
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

/** Gathers lines, so that not every one of them costs a system call. */
function gathering(sink: LineSink): LineSink {
  let text = "";
  return {
    write(line) {
      text += line + "\n";
      if (text.length < CHUNK_CHARS) return;
      sink.write(text);
      text = "";
    },
    close() {
      sink.write(text);
      sink.close();
    },
    abandon: sink.abandon,
  };
}
