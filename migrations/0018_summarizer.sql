-- The ledger of the summarizer: each run of the command that rewrites the summaries of sessions, what came of it, and
-- what it was given and answered, in tokens as they are estimated. A day's budget is counted here; a run is written down
-- before it begins, so that two processes cannot spend the same rest of it.
-- `summary` tells the text that was to be rewritten, as a digest: what failed is not tried again and again. A run whose
-- process died stays `running`; after `expires_at_ms` it is over all the same.
CREATE TABLE summarizer_runs (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id    TEXT NOT NULL,
  summary       TEXT NOT NULL,
  status        TEXT NOT NULL CHECK (status IN ('running', 'written', 'failed')),
  reason        TEXT,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  started_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  ended_at_ms   INTEGER
) STRICT;

-- Serves what was spent in a day, and the removal of old rows.
CREATE INDEX summarizer_runs_by_start ON summarizer_runs (started_at_ms);

-- Serves the look for what was tried with a summary.
CREATE INDEX summarizer_runs_by_session ON summarizer_runs (session_id);

-- Serves `memory.retentionDays`: what was seen last the longest ago. Notes always stay.
CREATE INDEX observations_by_age ON observations (updated_at_ms) WHERE kind <> 'note';

-- Serves `status` and `memory stats`: failures that nothing has mended.
CREATE INDEX observations_open ON observations (id) WHERE outcome = 'failure' AND resolved_by IS NULL;
