-- Agents: every process that works for a task (an agent or a script of a workflow's step), and every sub-agent that a
-- session of Claude Code was seen to start. A process is written down before it may do anything, and is known again by
-- its number, the moment it was started, and its command. Its output is in files of its own.
CREATE TABLE agents (
  id                   TEXT PRIMARY KEY,
  kind                 TEXT NOT NULL CHECK (kind IN ('agent', 'script', 'subagent')),
  name                 TEXT NOT NULL,
  status               TEXT NOT NULL CHECK (status IN ('starting', 'running', 'completed', 'failed', 'killed')),
  task_id              TEXT,
  workflow_id          TEXT,
  step_key             TEXT,
  attempt              INTEGER,
  session_id           TEXT,
  origin               TEXT,
  command              TEXT NOT NULL DEFAULT '[]',
  pid                  INTEGER,
  process_mark         TEXT,
  worktree             TEXT,
  output_file          TEXT,
  exit_code            INTEGER,
  error                TEXT,
  kill_reason          TEXT,
  created_at_ms        INTEGER NOT NULL,
  started_at_ms        INTEGER,
  deadline_at_ms       INTEGER,
  kill_requested_at_ms INTEGER,
  ended_at_ms          INTEGER,
  updated_at_ms        INTEGER NOT NULL,
  CHECK ((ended_at_ms IS NULL) = (status IN ('starting', 'running')))
) STRICT;

-- Serves recovery, the limit of parallel agents, and lists of what runs.
CREATE INDEX agents_alive ON agents (kind, status) WHERE ended_at_ms IS NULL;

-- Serves the agents of a task, and retention together with it.
CREATE INDEX agents_by_task ON agents (task_id) WHERE task_id IS NOT NULL;

-- Serves the sub-agents of a session, and what a hook looks up of one.
CREATE INDEX agents_by_session ON agents (session_id) WHERE session_id IS NOT NULL;

-- Serves a repeated import.
CREATE UNIQUE INDEX agents_by_origin ON agents (origin) WHERE origin IS NOT NULL;

-- A session that an agent of ours started belongs to its task.
ALTER TABLE sessions ADD COLUMN task_id TEXT;
ALTER TABLE sessions ADD COLUMN agent_id TEXT;
