/** Databases as claude-mem and claude-mem-lite make them: the columns of several versions. */
import { DatabaseSync } from "node:sqlite";

/** The ids of a session had other names before its version 8.5. */
export interface ClaudeMemShape {
  readonly own: "memory_session_id" | "sdk_session_id";
  readonly claude: "content_session_id" | "claude_session_id";
  /** Whether observations have more than a text. */
  readonly hasFields: boolean;
}

/** A late version, and one of the first. */
export const LATE: ClaudeMemShape = {
  own: "memory_session_id",
  claude: "content_session_id",
  hasFields: true,
};
export const EARLY: ClaudeMemShape = {
  own: "sdk_session_id",
  claude: "claude_session_id",
  hasFields: false,
};

/** Makes an empty database of claude-mem, in WAL mode as it is there. The caller must close it. */
export function makeClaudeMem(
  path: string,
  { own, claude, hasFields }: ClaudeMemShape = LATE,
): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
    CREATE TABLE sdk_sessions (
      id INTEGER PRIMARY KEY AUTOINCREMENT, ${claude} TEXT UNIQUE NOT NULL, ${own} TEXT UNIQUE, project TEXT NOT NULL,
      user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT,
      completed_at_epoch INTEGER, status TEXT NOT NULL DEFAULT 'active');
    CREATE TABLE observations (
      id INTEGER PRIMARY KEY AUTOINCREMENT, ${own} TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL,
      ${
    hasFields
      ? `title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
         prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT, merged_into_project TEXT,`
      : ""
  }
      created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
      FOREIGN KEY (${own}) REFERENCES sdk_sessions (${own}) ON DELETE CASCADE);
    CREATE TABLE session_summaries (
      id INTEGER PRIMARY KEY AUTOINCREMENT, ${own} TEXT NOT NULL, project TEXT NOT NULL, request TEXT, investigated TEXT,
      learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
      created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
      FOREIGN KEY (${own}) REFERENCES sdk_sessions (${own}) ON DELETE CASCADE);`);
  if (hasFields) {
    db.exec(`
      CREATE TABLE user_prompts (
        id INTEGER PRIMARY KEY AUTOINCREMENT, ${claude} TEXT NOT NULL, prompt_number INTEGER NOT NULL,
        prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
        FOREIGN KEY (${claude}) REFERENCES sdk_sessions (${claude}) ON DELETE CASCADE);`);
  }
  return db;
}

/** Puts a row into one of its tables; when it was made is made up where it is not told. */
export function addRow(
  db: DatabaseSync,
  table: "sdk_sessions" | "observations" | "session_summaries" | "user_prompts",
  columns: Readonly<Record<string, string | number | null>>,
): void {
  const times: Readonly<Record<string, string | number>> = table === "sdk_sessions"
    ? { started_at: "2026-01-02T03:04:05.000Z", started_at_epoch: 1_767_323_045_000 }
    : { created_at: "2026-01-02T03:04:05.000Z", created_at_epoch: 1_767_323_045_000 };
  const row = { ...times, ...columns };
  const names = Object.keys(row);
  db.prepare(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  ).run(...Object.values(row));
}

/** Fills a database of the late version: two projects, rows of every kind. */
export function fillClaudeMem(db: DatabaseSync): void {
  addRow(db, "sdk_sessions", {
    content_session_id: "11111111-2222-4333-8444-555555555555",
    memory_session_id: "mem-1",
    project: "project",
  });
  addRow(db, "sdk_sessions", {
    content_session_id: "c-2",
    memory_session_id: "mem-2",
    project: "website",
  });
  const types = ["bugfix", "decision", "feature", "refactor", "change", "discovery", "riddle"];
  types.forEach((type, i) =>
    addRow(db, "observations", {
      memory_session_id: "mem-1",
      project: "project",
      type,
      title: `Title ${i} of parseHookEvent`,
      subtitle: "Under it",
      narrative: "It was so and so.",
      facts: '["fact one","fact two"]',
      concepts: '["how-it-works"]',
      files_read: '["/work/project/src/read.ts"]',
      files_modified: '["/work/project/src/changed.ts","src/changed.ts"]',
      created_at_epoch: 1_767_323_045_000 + i,
    })
  );
  addRow(db, "observations", {
    memory_session_id: "mem-2",
    project: "website",
    type: "discovery",
    title: "Only a title",
    facts: "null",
  });
  addRow(db, "session_summaries", {
    memory_session_id: "mem-1",
    project: "project",
    request: "Mend the parser",
    investigated: "The lexer",
    learned: "It is greedy",
    completed: "A patch",
    next_steps: "Tests",
    files_edited: '["/work/project/src/changed.ts"]',
  });
  addRow(db, "user_prompts", {
    content_session_id: "c-2",
    prompt_number: 1,
    prompt_text: "<private>my diary</private> Make the header blue",
  });
  addRow(db, "user_prompts", {
    content_session_id: "c-2",
    prompt_number: 2,
    prompt_text: "<private>all of it</private>",
  });
  addRow(db, "user_prompts", {
    content_session_id: "c-2",
    prompt_number: 3,
    prompt_text: `The token is ghp_${"aB3".repeat(12)}`,
  });
}

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
