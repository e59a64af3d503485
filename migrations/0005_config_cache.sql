-- Parsed configuration by the folder that it is for, so that a hook does not load a YAML parser.
-- `content_hash` covers the paths and texts of all layers and the version of the schema that read them.
CREATE TABLE config_cache (
  config_path   TEXT PRIMARY KEY,
  content_hash  TEXT NOT NULL,
  parsed        TEXT NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
