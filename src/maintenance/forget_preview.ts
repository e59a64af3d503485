/** Says what would be forgotten: exactly what is then removed, as long as nothing else is written meanwhile. */
import type { DatabaseSync } from "node:sqlite";
import type { ChangedRows } from "../store/changed_rows.ts";
import { chooseForgotten, type ForgetFilter } from "../store/forget_choice.ts";
import { countPlaces } from "../store/forget_places.ts";
import { auditNaming, auditOf, sessionTexts, titlesAfter } from "../store/forget_quotes.ts";
import { batchesOf } from "../store/forget_rows.ts";
import { countIn } from "./byte_scan.ts";
import type { WordForm } from "../store/index_forms.ts";
import { previewCopies } from "./forget_copies.ts";
import { type ForgetPlace, isTextAlone, matchingSpool, writtenFiles } from "./forget_files.ts";
import { copiesWith } from "./forget_proof.ts";
import { remakeIn } from "../recall/read_capture.ts";
import type { LateRedaction } from "../recall/late_redaction.ts";
import { transcriptsThatMay } from "./forget_transcripts.ts";
import { tellingBeside } from "./told_elsewhere.ts";
import { addTo, asksForSessions, counted, type Removed, scopeOf } from "./forget_scope.ts";

/** What a run would remove now. */
export interface ForgetPreview {
  readonly removed: Removed;
  readonly copies: readonly string[];
  /** Copies of the database in which the same would be forgotten, and those that would go. */
  readonly ownCopies: ReturnType<typeof previewCopies>;
  /** Transcripts of Claude Code that may hold it; to look takes as long as reading them. */
  readonly transcripts: readonly string[];
  /** Observations that would stay and tell some of the same; looked for where it is not done. */
  readonly toldBy: readonly number[];
  /** Words of rows that stay, which the search index has in a form with the text in it, where nothing else has it. */
  readonly forms: readonly WordForm[];
}

/** What would be removed. Nothing is changed. */
export function previewForget(
  db: DatabaseSync,
  place: ForgetPlace,
  { filter, isDry, redact, nowMs, onStep = () => {} }: {
    readonly filter: ForgetFilter;
    /** It is only looked: who does it is told at its end what stays. */
    readonly isDry: boolean;
    readonly redact: LateRedaction | undefined;
    readonly nowMs: number;
    readonly onStep?: () => void;
  },
): ForgetPreview {
  const remake = remakeIn(db, { redact, home: place.home, atMs: nowMs });
  const chosen = chooseForgotten(db, filter, { remake, onStep });
  const { text } = filter;
  const { observations, captures, remade, importedSummaries } = chosen;
  const changed: ChangedRows = new Map();
  const removed: Removed = {};
  addTo(removed, {
    observations: observations.length,
    importedSummaries,
    captures: captures.length,
    remade: remade.length,
    sessions: titlesAfter(db, observations, { mode: "look", changed }),
  });
  for (const { batch } of batchesOf(captures)) {
    addTo(removed, { hook_executions: auditOf(db, batch, { mode: "look", changed }) });
    onStep();
  }
  addTo(removed, {
    hook_executions: auditNaming(db, filter, { mode: "look", changed }),
    spool: matchingSpool(place, filter).length,
  });
  if (text !== null) {
    const sessions = scopeOf(db, filter, chosen);
    addTo(removed, countPlaces(db, { text, sessions, changed, onStep }));
  } else if (asksForSessions(filter)) {
    addTo(removed, sessionTexts(db, filter, { mode: "look", changed }));
  }
  if (isTextAlone(filter)) {
    const { logs, agents } = writtenFiles(place);
    const inFiles = (paths: readonly string[]) =>
      paths.reduce((sum, path) => sum + countIn(path, text!), 0);
    addTo(removed, { logs: inFiles(logs), agentFiles: inFiles(agents) });
  }
  return {
    removed: counted(removed),
    copies: isTextAlone(filter) ? copiesWith(place, filter) : [],
    ownCopies: previewCopies(place),
    transcripts: transcriptsThatMay(db, { filter, chosen }),
    toldBy: isDry && !isTextAlone(filter) ? tellingBeside(db, chosen) : [],
    forms: [],
  };
}
