/** The facts that tell an agent from a person: processes of sessions and agents, and tokens of a person. */
import type { DatabaseSync } from "node:sqlite";

/** A process that runs, or ran, a session or an agent. */
export interface AgentProcess {
  readonly pid: number;
  /** As `ProcessFacts.mark`; null where it was not recorded: then `seenAtMs` tells it from later ones. */
  readonly mark: string | null;
  /** When the process was first seen, in epoch milliseconds. */
  readonly seenAtMs: number;
  readonly kind: "session" | "agent";
  /** The id of the session or agent. */
  readonly id: string;
  /** Whether the session is under way as far as its events tell. */
  readonly isActive: boolean;
  readonly projectDir: string | null;
}

/** Every process of a session or of an agent of ours that the database knows. */
export function agentProcesses(db: DatabaseSync): AgentProcess[] {
  return db.prepare(
    `SELECT p.claude_pid AS pid, nullif(p.claude_process, '') AS mark, p.seen_at_ms AS seenAtMs, 'session' AS kind,
            s.session_id AS id, s.status = 'active' AS isActive, s.project_dir AS projectDir
       FROM session_processes AS p
       JOIN sessions AS s USING (session_id)
      UNION ALL
     SELECT pid, process_mark, coalesce(started_at_ms, created_at_ms), 'agent', id, 0, worktree
       FROM agents
      WHERE pid IS NOT NULL`,
  ).all().map((row) => ({ ...row, isActive: row["isActive"] === 1 }) as unknown as AgentProcess);
}

/** Active sessions of which no process is known. @returns Their ids. */
export function activeWithoutProcess(db: DatabaseSync): string[] {
  return db.prepare(
    `SELECT session_id AS id
       FROM sessions AS s
      WHERE status = 'active'
        AND NOT EXISTS (SELECT 1 FROM session_processes AS p WHERE p.session_id = s.session_id)`,
  ).all().map(({ id }) => String(id));
}

/** The sessions and agents among ids. */
export function agentsNamed(
  db: DatabaseSync,
  ids: readonly string[],
): Pick<AgentProcess, "id" | "kind" | "projectDir">[] {
  return db.prepare(
    `SELECT session_id AS id, 'session' AS kind, project_dir AS projectDir
       FROM sessions
      WHERE session_id IN (SELECT value FROM json_each(?1))
      UNION ALL
     SELECT id, 'agent', worktree
       FROM agents
      WHERE id IN (SELECT value FROM json_each(?1))`,
  ).all(JSON.stringify(ids)) as unknown as Pick<AgentProcess, "id" | "kind" | "projectDir">[];
}

/** Whether a session was ever begun here. */
export function hasSessions(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sessions LIMIT 1").get() !== undefined;
}

/** Makes a token of a person: 256 random bits, of which only the hash is kept. */
export async function makeToken(db: DatabaseSync, atMs: number): Promise<string> {
  const token = crypto.getRandomValues(new Uint8Array(32)).toHex();
  db.prepare("INSERT INTO person_tokens (hash, created_at_ms) VALUES (?, ?)")
    .run(await hashOf(token), atMs);
  return token;
}

/** Whether a text is a token of a person. */
export async function knowsToken(db: DatabaseSync, token: string): Promise<boolean> {
  return db.prepare("SELECT 1 FROM person_tokens WHERE hash = ?")
    .get(await hashOf(token)) !== undefined;
}

/** Makes every token worthless. @returns How many there were. */
export function dropTokens(db: DatabaseSync): number {
  return Number(db.prepare("DELETE FROM person_tokens").run().changes);
}

async function hashOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token.trim()));
  return new Uint8Array(digest).toHex();
}
