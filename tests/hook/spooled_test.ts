/** Records that wait in the spool until the database can be written. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { capture, waiting, written } from "../support/captured_edits.ts";
import { filesBelow, queryValue, spoolFiles } from "../support/look.ts";
import { runProgram, type TempHome, tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

/** A home whose database is a folder, with some tool uses that wait. */
async function homeWithSpool(home: TempHome, ids: readonly string[]): Promise<void> {
  Deno.mkdirSync(home.database, { recursive: true });
  for (const id of ids) await capture(home, id);
  assert.deepEqual(waiting(home), ids);
}

const test = testWith(tempHome);

test("queue drain writes what waits, once and in order", async (home) => {
  await homeWithSpool(home, ["a", "b", "c"]);
  Deno.removeSync(home.database);
  const env = { HOME: home.path };
  const { code, stderr } = await runProgram(["queue", "drain", "--json"], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.deepEqual(written(home), ["a", "b", "c"]);
  assert.deepEqual(spoolFiles(home), []);
  await runProgram(["queue", "drain", "--json"], { env });
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'edits'"), 3);
});

test("a record that was written but not yet cleared away is not written again", async (home) => {
  await homeWithSpool(home, ["a", "b"]);
  const copies = spoolFiles(home).map((path) => [path, Deno.readTextFileSync(path)] as const);
  Deno.removeSync(home.database);
  await capture(home, "c");
  for (const [path, text] of copies) Deno.writeTextFileSync(path, text);
  await capture(home, "d");
  assert.deepEqual(written(home), ["a", "b", "c", "d"]);
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'edits'"), 4);
  assert.deepEqual(filesBelow(join(home.path, ".conclaude", "spool")), []);
});

test("a damaged spool file is set aside as it is, the others are drained", async (home) => {
  await homeWithSpool(home, ["a", "b"]);
  const [first, second] = spoolFiles(home);
  const whole = Deno.readTextFileSync(second!);
  const changed = (change: (entry: ReturnType<typeof JSON.parse>) => void) => {
    const entry = JSON.parse(whole);
    change(entry);
    return JSON.stringify(entry);
  };
  const texts = [
    "",
    "garbage",
    "null",
    "[]",
    "{}",
    whole.slice(0, -40),
    changed((entry) => entry.format = 0),
    changed((entry) => delete entry.record),
    changed((entry) => entry.record.execution = null),
    changed((entry) => entry.record.execution.status = "unheard of"),
    changed((entry) => entry.record.atMs = "soon"),
    changed((entry) => entry.record.sessionId = null),
  ];
  const paths = texts.map((text, i) => {
    const path = first!.replace(/[^/]{8}(?=-[^/]*$)/, (0x10000000 + i).toString(16));
    Deno.writeTextFileSync(path, text);
    return path;
  });
  Deno.removeSync(home.database);
  await capture(home, "c");
  assert.deepEqual(written(home), ["a", "b", "c"]);
  assert.deepEqual(spoolFiles(home), []);
  for (const [i, path] of paths.entries()) {
    assert.equal(Deno.readTextFileSync(`${path}.damaged`), texts[i]);
  }
  await capture(home, "d");
  assert.deepEqual(written(home), ["a", "b", "c", "d"]);
});

test("records that wait for one database do not go into another", async (home) => {
  await homeWithSpool(home, ["a"]);
  const other = join(home.path, "other.db");
  await capture(home, "b", { env: { CONCLAUDE_DB_PATH: other } });
  assert.deepEqual(written(other), ["b"]);
  assert.deepEqual(waiting(home), ["a"]);
  Deno.removeSync(home.database);
  await capture(home, "c");
  assert.deepEqual(written(home), ["a", "c"]);
});

test("half-written files and strangers in the spool do no harm", async (home) => {
  await homeWithSpool(home, ["a"]);
  const folder = join(home.path, ".conclaude", "spool");
  const strangers = [`${spoolFiles(home)[0]!}.0123abcd.tmp`, join(folder, "notes.txt")];
  for (const path of strangers) Deno.writeTextFileSync(path, "{");
  Deno.mkdirSync(join(folder, "folder.json"));
  Deno.removeSync(home.database);
  await capture(home, "b");
  assert.deepEqual(written(home), ["a", "b"]);
});

test("a file where the spool should be: the second place takes what the database cannot", async (home) => {
  Deno.mkdirSync(home.database, { recursive: true });
  Deno.writeTextFileSync(join(home.path, ".conclaude", "spool"), "in the way");
  await capture(home, "a");
  await capture(home, "b");
  Deno.removeSync(home.database);
  await capture(home, "c");
  assert.deepEqual(written(home), ["a", "b", "c"]);
});
