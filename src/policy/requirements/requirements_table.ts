/**
 * Stores which requirements are satisfied, and which a session has triggered (the tool use was allowed, and probably
 * ran); reads from the audit trail which uses were denied or allowed.
 */
import type { DatabaseSync } from "node:sqlite";
import { putRow } from "../../db/statement.ts";
import { removePause } from "../pauses_table.ts";
import type { BranchKey, Facts, Proof, SatisfiedBy, Standing } from "./standing.ts";

type RowKey = Pick<Standing, "repository" | "branch" | "requirement" | "sessionId">;

export interface Satisfaction extends RowKey, Pick<Standing, "scope" | "expiresAtMs" | "metadata"> {
  readonly by: SatisfiedBy;
  readonly atMs: number;
  readonly originalAtMs?: number;
}

/** A satisfaction whose branch and time are not known yet. */
export type NewSatisfaction = Omit<Satisfaction, "repository" | "branch" | "atMs">;

interface Trigger extends RowKey, Pick<Standing, "scope"> {
  readonly toolUseId: string | null;
}

/** The removal of a used-up satisfaction. */
export interface Clearing extends RowKey {
  readonly kind: "clear";
  /** Satisfactions younger than this time stay, in epoch milliseconds; absent, those younger than the event. */
  readonly untilMs?: number;
}

/** The result of the search for a satisfaction's proof. */
interface ProofChange extends RowKey {
  readonly proof: Proof;
}

/**
 * The number of lines that a branch has changed in one working tree; null for a trunk. That nothing can be compared with
 * the branch, or that git gave no answer, is stored as well, so that not every tool use runs git.
 */
interface BranchSize {
  readonly worktree: string;
  readonly branch: string;
  readonly lines: Exclude<Facts["branchLines"], "elsewhere">;
}

/** What an event changes: plain data, so that it can wait with the event in the spool. */
export type RequirementChange =
  | ({ readonly kind: "satisfy" } & Omit<Satisfaction, "atMs">)
  | ({ readonly kind: "trigger" } & Trigger)
  | Clearing
  | ({ readonly kind: "proof" } & ProofChange)
  | { readonly kind: "forget" | "resume"; readonly sessionId: string }
  | ({ readonly kind: "size" } & BranchSize);

/** The requirements' answer to a stop or a tool use. */
export interface RequirementSaying {
  /** The text for Claude; empty when no requirement forbids anything. */
  readonly reason: string;
  /** The rules that deny; for a tool use even if a person has lifted the requirements. */
  readonly rules: readonly string[];
  /** The changes to write with the event. */
  readonly changes: readonly RequirementChange[];
  /** Metadata for the audit trail. */
  readonly notes: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
}

export const SILENT: RequirementSaying = {
  reason: "",
  rules: [],
  changes: [],
  notes: {},
  notices: [],
};

const COLUMNS =
  `repository, branch, requirement, session_id AS sessionId, scope, satisfied_at_ms AS satisfiedAtMs,
            satisfied_by AS satisfiedBy, original_at_ms AS originalAtMs, expires_at_ms AS expiresAtMs, metadata,
            triggered_at_ms AS triggeredAtMs, triggered_by AS triggeredBy, trigger_state AS triggerState`;

/**
 * Reads the rows of a branch: of all sessions with null, else of the whole branch and of one session. A requirement's
 * row for the whole branch comes first.
 */
export function readStandings(
  db: DatabaseSync,
  { repository, branch }: BranchKey,
  sessionId: string | null = null,
): Standing[] {
  const rows = db.prepare(
    `SELECT ${COLUMNS}
       FROM requirements
      WHERE repository = ?1
        AND branch = ?2
        AND (?3 IS NULL OR session_id IN ('', ?3))
      ORDER BY requirement, session_id`,
  ).all(repository, branch, sessionId);
  return rows.map((row) =>
    ({ ...row, metadata: JSON.parse(String(row["metadata"])) }) as unknown as Standing
  );
}

/** Writes the changes of an event in the caller's transaction. A late event does not overwrite later changes. */
export function applyChanges(
  db: DatabaseSync,
  changes: readonly RequirementChange[],
  atMs: number,
): void {
  for (const change of changes) {
    const { kind } = change;
    if (kind === "satisfy") satisfy(db, { ...change, atMs });
    else if (kind === "trigger") trigger(db, change, atMs);
    else if (kind === "clear") {
      clearRequirement(db, change, { ...change, untilMs: change.untilMs ?? atMs });
    } else if (kind === "proof") saveProof(db, change);
    else if (kind === "forget") removeSession(db, change.sessionId);
    else if (kind === "resume") removePause(db, change.sessionId, "requirements");
    else if (kind === "size") saveBranchSize(db, change, atMs);
  }
}

/** Stores a satisfaction and keeps the row's trigger. An older satisfaction does not replace a newer one. */
export function satisfy(
  db: DatabaseSync,
  { repository, branch, requirement, sessionId, scope, by, atMs, ...rest }: Satisfaction,
): void {
  const { originalAtMs = atMs, expiresAtMs, metadata } = rest;
  db.prepare(
    `INSERT INTO requirements
       (repository, branch, requirement, session_id, scope, satisfied_at_ms, satisfied_by, original_at_ms,
        expires_at_ms, metadata, updated_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?6)
     ON CONFLICT (repository, branch, requirement, session_id) DO UPDATE SET
       scope = excluded.scope,
       satisfied_at_ms = excluded.satisfied_at_ms,
       satisfied_by = excluded.satisfied_by,
       original_at_ms = excluded.original_at_ms,
       expires_at_ms = excluded.expires_at_ms,
       metadata = excluded.metadata,
       updated_at_ms = excluded.updated_at_ms
      WHERE satisfied_at_ms IS NULL OR satisfied_at_ms <= excluded.satisfied_at_ms`,
  ).run(
    ...[repository, branch, requirement, sessionId, scope, atMs, by],
    ...[originalAtMs, expiresAtMs, JSON.stringify(metadata)],
  );
}

/** Marks a requirement as triggered. The first trigger stays, unless its tool use may not have run. */
function trigger(db: DatabaseSync, at: Trigger, atMs: number): void {
  db.prepare(
    `INSERT INTO requirements
       (repository, branch, requirement, session_id, scope, triggered_at_ms, triggered_by, trigger_state, updated_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'allowed', ?6)
     ON CONFLICT (repository, branch, requirement, session_id) DO UPDATE SET
       triggered_at_ms = ?6,
       triggered_by = ?7,
       trigger_state = 'allowed'
      WHERE triggered_at_ms IS NULL OR trigger_state = 'asked'`,
  ).run(at.repository, at.branch, at.requirement, at.sessionId, at.scope, atMs, at.toolUseId);
}

/**
 * Finds out from the audit trail which triggering tool uses have run; called before a stop is judged. Another hook,
 * Claude Code or the person may refuse a use that was allowed here. If no hook reports a later use or question to the
 * person, the reporting hook may be missing, so the use still counts.
 */
export function settleTriggers(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `WITH told AS (
       SELECT hook_name, tool_use_id, created_at_ms, metadata
         FROM hook_executions
        WHERE session_id = ?1
          AND created_at_ms >= (
                SELECT min(triggered_at_ms)
                  FROM requirements
                 WHERE session_id = ?1
                   AND trigger_state IN ('allowed', 'asked'))
     )
     UPDATE requirements AS waiting
        SET trigger_state = CASE
              WHEN EXISTS (
                     SELECT 1
                       FROM told AS used
                       JOIN told AS ended USING (tool_use_id)
                      WHERE ended.hook_name GLOB 'PostToolUse*'
                        AND used.created_at_ms >= waiting.triggered_at_ms
                        AND (   tool_use_id = waiting.triggered_by
                             OR waiting.requirement IN (
                                  SELECT value
                                    FROM json_each(used.metadata, '$.triggered')))) THEN 'ran'
              WHEN triggered_by IS NOT NULL
               AND EXISTS (
                     SELECT 1
                       FROM told
                      WHERE (hook_name GLOB 'PostToolUse*' OR hook_name GLOB 'Permission*')
                        AND created_at_ms >= waiting.triggered_at_ms) THEN 'asked'
              ELSE 'allowed'
            END
      WHERE session_id = ?1
        AND trigger_state IN ('allowed', 'asked')
        AND triggered_at_ms IS NOT NULL`,
  ).run(sessionId);
}

/** Removes rows of a branch: of one requirement and one session, or with null of all. @returns How many rows. */
export function clearRequirement(
  db: DatabaseSync,
  { repository, branch }: BranchKey,
  { requirement, sessionId, untilMs }: Pick<Clearing, "untilMs"> & {
    readonly requirement: string | null;
    readonly sessionId: string | null;
  },
): number {
  const { changes } = db.prepare(
    `DELETE FROM requirements
      WHERE repository = ?1
        AND branch = ?2
        AND (?3 IS NULL OR requirement = ?3)
        AND (?4 IS NULL OR session_id = ?4)
        AND (?5 IS NULL OR coalesce(satisfied_at_ms, 0) <= ?5)`,
  ).run(repository, branch, requirement, sessionId, untilMs ?? null);
  return Number(changes);
}

/** Lists the branches of a repository that have stored rows, by name. */
export function listBranches(
  db: DatabaseSync,
  repository: string,
): { readonly branch: string; readonly satisfied: number; readonly sessions: number }[] {
  return db.prepare(
    `SELECT branch,
            count(*) FILTER (WHERE satisfied_at_ms IS NOT NULL) AS satisfied,
            count(DISTINCT nullif(session_id, '')) AS sessions
       FROM requirements
      WHERE repository = ?
      GROUP BY branch
      ORDER BY branch`,
  ).all(repository) as unknown as ReturnType<typeof listBranches>;
}

function removeSession(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `DELETE FROM requirements
      WHERE session_id = ?
        AND session_id <> ''`,
  ).run(sessionId);
}

/** Stores the result with the satisfaction, unless another satisfaction has replaced that one. */
function saveProof(
  db: DatabaseSync,
  { repository, branch, requirement, sessionId, proof }: ProofChange,
): void {
  db.prepare(
    `UPDATE requirements
        SET metadata = json_set(metadata, '$.proof', json(?5))
      WHERE repository = ?1
        AND branch = ?2
        AND requirement = ?3
        AND session_id = ?4
        AND metadata ->> '$.proof.id' IS ?6
        AND metadata ->> '$.proof.sessionId' = ?7`,
  ).run(
    ...[repository, branch, requirement, sessionId],
    ...[JSON.stringify(proof), proof.id, proof.sessionId],
  );
}

/** Tells whether an earlier event reported the same use of a skill, or the same prompt with a slash command. */
export function wasReported(db: DatabaseSync, { of, id, sessionId }: Proof): boolean {
  const [event, column] = of === "skill"
    ? ["PostToolUse", "tool_use_id"]
    : ["UserPromptExpansion", "metadata ->> '$.prompt_id'"];
  return db.prepare(
    `SELECT 1
       FROM hook_executions
      WHERE session_id = ?
        AND hook_name = ?
        AND ${column} = ?`,
  ).get(sessionId, event, id) !== undefined;
}

type OnBranch = Pick<Standing, "branch" | "requirement">;

/** Lists what a session has triggered in a repository on any branch, also by uses that may not have run. */
export function triggeredBranches(
  db: DatabaseSync,
  { repository, sessionId }: Pick<RowKey, "repository" | "sessionId">,
): OnBranch[] {
  return db.prepare(
    `SELECT branch, requirement
       FROM requirements
      WHERE session_id = ?
        AND repository = ?
        AND triggered_at_ms IS NOT NULL
      ORDER BY branch, requirement`,
  ).all(sessionId, repository) as unknown as OnBranch[];
}

/** Lists the requirements that denied a use to a session in a repository, on any branch. */
export function deniedBranches(
  db: DatabaseSync,
  { repository, sessionId }: Pick<RowKey, "repository" | "sessionId">,
): OnBranch[] {
  return db.prepare(
    `SELECT DISTINCT value ->> '$.branch' AS branch, value ->> '$.requirement' AS requirement
       FROM hook_executions, json_each(metadata, '$.denied')
      WHERE session_id = ?
        AND status = 'blocked'
        AND value ->> '$.repository' = ?`,
  ).all(sessionId, repository) as unknown as OnBranch[];
}

/** Tells whether exactly these rules, in this order, denied a tool to the session since a moment. */
export function wasDeniedSince(
  db: DatabaseSync,
  { sessionId, rules, sinceMs }: {
    readonly sessionId: string;
    readonly rules: readonly string[];
    readonly sinceMs: number;
  },
): boolean {
  return db.prepare(
    `SELECT 1
       FROM hook_executions
      WHERE session_id = ?
        AND created_at_ms > ?
        AND status = 'blocked'
        AND metadata ->> '$.rules' = ?
      LIMIT 1`,
  ).get(sessionId, sinceMs, JSON.stringify(rules)) !== undefined;
}

/** A tool use that a satisfaction for a single use has allowed. */
export interface AllowedUse extends Omit<RowKey, "sessionId"> {
  /** Satisfactions younger than this time did not allow the use; epoch milliseconds. */
  readonly untilMs: number;
}

/** Reads the single uses that were noted when a tool use was allowed. */
export function readAllowedUses(
  db: DatabaseSync,
  { sessionId, toolUseId }: { readonly sessionId: string; readonly toolUseId: string },
): AllowedUse[] {
  const row = db.prepare(
    `SELECT metadata ->> '$.uses' AS uses
       FROM hook_executions
      WHERE session_id = ?
        AND tool_use_id = ?
        AND hook_name = 'PreToolUse'
        AND metadata ->> '$.uses' IS NOT NULL
      ORDER BY created_at_ms DESC
      LIMIT 1`,
  ).get(sessionId, toolUseId);
  return row === undefined ? [] : JSON.parse(String(row["uses"]));
}

/** The numbers that stand for missing sizes in the table. */
const STORED = { unknown: -1, "no base": -2 };

/** Reads a branch's last measured size, if it was measured after `sinceMs`. */
export function readBranchSize(
  db: DatabaseSync,
  { worktree, branch }: Omit<BranchSize, "lines">,
  sinceMs: number,
): Pick<BranchSize, "lines"> | undefined {
  return db.prepare(
    `SELECT CASE lines WHEN ${STORED.unknown} THEN 'unknown' WHEN ${
      STORED["no base"]
    } THEN 'no base' ELSE lines END
              AS lines
       FROM branch_sizes
      WHERE worktree = ?
        AND branch = ?
        AND measured_at_ms > ?`,
  ).get(worktree, branch, sinceMs) as Pick<BranchSize, "lines"> | undefined;
}

function saveBranchSize(db: DatabaseSync, { worktree, branch, lines }: BranchSize, atMs: number) {
  const stored = typeof lines === "string" ? STORED[lines] : lines;
  putRow(db, "branch_sizes", { worktree, branch, lines: stored, measuredAtMs: atMs });
}
