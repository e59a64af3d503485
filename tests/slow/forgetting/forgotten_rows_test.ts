/**
 * What was forgotten stays away: a tool use, known by its id and what it was (some gateways count their ids anew in every
 * session), a fix, and rows whose key held a forgotten text.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { countRows, query, queryValue } from "../../support/look.ts";
import { change, printed as run } from "../../support/on_home.ts";
import { hook, jsonOf, type TempHome, tempHome } from "../../support/program.ts";
import { longTranscript, transcriptsOf } from "../../support/transcripts.ts";
import { json } from "../../support/verb.ts";
import { testWith } from "../../support/fixtures.ts";
import { type Workplace, workplace } from "../../support/told_sessions.ts";
import { RequiredProject } from "../../support/required_project.ts";
import CASES from "../../testdata/forgetting_cases.json" with { type: "json" };

const FIRST = "aaaa1111-0000-4000-8000-000000000001";
const SECOND = "bbbb2222-0000-4000-8000-000000000002";
const ID = "call_0";

interface Use {
  readonly session: string;
  readonly command: string;
  readonly id?: string;
}

async function use(home: TempHome, { session, command, id = ID }: Use): Promise<void> {
  await hook("PostToolUse", {
    session_id: session,
    cwd: home.path,
    tool_name: "Bash",
    tool_input: { command, description: `Runs it in ${session}` },
    tool_response: { stdout: "ok" },
    tool_use_id: id,
  }, home);
}

async function forget(home: TempHome, text: string): Promise<string> {
  return (await json(home, "memory", "forget", "--text", text, "--yes")).receipt.id;
}

/** The sessions of the captures in which a word stands. */
async function sessionsWith(home: TempHome, word: string): Promise<unknown[]> {
  await json(home, "queue", "drain");
  return query(
    home,
    `SELECT DISTINCT session_id AS id FROM observations WHERE text LIKE '%${word}%' ORDER BY id`,
  ).map(({ id }) => id);
}

Deno.test("a tool use of another session with the id of a forgotten one is kept, and does not count as having come back", async () => {
  for (const isBefore of [false, true]) {
    using home = tempHome();
    const other = () => use(home, { session: SECOND, command: "make harbour" });
    await use(home, { session: FIRST, command: "make zanzibar" });
    if (isBefore) await other();
    await json(home, "queue", "drain");
    const receipt = await forget(home, "zanzibar");
    if (!isBefore) await other();
    const { problems } = await json(home, "memory", "verify", receipt);
    assert.deepEqual(problems, [], String(isBefore));
    const { forgotten } = await json(home, "queue", "drain");
    assert.equal(forgotten, 0);
    assert.deepEqual(await sessionsWith(home, "harbour"), [SECOND], String(isBefore));
  }
});

const test = testWith(tempHome);

test("a forgotten tool use that a fork repeats stays away, and verify names it", async (home) => {
  await use(home, { session: FIRST, command: "make zanzibar" });
  await json(home, "queue", "drain");
  const [{ id }] = query(home, "SELECT id FROM observations WHERE text LIKE '%zanzibar%'") as [
    { id: number },
  ];
  const { receipt } = await json(home, "memory", "forget", String(id), "--yes");
  await use(home, { session: SECOND, command: "make zanzibar" });
  const { problems } = await json(home, "memory", "verify", receipt.id);
  assert.equal(problems[0].message, "1 capture is there again");
  assert.equal((await json(home, "queue", "drain")).forgotten, 1);
  assert.deepEqual(await sessionsWith(home, "zanzibar"), []);
  assert.equal((await json(home, "memory", "verify", receipt.id)).ok, true);
});

test("a tool use that an older version named by its id alone stays away", async (home) => {
  await use(home, { session: FIRST, command: "make zanzibar" });
  await json(home, "queue", "drain");
  const receipt = await forget(home, "zanzibar");
  change(
    home,
    `DELETE FROM forgotten;
     INSERT INTO forgotten (name, receipt_id) VALUES ('${ID}', '${receipt}')`,
  );
  await use(home, { session: SECOND, command: "make harbour" });
  assert.match((await json(home, "memory", "verify", receipt)).problems[0].message, /1 capture /);
  assert.equal((await json(home, "queue", "drain")).forgotten, 1);
  assert.deepEqual(await sessionsWith(home, "harbour"), []);
});

/** Sessions that a transcript tells with the ids of a forgotten one, and how much of each comes in. */
const RETOLD: readonly [of: string, session: string, changed: (text: string) => string, number][] =
  [
    ["the same session", FIRST, (text) => text, 0],
    ["a fork that says nothing of its parent", SECOND, (text) => text, 0],
    ["another session", SECOND, (text) => text.replaceAll("echo ", "make harbour"), 3],
  ];

Deno.test("transcripts bring in the tool uses of another session, and not those of a fork", async () => {
  for (const [of, session, changed, wanted] of RETOLD) {
    using home = tempHome();
    for (const n of [0, 1, 2]) {
      await use(home, { session: FIRST, command: `echo ${n}`, id: `toolu_long${n}` });
    }
    await json(home, "queue", "drain");
    await forget(home, "echo ");
    const folder = join(transcriptsOf(home), "-home-ana-app");
    Deno.mkdirSync(folder, { recursive: true });
    Deno.writeTextFileSync(
      join(folder, `${session}.jsonl`),
      changed(longTranscript(session, 3)),
    );
    const { filled, sessions } = await json(home, "import", "transcripts", transcriptsOf(home));
    assert.deepEqual([filled.written, sessions[0].forgotten], [wanted, 3 - wanted], of);
  }
});

Deno.test("an export brings in the tool use of another session, and not a repeated one", async () => {
  for (const [command, wanted] of [["make harbour", 1], ["make zanzibar", 0]] as const) {
    using home = tempHome();
    using other = tempHome();
    await use(home, { session: FIRST, command: "make zanzibar" });
    await forget(home, "zanzibar");
    await use(other, { session: SECOND, command });
    const file = join(home.path, "export.jsonl");
    await json(other, "export", "--output", file);
    const { imported } = await json(home, "import", file);
    assert.equal(imported.captures, wanted, command);
  }
});

test("nothing of a forgotten tool use can be read in its names", async (home) => {
  await use(home, { session: FIRST, command: "make zanzibar" });
  await json(home, "queue", "drain");
  await forget(home, "zanzibar");
  const names = query(home, "SELECT name FROM forgotten").map(({ name }) => String(name));
  assert.ok(names.includes(`use/${ID}/${FIRST}`));
  assert.ok(!names.includes(ID));
  const rest = names.filter((name) => !/^(?:word\/[0-9a-f]{64}|[0-9a-f-]{36})$/.test(name));
  assert.deepEqual(rest.sort(), [`session/${FIRST}`, `use/${ID}/${FIRST}`]);
});

/** A failure, and the fix that mended it. */
async function mended(at: Workplace): Promise<{ failure: number; fix: number }> {
  await at.failed("pytest", "Exit code 1\nFAILED test_a.py::test_alpha - KeyError: user");
  await at.edit("src/user.py", "user = 1\n");
  await at.ran("pytest", "3 passed in 0.1s");
  await at.said("It passes.");
  const [row] = query(
    at,
    "SELECT id AS failure, resolved_by AS fix FROM observations WHERE outcome = 'failure'",
  );
  assert.ok(Number(row!["fix"]) > 0);
  return { failure: Number(row!["failure"]), fix: Number(row!["fix"]) };
}

async function toldOf(at: Workplace, failure: number): Promise<string[]> {
  const shown = await run(at, at.project, "memory", "show", String(failure));
  const found = await run(at, at.project, "memory", "search", "test_alpha");
  return [shown, found].map((text) => /not mended|mended(?: by #\d+)?/.exec(text)![0]);
}

Deno.test("a failure whose fix was forgotten stays closed, with no number for its fix, here and where it is imported", async () => {
  using at = workplace();
  using other = workplace();
  const { failure, fix } = await mended(at);
  assert.deepEqual(await toldOf(at, failure), Array(2).fill(`mended by #${fix}`));
  const before = join(at.path, "before.jsonl");
  const after = join(at.path, "after.jsonl");
  await run(at, at.project, "export", "--output", before);
  const forgot = await run(at, at.project, "memory", "forget", String(fix), "--yes");
  assert.match(
    forgot,
    new RegExp(`^Observations that stay tell some of the same: #${failure}, #\\d+\\.$`, "m"),
  );
  assert.deepEqual(await toldOf(at, failure), ["mended", "mended"]);
  assert.equal(queryValue(at, "SELECT resolved_by FROM observations WHERE id = ?", failure), 0);
  assert.doesNotMatch(await at.start(), /Left open/);
  await run(at, at.project, "export", "--output", after);
  await run(other, other.project, "import", after);
  assert.deepEqual(await toldOf(other, failure), ["mended", "mended"]);
  for (const lost of ["SELECT 1", "DELETE FROM observations WHERE outcome = 'failure'"]) {
    change(at, lost);
    await run(at, at.project, "import", before);
    assert.deepEqual(await toldOf(at, failure), ["mended", "mended"]);
  }
});

/** What has a word in the key of its row, what makes such a row, and what says that it is there. */
const KEYED = CASES.keyedTables;

for (const { table, word, make, count } of KEYED) {
  Deno.test(`rows of ${table} whose key held a forgotten text stay away, and are found when they are back`, async () => {
    using project = new RequiredProject(
      "requirements: {commit_plan: {scope: branch}}\n",
      "feature/gazellenhof",
    );
    const { home, path } = project;
    const say = (...args: string[]) => run(home, path, ...args);
    await project.start();
    await project.edit();
    for (const args of make) await say(...args);
    const there = Number(queryValue(home, count));
    assert.ok(there > 0);
    const file = join(home.path, "before.jsonl");
    await say("export", "--output", file);
    const { receipt } = JSON.parse(
      await say("memory", "forget", "--text", word, "--yes", "--json"),
    );
    const gone = Object.fromEntries(KEYED.map((one) => [one.table, countRows(home, one.table)]));
    const dry = JSON.parse(await say("import", file, "--dry-run", "--json"));
    const report = JSON.parse(await say("import", file, "--json"));
    assert.ok(report.forgotten >= there, JSON.stringify(report));
    assert.equal(dry.forgotten, report.forgotten);
    assert.equal(queryValue(home, count), 0);
    for (const [name, rows] of Object.entries(gone)) {
      assert.equal(countRows(home, name), rows, name);
    }
    const verify = async () => jsonOf(await project.run("memory", "verify", receipt.id, "--json"));
    assert.deepEqual((await verify()).problems, []);
    assert.deepEqual(query(home, `SELECT 1 FROM forgotten WHERE name LIKE '%${word}%'`), []);
    if (table === "task_tags") {
      const id = String(queryValue(home, "SELECT id FROM tasks"));
      change(home, `INSERT INTO task_tags (task_id, tag) VALUES ('${id}', '${word}')`);
    } else await say(...make[0]!);
    const { ok, problems: [{ message, next }] } = await verify();
    assert.equal(ok, false);
    assert.match(message, new RegExp(`^rows are there again:.* 1 of ${table}\\b`));
    assert.match(next, /^conclaude memory forget --text '<the same text>'/);
  });
}
