-- Requirements: what has to be true before something is done, as far as somebody has said it of a branch.
-- Keyed by the common git directory, so that all worktrees share it, and by the exact name of the branch
-- (`feature/auth` and `feature-auth` are two). `session_id` is empty for what counts for every session of the branch.
-- A row also remembers that a tool use of the session fell under the requirement (`triggered_…`), so that a stop can ask
-- for it; `asked` means that a person was asked for a tool since, so that it may not have run.
CREATE TABLE requirements (
  repository      TEXT NOT NULL,
  branch          TEXT NOT NULL,
  requirement     TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  scope           TEXT NOT NULL CHECK (scope IN ('session', 'branch', 'permanent', 'single_use')),
  satisfied_at_ms INTEGER,
  satisfied_by    TEXT CHECK (satisfied_by IN ('skill', 'cli', 'cli_bypass', 'approval', 'carry_over', 'import')),
  original_at_ms  INTEGER,
  expires_at_ms   INTEGER,
  metadata        TEXT NOT NULL DEFAULT '{}',
  triggered_at_ms INTEGER,
  triggered_by    TEXT,
  trigger_state   TEXT CHECK (trigger_state IN ('allowed', 'asked', 'ran')),
  updated_at_ms   INTEGER NOT NULL,
  PRIMARY KEY (repository, branch, requirement, session_id)
) STRICT, WITHOUT ROWID;

-- Serves a session's end, and retention together with a session.
CREATE INDEX requirements_by_session ON requirements (session_id);

-- How many lines a branch has changed, as last measured in one working tree.
CREATE TABLE branch_sizes (
  worktree       TEXT NOT NULL,
  branch         TEXT NOT NULL,
  lines          INTEGER,
  measured_at_ms INTEGER NOT NULL,
  PRIMARY KEY (worktree, branch)
) STRICT, WITHOUT ROWID;
