/** Forgets: takes what is chosen out of the database and every file beside it, and looks whether anything is left. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../errors.ts";
import { newId } from "../ids.ts";
import { integrityFaults } from "../store/care.ts";
import { checkpoint, openDatabase } from "../store/database.ts";
import type { ReceiptKey } from "../store/forget_rows.ts";
import {
  beginReceipt,
  closeReceipts,
  digestsOfGone,
  finishReceipt,
  forgottenDigest,
  newSalt,
  unfinishedReceipts,
} from "../store/forgotten.ts";
import type { WordForm } from "../store/index_forms.ts";
import { dropLostNames, receiptsWithoutKey } from "../store/lost_forget_key.ts";
import { checkIndex, indexFaults, rebuildIndex } from "../store/memory_index.ts";
import { drainLockPath, takeLock } from "../store/process_lock.ts";
import { rewriteRows } from "../store/rewrite_rows.ts";
import { overwriteIn } from "./byte_scan.ts";
import { stoppedOf } from "./forget_again.ts";
import { removeChosen, type RemovedChosen, type RemoveRequest } from "./forget_chosen.ts";
import { forgetInCopies } from "./forget_copies.ts";
import { type ForgetPlace, isTextAlone, writtenFiles } from "./forget_files.ts";
import { bytesLeft, copiesWith, indexHeld, logHeld, textLeft } from "./forget_proof.ts";
import { counted, type Removed } from "./forget_scope.ts";
import { transcriptsWith } from "./forget_transcripts.ts";
import { type ToldElsewhere, toldElsewhere } from "./told_elsewhere.ts";

/** So long a drain at work is waited for. */
const LOCK_WAIT_MS = 15_000;

/** What a run did. */
export interface ForgetReport {
  readonly id: string;
  readonly removed: Removed;
  /** What is left, each with the way out; empty when nothing is. */
  readonly left: readonly string[];
  /** Other files with copies that hold the text, exports for one; they are not touched. */
  readonly copies: readonly string[];
  /** Backups and databases that were set aside: in these the same was forgotten, and those were removed. */
  readonly copiesMadeAnew: readonly string[];
  readonly copiesRemoved: readonly string[];
  /** Transcripts of Claude Code that hold it, or that tell the same; not this program's. */
  readonly transcripts: readonly string[];
  /** Words of rows that stay, which the search index has in a form with the text in it. */
  readonly forms: readonly WordForm[];
  /** Of rows that tell the same as what was removed, and stay. */
  readonly toldElsewhere: ToldElsewhere;
}

/** What is asked for. */
export interface ForgetRequest extends RemoveRequest {
  /** For the receipt: without the text. */
  readonly chosen: (salt: string) => Readonly<Record<string, unknown>>;
  /** The text itself, for its digest; null without one. */
  readonly text: string | null;
  /** The command that does it once more, without the text. */
  readonly again: string;
  /** Whether all that there is stands in room that nothing uses. */
  readonly isUnused: boolean;
  readonly onProgress?: (doing: string) => void;
}

/**
 * Forgets. It may run beside hooks; a drain waits, since it could hold in memory what is removed. A run that is stopped
 * leaves a receipt that says so, and can be repeated.
 *
 * @throws {UserError} When a drain is at work for too long. @throws {Error} What SQLite says.
 */
export async function runForget(place: ForgetPlace, request: ForgetRequest): Promise<ForgetReport> {
  const lock = takeLock(drainLockPath(place.database), { waitMs: LOCK_WAIT_MS });
  if (lock === null) {
    throw new UserError("Cannot forget now", {
      why: "another process is working captures into memory; nothing was changed",
      next: request.again,
    });
  }
  try {
    return await forgetAlone(place, request);
  } finally {
    lock.release();
  }
}

async function forgetAlone(place: ForgetPlace, request: ForgetRequest): Promise<ForgetReport> {
  const { filter, again, nowMs } = request;
  const tell = request.onProgress ?? (() => {});
  const receipt = { id: newId(nowMs), salt: newSalt() };
  const db = await openDatabase(place.database, place);
  let steps: Steps;
  try {
    steps = removeEverything(db, place, { request, receipt, tell });
  } finally {
    db.close();
  }
  const isRewritten = rewriteRows(
    place.database,
    (table, tables) => tell(`writing table ${table} of ${tables} anew …`),
  );
  tell("forgetting in backups and other copies …");
  const copies = await forgetInCopies(place, { receiptId: receipt.id, filter }, (copy, filter) => {
    const inCopy = removeChosen(copy, { ...place, spoolFolders: [] }, {
      request: { ...request, filter },
      receipt,
      tell: () => {},
    });
    const { salt } = receipt;
    finishReceipt(copy, {
      id: receipt.id,
      removed: counted(inCopy.removed),
      digests: digestsOfGone(copy, { salt, digests: inCopy.digests, createdAtMs: nowMs }),
      remains: [],
      finishedAtMs: nowMs,
    });
  });
  const removed: Removed = {
    ...steps.removed,
    ...(request.isUnused && { unusedRoom: 1 }),
  };
  if (isTextAlone(filter)) {
    const { logs, agents } = writtenFiles(place);
    const overwrite = (paths: readonly string[]) =>
      paths.reduce((sum, path) => sum + overwriteIn(path, filter.text!), 0);
    removed["logs"] = overwrite(logs);
    removed["agentFiles"] = overwrite(agents);
  }
  tell("looking whether anything is left …");
  const bytes = isTextAlone(filter) ? bytesLeft(place, filter.text!) : null;
  // Of pages that cannot be written over yet nothing is told that only they hold.
  const left = bytes === null
    ? []
    : textLeft(place, filter, { again, bytes: isRewritten ? bytes : { ...bytes, tables: [] } });
  if (steps.indexFault !== null) left.unshift(indexHeld(steps.indexFault, again));
  if (!isRewritten) left.unshift(logHeld(place.database, again));
  left.push(...copies.left);
  const report = {
    id: receipt.id,
    removed: counted(removed),
    left,
    copies: isTextAlone(filter) ? copiesWith(place, filter) : [],
    copiesMadeAnew: copies.madeAnew,
    copiesRemoved: copies.removed,
    transcripts: transcriptsWith(steps.transcripts, filter),
    forms: bytes?.forms ?? [],
    toldElsewhere: toldElsewhere(place, isRewritten ? steps.pieces : null),
  };
  await writeReceipt(place, {
    report,
    digests: steps.digests,
    salt: receipt.salt,
    request,
    isDone: isRewritten && steps.indexFault === null,
  });
  return report;
}

interface Steps extends RemovedChosen {
  /** What is wrong with the search index and could not be mended; null when nothing is. */
  readonly indexFault: string | null;
}

function removeEverything(
  db: DatabaseSync,
  place: ForgetPlace,
  { request, receipt, tell }: {
    readonly request: ForgetRequest;
    readonly receipt: ReceiptKey;
    readonly tell: (doing: string) => void;
  },
): Steps {
  const { text, nowMs } = request;
  tell("looking whether the database is sound …");
  const [fault] = integrityFaults(db, "quick");
  if (fault !== undefined) {
    throw new UserError("Cannot forget", {
      why: `the database is damaged: ${fault}; nothing was changed`,
      next: "conclaude doctor",
    });
  }
  beginReceipt(db, {
    ...receipt,
    chosen: request.chosen(receipt.salt),
    textDigest: text === null ? null : forgottenDigest(receipt.salt, text),
    createdAtMs: nowMs,
  });
  const steps = removeChosen(db, place, { request, receipt, tell });
  tell("comparing the words of the search index …");
  return { ...steps, indexFault: mendIndex(db) };
}

/** Words that a damaged index has lost sight of are not taken out of it with their rows. @returns What is wrong still. */
function mendIndex(db: DatabaseSync): string | null {
  if (checkIndex(db).length === 0) return null;
  rebuildIndex(db);
  return checkIndex(db)[0] ?? null;
}

async function writeReceipt(
  place: ForgetPlace,
  { report, digests: removedDigests, salt, request, isDone }: {
    readonly report: ForgetReport;
    readonly digests: readonly string[];
    readonly salt: string;
    readonly request: ForgetRequest;
    /** Whether all of it was gone through; else it is as if it had been stopped, and `doctor` names it. */
    readonly isDone: boolean;
  },
): Promise<void> {
  const db = await openDatabase(place.database, place);
  try {
    const { id, removed, left: remains } = report;
    const { nowMs } = request;
    const digests = digestsOfGone(db, { salt, digests: removedDigests, createdAtMs: nowMs });
    finishReceipt(db, { id, removed, digests, remains, finishedAtMs: isDone ? nowMs : null });
    const before = unfinishedReceipts(db).filter((receipt) => receipt.id !== id);
    closeReceipts(db, stoppedOf(before, request.chosen).map((receipt) => receipt.id), {
      // Where this one is not done either, it alone is named.
      remains: isDone ? remains : null,
      atMs: nowMs,
    });
    const keyless = stoppedOf(receiptsWithoutKey(db), request.chosen);
    if (isDone) dropLostNames(db, keyless.map((receipt) => receipt.id));
    const [fault] = indexFaults(db);
    if (fault !== undefined) rebuildIndex(db);
    checkpoint(db, "TRUNCATE");
  } finally {
    db.close();
  }
}
