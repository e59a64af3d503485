-- Serves the look for edits that a later one has put back: those before which a file was as it is now. The condition is
-- that of `facts_column.ts`: where a damaged page has left no facts, there is no digest in them.
CREATE INDEX observations_by_before ON observations (iif(json_valid(facts), facts, '{}') ->> '$.before') WHERE kind = 'edit';
