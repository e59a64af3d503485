-- Sessions: the registry of every Claude Code session that an event was seen of.
-- Written by whichever hook comes first, since hooks run in parallel and SessionStart may be late or missing;
-- therefore nothing refers to this table by a foreign key. `repository` is the common git directory, so that
-- all worktrees of a repository are one project; `claude_process` tells a process from a later one that got
-- the same number.
CREATE TABLE sessions (
  session_id      TEXT PRIMARY KEY,
  short_id        TEXT NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('active', 'ended', 'abandoned')),
  source          TEXT,
  title           TEXT,
  project_dir     TEXT,
  repository      TEXT,
  branch          TEXT,
  cwd             TEXT,
  permission_mode TEXT,
  transcript_path TEXT,
  claude_pid      INTEGER,
  claude_process  TEXT,
  started_at_ms   INTEGER NOT NULL,
  updated_at_ms   INTEGER NOT NULL,
  ended_at_ms     INTEGER,
  end_reason      TEXT
) STRICT;

-- Serves `session show SHORT` and every `--session SHORT`.
CREATE INDEX sessions_by_short_id ON sessions (short_id);

-- Serves the context at SessionStart: the sessions of one project. Without `updated_at_ms`, which changes with every
-- event: an index that every event rewrites costs every hook a page.
CREATE INDEX sessions_by_project ON sessions (coalesce(repository, project_dir));

-- Serves retention (oldest ended first) and the search for abandoned sessions (active ones).
CREATE INDEX sessions_by_status ON sessions (status, ended_at_ms);
