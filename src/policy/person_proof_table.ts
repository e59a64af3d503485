/** Stores what tells an agent from a person: the processes of sessions and agents, and the tokens of a person. */
import type { DatabaseSync } from "node:sqlite";

export interface AgentProcess {
  readonly pid: number;
  /** The process's mark, see `ProcessFacts.mark`; null for none: then `seenAtMs` tells it from later processes. */
  readonly mark: string | null;
  readonly seenAtMs: number;
  readonly kind: "session" | "agent";
  readonly id: string;
  /** Whether the session's events say that it has not ended. */
  readonly isActive: boolean;
  readonly projectDir: string | null;
}

const AGENTS = `
      UNION ALL
     SELECT pid, process_mark, coalesce(started_at_ms, created_at_ms), 'agent', id, 0, worktree
       FROM agents
      WHERE pid IS NOT NULL`;

/** Lists every process of a session or an agent that the database knows; the database may have an older schema. */
export function agentProcesses(db: DatabaseSync): AgentProcess[] {
  const processes = has(db, "session_processes")
    ? "session_processes"
    : "(SELECT session_id, claude_pid, claude_process, started_at_ms AS seen_at_ms FROM sessions)";
  return db.prepare(
    `SELECT p.claude_pid AS pid, nullif(p.claude_process, '') AS mark, p.seen_at_ms AS seenAtMs, 'session' AS kind,
            s.session_id AS id, s.status = 'active' AS isActive, s.project_dir AS projectDir
       FROM ${processes} AS p
       JOIN sessions AS s USING (session_id)
      WHERE p.claude_pid IS NOT NULL
${has(db, "agents") ? AGENTS : ""}`,
  ).all().map((row) => ({ ...row, isActive: row["isActive"] === 1 }) as unknown as AgentProcess);
}

/** Lists active sessions without a known process. */
export function activeWithoutProcess(db: DatabaseSync): Pick<AgentProcess, "id" | "projectDir">[] {
  return db.prepare(
    `SELECT session_id AS id, project_dir AS projectDir
       FROM sessions
      WHERE status = 'active'
        AND claude_pid IS NULL`,
  ).all() as unknown as Pick<AgentProcess, "id" | "projectDir">[];
}

/** Lists the projects in which there have been sessions. */
export function sessionProjects(db: DatabaseSync): Pick<AgentProcess, "projectDir">[] {
  return db.prepare("SELECT DISTINCT project_dir AS projectDir FROM sessions")
    .all() as unknown as Pick<AgentProcess, "projectDir">[];
}

/** Finds the session or the agent with an id; the database may have an older schema. */
export function agentNamed(
  db: DatabaseSync,
  id: string,
): Pick<AgentProcess, "id" | "kind" | "projectDir"> | undefined {
  const agents = "UNION ALL SELECT id, 'agent', worktree FROM agents WHERE id = ?1";
  return db.prepare(
    `SELECT session_id AS id, 'session' AS kind, project_dir AS projectDir
       FROM sessions
      WHERE session_id = ?1
${has(db, "agents") ? agents : ""}`,
  ).get(id) as ReturnType<typeof agentNamed>;
}

/** Lists the paths of databases that the cached configurations name. */
export function configuredDatabases(db: DatabaseSync): string[] {
  return !has(db, "config_cache") ? [] : db.prepare(
    `SELECT DISTINCT json_extract(parsed, '$.databasePath') AS path
       FROM config_cache
      WHERE json_valid(parsed)
        AND json_extract(parsed, '$.databasePath') IS NOT NULL`,
  ).all().map(({ path }) => String(path));
}

/** Makes a token of a person: 256 random bits, of which only the hash is stored. */
export async function makeToken(db: DatabaseSync, atMs: number): Promise<string> {
  const token = crypto.getRandomValues(new Uint8Array(32)).toHex();
  db.prepare("INSERT INTO person_tokens (hash, created_at_ms) VALUES (?, ?)")
    .run(await hashOf(token), atMs);
  return token;
}

export async function knowsToken(db: DatabaseSync, token: string): Promise<boolean> {
  return has(db, "person_tokens") && db.prepare("SELECT 1 FROM person_tokens WHERE hash = ?")
        .get(await hashOf(token)) !== undefined;
}

export async function revokeToken(db: DatabaseSync, token: string): Promise<void> {
  db.prepare("DELETE FROM person_tokens WHERE hash = ?").run(await hashOf(token));
}

/** Makes all tokens invalid. Returns how many there were. */
export function dropTokens(db: DatabaseSync): number {
  return Number(db.prepare("DELETE FROM person_tokens").run().changes);
}

/** Tells whether a database has a table of sessions: a new database has none yet. */
export function knowsSessions(db: DatabaseSync): boolean {
  return has(db, "sessions");
}

function has(db: DatabaseSync, table: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table) !== undefined;
}

async function hashOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token.trim()));
  return new Uint8Array(digest).toHex();
}
