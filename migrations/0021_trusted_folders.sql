-- A project in a container, or on a mount, belongs to another user, and counts for nothing. A person says that a folder,
-- and all below it, counts all the same.
CREATE TABLE trusted_folders (
  path TEXT PRIMARY KEY,
  added_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
