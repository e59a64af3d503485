-- Memory: what was done, in words that can be searched, made of the captures by the drain without any model.
-- An observation keeps what it was made of apart from the queue: captures may go, it stays. `uid` is the same in every
-- database that it is copied to; `id` is short, since Claude reads it, and never given out twice. `project` is the common
-- git directory, or the folder where there is none. `text` is prose, `terms` are the exact words of code and paths, both
-- as the index has them. `same_as` says which rows of a session are one and the same, counted in `repeats`. `facts` is
-- JSON: command, exit code, commit, symbols, lines added and removed, and the observations that it follows from.
CREATE TABLE observations (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  uid           TEXT NOT NULL UNIQUE,
  session_id    TEXT NOT NULL,
  project       TEXT,
  branch        TEXT,
  kind          TEXT NOT NULL,
  outcome       TEXT CHECK (outcome IN ('success', 'failure')),
  title         TEXT NOT NULL,
  text          TEXT NOT NULL,
  terms         TEXT NOT NULL,
  files         TEXT NOT NULL DEFAULT '[]',
  facts         TEXT NOT NULL DEFAULT '{}',
  same_as       TEXT,
  repeats       INTEGER NOT NULL DEFAULT 1,
  resolved_by   INTEGER,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT;

-- Serves the merging of repeats within a session, and the look for the failure, of any session, that a command has mended.
CREATE UNIQUE INDEX observations_by_same ON observations (same_as, session_id) WHERE same_as IS NOT NULL;

-- Serves the timeline and the summary of a session, and the neighbours of what was found.
CREATE INDEX observations_by_session ON observations (session_id, created_at_ms, id);

-- Serves the context at SessionStart: what is worth telling of a branch, newest first.
CREATE INDEX observations_of_branch ON observations (project, branch, created_at_ms)
  WHERE kind IN ('summary', 'fix', 'failure', 'test', 'commit', 'decision', 'note', 'edit');

-- Serves the same for what counts on every branch.
CREATE INDEX observations_of_project ON observations (project, created_at_ms)
  WHERE kind IN ('summary', 'decision', 'note');

-- The files of an observation, as paths from the project's folder, else whole. `digest` tells the content that the file
-- had then: FNV-1a, 64 bits, in hexadecimal; NULL where the capture did not hold it whole.
CREATE TABLE observation_files (
  path           TEXT NOT NULL,
  observation_id INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
  digest         TEXT,
  PRIMARY KEY (path, observation_id)
) STRICT, WITHOUT ROWID;

-- Serves the removal of an observation.
CREATE INDEX observation_files_by_observation ON observation_files (observation_id);

-- The index of all words. It keeps no text of its own; `secure-delete` takes what is removed out of its pages at once.
CREATE VIRTUAL TABLE memory_index USING fts5 (
  title, text, terms,
  content = 'observations', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER observations_indexed AFTER INSERT ON observations BEGIN
  INSERT INTO memory_index (rowid, title, text, terms) VALUES (new.id, new.title, new.text, new.terms);
END;
CREATE TRIGGER observations_reindexed AFTER UPDATE OF title, text, terms ON observations BEGIN
  INSERT INTO memory_index (memory_index, rowid, title, text, terms)
  VALUES ('delete', old.id, old.title, old.text, old.terms);
  INSERT INTO memory_index (rowid, title, text, terms) VALUES (new.id, new.title, new.text, new.terms);
END;
CREATE TRIGGER observations_unindexed AFTER DELETE ON observations BEGIN
  INSERT INTO memory_index (memory_index, rowid, title, text, terms)
  VALUES ('delete', old.id, old.title, old.text, old.terms);
END;

-- Sessions whose summary is older than what is known of them.
CREATE TABLE sessions_to_summarize (
  session_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The branch that a capture was made on. One that was worked in says where it went; one that could not be waits until it
-- is tried again.
ALTER TABLE pending_queue ADD COLUMN branch TEXT;
ALTER TABLE pending_queue ADD COLUMN observation_id INTEGER;
ALTER TABLE pending_queue ADD COLUMN retry_at_ms INTEGER;
