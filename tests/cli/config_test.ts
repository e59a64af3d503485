import assert from "node:assert/strict";
import { join } from "node:path";
import { stage } from "./support.ts";
import { modeOf, namesIn } from "../support/look.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(stage);

test("config init writes a valid file, and never over another one unless it is told to", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  const first = await place.json(["config", "init"]);
  assert.deepEqual(first, { code: 0, body: { path, layer: "project", overwritten: false } });
  const { body: judged } = await place.json(["config", "validate"]);
  // Every key is named there, in comments.
  assert.deepEqual(judged, { valid: true, problems: [], warnings: [], notes: [] });

  Deno.writeTextFileSync(path, "inherit: false\n");
  const second = await place.run(["config", "init"]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /is there already[\s\S]*--force[\s\S]*nothing was changed/);
  const team = await place.run(["config", "init", "--preset", "team"]);
  assert.match(team.stderr, /next: conclaude config init --force --preset team\n/);
  assert.equal(Deno.readTextFileSync(path), "inherit: false\n");

  assert.equal((await place.json(["config", "init", "--force"])).body.overwritten, true);
  assert.match(Deno.readTextFileSync(path), /maxPayloadBytes/);
  assert.deepEqual(namesIn(place.project), [".conclaude.yaml"]);
});

test("config validate warns of a pattern that a usual spelling passes", async (place) => {
  const rule = (pattern: string) =>
    `preToolUse: {toolUsageValidation: [{tool: Bash, commandPattern: "${pattern}", action: block}]}\n`;
  const path = join(place.project, ".conclaude.yaml");
  Deno.writeTextFileSync(path, rule("git push -f*"));
  const { body } = await place.json(["config", "validate"]);
  assert.deepEqual(body.warnings, [
    'preToolUse.toolUsageValidation[0]: `git push --force` passes "git push -f*"; "git push*--force*" holds for it too',
  ]);
  for (const pattern of ["git push*--force*", "npm publish*", "git push*", "mytool*"]) {
    Deno.writeTextFileSync(path, rule(pattern));
    assert.deepEqual((await place.json(["config", "validate"])).body.warnings, [], pattern);
  }
});

test("config init --preset writes rules that are in force", async (place) => {
  const { body } = await place.json(["config", "init", "--preset", "team"]);
  assert.match(Deno.readTextFileSync(body.path), /# conclaude for a team/);
  const { stdout } = await place.run(["explain", "Edit", "yarn.lock"]);
  assert.match(stdout, /is written by the package manager/);
});

test("config init names the lists of other files that it replaces", async (place) => {
  place.configure("preToolUse: {uneditableFiles: [generated/**]}\n");
  const { stdout } = await place.run(["config", "init", "--local", "--preset", "strict"]);
  assert.match(stdout, /replaces lists of other files, .*: preToolUse\.uneditableFiles\.\n/);
});

test("config init refuses a file that would hide another one", async (place) => {
  place.configure("inherit: false\n", ".conclaude.yml");
  const { code, stderr } = await place.run(["config", "init"]);
  assert.equal(code, 1);
  assert.match(stderr, /\.conclaude\.yml" is there already/);
  assert.deepEqual(namesIn(place.project), [".conclaude.yml"]);
});

test("config init --user and --local write private files in their places", async (place) => {
  const user = await place.json(["config", "init", "--user"]);
  const local = await place.json(["config", "init", "--local"]);
  assert.equal(user.body.path, join(place.home, ".conclaude", "config.yaml"));
  assert.equal(local.body.path, join(place.project, ".conclaude.local.yaml"));
  assert.deepEqual([modeOf(user.body.path), modeOf(local.body.path)], ["600", "600"]);
  assert.equal((await place.run(["config", "init", "--user", "--local"])).code, 2);
});

test("config path lists the files by layer and the folders that were searched", async (place) => {
  const inner = join(place.project, "src", "deep");
  Deno.mkdirSync(inner, { recursive: true });
  beginRepository(place.project);
  await place.run(["config", "init", "--user"]);
  await place.run(["config", "init"]);
  const { body } = await place.json(["config", "path"], { cwd: inner });
  assert.deepEqual(body.files, [
    { layer: "user", path: join(place.home, ".conclaude", "config.yaml") },
    { layer: "project", path: join(place.project, ".conclaude.yaml") },
  ]);
  assert.deepEqual(body.searched.slice(0, 3), [
    join(place.home, ".conclaude"),
    inner,
    join(place.project, "src"),
  ]);
});

test("config show merges the layers and says which file each value comes from", async (place) => {
  const user = join(place.home, ".conclaude", "config.yaml");
  const project = join(place.project, ".conclaude.yaml");
  Deno.mkdirSync(join(place.home, ".conclaude"));
  Deno.writeTextFileSync(
    user,
    "store:\n  sessionRetentionDays: 7\ndatabase:\n  busyTimeoutMs: 500\n",
  );
  Deno.writeTextFileSync(project, "database:\n  busyTimeoutMs: 900\n");
  const { body } = await place.json(["config", "show"]);
  assert.equal(body.config["database"]?.["busyTimeoutMs"], 900);
  assert.equal(body.config["store"]?.["sessionRetentionDays"], 7);
  assert.equal(body.config["capture"]?.["enabled"], true);
  assert.equal(body.sources["database.busyTimeoutMs"], project);
  assert.equal(body.sources["store.sessionRetentionDays"], user);
  assert.equal(body.sources["capture.enabled"], "default");

  const { stdout } = await place.run(["config", "show", "--no-effective"]);
  assert.equal(
    stdout,
    `database:\n  busyTimeoutMs: 900  # ${project}\nstore:\n  sessionRetentionDays: 7  # ${user}\n`,
  );

  Deno.writeTextFileSync(project, "inherit: false\n");
  const alone = (await place.json(["config", "show"])).body;
  assert.equal(alone.sources["store.sessionRetentionDays"], "default");
});

test("config validate names file, line and column, what is wrong and what may have been meant", async (place) => {
  const path = join(place.project, ".conclaude.yaml");
  const settled = "preToolUse: {preventRootAdditions: false}\n";
  Deno.writeTextFileSync(path, `capture:\n  exlude: 3\n  maxPayloadBytes: "9000"\n${settled}`);
  const { code, body } = await place.json(["config", "validate"]);
  assert.equal(code, 1);
  assert.deepEqual(body, {
    valid: false,
    warnings: [],
    notes: [],
    problems: [
      {
        path,
        line: 2,
        column: 3,
        key: "capture.exlude",
        message: "there is no such key",
        suggestion: 'write "capture.exclude" instead',
      },
      {
        path,
        line: 3,
        column: 20,
        key: "capture.maxPayloadBytes",
        message: 'expected a whole number from 4096 to 67108864, found "9000"',
        suggestion: "write 9000 without quotes",
      },
    ],
  });
  const { stdout } = await place.run(["config", "validate", ".conclaude.yaml"]);
  assert.match(stdout, /^\.conclaude\.yaml:2:3 {2}capture\.exlude\n/);
  assert.match((await place.run(["config", "validate", "none.yaml"])).stderr, /Cannot read/);
});

test("config validate of a folder judges the files that count there", async (place) => {
  Deno.mkdirSync(join(place.project, "sub"));
  beginRepository(place.project);
  place.configure("store: {sesionRetentionDays: 1}\n");
  const { code, stdout } = await place.run(["config", "validate", "sub"]);
  assert.equal(code, 1);
  assert.match(stdout, /\.conclaude\.yaml:1:9[\s\S]*sesionRetentionDays/);
});

test("config validate warns when the database is off and no satisfaction can be kept", async (place) => {
  const validate = async (text: string) => {
    place.configure(text);
    return (await place.run(["config", "validate"])).stdout;
  };
  const off = "database: {enabled: false}\nrequirements: {commit_plan: {}}\n";
  assert.match(await validate(off), /^warning: the requirements are not in force.*enabled/m);
  assert.match(await validate(`preToolUse: {strict: true}\n${off}`), /requirements forbid all/);
  assert.doesNotMatch(await validate("requirements: {commit_plan: {}}\n"), /warning/);
});

test("config validate refuses a command that runs nothing", async (place) => {
  const validate = async (run: string) => {
    const config = { stop: { commands: [{ run }] } };
    place.configure(JSON.stringify(config));
    return await place.run(["config", "validate"]);
  };
  for (const run of ["   ", "# later", "\n  # a\n\t\n"]) {
    const { code, stdout } = await validate(run);
    assert.equal(code, 1);
    assert.match(stdout, /stop\.commands\[0\]\.run[^]*no line of it runs anything/);
  }
  assert.equal((await validate("# why\n  true")).code, 0);
});

test("a .conclaude.yml beside a .conclaude.yaml is named, since it counts for nothing", async (place) => {
  for (const ending of ["yaml", "yml"]) {
    Deno.writeTextFileSync(join(place.project, `.conclaude.${ending}`), "{}\n");
  }
  const { code, stdout } = await place.run(["config", "validate"]);
  assert.equal(code, 0);
  assert.match(stdout, /^warning: \.conclaude\.yml counts for nothing/m);
  const { body } = await place.json(["doctor"]);
  const told = body.checks.filter(({ name }) => name === "configuration");
  assert.deepEqual(told.map(({ status }) => status), ["ok", "warn"]);
  assert.match(told[1]!.message, /\.conclaude\.yml counts for nothing/);
});

test("config schema is a JSON Schema that knows every section", async (place) => {
  const { stdout } = await place.run(["config", "schema"]);
  const schema = JSON.parse(stdout);
  assert.match(schema.$schema, /json-schema\.org/);
  assert.ok(["database", "capture", "store"].every((key) => key in schema.properties));
});

test("text of a configuration file cannot take over the terminal", async (place) => {
  place.configure('capture:\n  "\\e]0;gotcha\\a": 1\n  enabled: "\\e[2J"\n');
  for (const action of ["validate", "show"]) {
    const { stdout } = await place.run(["config", action]);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }
});

/** The root of the search for configuration. */
function beginRepository(folder: string): void {
  Deno.mkdirSync(join(folder, ".git"));
  Deno.writeTextFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
}
