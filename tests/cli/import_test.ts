import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../migrations/mod.ts";
import { openDatabase } from "../../src/db/database.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "../../src/db/transaction.ts";
import { fillEveryTable } from "../support/every_row.ts";
import { isNext } from "../support/next.ts";
import { stage } from "./support.ts";
import { modeOf, namesIn } from "../support/look.ts";
import { change } from "../support/on_home.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(stage);

/** A database with rows of every kind, beside the project. */
async function filled(path: string): Promise<void> {
  using db = await openDatabase(path, { busyTimeoutMs: 5000 });
  fillEveryTable(db);
}

function lines(text: string): string[] {
  return text.trimEnd().split("\n");
}

test("import restores an export, and a later export is the same", async (place) => {
  const from = `${place.project}/from.db`;
  await filled(from);
  const told = await place.run(["export", "--db", from]);
  assert.equal(told.code, 1, "two payloads are damaged");
  await Deno.writeTextFile(`${place.project}/out.jsonl`, told.stdout);
  const rows = lines(told.stdout).length - 2;
  const dry = await place.run(["import", "--dry-run", "out.jsonl"]);
  assert.deepEqual([dry.code, dry.stderr], [0, ""]);
  assert.match(dry.stdout, /^Would import from out\.jsonl: 3 sessions, /);
  assert.deepEqual(namesIn(`${place.home}/.conclaude`), []);
  const { code, stdout, stderr } = await place.run(["import", "out.jsonl"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(
    stdout,
    /^Imported from out\.jsonl: 3 sessions, .* observations, .* 3 tasks, .*\.\n$/,
  );
  if (Deno.build.os !== "windows") assert.equal(modeOf(place.database), "600");
  const again = await place.json(["import", "file", "out.jsonl"]);
  assert.equal(again.code, 0);
  const { imported, known } = again.body as unknown as Record<string, Record<string, number>>;
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
  assert.deepEqual([sum(imported!), sum(known!)], [0, rows]);
  const back = await place.run(["export"]);
  assert.deepEqual(lines(back.stdout).slice(1), lines(told.stdout).slice(1));
});

test("import reads stdin, and many batches of rows", async (place) => {
  const meta = lines((await place.run(["export"])).stdout)[0]!;
  const rows = Array.from({ length: 2000 }, (_, i) =>
    JSON.stringify({
      type: "counter",
      sessionId: `s${i}`,
      counterType: "edits",
      value: i,
      updatedAtMs: i,
    }));
  const end = JSON.stringify({ type: "end", counters: rows.length });
  const stdin = [meta, ...rows, end].join("\n");
  const { code, stdout } = await place.run(["import", "-"], { stdin });
  assert.deepEqual([code, stdout], [0, "Imported from -: 2000 counters.\n"]);
  const older = `${place.project}/older.db`;
  change(older, MIGRATIONS.slice(0, -1).map(({ sql }) => sql).join("\n"));
  change(
    older,
    `PRAGMA user_version = ${SCHEMA_VERSION - 1}; PRAGMA application_id = ${APPLICATION_ID};
    INSERT INTO counters VALUES ('s1', 'edits', 1, 1)`,
  );
  const before = Deno.readFileSync(older);
  const dry = await place.run(["import", "-", "--dry-run", "--db", older], { stdin });
  assert.match(dry.stdout, /^Would import from -: 1999 counters\./);
  assert.deepEqual(Deno.readFileSync(older), before);
});

test("import names damaged lines, reports a cut export, and exits with 1", async (place) => {
  const from = `${place.project}/from.db`;
  await filled(from);
  const told = lines((await place.run(["export", "--db", from])).stdout);
  const broken = [...told.slice(0, 3), "rubbish", ...told.slice(3, -1)].join("\n") + "\n";
  const { code, stdout, stderr } = await place.run(["import", "-"], { stdin: broken });
  assert.equal(code, 1);
  assert.match(stdout, /^Imported from -: /);
  assert.match(
    stderr,
    /^line 4: it is not JSON: .*\n1 line of - cannot be taken over\n {2}why: {2}/,
  );
  assert.match(stderr, /\nThe export - was cut short\n {2}why: {2}.*\n {2}next: .*\n$/);
});

test("import refuses a file that is no export, says what to do next, and makes no database", async (place) => {
  await Deno.writeTextFile(`${place.project}/notes.txt`, "hello\n");
  await Deno.writeTextFile(`${place.project}/empty`, "");
  await Deno.writeTextFile(
    `${place.project}/new.jsonl`,
    '{"type":"meta","format":2,"schema":16}\n{"type":"end"}\n',
  );
  await filled(`${place.project}/from.db`);
  const cases = [
    ["notes.txt", "This is no export of conclaude"],
    ["empty", "This is no export of conclaude"],
    ["new.jsonl", "This export is of a newer conclaude"],
    ["from.db", `Cannot import "${place.project}/from.db"`],
    ["missing", `Cannot import "${place.project}/missing"`],
    [".", `Cannot import "${place.project}"`],
  ] as const;
  for (const [file, what] of cases) {
    for (const flags of [[], ["--dry-run"]]) {
      const { code, stdout, stderr } = await place.run(["import", file, ...flags]);
      const [first, why, next] = stderr.split("\n");
      assert.deepEqual([code, stdout, first], [1, "", what], file);
      assert.match(why!, /^ {2}why: {2}\S.*nothing was changed$/);
      assert.ok(isNext(next!.replace("  next: ", "")), next);
    }
  }
  assert.deepEqual(namesIn(`${place.home}/.conclaude`), []);
});

test("import takes its argument as a file, unless it is a verb or asks for help", async (place) => {
  const what = async (...args: string[]) =>
    (await place.run(["import", ...args])).stderr.split("\n")[0];
  assert.equal(await what("claude-mem"), "Missing argument: file");
  assert.equal(await what("./claude-mem"), `Cannot import "${place.project}/claude-mem"`);
  assert.equal(await what("--dry-run"), "Missing argument: file");
  assert.equal(await what("a", "b"), 'Unexpected argument "b"');
  assert.equal(await what("a", "--dry-rn"), "Unknown flag --dry-rn");
  for (const help of [["--help"], ["-h"], ["help"], []]) {
    assert.match((await place.run(["import", ...help])).stdout, /COMMANDS\n {2}file /);
  }
});

test("import without a database to keep it in says so", async (place) => {
  const { stdout } = await place.run(["export"]);
  const { code, stderr } = await place.run(["import", "-", "--no-db"], { stdin: stdout });
  assert.equal(code, 1);
  assert.match(stderr, /^Cannot import\n {2}why: {2}with `--no-db` nothing is kept/);
});

test.slow("hooks can write while a large export is imported", async (place) => {
  const from = `${place.project}/from.db`;
  const db = await openDatabase(from, { busyTimeoutMs: 5000 });
  db.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms)
    SELECT 'o' || i, 's', 'note', 'Title ' || i, 'Words of number ' || i, '', i, i FROM n`);
  db.close();
  await place.run(["export", "--db", from, "--output", "out.jsonl"]);
  const importing = place.run(["import", "out.jsonl"], { through: [] });
  const codes: number[] = [];
  for (let i = 0; i < 5; i++) {
    const stdin = { session_id: "live", tool_name: "Bash", tool_input: { command: `ls ${i}` } };
    codes.push((await place.run(["hook", "PostToolUse"], { stdin })).code);
  }
  assert.equal((await importing).code, 0);
  assert.deepEqual(codes, [0, 0, 0, 0, 0]);
  using read = new DatabaseSync(place.database, { readOnly: true });
  const count = (table: string) => read.prepare(`SELECT count(*) AS n FROM ${table}`).get()!["n"];
  assert.deepEqual([count("observations"), count("pending_queue")], [5_000, 5]);
});
