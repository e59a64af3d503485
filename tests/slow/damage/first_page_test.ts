/** A database whose first page is damaged, or something else in its place: what the real program brings back. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { tempHome } from "../../support/program.ts";
import { spoil } from "../../support/spoilt.ts";
import { copyOf, PAGE_BYTES, rowsIn, TABLES, worked } from "../../support/worked_database.ts";
import { run } from "../../support/verb.ts";

interface Part {
  readonly at: number;
  readonly length: number;
}

function overwrite(path: string, { at, length }: Part): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(at, Deno.SeekMode.Start);
  file.writeSync(new Uint8Array(length));
}

/** What is lost of the file, in bytes, and what stands there then. */
const LOST: readonly (Part & { readonly damage: typeof overwrite })[] = [
  { at: 0, length: 104, damage: overwrite },
  { at: 0, length: PAGE_BYTES, damage: overwrite },
  { at: 100, length: PAGE_BYTES - 100, damage: spoil },
];

Deno.test("a database that has lost of its first page is brought back whole", async () => {
  using sound = tempHome();
  await worked(sound);
  for (const { at, length, damage } of LOST) {
    using home = copyOf(sound);
    damage(home.database, { at, length });
    const told = `${length} bytes from ${at}`;
    const { code, stdout } = await run(home, "doctor", "--fix");
    assert.equal(code, 0, told);
    assert.match(stdout, /rows that can be read of it are in the new one\n/, told);
    for (const [table, columns] of Object.entries(TABLES)) {
      const [now, before] = [home, sound].map((of) => rowsIn(of.database, table, columns));
      assert.ok(now!.join() === before!.join(), `${told}: rows of ${table} differ`);
    }
  }
});

Deno.test("where nothing can be brought back, doctor --fix says so and where the damaged file lies", async () => {
  using sound = tempHome();
  await worked(sound);
  for (const length of [2 * PAGE_BYTES, Deno.statSync(sound.database).size]) {
    using home = copyOf(sound);
    overwrite(home.database, { at: 0, length });
    const { code, stdout } = await run(home, "doctor", "--fix");
    assert.equal(code, 1);
    const [, aside] = /fixed: set the damaged database aside: (\S+)\n/.exec(stdout) ?? [];
    assert.equal(Deno.statSync(aside!).size, Deno.statSync(sound.database).size);
    assert.match(
      stdout,
      /fail +database +nothing of \S+damaged-\S+, where [^]* could be brought back: /,
    );
    assert.ok(stdout.includes(`ls -l ${aside}`), stdout);
    assert.equal((await run(home, "doctor")).code, 0);
  }
});

Deno.test("an export in the database's place is called one, and can be taken back", async () => {
  using home = tempHome();
  await worked(home);
  const before = rowsIn(home.database, "observations", "uid, title");
  const file = join(home.path, "out.jsonl");
  await run(home, "export", "--output", file);
  Deno.copyFileSync(file, home.database);
  const looked = await run(home, "doctor");
  assert.equal(looked.code, 1);
  assert.match(looked.stdout, /is an export of conclaude, no database/);
  const { stdout } = await run(home, "doctor", "--fix");
  const [, aside] = /fixed: set the export aside: \S+; `conclaude import (\S+)` takes it back/
    .exec(stdout) ?? [];
  assert.deepEqual(Deno.readFileSync(aside!), Deno.readFileSync(file));
  assert.equal((await run(home, "import", aside!)).code, 0);
  assert.deepEqual(rowsIn(home.database, "observations", "uid, title"), before);
  const other = join(home.path, "notes.jsonl");
  Deno.copyFileSync(file, other);
  await run(home, "--db", other, "doctor", "--fix");
  assert.deepEqual(Deno.readFileSync(other), Deno.readFileSync(file));
});
