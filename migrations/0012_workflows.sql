-- Workflows: a task's way through the steps of a definition, which is kept as it was when the workflow began. What has
-- finished is in `workflow_steps`; a workflow goes on at the first step that has no finished record, so that nothing
-- that was done is done again, and what was not finished is.
-- `decision`: what a person said of the merge, until the daemon has carried it out.
CREATE TABLE workflows (
  id             TEXT PRIMARY KEY,
  task_id        TEXT NOT NULL,
  name           TEXT NOT NULL,
  definition     TEXT NOT NULL,
  status         TEXT NOT NULL
    CHECK (status IN ('running', 'pending_merge', 'blocked', 'failed', 'completed', 'cancelled')),
  current_step   TEXT,
  reason         TEXT,
  claim_token    INTEGER NOT NULL,
  project_dir    TEXT,
  repository     TEXT,
  worktree       TEXT,
  branch         TEXT,
  base_branch    TEXT,
  base_commit    TEXT,
  merge_commit   TEXT,
  decision       TEXT CHECK (decision IN ('approve', 'reject', 'cancel')),
  decision_by    TEXT,
  decision_text  TEXT,
  origin         TEXT,
  decided_at_ms  INTEGER,
  deadline_at_ms INTEGER,
  created_at_ms  INTEGER NOT NULL,
  updated_at_ms  INTEGER NOT NULL,
  ended_at_ms    INTEGER,
  CHECK ((ended_at_ms IS NULL) = (status IN ('running', 'pending_merge', 'blocked', 'failed')))
) STRICT;

-- A task has one workflow at a time. Serves also the look from a task to its workflow.
CREATE UNIQUE INDEX workflows_live ON workflows (task_id) WHERE ended_at_ms IS NULL;

-- Serves the workflows of a task, and retention.
CREATE INDEX workflows_by_task ON workflows (task_id);
CREATE INDEX workflows_ended ON workflows (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

-- Serves a repeated import.
CREATE UNIQUE INDEX workflows_by_origin ON workflows (origin) WHERE origin IS NOT NULL;

-- Steps as they were run: `key` names a step and the rounds of the loops around it (`quality#2/test`). A step that is to
-- be run again leaves its old record as `superseded`.
CREATE TABLE workflow_steps (
  workflow_id   TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  key           TEXT NOT NULL,
  attempt       INTEGER NOT NULL,
  type          TEXT NOT NULL CHECK (type IN ('agent', 'script', 'loop', 'merge')),
  status        TEXT NOT NULL CHECK (status IN ('running', 'finished', 'superseded')),
  outcome       TEXT,
  agent_id      TEXT,
  started_at_ms INTEGER NOT NULL,
  ended_at_ms   INTEGER,
  PRIMARY KEY (workflow_id, key, attempt)
) STRICT, WITHOUT ROWID;
