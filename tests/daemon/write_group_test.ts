import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { groupedWrites } from "../../src/daemon/http.ts";

function prepared() {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE rows (n INTEGER NOT NULL)");
  const insert = (n: number) => void db.prepare("INSERT INTO rows VALUES (?)").run(n);
  const rows = () => db.prepare("SELECT n FROM rows").all().map((row) => row["n"]);
  return { db, insert, rows, write: groupedWrites(db, () => {}) };
}

async function outcomes(works: readonly Promise<unknown>[]) {
  return (await Promise.allSettled(works)).map((one) =>
    one.status === "fulfilled" ? one.value : one.reason.message
  );
}

Deno.test("a refused request of a group is undone, and the others are kept", async () => {
  const { insert, rows, write } = prepared();
  const told = await outcomes([
    write(() => (insert(1), "one")),
    write(() => {
      insert(2);
      throw new Error("refused");
    }),
    write(() => (insert(3), rows())),
  ]);
  assert.deepEqual(told, ["one", "refused", [1, 3]]);
  assert.deepEqual(rows(), [1, 3]);
});

Deno.test("when the transaction fails, every request of the group is refused", async () => {
  const { db, insert, rows, write } = prepared();
  const told = await outcomes([
    write(() => (insert(1), "one")),
    write(() => {
      // As SQLite does of itself when the disk is full.
      db.exec("ROLLBACK");
      throw new Error("disk is full");
    }),
    write(() => (insert(3), "three")),
  ]);
  assert.deepEqual(told, ["disk is full", "disk is full", "disk is full"]);
  assert.deepEqual(rows(), []);
  assert.equal(await write(() => (insert(4), "four")), "four");
  assert.deepEqual(rows(), [4]);
});
