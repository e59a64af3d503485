-- Every process that was seen to run a session, and the tokens of people. Verbs of a person refuse whoever descends from
-- such a process, so a row stays when a later event names another process; a trigger adds it, so that no hook pays for it
-- but the one that brings a new process. `claude_process` tells a process from a later one of the same number; empty until
-- it is known.
CREATE TABLE session_processes (
  session_id     TEXT NOT NULL,
  claude_pid     INTEGER NOT NULL,
  claude_process TEXT NOT NULL,
  seen_at_ms     INTEGER NOT NULL,
  PRIMARY KEY (session_id, claude_pid, claude_process)
) STRICT, WITHOUT ROWID;

INSERT INTO session_processes (session_id, claude_pid, claude_process, seen_at_ms)
SELECT session_id, claude_pid, coalesce(claude_process, ''), started_at_ms
  FROM sessions
 WHERE claude_pid IS NOT NULL;

CREATE TRIGGER sessions_process_begun AFTER INSERT ON sessions
  WHEN new.claude_pid IS NOT NULL BEGIN
  INSERT OR IGNORE INTO session_processes (session_id, claude_pid, claude_process, seen_at_ms)
  VALUES (new.session_id, new.claude_pid, coalesce(new.claude_process, ''), new.started_at_ms);
END;

CREATE TRIGGER sessions_process_changed AFTER UPDATE OF claude_pid, claude_process ON sessions
  WHEN new.claude_pid IS NOT NULL
   AND (new.claude_pid IS NOT old.claude_pid OR new.claude_process IS NOT old.claude_process) BEGIN
  DELETE FROM session_processes
   WHERE session_id = new.session_id
     AND claude_pid = new.claude_pid
     AND claude_process = ''
     AND new.claude_process IS NOT NULL;
  INSERT OR IGNORE INTO session_processes (session_id, claude_pid, claude_process, seen_at_ms)
  VALUES (new.session_id, new.claude_pid, coalesce(new.claude_process, ''), new.updated_at_ms);
END;

CREATE TRIGGER sessions_process_gone AFTER DELETE ON sessions BEGIN
  DELETE FROM session_processes
   WHERE session_id = old.session_id;
END;

-- A script of a person's own shows a token in the place of a terminal. Only the SHA-256 of it is kept.
CREATE TABLE person_tokens (
  hash          TEXT PRIMARY KEY,
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
