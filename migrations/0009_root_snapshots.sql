-- What a stop is judged by: the files that lay in the project's folder when the session began, as a JSON list of names,
CREATE TABLE root_snapshots (
  session_id    TEXT NOT NULL,
  root          TEXT NOT NULL,
  names         TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, root)
) STRICT, WITHOUT ROWID;

-- and how the session's first prompt began, with how far the messages are told that it holds back stops with.
CREATE TABLE prompt_queues (
  session_id      TEXT NOT NULL PRIMARY KEY,
  initial_prompt  TEXT NOT NULL,
  queue_position  INTEGER NOT NULL DEFAULT 0,
  repeats_left    INTEGER,
  created_at_ms   INTEGER NOT NULL,
  updated_at_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
