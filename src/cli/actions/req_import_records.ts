/** What `conclaude req import` makes of the older framework's records of branches: rows of ours. */
import { count } from "../../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { redactValue } from "../../secrets/redact_value.ts";
import type { Repository } from "../../git/repository.ts";
import type { FrameworkFiles } from "../../project/framework_files.ts";
import {
  isOver,
  type KnownSession,
  newestOnly,
  readRegistry,
  readState,
  type RecordedSatisfaction,
  resolveSession,
} from "../../requirement/import_state.ts";
import { type Standing, WHOLE_BRANCH } from "../../requirement/standing.ts";
import { clearRequirement, readStandings, satisfy } from "../../store/requirements.ts";
import { findSessions } from "../../store/sessions.ts";

/** Something that was passed over. */
interface SkippedRecord {
  readonly path: string;
  readonly why: string;
}

/** What the files say, before our own sessions and rows are asked. */
export interface FoundState {
  readonly isInRepository: boolean;
  /** The common git directory; empty outside of a repository, where nothing is found. */
  readonly repository: string;
  readonly satisfactions: readonly RecordedSatisfaction[];
  /** Sessions that the files know by their full ids. */
  readonly known: readonly KnownSession[];
  readonly nowMs: number;
  readonly report: { readonly files: number; readonly skipped: readonly SkippedRecord[] };
}

/** What was done about the records. */
export interface StateReport {
  /** How many files were looked at. */
  readonly files: number;
  /** How many satisfactions are new. */
  readonly satisfied: number;
  /** How many are known already, as new or newer. */
  readonly present: number;
  readonly skipped: readonly SkippedRecord[];
}

/** Reads the texts of the files. Never throws; what cannot be used is named. */
export function collectState(
  files: FrameworkFiles,
  at: { readonly repository: Repository | undefined; readonly nowMs: number },
): FoundState {
  const { repository, nowMs } = at;
  const skipped: SkippedRecord[] = [];
  const satisfactions = files.states.flatMap(({ path, ...file }) => {
    if (file.text === null) {
      skipped.push({ path, why: file.problem });
      return [];
    }
    const reading = readState(file.text, { path, nowMs });
    skipped.push(...reading.skipped.map((why) => ({ path, why })));
    return reading.satisfactions;
  });
  const { registry } = files;
  const isHere = (folder: string) =>
    repository !== undefined && `${folder}/`.startsWith(`${repository.root}/`);
  const registered = registry?.text == null ? [] : readRegistry(registry.text, isHere);
  if (registry !== undefined && (registry.text === null || registered === null)) {
    const why = registry.text === null ? registry.problem : "it is no list of sessions";
    skipped.push({ path: registry.path, why: `${why}; ids that it may know stay short` });
  }
  const whole = satisfactions.filter(({ sessionId }) => sessionId.length === WHOLE_ID_CHARS)
    .map(({ sessionId }) => ({ sessionId, isHere: true }));
  return {
    isInRepository: repository !== undefined,
    repository: repository?.commonDir ?? "",
    satisfactions,
    known: [...registered ?? [], ...whole],
    nowMs,
    report: { files: files.states.length, skipped },
  };
}

/** A UUID with its dashes. */
const WHOLE_ID_CHARS = 36;

/**
 * Records what was found and is new, in the caller's transaction. What we have as new or newer stays.
 *
 * @param options `dryRun`: only counts.
 */
export function recordState(
  db: DatabaseSync,
  found: FoundState,
  { dryRun }: { readonly dryRun: boolean },
): StateReport {
  const { repository, nowMs, report } = found;
  const known = [...found.known, ...ourSessions(db, found)];
  const resolved = found.satisfactions.map((one) => ({
    ...one,
    recordedAs: one.sessionId,
    sessionId: resolveSession(one.sessionId, known),
  }));
  const newest = newestOnly(resolved);
  const over = newest.filter((one) => isOver(one, nowMs));
  const valid = newest.filter((one) => !over.includes(one));
  const standings = new Map(
    [...new Set(valid.map(({ branch }) => branch))]
      .map((branch) => [branch, readStandings(db, { repository, branch })]),
  );
  const fresh = valid.filter((one) => {
    const ours = standingOf(standings, one, one.sessionId);
    return ours?.satisfiedAtMs == null || ours.satisfiedAtMs < one.atMs;
  });
  if (!dryRun) {
    for (const one of fresh) record(db, repository, one);
    for (const one of resolved.filter((each) => each.recordedAs !== each.sessionId)) {
      // An import that did not know the full id yet has left a row that no session will ask for.
      if (standingOf(standings, one, one.recordedAs)?.satisfiedBy !== "import") continue;
      const { branch, requirement, recordedAs: sessionId } = one;
      clearRequirement(db, { repository, branch }, { requirement, sessionId });
    }
  }
  return {
    files: report.files,
    satisfied: fresh.length,
    present: valid.length - fresh.length,
    skipped: [...report.skipped, ...expired(over)],
  };
}

function record(db: DatabaseSync, repository: string, one: RecordedSatisfaction): void {
  const { branch, requirement, sessionId, scope, atMs, originalAtMs, expiresAtMs } = one;
  const metadata = { ...one.metadata, imported_from: one.path, original_satisfied_by: one.by };
  satisfy(db, { repository, branch }, {
    requirement,
    sessionId,
    scope,
    by: "import",
    atMs,
    originalAtMs,
    expiresAtMs,
    metadata: redactValue(metadata, { patterns: [] }) as Record<string, unknown>,
  });
}

/** The sessions of ours that recorded ids may mean. */
function ourSessions(db: DatabaseSync, { satisfactions, repository }: FoundState): KnownSession[] {
  const ids = new Set(
    satisfactions.map(({ sessionId }) => sessionId)
      .filter((id) => id !== WHOLE_BRANCH && id.length !== WHOLE_ID_CHARS),
  );
  return [...ids].flatMap((id) =>
    findSessions(db, id).map((session) => ({
      sessionId: session.sessionId,
      isHere: session.repository === repository,
    }))
  );
}

function standingOf(
  standings: ReadonlyMap<string, readonly Standing[]>,
  { branch, requirement }: RecordedSatisfaction,
  sessionId: string,
): Standing | undefined {
  return standings.get(branch)?.find((one) =>
    one.requirement === requirement && one.sessionId === sessionId
  );
}

/** One line a file. */
function expired(over: readonly RecordedSatisfaction[]): SkippedRecord[] {
  return [...Map.groupBy(over, ({ path }) => path)].map(([path, ones]) => ({
    path,
    why: `${count(ones.length, "satisfaction has", "satisfactions have")} expired`,
  }));
}
