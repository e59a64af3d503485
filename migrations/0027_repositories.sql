-- What a repository is known by wherever its folder lies, so that a project that moved is found again: a row for its first
-- commit, and one for its remote (`github.com/ana/shop`). One that has neither has a row with an empty identity.
CREATE TABLE repositories (
  identity    TEXT NOT NULL,
  -- The common git directory.
  repository  TEXT NOT NULL,
  known_at_ms INTEGER NOT NULL,
  PRIMARY KEY (identity, repository)
) STRICT, WITHOUT ROWID;
