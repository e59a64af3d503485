-- Claude Code ends asynchronous hooks when it ends, so a drain takes the tool uses that they lost from the transcript:
-- `source` is 'transcript' there, and null where a hook has captured it.
ALTER TABLE pending_queue ADD COLUMN source TEXT CHECK (source IN ('transcript'));

-- A hook that comes after all asks whether its tool use is here already. Rows of hooks are not in the index.
CREATE INDEX pending_queue_from_transcripts ON pending_queue (session_id, tool_use_id) WHERE source IS NOT NULL;
