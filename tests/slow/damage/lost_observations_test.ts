/** Observations that are lost with a page or with their table: all comes back that captures tell, as it was. */
import assert from "node:assert/strict";
import { change } from "../../support/on_home.ts";
import { jsonOf, type TempHome, tempHome } from "../../support/program.ts";
import { spoil } from "../../support/spoilt.ts";
import { ask, copyOf, PAGE_BYTES, pagesOf, rowsIn, worked } from "../../support/worked_database.ts";
import { run } from "../../support/verb.ts";
import { testWith } from "../../support/fixtures.ts";

const test = testWith(tempHome);

/** What is told of each observation; numbers may be others. A failure that another session mended may be open again, as summaries say. */
const TOLD = "session_id, kind, outcome, title, files, repeats, created_at_ms";

function told({ database }: TempHome): string[] {
  return rowsIn(database, "observations", TOLD).filter((row) => !row.includes('"summary"'));
}

function zero(home: TempHome, page: number): void {
  spoil(home.database, { at: (page - 1) * PAGE_BYTES, length: PAGE_BYTES });
}

async function mend(home: TempHome): Promise<string> {
  const { stdout } = await run(home, "doctor", "--fix");
  assert.equal((await run(home, "queue", "drain")).code, 0);
  const { code, stdout: checked } = await run(home, "db", "check");
  assert.equal(code, 0, checked);
  return stdout;
}

test("observations of any lost page come back once, with their fixes and summaries", async (sound) => {
  await worked(sound);
  const before = told(sound);
  const kinds = new Set(
    ask(sound.database, "SELECT kind FROM observations").map(({ kind }) => kind),
  );
  assert.ok(kinds.has("fix") && kinds.has("summary"), [...kinds].join());
  const leaves = pagesOf(sound.database, "observations", "leaf");
  for (let at = 0; at < leaves.length; at += 40) {
    using home = copyOf(sound);
    zero(home, leaves[at]!);
    const said = await mend(home);
    assert.match(said, /observations: \d+ read, at least \d+ gone/);
    const now = told(home);
    assert.deepEqual(
      [now.filter((row) => !before.includes(row)), before.filter((row) => !now.includes(row))],
      [[], []],
      `page ${leaves[at]}`,
    );
    assert.equal(now.length, before.length);
  }
});

test("a session whose captures are not all there keeps what is left of it", async (home) => {
  await worked(home);
  const before = told(home);
  const [first] = ask(
    home.database,
    `SELECT q.id, q.session_id AS session
       FROM pending_queue AS q
       JOIN observations AS o ON o.uid = q.id
      WHERE o.kind = 'edit'
      LIMIT 1`,
  );
  const lost = ask(
    home.database,
    `SELECT id, uid FROM observations WHERE session_id = '${first!["session"]}' AND uid <> '${
      first!["id"]
    }' AND kind = 'edit' LIMIT 1`,
  )[0]!;
  change(
    home.database,
    `UPDATE pending_queue
        SET encoding = 'json', payload = '{"pruned":true,"bytes":900}', raw_bytes = 27
      WHERE id = '${first!["id"]}';
     DELETE FROM observations WHERE id = ${lost["id"]};`,
  );
  const leaf = pagesOf(home.database, "hook_executions", "leaf")[0]!;
  zero(home, leaf);
  await mend(home);
  const now = told(home);
  assert.deepEqual(before.filter((row) => !now.includes(row)), []);
  assert.equal(now.length, before.length);
});

test("nothing is lost with the page of the numbers that rows were given", async (home) => {
  await worked(home);
  const before = rowsIn(home.database, "observations", "*");
  const [{ root } = {}] = ask(
    home.database,
    "SELECT rootpage AS root FROM sqlite_schema WHERE name = 'sqlite_sequence'",
  );
  zero(home, Number(root));
  assert.match(await mend(home), /: \S+; \d+ tables came back whole \(\d+ rows\)/);
  assert.deepEqual(rowsIn(home.database, "observations", "*"), before);
  assert.equal((await run(home, "memory", "remember", "Numbers go on")).code, 0);
  const [{ last } = {}] = ask(home.database, "SELECT max(id) AS last FROM observations");
  assert.equal(last, before.length + 1);
});

test("new observations get neither the files nor the numbers of lost ones", async (home) => {
  await worked(home);
  const filed =
    "SELECT o.title, f.path FROM observation_files AS f JOIN observations AS o ON o.id = f.observation_id";
  const files = () => ask(home.database, filed).map((row) => JSON.stringify(row)).sort();
  const before = files();
  const [{ last } = {}] = ask(
    home.database,
    "SELECT max(observation_id) AS last FROM pending_queue",
  );
  change(home, "DROP TABLE observations");
  await mend(home);
  assert.deepEqual(files(), before);
  const [{ first } = {}] = ask(home.database, "SELECT min(id) AS first FROM observations");
  assert.ok(Number(first) > Number(last), `${first} after ${last}`);
});

test("doctor finds rows that refer to lost ones, and doctor --fix removes or frees them", async (home) => {
  await worked(home);
  const make = async (...args: string[]) =>
    jsonOf(await run(home, "task", "create", "--json", ...args)).task.id as string;
  const parent = await make("--title", "The whole");
  const part = await make("--title", "A part", "--parent", parent);
  await make("--title", "Another", "--depends-on", parent);
  change(
    home.database,
    `PRAGMA foreign_keys = OFF;
     DELETE FROM observations WHERE id = 3;
     INSERT INTO observation_files (path, observation_id) VALUES ('a.ts', 999999);
     INSERT INTO forgotten (name, receipt_id) VALUES ('what was forgotten', 'gone');
     DELETE FROM tasks WHERE id = '${parent}';`,
  );
  const { code, stdout } = await run(home, "doctor");
  assert.equal(code, 1);
  assert.match(stdout, /^fail {2}references .*refers to a missing row of/m);
  assert.match(
    await mend(home),
    /fixed: removed \d+ rows that belonged to lost ones, and took the lost name out of 1 other/,
  );
  const left = ask(home.database, "SELECT name FROM forgotten").map(({ name }) => name);
  assert.deepEqual(left, ["what was forgotten"]);
  const [task] = ask(
    home.database,
    `SELECT title, parent_id AS parent FROM tasks WHERE id = '${part}'`,
  );
  assert.deepEqual({ ...task }, { title: "A part", parent: null });
});
