/** Forgets: takes what is chosen out of the database and every file beside it, and looks whether anything is left. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../errors.ts";
import { newId } from "../ids.ts";
import { integrityFaults } from "../store/care.ts";
import type { ChangedRows } from "../store/changed_rows.ts";
import { checkpoint, openDatabase } from "../store/database.ts";
import { chooseForgotten, type ForgetFilter } from "../store/forget_choice.ts";
import { writeRemade } from "../store/remade.ts";
import { remakeIn } from "../recall/remake.ts";
import type { LateRedaction } from "../recall/late_redaction.ts";
import { closeMends } from "../store/forget_mends.ts";
import { forgetPlaces } from "../store/forget_places.ts";
import {
  batchesOf,
  nameRecord,
  type ReceiptKey,
  removeCaptures,
  removeObservations,
} from "../store/forget_rows.ts";
import { auditNaming, sessionTexts } from "../store/forget_quotes.ts";
import {
  beginReceipt,
  closeReceipts,
  digestsOfGone,
  finishReceipt,
  forgottenDigest,
  newSalt,
  unfinishedReceipts,
} from "../store/forgotten.ts";
import { nameKeys } from "../store/forgotten_keys.ts";
import { dropLostNames, receiptsWithoutKey } from "../store/lost_forget_key.ts";
import {
  checkIndex,
  indexFaults,
  rebuildIndex,
  rewriteIndex,
  withIndex,
} from "../store/memory_index.ts";
import { drainLockPath, takeLock } from "../store/process_lock.ts";
import { overwriteIn } from "./byte_scan.ts";
import { stoppedOf } from "./forget_again.ts";
import {
  type ForgetPlace,
  isTextAlone,
  matchingSpool,
  removeSpooled,
  writtenFiles,
} from "./forget_files.ts";
import { transcriptsThatMay, transcriptsWith } from "./forget_transcripts.ts";
import { bytesLeft, copiesWith, indexHeld, logHeld, textLeft } from "./forget_proof.ts";
import { addTo, asksForSessions, counted, type Removed, scopeOf } from "./forget_scope.ts";
import { giveBackSpace } from "./space.ts";
import { piecesOf, type ToldElsewhere, toldElsewhere } from "./told_elsewhere.ts";
import type { WordForm } from "../store/index_forms.ts";
import { wipePages } from "../store/wipe.ts";

/** So long a drain at work is waited for. */
const LOCK_WAIT_MS = 15_000;
/** Hooks may write of the same while it is removed. */
const MAX_ROUNDS = 4;

/** What a run did. */
export interface ForgetReport {
  readonly id: string;
  readonly removed: Removed;
  /** What is left, each with the way out; empty when nothing is. */
  readonly left: readonly string[];
  /** Backups and other copies of this program's files that hold the text; they are not touched. */
  readonly copies: readonly string[];
  /** Transcripts of Claude Code that hold it, or that tell the same; not this program's. */
  readonly transcripts: readonly string[];
  /** Words of rows that stay, which the search index has in a form with the text in it. */
  readonly forms: readonly WordForm[];
  /** Of rows that tell the same as what was removed, and stay. */
  readonly toldElsewhere: ToldElsewhere;
}

/** What is asked for. */
export interface ForgetRequest {
  readonly filter: ForgetFilter;
  /** For the receipt: without the text. */
  readonly chosen: (salt: string) => Readonly<Record<string, unknown>>;
  /** The text itself, for its digest; null without one. */
  readonly text: string | null;
  /** The command that does it once more, without the text. */
  readonly again: string;
  /** Whether all that there is stands in room that nothing uses. */
  readonly isUnused: boolean;
  /** Masks what is made anew. */
  readonly redact: LateRedaction | undefined;
  readonly nowMs: number;
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
  tell("wiping the room of what was removed …");
  const wipe = wipePages(place.database, {
    nowMs,
    onProgress: (page, pages) => tell(`wiping page ${page} of ${pages} …`),
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
    : textLeft(place, filter, { again, bytes: wipe.complete ? bytes : { ...bytes, tables: [] } });
  if (steps.indexFault !== null) left.unshift(indexHeld(steps.indexFault, again));
  if (!wipe.complete) left.unshift(logHeld(place.database, again));
  const report = {
    id: receipt.id,
    removed: counted(removed),
    left,
    copies: isTextAlone(filter) ? copiesWith(place, filter) : [],
    transcripts: transcriptsWith(steps.transcripts, filter),
    forms: bytes?.forms ?? [],
    toldElsewhere: toldElsewhere(place, wipe.complete ? steps.pieces : null),
  };
  await writeReceipt(place, {
    report,
    digests: steps.digests,
    salt: receipt.salt,
    request,
    isDone: wipe.complete && steps.indexFault === null,
  });
  return report;
}

interface Steps {
  readonly removed: Removed;
  readonly digests: readonly string[];
  readonly pieces: ReturnType<typeof piecesOf>;
  readonly transcripts: readonly string[];
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
  const { filter, text, nowMs } = request;
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
  const removed: Removed = {};
  const changed: ChangedRows = new Map();
  const add = (counts: Removed) => addTo(removed, counts);
  const digests: string[] = [];
  const isAlone = isTextAlone(filter);
  const remake = remakeIn(db, { redact: request.redact, home: place.home, atMs: nowMs });
  let pieces: Steps["pieces"] = null;
  let transcripts: readonly string[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    tell("looking for what is to be forgotten …");
    const spool = matchingSpool(place, filter);
    for (const path of spool) removeSpooled(path, (record) => nameRecord(db, record, receipt));
    const chosen = chooseForgotten(db, filter, { remake });
    const sessions = scopeOf(db, filter, chosen);
    if (round === 1) {
      if (!isAlone) pieces = piecesOf(db, chosen);
      transcripts = transcriptsThatMay(db, { filter, chosen });
    }
    const { observations, captures, remade, importedSummaries } = chosen;
    add({ importedSummaries, remade: remade.length });
    for (const { batch } of batchesOf(remade)) withIndex(db, () => writeRemade(db, batch));
    for (const { batch, until } of batchesOf(observations)) {
      const done = withIndex(db, () => removeObservations(db, batch, { receipt, changed }));
      add({ observations: done.count, sessions: done.titles });
      digests.push(...done.digests);
      tell(`removed ${until} of ${observations.length} observations …`);
    }
    for (const { batch, until } of batchesOf(captures)) {
      const done = removeCaptures(db, batch, { receipt, changed });
      add({ captures: done.captures, hook_executions: done.executions });
      tell(`removed ${until} of ${captures.length} captures …`);
    }
    const naming = auditNaming(db, filter, { mode: "forget", changed });
    add({ spool: spool.length, hook_executions: naming });
    const elsewhere = filter.text !== null
      ? forgetPlaces(
        db,
        { text: filter.text, sessions, changed },
        (table, rows) => nameKeys(db, receipt.id, { table, rows }),
      )
      : asksForSessions(filter)
      ? sessionTexts(db, filter, { mode: "forget", changed })
      : {};
    add(elsewhere);
    const found = observations.length + captures.length + remade.length + spool.length + naming +
      Object.values(elsewhere).reduce((sum, n) => sum + n, 0);
    if (found === 0) break;
  }
  closeMends(db);
  tell("writing the search index anew …");
  withIndex(db, () => rewriteIndex(db));
  tell("comparing the words of the search index …");
  const indexFault = mendIndex(db);
  giveBackSpace(db);
  return { removed, digests, pieces, transcripts, indexFault };
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
