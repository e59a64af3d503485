-- Tasks: what is to be done, as a tree. Claimed by compare-and-swap: `claim_token` counts the claims of a task, and
-- whoever finishes it must still hold the newest one (a fencing token); `lease_until_ms` says how long a claim counts
-- without being renewed. `repository` is the common git directory, so that all worktrees of a project share its tasks.
-- `queued_at_ms`: somebody handed it to the scheduler. A deleted task stays until retention removes it.
CREATE TABLE tasks (
  id             TEXT PRIMARY KEY,
  parent_id      TEXT REFERENCES tasks (id),
  depth          INTEGER NOT NULL,
  title          TEXT NOT NULL,
  body           TEXT NOT NULL,
  type           TEXT NOT NULL CHECK (type IN ('task', 'feature', 'bug')),
  status         TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'pending_merge', 'blocked', 'closed')),
  priority       INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 4),
  workflow       TEXT,
  project_dir    TEXT,
  repository     TEXT,
  claimed_by     TEXT,
  claim_token    INTEGER NOT NULL DEFAULT 0,
  claimed_at_ms  INTEGER,
  lease_until_ms INTEGER,
  reason         TEXT,
  summary        TEXT,
  origin         TEXT,
  queued_at_ms   INTEGER,
  created_at_ms  INTEGER NOT NULL,
  updated_at_ms  INTEGER NOT NULL,
  closed_at_ms   INTEGER,
  deleted_at_ms  INTEGER,
  CHECK ((claimed_by IS NULL) = (claimed_at_ms IS NULL) AND (claimed_by IS NULL) = (lease_until_ms IS NULL))
) STRICT;

-- Serves `task ready` and the scheduler: what is open, in the order in which it should be done.
CREATE INDEX tasks_open ON tasks (priority, created_at_ms, id)
  WHERE status = 'open' AND deleted_at_ms IS NULL;

-- Serves the tree: children, subtrees, "no child in work".
CREATE INDEX tasks_by_parent ON tasks (parent_id) WHERE parent_id IS NOT NULL;

-- Serves the search for claims that nobody renews, and the renewal of those that live.
CREATE INDEX tasks_by_claim ON tasks (claimed_by) WHERE claimed_by IS NOT NULL;

-- Serves retention: what is closed, oldest first; what is deleted, oldest first.
CREATE INDEX tasks_closed ON tasks (closed_at_ms) WHERE closed_at_ms IS NOT NULL AND deleted_at_ms IS NULL;
CREATE INDEX tasks_deleted ON tasks (deleted_at_ms) WHERE deleted_at_ms IS NOT NULL;

-- Serves a repeated import: what came from elsewhere is known by where it came from.
CREATE UNIQUE INDEX tasks_by_origin ON tasks (origin) WHERE origin IS NOT NULL;

CREATE TABLE task_tags (
  task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  tag     TEXT NOT NULL CHECK (tag <> ''),
  PRIMARY KEY (task_id, tag)
) STRICT, WITHOUT ROWID;

-- Serves the filter by tag.
CREATE INDEX task_tags_by_tag ON task_tags (tag);

-- A task waits until everything that it depends on is closed, or deleted.
CREATE TABLE task_dependencies (
  task_id    TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  depends_on TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  PRIMARY KEY (task_id, depends_on)
) STRICT, WITHOUT ROWID;

-- Serves the other direction: who waits for this one.
CREATE INDEX task_dependencies_by_dependency ON task_dependencies (depends_on);

-- Every change of a field; `old` and `new` are JSON.
CREATE TABLE task_history (
  id            INTEGER PRIMARY KEY,
  task_id       TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  field         TEXT NOT NULL,
  old           TEXT NOT NULL,
  new           TEXT NOT NULL,
  changed_by    TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL
) STRICT;

-- Serves the history of a task, newest first.
CREATE INDEX task_history_by_task ON task_history (task_id, id);
