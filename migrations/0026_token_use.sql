-- What Claude Code's transcripts say of tokens has to outlive them: numbers of each message of Claude, once, and no text.
-- The id is a digest of the ids of the message and of its request.
CREATE TABLE token_use (
  id                 TEXT NOT NULL PRIMARY KEY,
  session_id         TEXT NOT NULL,
  project            TEXT,
  agent              TEXT NOT NULL,
  model              TEXT NOT NULL,
  input_tokens       INTEGER NOT NULL,
  output_tokens      INTEGER NOT NULL,
  cache_read_tokens  INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  created_at_ms      INTEGER NOT NULL
) STRICT;

-- How far each transcript is read: a drain reads only what is new. The digest of what stands before that place tells a
-- transcript that has grown from one that was replaced.
CREATE TABLE read_transcripts (
  path          TEXT NOT NULL PRIMARY KEY,
  bytes         INTEGER NOT NULL,
  before_digest TEXT NOT NULL,
  read_at_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
