/** Takes the memory of claude-mem over. */
import type { DatabaseSync } from "node:sqlite";
import { normalizeSessionId, UNKNOWN_SESSION_ID } from "../ids.ts";
import { rememberedRow } from "../memory/claude_mem.ts";
import { indexedTerms } from "../memory/terms.ts";
import { baseName } from "../paths.ts";
import { type ClaudeMemRow, claudeMemRows, type ClaudeMemTable } from "../store/claude_mem.ts";
import { checkpoint, transaction } from "../store/database.ts";
import { moveObservation, observationByUid, type SeenProject } from "../store/foreign_memory.ts";
import { isForgotten } from "../store/forgotten_names.ts";
import { ensureIndex } from "../store/memory_index.ts";
import { saveObservation } from "../store/observations.ts";

/** Where what is taken over belongs. */
export interface MemoryPlace {
  /** The common git directory, or the folder where there is none. */
  readonly project: string;
  /** The folder that its paths are told from. */
  readonly root: string;
}

/** What was taken over, in rows of claude-mem. */
export interface ClaudeMemReport {
  readonly imported: Readonly<Record<ClaudeMemTable, number>>;
  /** Rows that were taken over before. */
  readonly known: number;
  /** Those among them that belong to another project now. */
  readonly moved: number;
  /** Rows that say nothing, or nothing that may be kept. */
  readonly empty: number;
  /** Rows that were taken over before, and then forgotten: they stay away. */
  readonly forgotten: number;
  /** Rows of projects that are not known here, by the name that they keep. */
  readonly unplaced: Readonly<Record<string, number>>;
  /** Tables that could not be read to their end. */
  readonly damaged: readonly ClaudeMemTable[];
}

/** How it is taken over. */
export interface ClaudeMemOptions {
  readonly tables: readonly ClaudeMemTable[];
  /** Takes out what must not be kept. */
  readonly mask: (text: string) => string;
  /** Where a project of this name lies; null when nobody knows, undefined when it is not wanted. */
  readonly placeOf: (name: string) => MemoryPlace | null | undefined;
  readonly dryRun: boolean;
  /** Called after every batch, with the number of rows. */
  readonly onProgress?: (rows: number) => void;
}

/**
 * Takes over what is not there yet, some hundred rows in one transaction.
 *
 * @throws {Error} What SQLite says; what was taken over before stays.
 */
export function importClaudeMemory(
  db: DatabaseSync,
  source: DatabaseSync,
  options: ClaudeMemOptions,
): ClaudeMemReport {
  const report = {
    imported: { observations: 0, session_summaries: 0, user_prompts: 0 },
    known: 0,
    moved: 0,
    empty: 0,
    forgotten: 0,
    unplaced: {} as Record<string, number>,
    damaged: [] as ClaudeMemTable[],
  };
  if (!options.dryRun) ensureIndex(db);
  let rows = 0;
  for (const table of options.tables) {
    const batches = claudeMemRows(source, table);
    let step = batches.next();
    for (; !step.done; step = batches.next()) {
      const batch = step.value;
      const work = () => {
        for (const row of batch) takeOver(db, row, { options, report });
      };
      if (options.dryRun) work();
      else transaction(db, work);
      rows += batch.length;
      options.onProgress?.(rows);
    }
    if (!step.value) report.damaged.push(table);
    if (!options.dryRun) checkpoint(db, "TRUNCATE");
  }
  return report;
}

function takeOver(
  db: DatabaseSync,
  row: ClaudeMemRow,
  { options, report }: {
    readonly options: ClaudeMemOptions;
    readonly report: { -readonly [Name in keyof ClaudeMemReport]: ClaudeMemReport[Name] } & {
      readonly imported: Record<ClaudeMemTable, number>;
      readonly unplaced: Record<string, number>;
    };
  },
): void {
  const { mask, placeOf, dryRun } = options;
  const place = placeOf(row.project);
  if (place === undefined) return;
  const remembered = rememberedRow(row, { mask, root: place?.root ?? null });
  if (remembered === null) {
    report.empty++;
    return;
  }
  const { title, text, files } = remembered;
  const name = mask(row.project);
  const project = place?.project ?? (name || null);
  const terms = indexedTerms([title, text, ...files.map(({ path }) => path)].join("\n"), project);
  const known = observationByUid(db, remembered.uid);
  if (known === undefined && isForgotten(db, remembered.uid)) {
    report.forgotten++;
    return;
  }
  if (place === null) report.unplaced[name] = (report.unplaced[name] ?? 0) + 1;
  if (known === undefined) {
    report.imported[row.table]++;
    if (dryRun) return;
    saveObservation(db, {
      ...remembered,
      sessionId: normalizeSessionId(row.sessionId) ?? UNKNOWN_SESSION_ID,
      project,
      branch: null,
      outcome: null,
      terms,
      sameAs: null,
    });
    return;
  }
  report.known++;
  // Only what nobody knew where to put; what has its place keeps it.
  if (place === null || known.project !== (name || null)) return;
  report.moved++;
  if (!dryRun) moveObservation(db, known.id, { project, terms, files });
}

/**
 * The projects that sessions were seen in, by the name that claude-mem has for them: that of the folder. Only names that
 * are those of one project alone.
 */
export function placesByName(seen: readonly SeenProject[]): ReadonlyMap<string, MemoryPlace> {
  const found = new Map<string, MemoryPlace | null>();
  for (const { project, projectDir } of seen) {
    const top = project.endsWith("/.git") ? project.slice(0, -"/.git".length) : null;
    const place = { project, root: top ?? projectDir };
    for (const name of new Set([baseName(projectDir), ...(top === null ? [] : [baseName(top)])])) {
      const other = found.get(name);
      found.set(name, other === undefined || other?.project === project ? place : null);
    }
  }
  return new Map([...found].filter((entry): entry is [string, MemoryPlace] => entry[1] !== null));
}

/** The name of the project that a worktree belongs to: claude-mem has `website/fix-login` for one of `website`. */
export function mainName(name: string): string {
  return name.split("/", 1)[0]!;
}
