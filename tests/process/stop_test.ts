/** A Stop that continues a stopped one must not add to a loop: it does nothing at all. */
import assert from "node:assert/strict";
import { entriesBelow, executions } from "../support/look.ts";
import { startHook, startProgram } from "../support/process.ts";
import { observed, tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

const QUIET = { code: 0, signal: null, stdout: "", stderr: "" };
const CONTINUED = { ...observed("Stop"), stop_hook_active: true };

const test = testWith(tempHome);

test("stop_hook_active leaves nothing behind in a new home, also where only the payload names the event", async (home) => {
  assert.deepEqual(await startHook("Stop", CONTINUED, home), QUIET);
  const env = { HOME: home.path };
  assert.deepEqual(await startProgram(["hook"], { stdin: CONTINUED, env }), QUIET);
  assert.deepEqual(entriesBelow(home.path), []);
});

test("stop_hook_active leaves a file as it is that lies in the place of the database", async (home) => {
  Deno.mkdirSync(`${home.path}/.conclaude`);
  Deno.writeTextFileSync(home.database, "not a database");
  const before = entriesBelow(home.path);
  assert.deepEqual(await startHook("Stop", CONTINUED, home), QUIET);
  assert.deepEqual(entriesBelow(home.path), before);
  assert.equal(Deno.readTextFileSync(home.database), "not a database");
});

test("stop_hook_active is answered without a home and with a broken configuration", async (home) => {
  Deno.writeTextFileSync(`${home.path}/.conclaude.yaml`, "capture: [");
  const start = { stdin: CONTINUED, cwd: home.path };
  assert.deepEqual(await startProgram(["hook", "Stop"], start), QUIET);
});

for (const active of [false, "true", 1, null, undefined]) {
  test(`a Stop with stop_hook_active ${JSON.stringify(active)} is a Stop like others`, async (home) => {
    const { stdout } = await startHook("Stop", { ...CONTINUED, stop_hook_active: active }, home);
    assert.equal(stdout, '{"continue":true,"suppressOutput":true}\n');
    assert.notDeepEqual(entriesBelow(home.path), []);
  });
}

test("stop_hook_active of another event means nothing", async (home) => {
  await startHook("SubagentStop", { ...CONTINUED }, home);
  assert.notDeepEqual(entriesBelow(home.path), []);
});

test("stop_hook_active writes nothing where no configuration speaks of stops", async (home) => {
  const path = `${home.path}/.conclaude.yaml`;
  const configs = [
    "{}",
    "preToolUse: {preventRootAdditions: true}",
    "subagentStop: {commands: {}}",
    "# stops\n",
  ];
  for (const config of configs) {
    Deno.writeTextFileSync(path, config);
    assert.deepEqual(await startHook("Stop", { ...CONTINUED, cwd: home.path }, home), QUIET);
    assert.deepEqual(entriesBelow(home.path), [{ path, isFolder: false }], config);
  }
});

test("stop_hook_active does not switch off the stop commands of any configuration file", async (home) => {
  const config = 'stop: {commands: [{run: "false"}]}';
  Deno.mkdirSync(`${home.path}/deep/er`, { recursive: true });
  Deno.mkdirSync(`${home.path}/.conclaude`);
  const places = [".conclaude.yml", "deep/.conclaude.local.yaml", ".conclaude/config.yaml"];
  for (const place of places.map((name) => `${home.path}/${name}`)) {
    Deno.writeTextFileSync(place, config);
    const payload = { ...CONTINUED, cwd: `${home.path}/deep/er` };
    const { stdout } = await startHook("Stop", payload, home);
    assert.equal(JSON.parse(stdout).decision, "block", place);
    Deno.removeSync(place);
  }
});

test("stop_hook_active keeps nothing where only a comment of the configuration speaks of stops", async (home) => {
  Deno.writeTextFileSync(
    `${home.path}/.conclaude.yaml`,
    "preToolUse: {effects: false} # stop\n",
  );
  assert.deepEqual(await startHook("Stop", { ...CONTINUED, cwd: home.path }, home), QUIET);
  assert.deepEqual(executions(home), []);
});
