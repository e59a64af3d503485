/** Takes what is chosen out of a database and its spool. */
import type { DatabaseSync } from "node:sqlite";
import type { LateRedaction } from "../recall/late_redaction.ts";
import { remakeIn } from "../recall/read_capture.ts";
import type { ChangedRows } from "../store/changed_rows.ts";
import { chooseForgotten, type ForgetFilter } from "../store/forget_choice.ts";
import { closeMends } from "../store/forget_mends.ts";
import { forgetPlaces } from "../store/forget_places.ts";
import { auditNaming, sessionTexts } from "../store/forget_quotes.ts";
import {
  batchesOf,
  nameRecord,
  type ReceiptKey,
  removeCaptures,
  removeObservations,
} from "../store/forget_rows.ts";
import { nameKeys } from "../store/forgotten_keys.ts";
import { withIndex } from "../store/memory_index.ts";
import { writeRemade } from "../store/remade.ts";
import { type ForgetPlace, isTextAlone, matchingSpool, removeSpooled } from "./forget_files.ts";
import { addTo, asksForSessions, type Removed, scopeOf } from "./forget_scope.ts";
import { transcriptsThatMay } from "./forget_transcripts.ts";
import { piecesOf } from "./told_elsewhere.ts";

/** Hooks may write of the same while it is removed. */
const MAX_ROUNDS = 4;

/** What is asked for. */
export interface RemoveRequest {
  readonly filter: ForgetFilter;
  /** Masks what is made anew. */
  readonly redact: LateRedaction | undefined;
  readonly nowMs: number;
}

/** What was removed. */
export interface RemovedChosen {
  readonly removed: Removed;
  readonly digests: readonly string[];
  readonly pieces: ReturnType<typeof piecesOf>;
  readonly transcripts: readonly string[];
}

/** Removes what is chosen, and names it in the receipt, until nothing of it is left. */
export function removeChosen(
  db: DatabaseSync,
  place: ForgetPlace,
  { request, receipt, tell }: {
    readonly request: RemoveRequest;
    readonly receipt: ReceiptKey;
    readonly tell: (doing: string) => void;
  },
): RemovedChosen {
  const { filter, nowMs } = request;
  const removed: Removed = {};
  const changed: ChangedRows = new Map();
  const add = (counts: Removed) => addTo(removed, counts);
  const digests: string[] = [];
  const isAlone = isTextAlone(filter);
  const remake = remakeIn(db, { redact: request.redact, home: place.home, atMs: nowMs });
  let pieces: RemovedChosen["pieces"] = null;
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
  return { removed, digests, pieces, transcripts };
}
