/** Stores each session's last snapshot, the lists of watched files, and violations; reads what tools were allowed. */
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../../base/ids.ts";
import { insertRow, putRow, statement, updateRow } from "../../db/statement.ts";
import type { Ground, Snapshot, Violation, WatchList } from "./types.ts";

export function readSnapshot(db: DatabaseSync, sessionId: string): Snapshot | null {
  const row = statement(db, "SELECT snapshot FROM effect_snapshots WHERE session_id = ?")
    .get(sessionId);
  return row === undefined ? null : JSON.parse(String(row["snapshot"]));
}

export function saveSnapshot(db: DatabaseSync, sessionId: string, snapshot: Snapshot): void {
  const [text, takenAtMs] = [JSON.stringify(snapshot), snapshot.atMs];
  putRow(db, "effect_snapshots", { sessionId, snapshot: text, takenAtMs });
}

/** Reads the list of watched files of a project; null where no list has this stamp, so that it must be made again. */
export function readWatched(db: DatabaseSync, root: string, stamp: string): WatchList | null {
  const row = statement(db, "SELECT files FROM watched_files WHERE root = ? AND stamp = ?")
    .get(root, stamp);
  return row === undefined ? null : JSON.parse(String(row["files"]));
}

export function saveWatched(
  db: DatabaseSync,
  root: string,
  { stamp, list }: { readonly stamp: string; readonly list: WatchList },
): void {
  putRow(db, "watched_files", { root, stamp, files: JSON.stringify(list) });
}

const COLUMNS =
  `id, session_id AS sessionId, project, subject, name, kind, rule, who, blocks, before,
            undo, log_bytes AS logBytes, created_at_ms AS createdAtMs, settled_at_ms AS settledAtMs`;

/**
 * Lists the unsettled violations of a project, or of all projects with null, the oldest first. Leaves out commits that
 * no branch has any more, since they hold back nothing.
 */
export function openViolations(db: DatabaseSync, project: string | null): Violation[] {
  return statement(
    db,
    `SELECT ${COLUMNS}
       FROM violations
      WHERE settled_at_ms IS NULL
        AND (?1 IS NULL OR project = ?1)
        AND (blocks = 1 OR kind <> 'ref')
      ORDER BY id`,
  ).all(project).map(violationOf);
}

function violationOf(row: Readonly<Record<string, unknown>>): Violation {
  return { ...row, blocks: row["blocks"] === 1 } as unknown as Violation;
}

/**
 * Lists the violations that a session was told of, the oldest first. One that a later violation has replaced is open as
 * long as that one.
 */
export function violationsOfSession(db: DatabaseSync, sessionId: string): Violation[] {
  const rows = statement(
    db,
    `SELECT ${COLUMNS}
       FROM violations
      WHERE project IN (SELECT project FROM violations WHERE session_id = ?)
      ORDER BY id DESC`,
  ).all(sessionId).map(violationOf);
  const newer = new Map<string, Pick<Violation, "createdAtMs" | "settledAtMs">>();
  return rows.map((one) => {
    const { createdAtMs, settledAtMs } = one;
    const key = JSON.stringify([one.project, one.subject, one.rule]);
    const later = newer.get(key);
    const isReplaced = later !== undefined && later.createdAtMs === settledAtMs;
    const ended = { ...one, settledAtMs: isReplaced ? later.settledAtMs : settledAtMs };
    newer.set(key, { createdAtMs, settledAtMs: ended.settledAtMs });
    return ended;
  }).filter((one) => one.sessionId === sessionId).reverse();
}

/** Returns commits that lack a requirement and are neither satisfied nor accepted, also those that no branch has. */
export function wereViolations(db: DatabaseSync, project: string): Set<string> {
  const rows = statement(
    db,
    `SELECT subject
       FROM violations
      WHERE settled_at_ms IS NULL
        AND project = ?
        AND kind = 'ref'
        AND rule GLOB 'requirements.*'`,
  ).all(project);
  return new Set(rows.map(({ subject }) => String(subject)));
}

/** Lets a violation hold back nothing any more, but keeps it, since its commit may come back. */
export function letGo(db: DatabaseSync, id: string): void {
  updateRow(db, "violations", id, { blocks: 0 });
}

/** Stores a violation that the session found, in place of an older one of the same subject and rule. */
export function addViolation(
  { db, sessionId, project, atMs }: Pick<Ground, "db" | "sessionId" | "project" | "atMs">,
  found: Omit<Violation, "id" | "sessionId" | "project" | "createdAtMs" | "settledAtMs">,
): Violation {
  const ours = { id: newId(atMs), sessionId, project, createdAtMs: atMs, settledAtMs: null };
  const one: Violation = { ...found, ...ours };
  statement(
    db,
    `UPDATE violations
        SET settled_at_ms = ?4
      WHERE settled_at_ms IS NULL
        AND project = ?1
        AND subject = ?2
        AND rule = ?3`,
  ).run(one.project, one.subject, one.rule, one.createdAtMs);
  insertRow(db, "violations", { ...one, blocks: one.blocks ? 1 : 0 });
  return one;
}

export function settleViolations(db: DatabaseSync, ids: readonly string[], atMs: number): void {
  statement(
    db,
    `UPDATE violations
        SET settled_at_ms = ?2
      WHERE settled_at_ms IS NULL
        AND id IN (SELECT value FROM json_each(?1))`,
  ).run(JSON.stringify(ids), atMs);
}

const OF_SHELL = "tool_name IN ('Bash', 'PowerShell', 'Monitor')";
const AROUND_USES = "hook_name IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure')";

/** Tells when the session's last look was: before this tool use if a hook ran, else around its last use of a shell. */
export function lookedAt(
  db: DatabaseSync,
  sessionId: string,
  toolUseId: string | null = null,
): { readonly isDuring: boolean; readonly atMs: number | null } {
  const row = statement(
    db,
    `SELECT tool_use_id IS ?2 AND hook_name = 'PreToolUse' AS isDuring, created_at_ms AS atMs
       FROM hook_executions
      WHERE session_id = ?1
        AND ${AROUND_USES}
        AND ${OF_SHELL}
      ORDER BY isDuring DESC, created_at_ms DESC
      LIMIT 1`,
  ).get(sessionId, toolUseId ?? "");
  const atMs = row === undefined ? null : Number(row["atMs"]);
  return { isDuring: row?.["isDuring"] === 1, atMs };
}

/** How much older than the next tool use a look may be, in milliseconds. A session looks after each own command. */
const MOMENT_MS = 2_000;

/** Reads what tools were allowed to do in a project since a moment: files that edits named, and commands of shells. */
export function allowedSince(
  { db, sessionId, project }: Pick<Ground, "db" | "sessionId" | "project">,
  sinceMs: number,
): { readonly files: readonly string[]; readonly commands: readonly string[] } {
  const rows = statement(
    db,
    `SELECT metadata ->> '$.files' AS files, metadata ->> '$.tool_input.command' AS command
       FROM hook_executions
      WHERE created_at_ms >= ?2 - iif(session_id = ?1 AND ${OF_SHELL}, 0, ${MOMENT_MS})
        AND hook_name = 'PreToolUse'
        AND status = 'success'
        AND json_valid(metadata)
        AND (session_id = ?1 OR session_id IN (
              SELECT session_id FROM sessions WHERE ?3 IN (repository, project_dir)))`,
  ).all(sessionId, sinceMs, project);
  const texts = (column: string) =>
    rows.flatMap((row) => typeof row[column] === "string" ? [row[column]] : []);
  return {
    files: texts("files").flatMap((json): string[] => JSON.parse(json)),
    commands: texts("command"),
  };
}

/** How long a command may run, in milliseconds; one that began earlier counts as ended. */
const LONGEST_MS = 86_400_000;

/**
 * Tells whether another shell command of the session than that of this tool use still runs: in the background, or as
 * the last one, whose end no hook has reported.
 */
export function isShellRunning(
  db: DatabaseSync,
  { sessionId, atMs, beside = null }: Pick<Ground, "sessionId" | "atMs"> & {
    readonly beside?: string | null;
  },
): boolean {
  const rows = statement(
    db,
    `SELECT hook_name AS event, metadata ->> '$.goesOn' AS goesOn
       FROM hook_executions
      WHERE session_id = ?1
        AND created_at_ms > ?2
        AND ${AROUND_USES}
        AND ${OF_SHELL}
        AND status <> 'blocked'
        AND (tool_use_id IS NULL OR tool_use_id IS NOT ?3)
      ORDER BY created_at_ms`,
  ).all(sessionId, atMs - LONGEST_MS, beside);
  return rows.some(({ goesOn }) => goesOn !== null) || rows.at(-1)?.["event"] === "PreToolUse";
}

/** The other sessions of a repository, since a moment. */
interface OthersSince {
  readonly sessionId: string;
  readonly repository: string;
  readonly sinceMs: number;
}

const OF_OTHERS = `FROM sessions
       JOIN hook_executions AS used ON used.session_id = sessions.session_id
      WHERE sessions.repository = ?2
        AND sessions.session_id <> ?1`;

/** Returns the commands that other sessions of a repository were allowed to run, and that ran at a moment or later. */
export function commandsOfOthers(
  db: DatabaseSync,
  { sessionId, repository, sinceMs }: OthersSince,
): string[] {
  return statement(
    db,
    `SELECT used.metadata ->> '$.tool_input.command' AS command
       ${OF_OTHERS}
        AND used.created_at_ms >= ?3 - ${HOUR_MS}
        AND used.hook_name = 'PreToolUse'
        AND used.status = 'success'
        AND used.${OF_SHELL}
        AND json_valid(used.metadata)
        AND NOT EXISTS (SELECT 1
                          FROM hook_executions AS ended
                         WHERE ended.session_id = used.session_id
                           AND ended.tool_use_id = used.tool_use_id
                           AND ended.hook_name IN ('PostToolUse', 'PostToolUseFailure')
                           AND ended.created_at_ms < ?3)`,
  ).all(sessionId, repository, sinceMs).map(({ command }) => String(command ?? ""));
}

/** For so long a command of another session may run until it commits, in milliseconds. */
const HOUR_MS = 3_600_000;

/** Tells whether another session of a repository has used a shell since a moment. */
export function areOthersAtWork(
  db: DatabaseSync,
  { sessionId, repository, sinceMs }: OthersSince,
): boolean {
  return statement(
    db,
    `SELECT 1
       ${OF_OTHERS}
        AND used.created_at_ms >= ?3
        AND ${OF_SHELL}
      LIMIT 1`,
  ).get(sessionId, repository, sinceMs) !== undefined;
}
