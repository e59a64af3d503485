-- What a command has changed is known only afterwards: hooks compare the state of watched files and branches before and
-- after it. The last state that a session saw,
CREATE TABLE effect_snapshots (
  session_id  TEXT NOT NULL PRIMARY KEY,
  snapshot    TEXT NOT NULL,
  taken_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- which files are watched, until the stamp of git's index and of the policy changes,
CREATE TABLE watched_files (
  root  TEXT NOT NULL PRIMARY KEY,
  stamp TEXT NOT NULL,
  files TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- what was changed without being allowed, until it is as before or a person accepts it,
CREATE TABLE violations (
  id            TEXT NOT NULL PRIMARY KEY,
  session_id    TEXT NOT NULL,
  project       TEXT NOT NULL,
  subject       TEXT NOT NULL,
  name          TEXT NOT NULL,
  kind          TEXT NOT NULL CHECK (kind IN ('policy', 'ref', 'file')),
  rule          TEXT NOT NULL,
  who           TEXT NOT NULL CHECK (who IN ('command', 'unknown')),
  blocks        INTEGER NOT NULL,
  before        TEXT NOT NULL,
  undo          TEXT,
  log_bytes     INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  settled_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- Every hook asks for the open ones of a session or a project.
CREATE INDEX violations_open ON violations (project, session_id) WHERE settled_at_ms IS NULL;

-- and policy files as they are in force, so that the version before stays in force, and can be put back.
CREATE TABLE kept_files (
  path       TEXT NOT NULL PRIMARY KEY,
  content    TEXT NOT NULL,
  kept_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
