-- Questions that an agent asks, or a session of Claude Code. The answer is written down first and delivered then, so a
-- delivery that fails loses nothing.
CREATE TABLE questions (
  id              TEXT PRIMARY KEY,
  type            TEXT NOT NULL CHECK (type IN ('confirmation', 'permission', 'choice', 'input')),
  text            TEXT NOT NULL,
  options         TEXT NOT NULL DEFAULT '[]',
  status          TEXT NOT NULL CHECK (status IN ('pending', 'answered', 'resolved')),
  source          TEXT NOT NULL CHECK (source IN ('output', 'notification', 'elicitation', 'import')),
  task_id         TEXT,
  workflow_id     TEXT,
  step_key        TEXT,
  agent_id        TEXT,
  session_id      TEXT,
  answer          TEXT,
  answered_by     TEXT,
  delivery_error  TEXT,
  origin          TEXT,
  created_at_ms   INTEGER NOT NULL,
  answered_at_ms  INTEGER,
  delivered_at_ms INTEGER,
  resolved_at_ms  INTEGER
) STRICT;

-- Serves the list of what waits for an answer, and the look for what has to be delivered.
CREATE INDEX questions_open ON questions (status, created_at_ms) WHERE status <> 'resolved';

-- Serves the questions of a task, an agent or a session, and retention together with them.
CREATE INDEX questions_by_task ON questions (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX questions_by_agent ON questions (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX questions_by_session ON questions (session_id) WHERE session_id IS NOT NULL;

-- Serves a repeated import.
CREATE UNIQUE INDEX questions_by_origin ON questions (origin) WHERE origin IS NOT NULL;
