/** Rows whose table has lost its upper pages, in files that SQLite itself wrote. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { reattachLeaves } from "../../../src/store/reattach_leaves.ts";
import { spoil } from "../../support/spoilt.ts";
import { seededRandom } from "../../support/tool_uses.ts";

interface Made {
  readonly path: string;
  readonly pageBytes: number;
  readonly roots: readonly number[];
  readonly rootOf: Readonly<Record<string, number>>;
}

/** Two tables of many levels, with gaps in their numbers and texts longer than a page, in a file with free pages. */
function made(path: string, pageBytes: number): Made {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`);
  db.exec(
    "CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT); CREATE TABLE b (key TEXT PRIMARY KEY, text TEXT)",
  );
  const random = seededRandom(pageBytes);
  const intoA = db.prepare("INSERT INTO a VALUES (?, ?)");
  const intoB = db.prepare("INSERT INTO b VALUES (?, ?)");
  db.exec("BEGIN");
  for (let n = 1; n <= 6000; n++) {
    const text = `${n} ${"x".repeat(n % 97 === 0 ? 3 * pageBytes : Math.floor(random() * 90))}`;
    intoA.run(n < 3000 ? n : n * 1_000_003, text);
    intoB.run(`key ${n}`, text);
  }
  db.exec("DELETE FROM a WHERE id % 7 = 0; DELETE FROM b WHERE rowid BETWEEN 100 AND 900; COMMIT");
  const roots = db.prepare("SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'").all();
  db.close();
  const rootOf = Object.fromEntries(
    roots.map(({ name, rootpage }) => [String(name), Number(rootpage)]),
  );
  return { path, pageBytes, rootOf, roots: Object.values(rootOf) };
}

function rowsOf(path: string, table: string): string[] {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare(`SELECT rowid, * FROM ${table} NOT INDEXED`).all().map((row) =>
    JSON.stringify(row)
  );
}

/** The pages of a table that lead to others, and those that hold its rows. */
function pagesOf(
  path: string,
  table: string,
): { readonly inner: number[]; readonly leaves: number[] } {
  using db = new DatabaseSync(path, { readOnly: true });
  const pages = (kind: string) =>
    db.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ?").all(table, kind)
      .map(({ pageno }) => Number(pageno));
  return { inner: pages("internal"), leaves: pages("leaf") };
}

function spoilPage({ path, pageBytes }: Made, page: number): void {
  spoil(path, { at: (page - 1) * pageBytes, length: pageBytes });
}

for (const pageBytes of [512, 4096]) {
  Deno.test(`whichever upper page of a table is damaged, all its rows are there again: pages of ${pageBytes} bytes`, () => {
    const folder = Deno.makeTempDirSync();
    const sound = made(`${folder}/sound.db`, pageBytes);
    const rows = rowsOf(sound.path, "a");
    const others = rowsOf(sound.path, "b");
    const { inner, leaves } = pagesOf(sound.path, "a");
    assert.ok(
      inner.includes(sound.rootOf["a"]!) && (pageBytes > 512 || inner.length > 5),
      `${inner}`,
    );
    for (const page of inner) {
      const spoilt = { ...sound, path: `${folder}/spoilt.db` };
      Deno.copyFileSync(sound.path, spoilt.path);
      spoilPage(spoilt, page);
      assert.throws(() => rowsOf(spoilt.path, "a"));
      const found = reattachLeaves(spoilt.path, spoilt.roots);
      assert.equal(found.lost, 0);
      assert.ok(found.leaves > 0 && found.leaves <= leaves.length);
      assert.deepEqual(rowsOf(spoilt.path, "a"), rows);
      assert.deepEqual(rowsOf(spoilt.path, "b"), others);
    }
    Deno.removeSync(folder, { recursive: true });
  });
}

Deno.test("a leaf that is damaged as well costs its rows and no others", () => {
  const folder = Deno.makeTempDirSync();
  const spoilt = made(`${folder}/spoilt.db`, 512);
  const rows = rowsOf(spoilt.path, "a");
  const { leaves } = pagesOf(spoilt.path, "a");
  for (const page of [spoilt.rootOf["a"]!, leaves[3]!, leaves[40]!]) spoilPage(spoilt, page);
  const { lost } = reattachLeaves(spoilt.path, spoilt.roots);
  assert.equal(lost, 2);
  const left = rowsOf(spoilt.path, "a");
  assert.ok(
    left.length < rows.length && left.length > rows.length - 60,
    `${left.length} of ${rows.length}`,
  );
  const known = new Set(rows);
  assert.ok(left.every((row) => known.has(row)));
  Deno.removeSync(folder, { recursive: true });
});

function copyPage({ path, pageBytes }: Made, from: number, to: number): void {
  using file = Deno.openSync(path, { read: true, write: true });
  const page = new Uint8Array(pageBytes);
  file.seekSync((from - 1) * pageBytes, Deno.SeekMode.Start);
  file.readSync(page);
  file.seekSync((to - 1) * pageBytes, Deno.SeekMode.Start);
  file.writeSync(page);
}

Deno.test("leaves that lie in each other's place give all their rows, and one that lies there twice is counted", () => {
  const folder = Deno.makeTempDirSync();
  const sound = made(`${folder}/sound.db`, 512);
  const rows = rowsOf(sound.path, "a");
  const { leaves } = pagesOf(sound.path, "a");
  const [one, other] = [leaves[5]!, leaves[60]!];
  const spoilt = { ...sound, path: `${folder}/spoilt.db` };
  Deno.copyFileSync(sound.path, spoilt.path);
  copyPage(spoilt, one, 1 + Deno.statSync(spoilt.path).size / 512);
  copyPage(spoilt, other, one);
  copyPage(spoilt, Deno.statSync(spoilt.path).size / 512, other);
  assert.deepEqual(reattachLeaves(spoilt.path, spoilt.roots), { leaves: 0, lost: 0 });
  assert.deepEqual(rowsOf(spoilt.path, "a"), rows);

  Deno.copyFileSync(sound.path, spoilt.path);
  copyPage(spoilt, one, other);
  assert.equal(reattachLeaves(spoilt.path, spoilt.roots).lost, 1);
  const left = rowsOf(spoilt.path, "a");
  assert.deepEqual(left, rows.filter((row) => left.includes(row)));
  assert.ok(left.length > rows.length - 30 && left.length < rows.length);
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("a file to which nothing is missing, and one that does not tell who refers to a page, stay as they are", () => {
  const folder = Deno.makeTempDirSync();
  const sound = made(`${folder}/sound.db`, 512);
  const before = Deno.readFileSync(sound.path);
  assert.deepEqual(reattachLeaves(sound.path, sound.roots), { leaves: 0, lost: 0 });
  assert.deepEqual(Deno.readFileSync(sound.path), before);
  const plain = new DatabaseSync(`${folder}/plain.db`);
  plain.exec("CREATE TABLE a (text)");
  plain.close();
  assert.deepEqual(reattachLeaves(`${folder}/plain.db`, [2]), { leaves: 0, lost: 0 });
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("garbage in any page ends in no error, and no row comes that was not there", () => {
  const folder = Deno.makeTempDirSync();
  const sound = made(`${folder}/sound.db`, 512);
  const known = new Set(rowsOf(sound.path, "a"));
  const random = seededRandom(5);
  const count = Deno.statSync(sound.path).size / 512;
  for (let round = 0; round < 60; round++) {
    const spoilt = { ...sound, path: `${folder}/spoilt.db` };
    Deno.copyFileSync(sound.path, spoilt.path);
    for (let n = 0; n < 20; n++) spoilPage(spoilt, 2 + Math.floor(random() * (count - 1)));
    reattachLeaves(spoilt.path, spoilt.roots);
    let rows: string[] = [];
    try {
      rows = rowsOf(spoilt.path, "a");
    } catch {
      // A row that goes on in a damaged page.
    }
    // What a damaged page says of a long text is for whoever reads it to judge.
    assert.ok(rows.every((row) => known.has(row) || row.length > 512), `round ${round}`);
  }
  Deno.removeSync(folder, { recursive: true });
});
