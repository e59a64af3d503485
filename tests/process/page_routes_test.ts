/** The routes that are made of verbs, as the page asks them. */
import assert from "node:assert/strict";
import { runDaemon } from "../support/daemon.ts";
import { longSession } from "../support/long_session.ts";
import { tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempHome);

test("a request names a verb's flags and arguments; a wrong or missing value is refused by its name", async (home) => {
  await using daemon = await runDaemon(home, { cwd: home.path });
  const fine = ["/sessions?status=ended&limit=3", "/audit?since=2h", "/sessions?here=1", "/memory"];
  for (const path of fine) assert.equal((await daemon.ask("GET", path)).status, 200, path);
  const refused = [
    ["GET", "/sessions?status=asleep", /"status".*expected one of active, ended, abandoned/],
    ["GET", "/sessions?limit=many", /"limit".*expected a whole number/],
    ["GET", "/audit?since=someday", /"since"/],
    ["POST", "/requirements/satisfy", /"name".*it is missing/],
    ["POST", "/memory", /"text".*it is missing/],
    ["GET", "/sessions?loud=1", /loud/],
    ["GET", "/explain?tool=Bush&input=x", /Unknown tool/],
  ] as const;
  for (const [method, path, why] of refused) {
    const { status, body } = await daemon.ask(method, path, method === "POST" ? { body: {} } : {});
    assert.deepEqual([status, body.error.code], [400, "INVALID_INPUT"], path);
    assert.match(`${body.error.what}: ${body.error.why}`, why);
  }
});

test("a list comes in pages: the time of the last row leads to the next", async (home) => {
  await longSession(home, crypto.randomUUID(), 250);
  await using daemon = await runDaemon(home, { cwd: home.path });
  const seen: string[] = [];
  for (let until = "now"; until !== "";) {
    const { executions } = (await daemon.ask("GET", `/audit?until=${until}`)).body;
    seen.push(...executions.map(({ id }: { id: string }) => id));
    until = executions.length === 0 ? "" : new Date(executions.at(-1).createdAtMs).toISOString();
    assert.ok(executions.length <= 200);
  }
  assert.equal(new Set(seen).size, 250);
  assert.equal(seen.length, 250);
});
