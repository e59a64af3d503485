-- Numbers that outlive a process, per session and type; absent means 0.
CREATE TABLE counters (
  session_id    TEXT NOT NULL,
  type          TEXT NOT NULL,
  value         INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, type)
) STRICT, WITHOUT ROWID;
