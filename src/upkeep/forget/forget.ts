/** Forgets: takes what is chosen out of the database and every file beside it, and looks whether anything is left. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { TextMatcher } from "../../memory/forget_text.ts";
import type { LateRedaction } from "../../memory/drain/late_redaction.ts";
import { remakeIn } from "../../memory/drain/read_capture.ts";
import { integrityFaults } from "../care/care_table.ts";
import { checkpoint, openDatabase } from "../../db/database.ts";
import {
  chooseForgotten,
  type Chosen,
  type ForgetFilter,
  isTextAlone,
} from "./forget_choice_table.ts";
import { piecesOf, sessionsOf, type ToldElsewhere, toldElsewhere } from "./forget_look_table.ts";
import { auditOf, changePlaces, placesOf, titlesAfter } from "./forget_places_table.ts";
import {
  beginReceipt,
  closeReceipts,
  dropLostNames,
  finishReceipt,
  forgottenDigest,
  type Receipt,
  receiptsWithoutKey,
  sameAgain,
  unfinishedReceipts,
} from "./forget_receipts_table.ts";
import {
  batchesOf,
  closeMends,
  nameRecord,
  removeCaptures,
  removeObservations,
} from "./forget_rows_table.ts";
import {
  checkIndex,
  indexFaults,
  rebuildIndex,
  withIndex,
  type WordForm,
  writeRemade,
} from "../../memory/store.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";
import { rewriteRows } from "../care/rewrite_rows_table.ts";
import { countIn, overwriteIn } from "./byte_scan.ts";
import { stoppedOf } from "./forget_again.ts";
import { forgetInCopies, previewCopies } from "./forget_copies.ts";
import {
  type ForgetPlace,
  matchingSpool,
  removeSpooled,
  transcriptsThatMay,
  transcriptsWith,
  writtenFiles,
} from "./forget_files.ts";
import { bytesLeft, copiesWith, indexHeld, logHeld, textLeft } from "./forget_proof.ts";

/** So long a drain at work is waited for. */
const LOCK_WAIT_MS = 15_000;
/** Hooks may write of the same while it is removed. */
const MAX_ROUNDS = 4;

/** Rows and files by what they are; what is 0 is not there. */
export type Removed = Record<string, number>;

/** What is asked for. */
export interface ForgetRequest {
  readonly filter: ForgetFilter;
  /** Masks observations that are made anew. */
  readonly redact: LateRedaction | undefined;
  readonly nowMs: number;
  /** For the receipt: without the text. */
  readonly chosen: (salt: string) => Readonly<Record<string, unknown>>;
  /** The text itself, for its digest; null without one. */
  readonly text: string | null;
  /** The command that does it once more, without the text. */
  readonly again: string;
  /** Whether all that there is stands in room that nothing uses. */
  readonly isUnused: boolean;
  /** Told what is being done. */
  readonly tell: (doing: string) => void;
}

type ReceiptKey = Pick<Receipt, "id" | "salt">;

/** What a pass over the database and its spool finds or removes. */
interface Pass {
  readonly removed: Removed;
  readonly chosen: Chosen;
  readonly digests: readonly string[];
}

/** Adds counts to others. */
function addTo(removed: Removed, counts: Readonly<Removed>): void {
  for (const [name, n] of Object.entries(counts)) {
    if (n > 0) removed[name] = (removed[name] ?? 0) + n;
  }
}

/**
 * Goes over everything that is chosen once.
 *
 * @param options `receipt`: what is chosen is removed and named in it; null only looks.
 */
function passOver(
  db: DatabaseSync,
  place: ForgetPlace,
  { request: { filter, redact, nowMs, tell }, receipt, changed, onChosen = () => {} }: {
    readonly request: Pick<ForgetRequest, "filter" | "redact" | "nowMs" | "tell">;
    readonly receipt: ReceiptKey | null;
    readonly changed: Map<string, Set<number>>;
    /** Called before any row is removed. */
    readonly onChosen?: (chosen: Chosen) => void;
  },
): Pass {
  const removed: Removed = {};
  const digests: string[] = [];
  const receiptId = receipt?.id ?? null;
  const how = { mode: receipt === null ? "look" : "forget", changed, receiptId } as const;
  tell("looking for what is to be forgotten …");
  const spool = matchingSpool(place, filter);
  if (receipt !== null) {
    for (const path of spool) removeSpooled(path, (record) => nameRecord(db, record, receipt.id));
  }
  const chosen = chooseForgotten(
    db,
    filter,
    remakeIn(db, { redact, home: place.home, atMs: nowMs }),
  );
  const { observations, captures, remade, importedSummaries } = chosen;
  const sessions = scopeOf(db, filter, chosen);
  onChosen(chosen);
  addTo(removed, {
    observations: observations.length,
    importedSummaries,
    captures: captures.length,
    remade: remade.length,
    spool: spool.length,
  });
  if (receipt === null) {
    addTo(
      removed,
      changePlaces(db, [...titlesAfter(db, observations), auditOf(db, captures)], how),
    );
  } else {
    for (const batch of batchesOf(remade)) withIndex(db, () => writeRemade(db, batch));
    for (const batch of batchesOf(observations)) {
      const done = withIndex(db, () => removeObservations(db, batch, { ...how, receipt }));
      addTo(removed, done.quoting);
      digests.push(...done.digests);
    }
    tell(`removed ${observations.length} observations …`);
    for (const batch of batchesOf(captures)) {
      addTo(removed, removeCaptures(db, batch, { ...how, receipt }));
    }
  }
  addTo(removed, changePlaces(db, placesOf(db, filter, sessions), how));
  return { removed, chosen, digests };
}

/** With other filters beside it, a text goes only out of rows of the sessions that these lead to. */
function scopeOf(db: DatabaseSync, filter: ForgetFilter, chosen: Chosen): string[] | null {
  if (filter.text === null || isTextAlone(filter)) return null;
  const sessions = sessionsOf(db, chosen).map(({ id }) => id);
  return filter.sessionId === null ? sessions : [...new Set([...sessions, filter.sessionId])];
}

/** What a run would remove now. */
export interface ForgetPreview {
  readonly removed: Removed;
  /** Files that hold the text and are not touched. */
  readonly copies: readonly string[];
  /** Copies of the database in which the same would be forgotten, and those that would go. */
  readonly ownCopies: ReturnType<typeof previewCopies>;
  /** Transcripts of Claude Code that may hold it; to look takes as long as reading them. */
  readonly transcripts: readonly string[];
  /** Observations that would stay and tell some of the same; empty where it is done right away, which tells them. */
  readonly toldBy: readonly number[];
  /** Words of rows that stay, which the search index has in a form with the text in it, where nothing else has it. */
  readonly forms: readonly WordForm[];
}

/** Says what would be removed. Nothing is changed. */
export function previewForget(
  db: DatabaseSync,
  place: ForgetPlace,
  request: Pick<ForgetRequest, "filter" | "redact" | "nowMs" | "tell"> & {
    readonly isDry: boolean;
  },
): ForgetPreview {
  const { filter, isDry } = request;
  const changed = new Map<string, Set<number>>();
  const { removed, chosen } = passOver(db, place, { request, receipt: null, changed });
  const isAlone = isTextAlone(filter);
  if (isAlone) addTo(removed, inWrittenFiles(place, filter.text!, countIn));
  const changing = [...chosen.observations, ...chosen.remade.map(({ id }) => id)];
  return {
    removed,
    copies: isAlone ? copiesWith(place, filter) : [],
    ownCopies: previewCopies(place),
    transcripts: transcriptsThatMay(db, filter, chosen),
    toldBy: isDry && !isAlone ? toldElsewhere(db, piecesOf(db, chosen), changing).observations : [],
    forms: [],
  };
}

function inWrittenFiles(
  place: ForgetPlace,
  text: TextMatcher,
  work: (path: string, text: TextMatcher) => number,
): Removed {
  const { logs, agents } = writtenFiles(place);
  const sum = (paths: readonly string[]) => paths.reduce((all, path) => all + work(path, text), 0);
  return { logs: sum(logs), agentFiles: sum(agents) };
}

/** What a run did. */
export interface ForgetReport {
  readonly id: string;
  readonly removed: Removed;
  /** What is left, each with the way out; empty when nothing is. */
  readonly left: readonly string[];
  /** Other files with copies that hold the text, exports for one; they are not touched. */
  readonly copies: readonly string[];
  /** Backups and databases that were set aside: in these the same was forgotten, or they were removed. */
  readonly ownCopies: ForgetPreview["ownCopies"];
  /** Transcripts of Claude Code that hold it, or that tell the same; not this program's. */
  readonly transcripts: readonly string[];
  /** Words of rows that stay, which the search index has in a form with the text in it. */
  readonly forms: readonly WordForm[];
  /** Of rows that tell the same as what was removed, and stay. */
  readonly toldElsewhere: ToldElsewhere;
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
  const { filter, again, nowMs, tell } = request;
  const receipt = { id: newId(nowMs), salt: crypto.randomUUID().replaceAll("-", "") };
  const db = await openDatabase(place.database, place);
  let steps: RemovedChosen;
  let indexFault: string | null;
  try {
    tell("looking whether the database is sound …");
    const [fault] = integrityFaults(db, "quick");
    if (fault !== undefined) {
      throw new UserError("Cannot forget", {
        why: `the database is damaged: ${fault}; nothing was changed`,
        next: "conclaude doctor",
      });
    }
    const { text } = request;
    beginReceipt(db, {
      ...receipt,
      chosen: request.chosen(receipt.salt),
      textDigest: text === null ? null : forgottenDigest(receipt.salt, text),
      createdAtMs: nowMs,
    });
    steps = removeChosen(db, place, { request, receipt });
    tell("comparing the words of the search index …");
    indexFault = mendIndex(db);
  } finally {
    db.close();
  }
  const isRewritten = rewriteRows(
    place.database,
    (table, tables) => tell(`writing table ${table} of ${tables} anew …`),
  );
  tell("forgetting in backups and other copies …");
  const { left: copiesLeft, ...ownCopies } = await forgetInCopies(place, {
    receiptId: receipt.id,
    filter,
  }, (copy, filter) => {
    const inCopy = removeChosen(copy, { ...place, spoolFolders: [] }, {
      request: { ...request, filter, tell: () => {} },
      receipt,
    });
    finish(copy, { receipt, steps: inCopy, remains: [], nowMs, isDone: true });
  });
  if (request.isUnused) steps.removed["unusedRoom"] = 1;
  if (isTextAlone(filter)) addTo(steps.removed, inWrittenFiles(place, filter.text!, overwriteIn));
  tell("looking whether anything is left …");
  const bytes = isTextAlone(filter) ? bytesLeft(place, filter.text!) : null;
  const left = [
    ...isRewritten ? [] : [logHeld(place.database, again)],
    ...indexFault === null ? [] : [indexHeld(indexFault, again)],
    // Pages that cannot be written over yet may hold anything.
    ...bytes === null
      ? []
      : textLeft(place, filter, { again, bytes: isRewritten ? bytes : { ...bytes, tables: [] } }),
    ...copiesLeft,
  ];
  const after = await openDatabase(place.database, place);
  try {
    const isDone = isRewritten && indexFault === null;
    finish(after, { receipt, steps, remains: left, nowMs, isDone });
    // Receipts of the same that were stopped before are closed. Where this run is not done either, it alone is named.
    const others = (receipts: readonly Receipt[]) =>
      stoppedOf(receipts, request.chosen).map(({ id }) => id).filter((id) => id !== receipt.id);
    const remains = isDone ? left : null;
    closeReceipts(after, others(unfinishedReceipts(after)), { remains, atMs: nowMs });
    if (isDone) dropLostNames(after, others(receiptsWithoutKey(after)));
    if (indexFaults(after).length > 0) rebuildIndex(after);
    checkpoint(after, "TRUNCATE");
    return {
      id: receipt.id,
      removed: steps.removed,
      left,
      copies: isTextAlone(filter) ? copiesWith(place, filter) : [],
      ownCopies,
      transcripts: transcriptsWith(steps.transcripts, filter),
      forms: bytes?.forms ?? [],
      toldElsewhere: toldElsewhere(after, steps.pieces),
    };
  } finally {
    after.close();
  }
}

interface RemovedChosen {
  readonly removed: Removed;
  readonly digests: readonly string[];
  /** Pieces of what was removed, which other rows may tell; null where a text alone is. */
  readonly pieces: TextMatcher | null;
  readonly transcripts: readonly string[];
}

/** Removes what is chosen, and names it in the receipt, until nothing of it is left. */
function removeChosen(
  db: DatabaseSync,
  place: ForgetPlace,
  { request, receipt }: { readonly request: ForgetRequest; readonly receipt: ReceiptKey },
): RemovedChosen {
  const { filter } = request;
  const removed: Removed = {};
  const digests: string[] = [];
  const changed = new Map<string, Set<number>>();
  let pieces: RemovedChosen["pieces"] = null;
  let transcripts: readonly string[] = [];
  const onChosen = (chosen: Chosen) => {
    if (!isTextAlone(filter)) pieces = piecesOf(db, chosen);
    transcripts = transcriptsThatMay(db, filter, chosen);
  };
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const pass = passOver(db, place, {
      request,
      receipt,
      changed,
      ...round === 1 && { onChosen },
    });
    addTo(removed, pass.removed);
    digests.push(...pass.digests);
    if (Object.keys(pass.removed).length === 0) break;
  }
  closeMends(db);
  return { removed, digests, pieces, transcripts };
}

/** Words that a damaged index has lost sight of are not taken out of it with their rows. @returns What is wrong still. */
function mendIndex(db: DatabaseSync): string | null {
  if (checkIndex(db).length === 0) return null;
  rebuildIndex(db);
  return checkIndex(db)[0] ?? null;
}

function finish(
  db: DatabaseSync,
  { receipt: { id, salt }, steps: { removed, digests }, remains, nowMs, isDone }: {
    readonly receipt: ReceiptKey;
    readonly steps: RemovedChosen;
    readonly remains: readonly string[];
    readonly nowMs: number;
    /** Whether all of it was gone through; else it is as if it had been stopped, and `doctor` names it. */
    readonly isDone: boolean;
  },
): void {
  // Rows that were not chosen tell the same: their digests say nothing of what comes back.
  const stay = new Set(
    sameAgain(db, { salt, digests, createdAtMs: nowMs }).map(({ digest }) => digest),
  );
  finishReceipt(db, {
    id,
    removed,
    digests: digests.filter((digest) => !stay.has(digest)),
    remains,
    finishedAtMs: isDone ? nowMs : null,
  });
}
