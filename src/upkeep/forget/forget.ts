/** Removes chosen content from the database and every file beside it, and checks whether anything is left. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../base/errors.ts";
import { checkpoint, openDatabase } from "../../db/database.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { auditOf, titlesAfter } from "../../db/forgotten_audit.ts";
import { queueReplaced } from "../../db/team_outbox.ts";
import { transaction } from "../../db/transaction.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";
import type { LateRedaction } from "../../memory/drain/late_redaction.ts";
import { remakeIn } from "../../memory/drain/read_capture.ts";
import type { TextMatcher } from "../../memory/forget_text.ts";
import {
  chooseForgotten,
  type Chosen,
  type ForgetFilter,
  isTextAlone,
  observedTexts,
  relatedTo,
  sessionsOf,
  withIndex,
  type WordForm,
  writeRemade,
} from "../../memory/store.ts";
import { integrityFaults } from "../care/care_table.ts";
import { rewriteRows } from "../care/rewrite_rows_table.ts";
import { writtenCopies } from "../../db/notes.ts";
import { overwriteIn } from "./byte_scan.ts";
import { nameForgotten } from "./forgotten_names_table.ts";
import { beginReceipt, finishReceipt, type Receipt } from "./forget_receipts_table.ts";
import {
  copiesOf,
  forgetInCopies,
  type ForgetPlace,
  previewCopies,
  transcriptsThatMay,
  writtenFiles,
} from "./forget_files.ts";
import {
  batchesOf,
  changePlaces,
  placesOf,
  removeCaptures,
  removeObservations,
} from "./forget_places_table.ts";
import { bytesLeft, copiesWith, logHeld, textLeft } from "./forget_proof.ts";

/** How long a run waits for a drain, in milliseconds. */
const LOCK_WAIT_MS = 15_000;
/** The most rounds of a run, since hooks may write the same content again meanwhile. */
const MAX_ROUNDS = 4;

/** The number of rows or files of each kind; kinds with none are missing. */
export type Removed = Record<string, number>;

/** The content to search for. */
interface ForgetSearch {
  readonly filter: ForgetFilter;
  /** Masks observations that are made anew. */
  readonly redact: LateRedaction | undefined;
  readonly nowMs: number;
  /** Receives each step, for the progress line. */
  readonly tell: (doing: string, far?: { readonly done: number; readonly of: number }) => void;
}

/** The content to forget, and what its receipt says. */
export interface ForgetRequest extends ForgetSearch {
  /** Makes the receipt's record of the choice, with a digest in place of a text. */
  readonly chosen: (salt: string) => Readonly<Record<string, unknown>>;
  /** The text, for its digest; null if no text was chosen. */
  readonly text: string | null;
  /** The command that repeats the run, with a placeholder for the text. */
  readonly again: string;
  /** Names that the receipt gets at once, so that their rows cannot come in, even if they are not here now. */
  readonly names?: readonly string[];
  /** Whether only unused space of the database file contains the text. */
  readonly isUnused: boolean;
}

type ReceiptKey = Pick<Receipt, "id" | "salt">;

/** The results of all passes over one database, for the receipt. */
interface PassResults {
  readonly removed: Removed;
  readonly digests: string[];
}

/** Adds `counts` to `removed`. */
function addTo(removed: Removed, counts: Readonly<Removed>): void {
  for (const [name, n] of Object.entries(counts)) {
    if (n > 0) removed[name] = (removed[name] ?? 0) + n;
  }
}

/**
 * Counts or removes everything that is chosen, once.
 *
 * @param options `receipt`: names the removed content; null only counts.
 */
function passOver(
  db: DatabaseSync,
  place: ForgetPlace,
  { search: { filter, redact, nowMs, tell }, receipt, changed, digests }: {
    readonly search: ForgetSearch;
    readonly receipt: ReceiptKey | null;
    readonly changed: Map<string, Set<number>>;
    readonly digests: string[];
  },
) {
  const removed: Removed = {};
  const receiptId = receipt?.id ?? null;
  const how = { mode: receipt === null ? "look" : "forget", changed, receiptId } as const;
  tell("Looking for what is to be forgotten");
  if (receipt !== null) {
    place.drainSpool(db, { database: place.database, folders: place.spoolFolders });
  }
  const remake = remakeIn(db, { redact, home: place.home, atMs: nowMs });
  const chosen = chooseForgotten(db, filter, remake);
  const { observations, captures, remade, importedSummaries } = chosen;
  const sessions = scopeOf(db, filter, chosen);
  addTo(removed, {
    observations: observations.length,
    importedSummaries,
    captures: captures.length,
    remade: remade.length,
  });
  if (receipt === null) {
    const quoting = [...titlesAfter(observedTexts(db, observations)), auditOf(db, captures)];
    addTo(removed, changePlaces(db, quoting, how));
  } else {
    for (const batch of batchesOf(remade)) {
      const rows = observedTexts(db, batch.map(({ id }) => id));
      transaction(db, () => queueReplaced(db, rows.map(({ uid }) => String(uid))));
      withIndex(db, () => writeRemade(db, batch));
    }
    for (const batch of batchesOf(observations)) {
      const done = withIndex(db, () => removeObservations(db, batch, { ...how, receipt }));
      addTo(removed, done.quoting);
      digests.push(...done.digests);
    }
    tell("Removing");
    for (const batch of batchesOf(captures)) {
      addTo(removed, removeCaptures(db, batch, { ...how, receipt }));
    }
  }
  addTo(removed, changePlaces(db, placesOf(db, filter, sessions), how));
  return { removed, chosen };
}

/** Returns the sessions from which a text is removed, if other filters narrow the search; null for all. */
function scopeOf(db: DatabaseSync, filter: ForgetFilter, chosen: Chosen): string[] | null {
  if (filter.text === null || isTextAlone(filter)) return null;
  const sessions = sessionsOf(db, chosen).map(({ id }) => id);
  return filter.sessionId === null ? sessions : [...new Set([...sessions, filter.sessionId])];
}

export type ForgetPreview = ReturnType<typeof previewForget>;

/** Tells what a run would remove now, and which other files may hold the content. Changes nothing. */
export function previewForget(db: DatabaseSync, place: ForgetPlace, search: ForgetSearch) {
  const { filter } = search;
  const { removed, chosen } = passOver(db, place, {
    search,
    receipt: null,
    changed: new Map(),
    digests: [],
  });
  const isAlone = isTextAlone(filter);
  if (isAlone) addTo(removed, overwriteWritten(place, filter.text!, { isDry: true }));
  const written = writtenCopies(db).map(({ path }) => path);
  const copies = isAlone ? copiesWith(place, filter, written) : [];
  const others = new Set(copiesOf(place, written));
  const mayHold = (path: string) =>
    others.has(path) && !copies.includes(path) &&
    (!isAlone || ["older", "newer", "damaged"].includes(identifyDatabase(path).kind));
  const forms: readonly WordForm[] = [];
  return {
    removed,
    /** The numbers of the observations that a run removes. */
    observations: chosen.observations,
    /** The observations among them that go only because they tell of the others. */
    along: chosen.along,
    /** Other files that hold the text, such as exports; a run does not change them. */
    copies,
    /** Files that this program wrote for a person (exports) and that may hold it; a run does not change them. */
    copiesThatMay: written.filter(mayHold),
    /** Backups and databases that were set aside: a run forgets the content there too, or removes the file. */
    ownCopies: previewCopies(place),
    /** Transcripts of Claude Code that may hold the content; finding out means reading them. */
    transcripts: transcriptsThatMay(db, filter, chosen),
    /** Observations that stay although they tell part of the same. */
    toldBy: relatedTo(db, filter, chosen),
    /** Words of rows that stay whose form in the search index contains the text (`zurich` for `Zürich`). */
    forms,
  };
}

/** Overwrites a text in logs, agents' files and the spool; `isDry` only counts. */
function overwriteWritten(
  place: ForgetPlace,
  text: TextMatcher,
  how: { readonly isDry: boolean },
): Removed {
  return Object.fromEntries(
    Object.entries(writtenFiles(place)).map(([kind, paths]) => [
      kind,
      paths.reduce((sum, path) => sum + overwriteIn(path, text, how), 0),
    ]),
  );
}

export type ForgetReport = Awaited<ReturnType<typeof runForget>>;

/**
 * Forgets the chosen content. Hooks may run meanwhile; drains wait, since a drain could hold removed content in memory.
 * A stopped run leaves an unfinished receipt, and can be repeated.
 *
 * @throws {UserError} When a drain works for too long. @throws {Error} SQLite's error.
 */
export async function runForget(place: ForgetPlace, request: ForgetRequest) {
  using lock = takeLock(drainLockPath(place.database), { waitMs: LOCK_WAIT_MS });
  if (lock === null) {
    throw new UserError("Cannot forget now", {
      why: "another process is working captures into memory; nothing was changed",
      next: request.again,
    });
  }
  const { filter, again, nowMs, tell } = request;
  const isAlone = isTextAlone(filter);
  const { receipt, steps } = await removeFromDatabase(place, request);
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
    const inCopy = removeChosen(copy, { ...place, spoolFolders: [] }, { search, receipt });
    finishReceipt(copy, receipt, { ...inCopy, remains: [], atMs: nowMs, isWhole: true });
  });
  if (request.isUnused) steps.removed["unusedRoom"] = 1;
  if (isAlone) addTo(steps.removed, overwriteWritten(place, filter.text!, { isDry: false }));
  tell("Looking whether anything is left");
  const bytes = isAlone ? bytesLeft(place, filter.text!) : null;
  const left = [
    ...isRewritten ? [] : [logHeld(place.database, again)],
    // Before the rewrite is complete, old pages may still hold removed rows.
    ...bytes === null
      ? []
      : textLeft(place, filter, { again, bytes: isRewritten ? bytes : { ...bytes, tables: [] } }),
    ...copiesLeft,
  ];
  using after = await openDatabase(place.database, place);
  finishReceipt(after, receipt, { ...steps, remains: left, atMs: nowMs, isWhole: isRewritten });
  checkpoint(after, "TRUNCATE");
  // `left`: sentences about remains, each with the way out.
  return { id: receipt.id, removed: steps.removed, left, ownCopies, forms: bytes?.forms ?? [] };
}

/** Begins the receipt and removes the chosen content. @throws {UserError} When the database is damaged. */
async function removeFromDatabase(
  place: ForgetPlace,
  request: ForgetRequest,
): Promise<{ readonly receipt: ReceiptKey; readonly steps: PassResults }> {
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
  return { receipt, steps: removeChosen(db, place, { search: request, receipt }) };
}

/** Removes the chosen content, and names it in the receipt, in rounds until nothing is left. */
function removeChosen(
  db: DatabaseSync,
  place: ForgetPlace,
  { search, receipt }: { readonly search: ForgetSearch; readonly receipt: ReceiptKey },
): PassResults {
  const done: PassResults = { removed: {}, digests: [] };
  const changed = new Map<string, Set<number>>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { removed } = passOver(db, place, { search, receipt, changed, digests: done.digests });
    addTo(done.removed, removed);
    if (Object.keys(removed).length === 0) break;
  }
  return done;
}
