-- How long hooks took, by hook and minute, in a few rows, so that a chart of a week does not read the audit trail. The drain
-- adds up what is new. A bucket is an eighth of a doubling of milliseconds.
CREATE TABLE hook_latency (
  minute    INTEGER NOT NULL,
  hook_name TEXT NOT NULL,
  bucket    INTEGER NOT NULL,
  runs      INTEGER NOT NULL,
  PRIMARY KEY (minute, hook_name, bucket)
) STRICT, WITHOUT ROWID;
