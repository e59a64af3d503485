/** Two copies of the program on one database: whatever the other one has left there, the rules decide as they stand. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SCHEMA_VERSION } from "../../src/db/transaction.ts";
import { acceptConfiguration } from "../support/person.ts";
import { damages, executions, logOf, query, queryValue, spoolFiles } from "../support/look.ts";
import { answerOf, startHook, startProgram } from "../support/process.ts";
import { type GuardedHome, guardedHome } from "../support/guarded.ts";
import { testWith } from "../support/fixtures.ts";
import { change } from "../support/on_home.ts";

const CONFIG = `preToolUse:
  uneditableFiles: ["*.lock"]
  toolUsageValidation:
    - {tool: Bash, commandPattern: "npm publish*", action: block}
`;

/** What is asked, and whether it must be denied. */
const CASES: readonly (readonly [tool: string, input: object, denied: boolean])[] = [
  ["Edit", { file_path: "a.lock" }, true],
  ["Edit", { file_path: "src/a.ts" }, false],
  ["Bash", { command: "true && npm publish" }, true],
  ["Bash", { command: "rm -rf ~" }, true],
  ["Bash", { command: "ls" }, false],
  ["Read", { file_path: "a.lock" }, false],
];

async function send(home: GuardedHome, event: string, fields: object, session_id = "s1") {
  const payload = { session_id, cwd: join(home.path, "project"), ...fields };
  return answerOf(await startHook(event, payload, home)) ?? {};
}

/** Asks everything at once, as tool use and as request for permission. @returns What the person was told. */
async function checkDecisions(home: GuardedHome): Promise<string[]> {
  const told = await Promise.all(CASES.map(async ([tool_name, tool_input, denied]) => {
    const about = `${tool_name} ${JSON.stringify(tool_input)}`;
    const used = await send(home, "PreToolUse", { tool_name, tool_input });
    assert.equal(used.hookSpecificOutput?.permissionDecision === "deny", denied, about);
    const asked = await send(home, "PermissionRequest", { tool_name, tool_input });
    assert.equal(asked.hookSpecificOutput?.decision?.behavior === "deny", denied, about);
    return [used.systemMessage, asked.systemMessage];
  }));
  return told.flat().filter((text) => text !== undefined);
}

/** As a newer program would leave it: a schema of its own, with a cache that has another shape. */
function makeNewer(home: GuardedHome): void {
  change(
    home,
    `PRAGMA user_version = ${SCHEMA_VERSION + 1};
     CREATE TABLE future (id TEXT PRIMARY KEY) STRICT;
     ALTER TABLE config_cache RENAME COLUMN parsed TO parsed_json;
     ALTER TABLE pauses ADD COLUMN future TEXT;`,
  );
}

const test = testWith(guardedHome);

test("an older program on a newer database decides by the file, keeps its events and says so once", async (home) => {
  home.configure(CONFIG);
  await checkDecisions(home);
  const rows = executions(home).length;
  makeNewer(home);
  const told = await checkDecisions(home);
  assert.equal(told.length, 1);
  assert.match(told[0]!, /older than its database/);
  for (const event of ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"]) {
    await send(home, event, { source: "startup", prompt: "x", tool_name: "Edit", tool_input: {} });
  }
  assert.equal(executions(home).length, rows);
  assert.equal(spoolFiles(home).length, CASES.length * 2 + 5);
  assert.deepEqual(damages(home), []);
});

test("what the older program kept goes in with the newer one, each once", async (home) => {
  home.configure(CONFIG);
  await checkDecisions(home);
  change(home, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  await checkDecisions(home);
  // The newer program, as far as this database goes.
  change(home, `PRAGMA user_version = ${SCHEMA_VERSION}`);
  await checkDecisions(home);
  assert.equal(executions(home).length, CASES.length * 2 * 3);
  assert.deepEqual(spoolFiles(home), []);
});

test("a changed file counts for the older program too", async (home) => {
  const path = join(home.configure("{}\n"), ".conclaude.yaml");
  await send(home, "PreToolUse", { tool_name: "Read", tool_input: {} });
  makeNewer(home);
  const edit = () =>
    send(home, "PreToolUse", { tool_name: "Edit", tool_input: { file_path: "src/a.lock" } });
  assert.equal((await edit()).hookSpecificOutput, undefined);
  Deno.writeTextFileSync(path, CONFIG);
  assert.equal((await edit()).hookSpecificOutput.permissionDecision, "deny");
});

test("an older program cannot lift what it cannot read, and says why", async (home) => {
  home.configure(CONFIG);
  await send(home, "PreToolUse", { tool_name: "Read", tool_input: {} });
  makeNewer(home);
  const run = (...args: string[]) =>
    startProgram(args, { env: { HOME: home.path }, cwd: join(home.path, "project") });
  const paused = await run("guard", "pause", "--session", "s1", "--json");
  assert.equal(paused.code, 1);
  assert.match(JSON.parse(paused.stdout).error.next, /newest conclaude/);
  const explained = await run("explain", "Edit", "a.lock", "--json");
  assert.equal(JSON.parse(explained.stdout).decision, "deny");
});

Deno.test("what another version has put into the cache is no rule", async () => {
  const strange = [
    "{}",
    "null",
    "not json",
    '{"guards":"{\\"isStrict\\":false}","problems":0}',
    '{"guards":{"future":true}}',
    '{"guards":"[]","databaseEnabled":true}',
  ];
  for (const parsed of strange) {
    for (const hash of ["content_hash", "'written by another version'"]) {
      using home = guardedHome();
      home.configure(CONFIG);
      await send(home, "PreToolUse", { tool_name: "Read", tool_input: {} });
      change(
        home,
        `UPDATE config_cache SET parsed = '${
          parsed.replaceAll("'", "''")
        }', content_hash = ${hash}`,
      );
      for (const [tool_name, tool_input, denied] of CASES.slice(0, 3)) {
        const answer = await send(home, "PreToolUse", { tool_name, tool_input });
        assert.equal(answer.hookSpecificOutput?.permissionDecision === "deny", denied, parsed);
      }
    }
  }
});

test("a strict policy that is broken stays strict when another version has replaced its cache entry", async (home) => {
  const path = join(home.configure("preToolUse: {strict: true}\n"), ".conclaude.yaml");
  const bash = () => {
    acceptConfiguration(home.path);
    return send(home, "PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
  };
  assert.deepEqual(await bash(), {});
  Deno.writeTextFileSync(path, "a: [");
  // An older program that has read the broken file knows of no strictness.
  change(
    home,
    `UPDATE config_cache SET content_hash = 'x', parsed = '{"guards":"{\\"isStrict\\":false}"}'
      WHERE config_path = '${path}'`,
  );
  assert.equal((await bash()).hookSpecificOutput.permissionDecision, "deny");
  Deno.writeTextFileSync(path, "{}\n");
  assert.deepEqual(await bash(), {});
  Deno.writeTextFileSync(path, "a: [");
  assert.deepEqual(await bash(), {});
});

test("the schema changes under hooks that run: every decision is right, every event is kept", async (home) => {
  home.configure(CONFIG);
  await send(home, "SessionStart", { source: "startup" });
  const running = Promise.all([checkDecisions(home), checkDecisions(home), checkDecisions(home)]);
  change(home, `PRAGMA busy_timeout = 5000; PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  await running;
  const kept = Number(queryValue(home, "SELECT count(*) FROM hook_executions")) +
    spoolFiles(home).length;
  assert.equal(kept, 1 + CASES.length * 2 * 3, logOf(home));
  assert.equal(query(home, "PRAGMA user_version")[0]!["user_version"], SCHEMA_VERSION + 1);
  assert.deepEqual(damages(home), []);
});
