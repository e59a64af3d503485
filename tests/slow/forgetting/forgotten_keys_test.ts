/** Rows whose key held a forgotten text: an export brings them back no more than others. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { countRows, query, queryValue } from "../../support/look.ts";
import { change, printed as run } from "../../support/on_home.ts";
import { jsonOf } from "../../support/program.ts";
import { RequiredProject } from "../../support/required_project.ts";
import CASES from "../../testdata/forgetting_cases.json" with { type: "json" };

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
