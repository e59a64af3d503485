-- Forgetting: what was taken away for good, so that it can be looked later whether it stays away. A receipt holds nothing
-- of what was forgotten: texts are digests with a key of the receipt's own (`salt`). `chosen` and `removed` are JSON:
-- what was asked for, and rows by table; `remains` lists what could not be taken away; `digests` are those of the
-- observations. One without `finished_at_ms` was stopped on the way.
CREATE TABLE forget_receipts (
  id             TEXT PRIMARY KEY,
  chosen         TEXT NOT NULL,
  salt           TEXT NOT NULL,
  text_digest    TEXT,
  removed        TEXT NOT NULL DEFAULT '{}',
  digests        TEXT NOT NULL DEFAULT '[]',
  remains        TEXT NOT NULL DEFAULT '[]',
  created_at_ms  INTEGER NOT NULL,
  finished_at_ms INTEGER
) STRICT;

-- What must not come back by an import: `name` is the uid of an observation, or the id or tool use of a capture.
CREATE TABLE forgotten (
  name       TEXT PRIMARY KEY,
  receipt_id TEXT NOT NULL REFERENCES forget_receipts (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Serves the look whether what a receipt names is back.
CREATE INDEX forgotten_by_receipt ON forgotten (receipt_id);
