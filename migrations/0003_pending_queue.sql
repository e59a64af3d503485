-- The queue of captured tool uses: what Claude did, whole, until it is worked into memory.
-- No foreign key to sessions: a capture may arrive before SessionStart. `payload` is JSON as text
-- (`encoding` 'json') until the drain compresses it ('br': Brotli). `raw_bytes` is its size in UTF-8 as JSON,
-- `cut_bytes` how much the payload cap took out.
CREATE TABLE pending_queue (
  id            TEXT PRIMARY KEY,
  session_id    TEXT NOT NULL,
  tool_name     TEXT NOT NULL,
  tool_use_id   TEXT,
  outcome       TEXT NOT NULL CHECK (outcome IN ('success', 'failure')),
  priority      TEXT NOT NULL CHECK (priority IN ('high', 'normal', 'low')),
  status        TEXT NOT NULL DEFAULT 'raw' CHECK (status IN ('raw', 'processing', 'done', 'error')),
  attempts      INTEGER NOT NULL DEFAULT 0,
  files_touched TEXT NOT NULL DEFAULT '[]',
  encoding      TEXT NOT NULL DEFAULT 'json' CHECK (encoding IN ('json', 'br')),
  payload       ANY NOT NULL,
  raw_bytes     INTEGER NOT NULL,
  cut_bytes     INTEGER NOT NULL DEFAULT 0,
  error_message TEXT,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT;

-- Serves `queue list --session`, the pending count at Stop, and retention together with a session.
CREATE INDEX pending_queue_by_session ON pending_queue (session_id, status);

-- Serves the drain: what is to be worked on next. The names of the priorities sort high, low, normal.
CREATE INDEX pending_queue_to_drain
  ON pending_queue (CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END, created_at_ms)
  WHERE status IN ('raw', 'processing');
