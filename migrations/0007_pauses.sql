-- What a person has lifted for a session, and until when; a row whose time is over means nothing.
CREATE TABLE pauses (
  session_id    TEXT NOT NULL,
  subject       TEXT NOT NULL CHECK (subject IN ('guards', 'requirements')),
  reason        TEXT,
  created_at_ms INTEGER NOT NULL,
  ends_at_ms    INTEGER NOT NULL,
  PRIMARY KEY (session_id, subject)
) STRICT, WITHOUT ROWID;
