/** Forgets: takes what is chosen out of the database and every file beside it, and looks whether anything is left. */
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
import { writtenCopies } from "../../db/written_copies.ts";
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

/** How long a run waits for a drain that is at work. */
const LOCK_WAIT_MS = 15_000;
/** The most rounds of a run: hooks may write the same again while it is removed. */
const MAX_ROUNDS = 4;

/** How many rows and files of each kind; a kind with none is left out. */
export type Removed = Record<string, number>;

/** What is looked for. */
interface ForgetSearch {
  readonly filter: ForgetFilter;
  /** Masks observations that are made anew. */
  readonly redact: LateRedaction | undefined;
  readonly nowMs: number;
  /** Is told each step, for the progress line. */
  readonly tell: (doing: string, far?: { readonly done: number; readonly of: number }) => void;
}

/** What is to be forgotten. */
export interface ForgetRequest extends ForgetSearch {
  /** What the receipt keeps of the choice: no text, only its digest. */
  readonly chosen: (salt: string) => Readonly<Record<string, unknown>>;
  /** The text itself, for its digest; null without one. */
  readonly text: string | null;
  /** The command that repeats the run; a placeholder stands for the text. */
  readonly again: string;
  /** What the receipt names from the beginning, whether it is here or not: it must not come in. */
  readonly names?: readonly string[];
  /** Whether the text stands only in unused room of the database file. */
  readonly isUnused: boolean;
}

type ReceiptKey = Pick<Receipt, "id" | "salt">;

/** What a receipt is told of all passes over one database. */
interface Done {
  readonly removed: Removed;
  readonly digests: string[];
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

/** The sessions that a text is removed from, where other filters narrow it down; null for all. */
function scopeOf(db: DatabaseSync, filter: ForgetFilter, chosen: Chosen): string[] | null {
  if (filter.text === null || isTextAlone(filter)) return null;
  const sessions = sessionsOf(db, chosen).map(({ id }) => id);
  return filter.sessionId === null ? sessions : [...new Set([...sessions, filter.sessionId])];
}

export type ForgetPreview = ReturnType<typeof previewForget>;

/** Says what a run would remove now, and what else it finds. Changes nothing. */
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
    /** The observations among them, by their numbers. */
    observations: chosen.observations,
    /** Those of them that go because they tell of the others. */
    along: chosen.along,
    /** Other files with copies that hold the text, exports for one; they are not touched. */
    copies,
    /** Files that a person has had written and that may hold it; they are not touched. */
    copiesThatMay: written.filter(mayHold),
    /** Backups and databases that were set aside: in these the same is forgotten, or they are removed. */
    ownCopies: previewCopies(place),
    /** Transcripts of Claude Code that may hold it; to look takes as long as reading them. */
    transcripts: transcriptsThatMay(db, filter, chosen),
    /** Observations that stay and tell some of the same. */
    toldBy: relatedTo(db, filter, chosen),
    /** Words of rows that stay: only their form in the search index has the text in it (`zurich` for `Zürich`). */
    forms,
  };
}

/** Overwrites a text in what was written into files; `isDry` only counts its places. */
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
 * Forgets. It may run beside hooks; a drain waits, since it could hold in memory what is removed. A run that is stopped
 * leaves a receipt that says so, and can be repeated.
 *
 * @throws {UserError} When a drain is at work for too long. @throws {Error} What SQLite says.
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
  // `left`: what is left, each with the way out.
  return { id: receipt.id, removed: steps.removed, left, ownCopies, forms: bytes?.forms ?? [] };
}

/** Begins the receipt and removes what is chosen. @throws {UserError} When the database is damaged. */
async function removeFromDatabase(
  place: ForgetPlace,
  request: ForgetRequest,
): Promise<{ readonly receipt: ReceiptKey; readonly steps: Done }> {
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

/** Removes what is chosen, and names it in the receipt, until nothing of it is left. */
function removeChosen(
  db: DatabaseSync,
  place: ForgetPlace,
  { search, receipt }: { readonly search: ForgetSearch; readonly receipt: ReceiptKey },
): Done {
  const done: Done = { removed: {}, digests: [] };
  const changed = new Map<string, Set<number>>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { removed } = passOver(db, place, { search, receipt, changed, digests: done.digests });
    addTo(done.removed, removed);
    if (Object.keys(removed).length === 0) break;
  }
  return done;
}
