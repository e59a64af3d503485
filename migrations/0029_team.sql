-- A team: projects that are joined with those of other machines on a PostgreSQL server (`conclaude team`).
-- Each machine works on its own tables; what is shared of them is named in an outbox, in the transaction that changes it.
-- `name` is what the project is called on the server, `origin` this machine in this project, `way` how to reach the server
-- (JSON, without a password). `pulled_seq` is the last number that was taken in, `sent_seq` the last one that was given to
-- a row of ours. `is_listed` is 1 once everything that was here before, and that the others do not have, is named in the
-- outbox. `applying` is 1 only inside of the transaction that takes rows in: those do not go back.
CREATE TABLE team_projects (
  project       TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  way           TEXT NOT NULL,
  origin        TEXT NOT NULL,
  pulled_seq    INTEGER NOT NULL DEFAULT 0,
  head_seq      INTEGER NOT NULL DEFAULT 0,
  sent_seq      INTEGER NOT NULL DEFAULT 0,
  applying      INTEGER NOT NULL DEFAULT 0,
  is_listed     INTEGER NOT NULL DEFAULT 0,
  fault         TEXT,
  -- How far the server has been told that this machine has read.
  told_seq      INTEGER NOT NULL DEFAULT 0,
  joined_at_ms  INTEGER NOT NULL,
  synced_at_ms  INTEGER
) STRICT, WITHOUT ROWID;

-- What has changed since it was last sent: names of rows, no copies, so that what is forgotten before leaves nothing.
-- `op` is `forget` where the server and the others forget what the row was; where it is still there, they get it as it is
-- now. `rev` counts the changes since then. `sent_seq` and `sent_rev` are the number under which the row is on its way, and
-- the change that it held then.
CREATE TABLE team_outbox (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  project      TEXT NOT NULL,
  kind         TEXT NOT NULL,
  uid          TEXT NOT NULL,
  op           TEXT NOT NULL CHECK (op IN ('put', 'forget')),
  rev          INTEGER NOT NULL DEFAULT 1,
  sent_seq     INTEGER,
  sent_rev     INTEGER,
  -- 1 where a person has said that it holds no secret.
  cleared      INTEGER NOT NULL DEFAULT 0,
  queued_at_ms INTEGER NOT NULL,
  UNIQUE (project, uid)
) STRICT;

-- Serves the answers of the server: each names a row by the number under which it was sent.
CREATE UNIQUE INDEX team_outbox_sent ON team_outbox (project, sent_seq) WHERE sent_seq IS NOT NULL;
-- Serves the next batch.
CREATE INDEX team_outbox_next ON team_outbox (project, id);

-- The newest version on the server of each row that is shared, as far as this machine knows: who wrote it, and its number.
CREATE TABLE team_rows (
  uid     TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  kind    TEXT NOT NULL,
  origin  TEXT NOT NULL,
  author  TEXT NOT NULL,
  op      TEXT NOT NULL,
  seq     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The machines of a project, and how far each had read when the server was last asked: who has forgotten what was to be.
CREATE TABLE team_seen (
  project TEXT NOT NULL,
  origin  TEXT NOT NULL,
  author  TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  at_ms   INTEGER NOT NULL,
  PRIMARY KEY (project, origin)
) STRICT, WITHOUT ROWID;

-- Serves `team status` and leaving a project.
CREATE INDEX team_rows_by_project ON team_rows (project, origin);

-- Serves the look for machines that have not forgotten yet, at the end of each sync.
CREATE INDEX team_rows_forgotten ON team_rows (project, seq) WHERE op = 'forget';

-- How much was taken in of each machine, with a sum over it that the server can make as well.
CREATE TABLE team_origins (
  project TEXT NOT NULL,
  origin  TEXT NOT NULL,
  author  TEXT NOT NULL,
  rows    INTEGER NOT NULL,
  digest  TEXT NOT NULL,
  PRIMARY KEY (project, origin)
) STRICT, WITHOUT ROWID;

-- Rows that wait for a person: not sent, or not taken in.
CREATE TABLE team_held (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project    TEXT NOT NULL,
  kind       TEXT NOT NULL,
  uid        TEXT NOT NULL,
  reason     TEXT NOT NULL CHECK (reason IN ('secret', 'refused', 'conflict', 'claim', 'unreadable')),
  detail     TEXT NOT NULL,
  body       TEXT,
  held_at_ms INTEGER NOT NULL,
  UNIQUE (project, uid, reason)
) STRICT;

-- Claims that changed here and of which the server does not know yet, by their tasks. `holder` and `token` are of the claim
-- that is meant.
CREATE TABLE team_claims (
  uid         TEXT PRIMARY KEY,
  project     TEXT NOT NULL,
  step        TEXT NOT NULL CHECK (step IN ('claim', 'renew', 'release', 'complete')),
  holder      TEXT NOT NULL,
  token       INTEGER NOT NULL,
  noted_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Requirements as the configurations of a team define them; those of this machine have no author. None of them is in
-- force: a person takes a definition over. The triggers send those of this machine.
CREATE TABLE team_requirements (
  uid        TEXT PRIMARY KEY,
  project    TEXT NOT NULL,
  name       TEXT NOT NULL,
  author     TEXT,
  definition TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER team_requirement_made AFTER INSERT ON team_requirements WHEN new.author IS NULL BEGIN
  INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
  VALUES (new.project, 'requirement', new.uid, 'put', 0)
  ON CONFLICT (project, uid) DO UPDATE SET rev = rev + 1, op = 'put';
END;
CREATE TRIGGER team_requirement_changed AFTER UPDATE OF definition ON team_requirements
  WHEN new.author IS NULL AND new.definition <> old.definition BEGIN
  INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
  VALUES (new.project, 'requirement', new.uid, 'put', 0)
  ON CONFLICT (project, uid) DO UPDATE SET rev = rev + 1, op = 'put';
END;

-- Who of the team made an observation; null for this machine.
ALTER TABLE observations ADD COLUMN author TEXT;

-- Observations of the kinds that others can use, and tasks. A change of tags or dependencies changes its task's time.
CREATE TRIGGER team_observation_made AFTER INSERT ON observations
  WHEN new.kind IN ('note', 'decision', 'fix', 'failure', 'commit', 'summary', 'prompt')
   AND EXISTS (SELECT 1 FROM team_projects WHERE project = new.project AND applying = 0) BEGIN
  INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
  VALUES (new.project, new.kind, new.uid, 'put', new.updated_at_ms)
  ON CONFLICT (project, uid) DO UPDATE SET rev = rev + 1, kind = excluded.kind;
END;
CREATE TRIGGER team_observation_changed
  AFTER UPDATE OF kind, outcome, title, text, files, facts, resolved_by, branch ON observations
  WHEN new.kind IN ('note', 'decision', 'fix', 'failure', 'commit', 'summary', 'prompt')
   AND EXISTS (SELECT 1 FROM team_projects WHERE project = new.project AND applying = 0) BEGIN
  INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
  VALUES (new.project, new.kind, new.uid, 'put', new.updated_at_ms)
  ON CONFLICT (project, uid) DO UPDATE SET rev = rev + 1, kind = excluded.kind;
END;
CREATE TRIGGER team_task_made AFTER INSERT ON tasks
  WHEN EXISTS (SELECT 1 FROM team_projects
                WHERE project = coalesce(new.repository, new.project_dir) AND applying = 0) BEGIN
  INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
  VALUES (coalesce(new.repository, new.project_dir), 'task', new.id, 'put', new.updated_at_ms)
  ON CONFLICT (project, uid) DO UPDATE SET rev = rev + 1;
END;
CREATE TRIGGER team_task_changed AFTER UPDATE OF title, body, summary, reason, updated_at_ms ON tasks
  WHEN EXISTS (SELECT 1 FROM team_projects
                WHERE project = coalesce(new.repository, new.project_dir) AND applying = 0) BEGIN
  INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
  VALUES (coalesce(new.repository, new.project_dir), 'task', new.id, 'put', new.updated_at_ms)
  ON CONFLICT (project, uid) DO UPDATE SET rev = rev + 1;
END;
CREATE TRIGGER team_claim_changed AFTER UPDATE OF status, claimed_by, claim_token, lease_until_ms ON tasks
  WHEN (new.claimed_by IS NOT old.claimed_by
        OR new.claim_token > old.claim_token
        OR new.lease_until_ms > old.lease_until_ms
        OR new.status = 'closed' AND old.status <> 'closed')
   AND EXISTS (SELECT 1 FROM team_projects
                WHERE project = coalesce(new.repository, new.project_dir) AND applying = 0) BEGIN
  INSERT INTO team_claims (uid, project, step, holder, token, noted_at_ms)
  VALUES (new.id, coalesce(new.repository, new.project_dir),
          CASE WHEN new.status = 'closed' THEN 'complete'
               WHEN new.claimed_by IS NULL THEN 'release'
               WHEN new.claimed_by IS NOT old.claimed_by OR new.claim_token > old.claim_token THEN 'claim'
               ELSE 'renew' END,
          coalesce(new.claimed_by, old.claimed_by, 'user'), new.claim_token, new.updated_at_ms)
  ON CONFLICT (uid) DO UPDATE SET step = iif(step = 'claim' AND excluded.step = 'renew', 'claim', excluded.step),
      holder = excluded.holder, token = excluded.token;
END;
