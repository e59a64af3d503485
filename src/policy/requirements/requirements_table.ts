import type { DatabaseSync } from "node:sqlite";
import { putRow } from "../../db/statement.ts";
import type { BranchKey, Proof, SatisfiedBy, Standing } from "./standing.ts";
import { removePause } from "../pauses_table.ts";
import { type Trigger, trigger } from "./triggers_table.ts";

type Owned = Pick<Standing, "requirement" | "sessionId">;

export interface Satisfaction extends Owned, Pick<Standing, "scope" | "expiresAtMs" | "metadata"> {
  readonly by: SatisfiedBy;
  readonly atMs: number;
  readonly originalAtMs?: number;
}

/** The removal of a used-up satisfaction. */
export interface Clearing extends BranchKey, Owned {
  readonly kind: "clear";
  /** Satisfactions younger than this time stay, in epoch milliseconds; absent, those younger than the event. */
  readonly untilMs?: number;
}

/** What an event changes: plain data, so that it can wait with the event in the spool. */
export type RequirementChange =
  | (BranchKey & { readonly kind: "satisfy" } & Omit<Satisfaction, "atMs">)
  | (BranchKey & Trigger & { readonly kind: "trigger" })
  | Clearing
  | (ProofChange & { readonly kind: "proof" })
  | { readonly kind: "forget"; readonly sessionId: string }
  | { readonly kind: "resume"; readonly sessionId: string }
  | (BranchSize & { readonly kind: "size" });

/** The requirements' answer to a stop or a tool use. */
export interface RequirementSaying {
  /** The text for Claude; empty when no requirement forbids anything. */
  readonly reason: string;
  /** The rule names of the open requirements, even if a person has lifted them. */
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

/** Reads the rows of a branch: of all sessions with null, else of the whole branch and of one session. */
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
        AND (?3 IS NULL OR session_id IN ('', ?3))`,
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
    if (kind === "satisfy") satisfy(db, change, { ...change, atMs });
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
  { repository, branch }: BranchKey,
  { requirement, sessionId, scope, by, atMs, originalAtMs = atMs, expiresAtMs, metadata }:
    Satisfaction,
): void {
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

/** Removes rows of a branch: of one requirement and one session, or with null of all. @returns How many rows. */
export function clearRequirement(
  db: DatabaseSync,
  { repository, branch }: BranchKey,
  which: {
    readonly requirement: string | null;
    readonly sessionId: string | null;
    /** Satisfactions younger than this time stay, in epoch milliseconds. */
    readonly untilMs?: number;
  },
): number {
  const { changes } = db.prepare(
    `DELETE FROM requirements
      WHERE repository = ?1
        AND branch = ?2
        AND (?3 IS NULL OR requirement = ?3)
        AND (?4 IS NULL OR session_id = ?4)
        AND (?5 IS NULL OR coalesce(satisfied_at_ms, 0) <= ?5)`,
  ).run(repository, branch, which.requirement, which.sessionId, which.untilMs ?? null);
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

/** The result of the search for a satisfaction's proof. */
interface ProofChange extends BranchKey, Owned {
  readonly proof: Proof;
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

/**
 * The number of lines that a branch has changed in one working tree; null for a trunk, `"no base"` where no branch can
 * be compared with it, `"unknown"` where git gave no answer. All are stored, so that not every tool use runs git.
 */
interface BranchSize {
  readonly worktree: string;
  readonly branch: string;
  readonly lines: number | null | Unmeasured;
}

type Unmeasured = "unknown" | "no base";

/** The numbers that stand for missing sizes in the table. */
const STORED: Readonly<Record<Unmeasured, number>> = { unknown: -1, "no base": -2 };

/** Reads a branch's last measured size, if it was measured after `sinceMs`. */
export function readBranchSize(
  db: DatabaseSync,
  { worktree, branch }: { readonly worktree: string; readonly branch: string },
  sinceMs: number,
): Pick<BranchSize, "lines"> | undefined {
  const row = db.prepare(
    `SELECT lines
       FROM branch_sizes
      WHERE worktree = ?
        AND branch = ?
        AND measured_at_ms > ?`,
  ).get(worktree, branch, sinceMs) as { readonly lines: number | null } | undefined;
  const why = (Object.keys(STORED) as Unmeasured[]).find((name) => STORED[name] === row?.lines);
  return why === undefined ? row : { lines: why };
}

function saveBranchSize(
  db: DatabaseSync,
  { worktree, branch, lines }: BranchSize,
  measuredAtMs: number,
): void {
  const stored = typeof lines === "string" ? STORED[lines] : lines;
  putRow(db, "branch_sizes", { worktree, branch, lines: stored, measuredAtMs });
}
