-- Events: what changed, written in the transaction of the change itself. Only one process writes at a time, so the
-- numbers stand in the order of the commits, and AUTOINCREMENT never gives one out twice, also when old rows are gone:
-- a reader that knows the last number it saw misses nothing and sees nothing twice.
CREATE TABLE events (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  type          TEXT NOT NULL,
  entity_type   TEXT NOT NULL,
  entity_id     TEXT NOT NULL,
  data          TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

-- Serves the events of one task, agent, workflow or question.
CREATE INDEX events_by_entity ON events (entity_id, id);

-- Serves `--since TIME`, and retention.
CREATE INDEX events_by_time ON events (created_at_ms);
