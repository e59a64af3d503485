/** Removes chosen content from the database and every file beside it, and checks whether anything is left. */
import type { DatabaseSync } from "node:sqlite";
import { addCounts } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { checkpoint, openDatabase } from "../../db/database.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { queueReplaced } from "../../db/team_outbox.ts";
import { transaction } from "../../db/transaction.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";
import type { LateRedaction } from "../../memory/drain/late_redaction.ts";
import { remakeIn } from "../../memory/drain/read_capture.ts";
import {
  chooseForgotten,
  type Chosen,
  type ForgetFilter,
  observedTexts,
  relatedTo,
  sessionsOf,
  textAlone,
  withIndex,
  type WordForm,
  writeRemade,
} from "../../memory/store.ts";
import { integrityFaults } from "../care/care_table.ts";
import { rewriteRows } from "../care/rewrite_rows_table.ts";
import { writtenCopies } from "../../db/notes.ts";
import { nameForgotten } from "./stay_away_table.ts";
import {
  beginReceipt,
  finishReceipt,
  type Receipt,
  type ReceiptKey,
} from "./forget_receipts_table.ts";
import {
  copiesOf,
  forgetInCopies,
  type ForgetPlace,
  overwriteWritten,
  previewCopies,
  transcriptsThatMay,
} from "./forget_files.ts";
import {
  batchesOf,
  changePlaces,
  forgetCaptures,
  forgetObservations,
  type ForgetRun,
  newRun,
  placesOf,
  type Removed,
} from "./forget_places_table.ts";
import { bytesLeft, copiesWith, textLeft } from "./forget_proof.ts";

/** How long a run waits for a drain, in milliseconds. */
const LOCK_WAIT_MS = 15_000;
/** The most rounds of a run, since hooks may write the same content again meanwhile. */
const MAX_ROUNDS = 4;

interface ForgetSearch {
  readonly filter: ForgetFilter;
  /** Masks observations that are made anew. */
  readonly redact: LateRedaction | undefined;
  readonly nowMs: number;
  /** Receives each step, for the progress line. */
  readonly tell: (doing: string, progress?: { readonly done: number; readonly of: number }) => void;
}

/** The content to forget, and what its receipt says. */
export interface ForgetRequest extends ForgetSearch {
  /** Makes the receipt's record of the choice, with a digest in place of a text. */
  readonly chosen: (salt: string) => Receipt["chosen"];
  /** The text, for its digest; null if no text was chosen. */
  readonly text: string | null;
  /** The command that repeats the run, with a placeholder for the text. */
  readonly again: string;
  /** Names that the receipt gets at once, so that their rows cannot come in, even if they are not here now. */
  readonly names?: readonly string[];
  /** Whether only unused space of the database file contains the text. */
  readonly isUnused: boolean;
}

/** Counts everything that is chosen, or removes it, once. */
function passOver(db: DatabaseSync, place: ForgetPlace, search: ForgetSearch, run: ForgetRun) {
  const { filter, redact, nowMs, tell } = search;
  const isPreview = run.receipt === null;
  tell("Looking for what is to be forgotten");
  if (!isPreview) place.drainSpool(db, { database: place.database, folders: place.spoolFolders });
  const remake = remakeIn(db, { redact, home: place.home, atMs: nowMs });
  const chosen = chooseForgotten(db, filter, remake);
  const { observations, captures, remade, importedSummaries } = chosen;
  const sessions = scopeOf(db, filter, chosen);
  if (!isPreview) tell("Removing");
  for (const batch of isPreview ? [] : batchesOf(remade)) {
    const rows = observedTexts(db, batch.map(({ id }) => id));
    transaction(db, () => queueReplaced(db, rows.map(({ uid }) => String(uid))));
    withIndex(db, () => writeRemade(db, batch));
  }
  const removed: Removed = {};
  addCounts(removed, {
    observations: observations.length,
    importedSummaries,
    captures: captures.length,
    remade: remade.length,
  });
  addCounts(removed, forgetObservations(db, observations, run));
  addCounts(removed, forgetCaptures(db, captures, run));
  addCounts(removed, changePlaces(db, placesOf(db, filter, sessions), run));
  return { removed, chosen };
}

/** Returns the sessions from which a text is removed, if other filters narrow the search; null for all. */
function scopeOf(db: DatabaseSync, filter: ForgetFilter, chosen: Chosen): string[] | null {
  if (filter.text === null || textAlone(filter) !== null) return null;
  const sessions = sessionsOf(db, chosen).map(({ id }) => id);
  return filter.sessionId === null ? sessions : [...new Set([...sessions, filter.sessionId])];
}

export type ForgetPreview = ReturnType<typeof previewForget>;

/** Tells what a run would remove now, and which other files may hold the content. Changes nothing. */
export function previewForget(db: DatabaseSync, place: ForgetPlace, search: ForgetSearch) {
  const { filter } = search;
  const { removed, chosen } = passOver(db, place, search, newRun(null));
  const text = textAlone(filter);
  if (text !== null) addCounts(removed, overwriteWritten(place, text, { isDry: true }));
  const written = writtenCopies(db).map(({ path }) => path);
  const copies = text === null ? [] : copiesWith(place, text, written);
  const others = new Set(copiesOf(place, written)).difference(new Set(copies));
  const isUnreadable = (path: string) =>
    ["older", "newer", "damaged"].includes(identifyDatabase(path).kind);
  const forms: readonly WordForm[] = [];
  return {
    removed,
    observations: chosen.observations,
    /** The observations among them that go only because they tell of the others. */
    along: chosen.along,
    /** Other files that hold the text, such as exports; a run does not change them. */
    copies,
    /** Files that this program wrote for a person (exports) and that may hold it; a run does not change them. */
    copiesThatMay: written.filter((path) =>
      others.has(path) && (text === null || isUnreadable(path))
    ),
    /** Backups and databases that were set aside: a run forgets the content there too, or removes the file. */
    ownCopies: previewCopies(place),
    /** Transcripts of Claude Code that may hold the content; finding out means reading them. */
    transcripts: transcriptsThatMay(db, filter, chosen),
    /** Observations that stay although they tell part of the same. */
    toldBy: relatedTo(db, filter, chosen),
    /** See `forms` of {@linkcode bytesLeft}: empty here, since finding them means reading the whole file. */
    forms,
  };
}

export type ForgetReport = Awaited<ReturnType<typeof runForget>>;

/**
 * Forgets the chosen content. Drains wait meanwhile, since they could hold removed content in memory; hooks may run. A
 * stopped run leaves an unfinished receipt, and can be repeated. @throws {UserError} When a drain works for too long.
 */
export async function runForget(place: ForgetPlace, request: ForgetRequest) {
  using lock = takeLock(drainLockPath(place.database), { waitMs: LOCK_WAIT_MS });
  if (lock === null) {
    throw new UserError("Cannot forget now", {
      why: "another process is working captures into memory; nothing was changed",
      next: request.again,
    });
  }
  const { filter, again, nowMs: atMs, tell } = request;
  const text = textAlone(filter);
  const { receipt, done } = await removeFromDatabase(place, request);
  const isRewritten = rewriteRows(
    place.database,
    (done, of) => tell("Writing the tables anew", { done, of }),
  );
  tell("Forgetting in backups and other copies");
  const { left: copiesLeft, ...ownCopies } = await forgetInCopies(place, {
    receiptId: receipt.id,
    filter,
  }, (copy, filter) => {
    const search = { ...request, filter, tell: () => {} };
    const inCopy = removeChosen(copy, { ...place, spoolFolders: [] }, search, receipt);
    finishReceipt(copy, receipt, { ...inCopy, remains: [], atMs, isWhole: true });
  });
  const { removed } = done;
  if (request.isUnused) removed["unusedRoom"] = 1;
  if (text !== null) addCounts(removed, overwriteWritten(place, text, { isDry: false }));
  tell("Looking whether anything is left");
  const bytes = text && bytesLeft(place, text);
  const left = [
    ...isRewritten ? [] : [
      "the write-ahead log may still hold it, since another process reads from it: " +
      `\`fuser -v ${quoteWord(`${place.database}-wal`)}\`, then \`${again}\``,
    ],
    // Before the rewrite is complete, old pages may still hold removed rows.
    ...text === null || bytes === null
      ? []
      : textLeft(place, text, { again, bytes: isRewritten ? bytes : { ...bytes, tables: [] } }),
    ...copiesLeft,
  ];
  using after = await openDatabase(place.database, place);
  finishReceipt(after, receipt, { ...done, remains: left, atMs, isWhole: isRewritten });
  checkpoint(after, "TRUNCATE");
  // `left`: sentences about remains, each with the way out.
  return { id: receipt.id, removed, left, ownCopies, forms: bytes?.forms ?? [] };
}

/** Begins the receipt and removes the chosen content. @throws {UserError} When the database is damaged. */
async function removeFromDatabase(place: ForgetPlace, request: ForgetRequest) {
  using db = await openDatabase(place.database, place);
  request.tell("Looking whether the database is sound");
  const [fault] = integrityFaults(db, "quick");
  if (fault !== undefined) {
    throw new UserError("Cannot forget", {
      why: `the database is damaged: ${fault}; nothing was changed`,
      next: "conclaude doctor",
    });
  }
  const receipt = beginReceipt(db, request);
  nameForgotten(db, receipt.id, request.names ?? []);
  return { receipt, done: removeChosen(db, place, request, receipt) };
}

/** Removes the chosen content, and names it in the receipt, in rounds until nothing is left. */
function removeChosen(
  db: DatabaseSync,
  place: ForgetPlace,
  search: ForgetSearch,
  receipt: ReceiptKey,
) {
  const run = newRun(receipt);
  const all: Removed = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { removed } = passOver(db, place, search, run);
    addCounts(all, removed);
    if (Object.keys(removed).length === 0) break;
  }
  return { removed: all, digests: run.digests };
}
