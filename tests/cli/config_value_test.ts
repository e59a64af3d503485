import assert from "node:assert/strict";
import { join } from "node:path";
import { stage } from "./support.ts";
import { modeOf } from "../support/look.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

const test = testWith(stage);

test("config set writes a key into a template and keeps every comment and the mode", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  await place.run(["config", "init"]);
  const before = Deno.readTextFileSync(path);
  Deno.chmodSync(path, 0o640);
  const { body } = await place.json(["config", "set", "memory.context.tokens", "800"]);
  assert.deepEqual(body, {
    key: "memory.context.tokens",
    value: 800,
    path,
    changed: true,
    source: path,
  });
  const after = Deno.readTextFileSync(path);
  assert.ok(after.startsWith(before.trimEnd()));
  assert.match(after, /\nmemory:\n {2}context:\n {4}tokens: 800\n$/);
  assert.equal(modeOf(path), "640");
});

test("config set replaces a value and keeps the comments around it", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  const text = "# ours\nstore:   # odd\n    # a month\n    taskRetentionDays:  30   # as agreed\n" +
    "    backups: 3\npreToolUse: { uneditableFiles: [ {pattern: a.lock,message: '{file_path}'} ] }\n";
  Deno.writeTextFileSync(path, text);
  await place.run(["config", "set", "store.taskRetentionDays", "60"]);
  assert.equal(Deno.readTextFileSync(path), text.replace("30  ", "60  "));
  const { body } = await place.json(["config", "set", "store.backups", "3"]);
  assert.equal(body.changed, false);
  const absent = await place.run(["config", "set", "store.claimTimeoutMinutes", "null"]);
  assert.match(absent.stdout, /was not set/);
  const taken = await place.json(["config", "set", "store.taskRetentionDays", "null"]);
  assert.equal(taken.body.source, "default");
  assert.equal(
    Deno.readTextFileSync(path),
    text.replace("    taskRetentionDays:  30   # as agreed\n", ""),
  );
  Deno.writeTextFileSync(path, "store:\n  backups:\n");
  assert.equal((await place.run(["config", "set", "store.backups", "3"])).code, 0);
  assert.equal(Deno.readTextFileSync(path), "store:\n  backups: 3\n");
});

test("config set puts a new key below its section and leaves every other line as it is", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  const keys = rowsOf<readonly [string, string, string, string | null]>(CASES.setBelow);
  for (const [key, value, text, expected] of keys) {
    Deno.writeTextFileSync(path, text);
    const { code, body } = await place.json(["config", "set", key, value]);
    assert.deepEqual([code, body.changed], [0, true], key);
    const left = Deno.readTextFileSync(path);
    assert.equal(left, expected ?? `${text}\n  rounds: 3\n`, key);
  }
});

test("config set KEY null takes out the lines of the key and the sections that it leaves empty", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  const rest = "# ours\npreToolUse: {  strict: true  }\n\n# rules\nstop:\n    maxBlocks:   3\n";
  const others = `${rest}    commands:\n    - {run: "deno lint" }\n`;
  const keys = [
    ["memory.context.tokens", `${rest}memory:\n    context:\n        tokens: 800 # few\n`, rest],
    ["memory", `memory:\n  context:\n    tokens: 800\n${rest}`, rest],
    ["stop.commands", others, rest],
    ["stop.infiniteMessage", `${rest}    infiniteMessage: |\n      Go\n\n      on.\n`, rest],
    ["preToolUse.strict", "preToolUse: {strict: true, effects: true}\n", null],
  ] as const;
  for (const [key, text, expected] of keys) {
    Deno.writeTextFileSync(path, text);
    const { code, body } = await place.json(["config", "set", key, "null"]);
    assert.deepEqual([code, body.changed], [0, true], key);
    const left = Deno.readTextFileSync(path);
    if (expected === null) assert.match(left, /^preToolUse: \{ ?effects: true ?\}\n$/);
    else assert.equal(left, expected, key);
  }
});

test("config set writes lists, texts that look like something else, and requirements", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  const set = async (key: string, value: string) => {
    const { code, body } = await place.json(["config", "set", key, value]);
    assert.equal(code, 0, `${key}: ${JSON.stringify(body)}`);
    const got = await place.json(["config", "get", key]);
    assert.equal(got.body.sources[key], path);
    return got.body.value;
  };
  assert.deepEqual(await set("capture.exclude.tools", "[mcp__mail__*, Web*]"), [
    "mcp__mail__*",
    "Web*",
  ]);
  assert.equal(await set("stop.infiniteMessage", "12"), "12");
  assert.equal(await set("stop.infiniteMessage", "*go on*"), "*go on*");
  assert.deepEqual(await set("requirements.commit_plan.scope", "branch"), "branch");
});

for (
  const [what, key, value, why, next] of rowsOf<readonly [string, string, string, string, string]>(
    CASES.wrongValues,
  )
) {
  test(`config set refuses ${what} and says how to go on`, async (place) => {
    const path = join(place.project, ".conclaude.yaml");
    const text = "store:\n  backups: 4\n";
    Deno.writeTextFileSync(path, text);
    const { code, body } = await place.json(["config", "set", key, value]);
    assert.equal(code, 1);
    assert.match(body.error.why, new RegExp(why));
    assert.match(body.error.next, new RegExp(next));
    assert.equal(Deno.readTextFileSync(path), text);
  });
}

test("config set changes a file that holds mistakes already, and refuses one that is no YAML", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  Deno.writeTextFileSync(path, "colour: red\n");
  assert.equal((await place.run(["config", "set", "store.backups", "5"])).code, 0);
  assert.match(Deno.readTextFileSync(path), /^colour: red\n\nstore:\n {2}backups: 5\n$/);
  Deno.writeTextFileSync(path, "a: [\n");
  const { code, stderr } = await place.run(["config", "set", "store.backups", "6"]);
  assert.equal(code, 1);
  assert.match(stderr, /nothing was changed[\s\S]*config validate/);
});

test("config set --user and --local write private files, and say which one counts", async (place) => {
  const user = await place.json(["config", "set", "store.backups", "5", "--user"]);
  assert.equal(user.body.path, join(place.home, ".conclaude", "config.yaml"));
  const local = await place.json(["config", "set", "store.backups", "7", "--local"]);
  assert.equal(local.body.path, join(place.project, ".conclaude.local.yaml"));
  assert.deepEqual([modeOf(user.body.path), modeOf(local.body.path)], ["600", "600"]);
  const { stdout } = await place.run(["config", "set", "store.backups", "6"]);
  assert.match(stdout, /\.conclaude\.local\.yaml comes before it/);
  const shown = (await place.run(["config", "get", "store.backups"])).stdout.trimEnd().split("\n");
  assert.equal(shown.at(-1), `store.backups: 7  # ${local.body.path}`);
  const retention = ["config", "set", "memory.retentionDays", "90", "--user"];
  assert.equal((await place.json(retention)).body.source, user.body.path);
  assert.equal((await place.run([...retention, "--local"])).code, 2);
});

test("config get shows each key of a section, with its file or `default`", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  Deno.writeTextFileSync(path, "memory: {context: {tokens: 900}}\n");
  const { body } = await place.json(["config", "get", "memory"]);
  assert.equal(body.sources["memory.context.tokens"], path);
  assert.ok(Object.values(body.sources).includes("default"));
  const wrong = await place.json(["config", "get", "memory.contxt.tokens"]);
  assert.equal(wrong.code, 1);
  assert.equal(wrong.body.error.next, "conclaude config get memory.context.tokens");
});

test("config get and show break a list between its entries, not within a word", async (place) => {
  const tools = ["mail", "calendar", "notes", "wiki"].map((name) =>
    `mcp__${name}__list_all_entries`
  );
  const yaml = `capture: {exclude: {tools: [${tools.join(", ")}]}}\n`;
  Deno.writeTextFileSync(join(place.project, ".conclaude.yaml"), yaml);
  for (const args of [["get", "capture.exclude.tools"], ["show", "--no-effective"]]) {
    const { stdout } = await place.run(["config", ...args], { env: { COLUMNS: "80" } });
    for (const tool of tools) assert.ok(stdout.includes(`"${tool}"`), stdout);
    for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
  }
});

test("config get shows what is in force, no verb lets a held change in, and what config set writes is in force at once", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  const shows = async () => (await place.run(["config", "get", "stop.maxBlocks"])).stdout;
  Deno.writeTextFileSync(path, "preToolUse: {uneditableFiles: [a.txt]}\nstop: {maxBlocks: 1}\n");
  const event = { session_id: crypto.randomUUID(), cwd: place.project };
  await place.run(["hook", "SessionStart"], { stdin: JSON.stringify(event) });
  Deno.writeTextFileSync(path, "preToolUse: {uneditableFiles: []}\nstop: {maxBlocks: 2}\n");
  assert.match(await shows(), /its version before is in force[\s\S]*stop\.maxBlocks: 1 /);
  const { stdout } = await place.run(["status"]);
  assert.match(
    stdout,
    /^health +1 configuration file not in force: `conclaude config acc/m,
  );
  Deno.mkdirSync(join(place.project, ".claude"));
  Deno.writeTextFileSync(
    join(place.project, ".claude", "requirements.yaml"),
    "requirements: {plan: {enabled: true}}\n",
  );
  const set = ["config", "set", "stop.maxBlocks", "3"];
  for (const verb of [set, ["req", "init"], ["req", "import"]]) {
    const { body: { error } } = await place.json(verb);
    assert.match(error.why, /changed while a session was active, and nobody has accepted/);
    assert.match(error.next, /^conclaude config accept .*, or conclaude config undo /);
  }
  await place.run(["config", "undo", path]);
  await place.run(["config", "set", "stop.maxBlocks", "3"]);
  assert.ok((await shows()).endsWith(`\nstop.maxBlocks: 3  # ${path}\n`));
  const { body } = await place.json(["config", "accept", "--dry-run"]);
  assert.deepEqual(body.open, []);
});
