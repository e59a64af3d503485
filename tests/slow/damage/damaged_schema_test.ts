/** Damage of nothing but what tells of the tables: every row is still there, and comes back. */
import assert from "node:assert/strict";
import { change } from "../../support/on_home.ts";
import { tempHome } from "../../support/program.ts";
import { spoil } from "../../support/spoilt.ts";
import {
  copyOf,
  PAGE_BYTES,
  pagesOf,
  rowsIn,
  TABLES,
  uidsIn,
  worked,
} from "../../support/worked_database.ts";
import { run } from "../../support/verb.ts";

/** Writes other letters over the first place of a text in a file. */
function overwrite(path: string, text: string, other: string): void {
  const bytes = Deno.readFileSync(path);
  const at = new TextDecoder("latin1").decode(bytes).indexOf(text);
  assert.ok(at > 0, text);
  bytes.set(new TextEncoder().encode(other), at);
  Deno.writeFileSync(path, bytes);
}

const LETTERS: readonly (readonly [text: string, other: string])[] = [
  ["ON questions (origin)", "ON questions (oriXin)"],
  ["CREATE UNIQUE INDEX workflows_live ON", "CREATE UNIQUE INDEX workflows_live OX"],
  ["CREATE TABLE observations (", "CREATE TABLX observations ("],
  ["CREATE TABLE pending_queue (", "CREATE TABLE pending_queuX ("],
  ["CREATE TRIGGER observations_indexed", "CREATE TRIGXER observations_indexed"],
];

Deno.test("one letter of the schema costs no row", async () => {
  using sound = tempHome();
  await worked(sound);
  for (const [text, other] of LETTERS) {
    using home = copyOf(sound);
    overwrite(home.database, text, other);
    const { stdout } = await run(home, "doctor", "--fix");
    assert.match(stdout, /rows that can be read of it are in the new one\n/, other + stdout);
    for (const [table, columns] of Object.entries(TABLES)) {
      const [now, before] = [home, sound].map((of) => rowsIn(of.database, table, columns));
      assert.ok(now!.join() === before!.join(), `${other}: rows of ${table} differ`);
    }
    assert.equal((await run(home, "db", "check")).code, 0, other);
  }
});

Deno.test("a page of the schema costs no row, nor do all of them but one", async () => {
  using sound = tempHome();
  await worked(sound);
  const leaves = pagesOf(sound.database, "sqlite_schema", "leaf");
  assert.ok(leaves.length > 3);
  for (const pages of [[leaves[0]!], [leaves.at(-1)!], leaves.slice(1)]) {
    using home = copyOf(sound);
    for (const page of pages) {
      spoil(home.database, { at: (page - 1) * PAGE_BYTES, length: PAGE_BYTES });
    }
    const { stdout } = await run(home, "doctor", "--fix");
    assert.match(stdout, /rows that can be read of it are in the new one\n/, `${pages}` + stdout);
    for (const [table, columns] of Object.entries(TABLES)) {
      const [now, before] = [home, sound].map((of) => rowsIn(of.database, table, columns));
      assert.ok(now!.join() === before!.join(), `${pages}: rows of ${table} differ`);
    }
    assert.equal((await run(home, "db", "check")).code, 0);
  }
});

Deno.test("observations whose table is gone are made once more of their captures", async () => {
  using home = tempHome();
  await worked(home);
  const uids = uidsIn(home.database);
  change(home, "PRAGMA foreign_keys = OFF; DROP TABLE observations");
  const looked = await run(home, "doctor");
  assert.match(looked.stdout, /observations are made once more of their captures/);
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /and \d+ captures are worked into memory once more/);
  assert.equal((await run(home, "queue", "drain")).code, 0);
  assert.deepEqual(uidsIn(home.database), uids);
  assert.equal((await run(home, "db", "check")).code, 0);
});
