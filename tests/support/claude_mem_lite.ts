/** Databases as claude-mem-lite makes them. */
import { DatabaseSync } from "node:sqlite";

/** Makes one with two sessions, of a project each; its ids are texts or numbers. The caller must close it. */
export function makeClaudeMemLite(
  path: string,
  { ids, folder }: { readonly ids: "TEXT" | "INTEGER"; readonly folder: string },
): DatabaseSync {
  const db = new DatabaseSync(path);
  const id = `id ${ids} PRIMARY KEY`;
  const idOf = (n: number) => ids === "TEXT" ? `'o-${n}'` : n;
  db.exec(`
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY, project_dir TEXT NOT NULL, started_at TEXT, ended_at TEXT, status TEXT, summary TEXT,
      observation_count INTEGER DEFAULT 0);
    CREATE TABLE observations (
      ${id}, session_id TEXT REFERENCES sessions (id), tool_name TEXT, title TEXT, summary TEXT, detail TEXT,
      files_touched TEXT, functions_changed TEXT, tokens_raw INTEGER, tokens_compressed INTEGER, embedding_status TEXT,
      created_at TEXT);
    CREATE TABLE learnings (
      ${id}, category TEXT, content TEXT, confidence REAL, times_seen INTEGER, source_sessions TEXT, is_manual INTEGER,
      is_active INTEGER, created_at TEXT);
    CREATE TABLE event_log (id INTEGER PRIMARY KEY, event_type TEXT);
    PRAGMA user_version = 5;
    INSERT INTO sessions VALUES
      ('s-1', '${folder}/lite', '2026-01-02 10:00:00', '2026-01-02 11:00:00', 'closed', 'Turnips were hardened', 2),
      ('s-2', '${folder}/other', '2026-01-03T10:00:00Z', NULL, 'active', 'No observations captured.', 1);
    INSERT INTO observations
      (id, session_id, tool_name, title, summary, detail, files_touched, functions_changed, created_at) VALUES
      (${idOf(1)}, 's-1', 'Edit', 'Harden turnip parser', 'Because turnips overflowed', NULL,
       '["${folder}/lite/a.py"]', '[{"file":"a.py","name":"parse_turnip","action":"modified"}]', '2026-01-02 10:30:00'),
      (${idOf(2)}, 's-1', 'Bash', 'Run turnip tests', 'They passed', 'ghp_${
    "aB3".repeat(12)
  }', '[]', 'none', NULL),
      (${
    idOf(3)
  }, 's-2', 'mcp__x__y', 'Ask for beets', NULL, NULL, NULL, NULL, '2026-01-03T10:30:00+00:00');
    INSERT INTO learnings (id, category, content, source_sessions, is_active, created_at) VALUES
      (${idOf(1)}, 'gotcha', 'Turnips need salt', '["s-1"]', 1, '2026-01-02 10:30:00'),
      (${idOf(2)}, 'pattern', 'Turnips like rain', '["s-1"]', 0, '2026-01-02 10:30:00'),
      (${idOf(3)}, NULL, 'Roots grow down', '["s-1","s-2"]', 1, '2026-01-02 10:30:00');`);
  return db;
}
