import type { DatabaseSync } from "node:sqlite";
import type { Proof } from "../requirement/proof.ts";

/** The outcome of looking for a satisfaction's proof. */
export interface ProofChange {
  readonly repository: string;
  readonly branch: string;
  readonly requirement: string;
  /** Whose satisfaction it is; empty for the whole branch. */
  readonly sessionId: string;
  readonly proof: Proof;
}

/** Keeps what became of a proof, with the satisfaction that needs it, unless another one has taken its place. */
export function saveProof(
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
    repository,
    branch,
    requirement,
    sessionId,
    JSON.stringify(proof),
    proof.id,
    proof.sessionId,
  );
}

/** Whether the use of a skill, or a prompt with a slash command, was reported before. */
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
