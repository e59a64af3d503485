import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { checkIndex, indexTogether } from "../../src/memory/search/memory_index_table.ts";
import { testWith } from "../support/fixtures.ts";
import { drainAt, saveEvent, tempDatabase } from "../support/records.ts";

function add(db: DatabaseSync, text: string): number {
  return Number(
    db.prepare(
      `INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms)
       VALUES (?1, 's', 'note', ?1, ?1, '', 1, 1)`,
    ).run(text).lastInsertRowid,
  );
}

function found(db: DatabaseSync, word: string): number[] {
  return db.prepare("SELECT rowid FROM memory_index WHERE memory_index MATCH ? ORDER BY rowid")
    .all(word).map(({ rowid }) => Number(rowid));
}

const test = testWith(tempDatabase);

test("observations are indexed together, in their final state", ({ db }) => {
  const [changed, removed] = [add(db, "older harbour"), add(db, "older lighthouse")];
  const retell = db.prepare("UPDATE observations SET text = ? WHERE id = ?");
  const remove = db.prepare("DELETE FROM observations WHERE id = ?");
  const { kept, told } = indexTogether(db, () => {
    const kept = add(db, "newer harbour");
    const told = add(db, "newer buoy");
    const gone = add(db, "newer anchor");
    assert.deepEqual(found(db, "newer"), [], "not before the end");
    retell.run("newer harbour pilot", told);
    remove.run(gone);
    retell.run("older pier", changed);
    remove.run(removed);
    return { kept, told };
  });
  assert.deepEqual(checkIndex(db), []);
  assert.deepEqual(found(db, "harbour"), [changed, kept, told], "its title has it still");
  assert.deepEqual(found(db, "pilot"), [told]);
  assert.deepEqual(found(db, "pier"), [changed]);
  assert.deepEqual(found(db, "anchor OR lighthouse"), []);
  const later = add(db, "later harbour");
  assert.deepEqual(found(db, "later"), [later], "what others write goes in at once");
});

test("a failure while observations are indexed together leaves nothing", ({ db }) => {
  assert.throws(() =>
    indexTogether(db, () => {
      add(db, "newer harbour");
      throw new Error("no");
    }), /^Error: no$/);
  assert.deepEqual(found(db, "harbour"), []);
  const later = add(db, "harbour");
  assert.deepEqual(found(db, "harbour"), [later]);
  assert.deepEqual(checkIndex(db), []);
});

test("a drain writes its observations into few parts of the index", ({ db }) => {
  for (let n = 0; n < 100; n++) {
    const payload = JSON.stringify({ prompt: `Look after pier ${n}` });
    saveEvent(db, { capture: { toolName: "UserPromptSubmit", payload } });
  }
  // Nothing puts parts together by itself.
  db.exec("INSERT INTO memory_index (memory_index, rank) VALUES ('automerge', 0)");
  db.exec("INSERT INTO memory_index (memory_index, rank) VALUES ('crisismerge', 1000)");
  drainAt(db);
  assert.equal(found(db, "pier").length, 101, "every prompt, and the summary of the session");
  const parts = db.prepare("SELECT DISTINCT segid FROM memory_index_idx").all();
  assert.equal(parts.length, 2, "the prompts, and the summary");
});
