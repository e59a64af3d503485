-- The audit trail: one row for every hook event that was handled, whatever became of it.
-- `id` is a UUIDv7, so rows lie in the order of time and retention can cut by id. `duration_ms` is measured
-- inside the process, from its start to the write.
CREATE TABLE hook_executions (
  id            TEXT PRIMARY KEY,
  session_id    TEXT NOT NULL,
  hook_name     TEXT NOT NULL,
  tool_name     TEXT,
  tool_use_id   TEXT,
  status        TEXT NOT NULL CHECK (status IN ('success', 'blocked', 'failure', 'timeout', 'skipped')),
  duration_ms   REAL NOT NULL,
  error_message TEXT,
  error_stack   TEXT,
  metadata      TEXT NOT NULL DEFAULT '{}',
  created_at_ms INTEGER NOT NULL
) STRICT;

-- Serves `audit list --session`, and retention together with a session.
CREATE INDEX hook_executions_by_session ON hook_executions (session_id, created_at_ms);
