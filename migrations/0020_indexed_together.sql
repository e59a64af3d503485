-- Many observations go into the index at once. For each statement with a trigger SQLite first writes out what the index
-- holds of the ones before: one by one, that takes longer than all else of the observations. Whoever writes many of them
-- says in `meta`, until the end of the transaction, up to which id they are in the index, and then adds the others.
DROP TRIGGER observations_indexed;
DROP TRIGGER observations_reindexed;
DROP TRIGGER observations_unindexed;

CREATE TRIGGER observations_indexed AFTER INSERT ON observations
  WHEN NOT EXISTS (SELECT 1 FROM meta WHERE key = 'indexed_until' AND CAST(value AS INTEGER) < new.id) BEGIN
  INSERT INTO memory_index (rowid, title, text, terms) VALUES (new.id, new.title, new.text, new.terms);
END;
CREATE TRIGGER observations_reindexed AFTER UPDATE OF title, text, terms ON observations
  WHEN NOT EXISTS (SELECT 1 FROM meta WHERE key = 'indexed_until' AND CAST(value AS INTEGER) < old.id) BEGIN
  INSERT INTO memory_index (memory_index, rowid, title, text, terms)
  VALUES ('delete', old.id, old.title, old.text, old.terms);
  INSERT INTO memory_index (rowid, title, text, terms) VALUES (new.id, new.title, new.text, new.terms);
END;
CREATE TRIGGER observations_unindexed AFTER DELETE ON observations
  WHEN NOT EXISTS (SELECT 1 FROM meta WHERE key = 'indexed_until' AND CAST(value AS INTEGER) < old.id) BEGIN
  INSERT INTO memory_index (memory_index, rowid, title, text, terms)
  VALUES ('delete', old.id, old.title, old.text, old.terms);
END;
