import { messageOf, quietly, UserError } from "../base/errors.ts";
import {
  isFileOf,
  makeDraft,
  nameDraft,
  removeDraft,
  removeLeftDrafts,
  writeAdvice,
} from "../upkeep/care/database_files.ts";
import { identifyDatabase } from "../db/database_identity.ts";
import { type CliContext, typedPath } from "./context.ts";
import { isNotFound, openSync, realPathSync, statSync } from "../system/files.ts";

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
