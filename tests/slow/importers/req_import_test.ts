/** `conclaude req import` on the real program: a whole older installation, and what hooks decide afterwards. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writePlanned } from "../../../src/operations/config_target.ts";
import { query } from "../../support/look.ts";
import { hook, runProgram } from "../../support/program.ts";
import { testWith } from "../../support/fixtures.ts";
import { needsTools } from "../../support/requirements.ts";
import { snapshot, type Stage, stage } from "../../cli/support.ts";
import { gitSync, makeRepository } from "../../support/git.ts";
import { answerOf } from "../../support/process.ts";
import CASES from "../../testdata/importer_cases.json" with { type: "json" };

const MINE = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
const SHORT_ONLY = "beef0123-0000-4000-8000-000000000001";
const OTHER = "0badcafe-0000-4000-8000-000000000002";

const GLOBAL = `
version: "1.0"
requirements:
  commit_plan: {enabled: yes, scope: session, message: "Plan first, then run {auto_resolve_skill}"}
  security_review: {enabled: true, scope: permanent}
`;
const PROJECT = `
version: "1.0"
requirements:
  commit_plan: {enabled: true, auto_resolve_skill: /arch-review}
  adr_reviewed: {scope: session}
  pre_commit_review:
    enabled: true
    scope: single_use
    trigger_tools: [{tool: Bash, command_pattern: '\\Agit\\s+commit'}]
  broken: {enabled: true, scope: nowhere}
  python: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: '(?>git)'}]}
hooks:
  stop: {verify_scopes: [session, single_use]}
  obsidian: {enabled: true}
logging: {level: debug}
`;
const LOCAL = "requirements: {security_review: {enabled: false}}\n";

const STATE = CASES.stateOfTheFramework;

function put(path: string, content: string | object): void {
  Deno.mkdirSync(join(path, ".."), { recursive: true });
  Deno.writeTextFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

/** A home and a repository on `feature/auth`, with everything that the older framework writes. */
function olderInstallation(
  files: { readonly project?: string; readonly local?: string; readonly state?: object } = {},
): Stage {
  const place = stage();
  makeRepository(place.project, { branch: "feature/auth" });
  put(join(place.home, ".claude/requirements.yaml"), GLOBAL);
  put(join(place.project, ".claude/requirements.yaml"), files.project ?? PROJECT);
  put(join(place.project, ".claude/requirements.local.yaml"), files.local ?? LOCAL);
  put(join(place.project, ".git/requirements/feature-auth.json"), files.state ?? STATE);
  put(join(place.project, ".git/requirements/feature-auth.json.lock"), "");
  put(join(place.project, ".git/requirements/sessions/cad0ac4d.json"), { tools: {} });
  put(join(place.home, ".claude/sessions.json"), {
    version: "1.0",
    sessions: { [SHORT_ONLY]: { ppid: 1, project_dir: place.project, branch: "feature/auth" } },
  });
  return place;
}

/** What a hook says of a tool: the reason of a denial, or null. */
async function ask(
  place: Stage,
  session_id: string,
  use: { readonly tool: string; readonly input: object } = {
    tool: "Edit",
    input: { file_path: "src/a.ts" },
  },
): Promise<string | null> {
  return answerOf(
    await hook("PreToolUse", {
      session_id,
      cwd: place.project,
      tool_name: use.tool,
      tool_use_id: "toolu_1",
      tool_input: use.input,
    }, place.home),
  )?.hookSpecificOutput.permissionDecisionReason ?? null;
}

const filesOf = (place: Stage) => ({ ...snapshot(place.home), ...snapshot(place.project) });

/** The files that differ. */
function changed(now: Record<string, string>, before: Record<string, string>): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(before)])]
    .filter((path) => now[path] !== before[path]);
}

const rows = (place: Stage) =>
  query(
    place.database,
    "SELECT branch, requirement, session_id, scope, satisfied_at_ms, satisfied_by, metadata FROM requirements " +
      "ORDER BY requirement, session_id",
  ).map((row) => Object.values(row));

// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
type Report = any;

async function importJson(place: Stage, ...flags: string[]): Promise<Report> {
  const { code, body } = await place.json(["req", "import", ...flags]);
  assert.equal(code, 0, JSON.stringify(body));
  return body;
}

const test = testWith(() => olderInstallation(), needsTools("git"));

test("an older installation is taken over: afterwards hooks decide as it did", async (place) => {
  assert.equal(await ask(place, OTHER), null);
  const { config, state, dryRun } = await importJson(place);
  assert.equal(dryRun, false);
  assert.equal(config.path, join(place.project, ".conclaude.yaml"));
  assert.deepEqual(config.added, [
    ...["commit_plan", "adr_reviewed", "pre_commit_review", "hooks.stop.verifyScopes"],
    "security_review",
  ]);
  assert.deepEqual(config.kept, []);
  assert.deepEqual(config.notTaken.map(({ name }: Report) => name), [
    ...["hooks.obsidian", "broken", "python", "logging"],
  ]);
  assert.deepEqual([state.files, state.satisfied], [1, 3]);
  assert.match(state.skipped[0].why, /pre_commit_review: a satisfaction that has expired/);

  assert.equal(await ask(place, MINE), null);
  assert.equal(await ask(place, SHORT_ONLY), null);
  const denied = await ask(place, OTHER);
  assert.match(denied!, /Plan first, then run \/arch-review/);
  assert.match(denied!, /commit_plan/);
  const commit = { tool: "Bash", input: { command: "git commit -m x" } };
  assert.match((await ask(place, MINE, commit))!, /pre_commit_review/);
  assert.equal(await ask(place, MINE, { tool: "Bash", input: { command: "git log" } }), null);
  const { code, stdout } = await place.run(["config", "validate"]);
  assert.deepEqual([code, /^Valid: /.test(stdout)], [0, true]);
});

test("each satisfaction has its original time, says where it is from, and hides its secrets", async (place) => {
  await importJson(place);
  const path = join(place.project, ".git/requirements/feature-auth.json");
  const by = (original: string | null, more = {}) =>
    JSON.stringify({ ...more, imported_from: path, original_satisfied_by: original });
  const hidden = { reason: "moved", password: "[redacted:password]" };
  const [adr, other, mine] = rows(place);
  assert.deepEqual(adr, [
    ...["feature/auth", "adr_reviewed", "", "session", 1734567893000, "import", by("cli")],
  ]);
  assert.deepEqual(other!.slice(2, 6), [SHORT_ONLY, "session", 1734567891000, "import"]);
  assert.deepEqual(mine!.slice(2, 6), [MINE, "session", 1734567990000, "import"]);
  const metadata = JSON.parse(String(mine![6]));
  assert.match(metadata.password, /^\[redacted:/);
  assert.deepEqual({ ...metadata, password: hidden.password }, JSON.parse(by("cli", hidden)));
  assert.equal(rows(place).length, 3);
});

test("--dry-run tells the same and writes nothing", async (place) => {
  const before = filesOf(place);
  const planned = await importJson(place, "--dry-run");
  const text = await place.run(["req", "import", "--dry-run"]);
  assert.match(text.stdout, /nothing was written/);
  assert.deepEqual(changed(filesOf(place), before), []);
  const done = await importJson(place);
  assert.deepEqual({ ...planned, dryRun: false }, done);
  const after = filesOf(place);
  const again = await importJson(place, "--dry-run");
  assert.deepEqual([again.state.satisfied, again.state.present], [0, 3]);
  // SQLite keeps there which reader stands where.
  assert.deepEqual(changed(filesOf(place), after).filter((path) => !path.endsWith("-shm")), []);
});

test("a second import changes nothing, and the older files stay as they are", async (place) => {
  const older = [
    ...[join(place.home, ".claude"), join(place.project, ".claude")],
    join(place.project, ".git/requirements"),
  ];
  const before = older.map(snapshot);
  await importJson(place);
  const files = snapshot(place.project);
  const stored = rows(place);
  const { config, state } = await importJson(place);
  assert.deepEqual([config.added, config.files], [[], []]);
  assert.deepEqual([state.satisfied, state.present], [0, 3]);
  assert.deepEqual(snapshot(place.project), files);
  assert.deepEqual(rows(place), stored);
  await importJson(place, "--force");
  assert.deepEqual(snapshot(place.project), files);
  assert.deepEqual(older.map(snapshot), before);
});

const OURS = `# ours, by hand
stop: {infinite: false} # stays

requirements:
  # decided by the team
  commit_plan: {scope: branch}
hooks: {stop: {verifyScopes: [branch]}}
`;

test("what our files have stays with its comments, the rest is added; --force replaces", async (place) => {
  const shared = join(place.project, ".conclaude.yaml");
  put(shared, OURS);
  const { config } = await importJson(place);
  assert.deepEqual(config.kept, ["commit_plan", "hooks.stop.verifyScopes"]);
  const text = Deno.readTextFileSync(shared);
  for (const line of OURS.trim().split("\n").filter((line) => !line.startsWith("hooks"))) {
    assert.ok(text.includes(line), line);
  }
  assert.match(text, /adr_reviewed:/);
  const local = Deno.readTextFileSync(join(place.project, ".conclaude.local.yaml"));
  assert.doesNotMatch(local, /commit_plan/);
  const forced = await importJson(place, "--force");
  assert.ok(forced.config.added.includes("commit_plan"));
  const replaced = Deno.readTextFileSync(shared);
  assert.match(replaced, /# ours, by hand\nstop: .*# stays/);
  assert.match(replaced, /autoResolveSkill: \/arch-review/);
  assert.doesNotMatch(replaced, /scope: branch/);
});

Deno.test("what our files have stays also where it is wrong, and nothing is laid over it", async () => {
  const adr = "adr_reviewed: {enabled: true, message: m}";
  using place = olderInstallation({ local: `requirements: {${adr}, broken: {scope: branch}}\n` });
  const local = join(place.project, ".conclaude.local.yaml");
  put(join(place.project, ".conclaude.yaml"), "requirements: {adr_reviewed: {scope: odd}}\n");
  put(local, "requirements: {commit_plan: {enabled: false}}\n");
  const { config } = await importJson(place);
  assert.deepEqual(config.kept, ["adr_reviewed", "commit_plan"]);
  const text = Deno.readTextFileSync(local);
  assert.match(text, /commit_plan: \{enabled: false\}/);
  assert.doesNotMatch(text, /adr_reviewed/);
  // Mended in one's own layer, it is whole there.
  assert.match(text, /broken:\n {4}enabled: true\n {4}scope: branch/);
  assert.equal((await place.run(["req", "show", "broken"])).code, 0);
});

test("nothing of one's own is written into the file that is committed; --local commits nothing", async (place) => {
  await importJson(place);
  const shared = Deno.readTextFileSync(join(place.project, ".conclaude.yaml"));
  assert.doesNotMatch(shared, /Plan first|security_review/);
  assert.match(Deno.readTextFileSync(join(place.project, ".conclaude.local.yaml")), /Plan first/);
  Deno.removeSync(join(place.project, ".conclaude.yaml"));
  Deno.removeSync(join(place.project, ".conclaude.local.yaml"));
  await importJson(place, "--local");
  assert.throws(() => Deno.statSync(join(place.project, ".conclaude.yaml")));
  assert.match((await ask(place, OTHER))!, /Plan first/);
  assert.equal(await ask(place, MINE), null);
});

test("a colleague gets the own part beside what the team has taken over already", async (place) => {
  await importJson(place);
  const local = join(place.project, ".conclaude.local.yaml");
  const first = Deno.readTextFileSync(local);
  Deno.removeSync(local);
  const { config } = await importJson(place);
  assert.deepEqual(config.added, ["commit_plan", "security_review"]);
  assert.equal(Deno.readTextFileSync(local), first);
});

test("people read what was done, what was not, and what is to be done next", async (place) => {
  const { code, stdout, stderr } = await place.run(["req", "import"]);
  assert.deepEqual([code, stderr], [0, ""]);
  for (
    const part of [
      /\.conclaude\.yaml: got commit_plan, adr_reviewed/,
      /\.conclaude\.local\.yaml: got commit_plan, security_review/,
      /\n {2}broken: scope: expected session or branch/,
      /\n {2}logging: /,
      /3 satisfactions recorded, 0 known already, from 1 files\./,
      /add \.conclaude\.local\.yaml to \.gitignore/,
      /older files are as they were/,
    ]
  ) assert.match(stdout, part);
});

Deno.test("what cannot be read is named, and the rest goes on", async () => {
  using place = olderInstallation({ local: "requirements: [" });
  const folder = join(place.project, ".git/requirements");
  put(join(folder, "half.json"), '{"version":"1.0","bran');
  put(join(folder, "newer.json"), { version: "2.0", branch: "b", requirements: {} });
  Deno.mkdirSync(join(folder, "folder.json"));
  put(join(place.home, ".claude/sessions.json"), "{");
  const { config, state } = await importJson(place);
  assert.match(config.notTaken[0].name, /requirements\.local\.yaml$/);
  assert.ok(config.added.includes("security_review"));
  const names = state.skipped.map(({ path }: Report) => path.split("/").at(-1));
  assert.deepEqual(names, [
    ...["folder.json", "half.json", "newer.json", "feature-auth.json"],
  ]);
  assert.deepEqual([state.files, state.satisfied], [4, 3]);
  assert.doesNotMatch((await ask(place, MINE))!, /commit_plan/);
  // Nobody knows the whole id now.
  assert.equal(rows(place).filter(([, , session]) => session === "beef0123").length, 1);
  assert.match((await ask(place, SHORT_ONLY))!, /commit_plan/);
  // The denied hook has made the session known.
  await importJson(place);
  assert.doesNotMatch((await ask(place, SHORT_ONLY))!, /commit_plan/);
});

test("a satisfaction of ours that is newer stays", async (place) => {
  put(join(place.project, ".conclaude.yaml"), "requirements: {commit_plan: {}}\n");
  const said = await place.run(["req", "satisfy", "commit_plan", "--session", MINE]);
  assert.equal(said.code, 0, said.stderr);
  const { state } = await importJson(place);
  assert.deepEqual([state.satisfied, state.present], [2, 1]);
  const [row] = rows(place).filter(([, , session]) => session === MINE);
  assert.equal(row![5], "cli_bypass");
});

test("a satisfaction that was forgotten here does not come back", async (place) => {
  await importJson(place);
  const forgot = await place.run(["memory", "forget", "--text", "feature/auth", "--yes"]);
  assert.equal(forgot.code, 0, forgot.stderr);
  assert.equal(rows(place).length, 0);
  const { state } = await importJson(place);
  assert.deepEqual([state.satisfied, rows(place).length], [0, 0]);
  assert.ok(state.skipped.some(({ why }: Report) => /forgotten here/.test(why)));
});

Deno.test("where there is nothing it says what it looked for, and leaves no trace", async () => {
  using place = stage();
  const { code, stdout } = await place.run(["req", "import"]);
  assert.equal(code, 0);
  assert.match(stdout, /Nothing to take over/);
  for (const path of [join(place.home, ".claude/sessions.json"), join(place.project, ".claude")]) {
    assert.ok(stdout.includes(path), path);
  }
  const { config, state } = await importJson(place);
  assert.deepEqual([config.added, state.files, state.satisfied], [[], 0, 0]);
  assert.deepEqual([snapshot(place.home), snapshot(place.project)], [{}, {}]);
});

test("a global configuration alone did nothing in a project, and does nothing here", async (place) => {
  Deno.removeSync(join(place.project, ".claude"), { recursive: true });
  const { config, state } = await importJson(place);
  assert.deepEqual([config.added, state.satisfied], [[], 3]);
  assert.match(config.notTaken[0].why, /of its own/);
  assert.equal(await ask(place, OTHER), null);
});

Deno.test("a worktree and a subfolder find the same; the branch is the one in the file", async () => {
  using place = olderInstallation({ state: { ...STATE, branch: "feature-auth" } });
  gitSync(place.project, "add", ".claude/requirements.yaml");
  gitSync(place.project, "commit", "-q", "-m", "x");
  gitSync(place.project, "worktree", "add", "-q", "-b", "feature-auth", "../tree");
  const tree = join(place.project, "../tree");
  Deno.mkdirSync(join(tree, "src"));
  const done = await runProgram(["req", "import", "--json"], {
    cwd: join(tree, "src"),
    env: { HOME: place.home },
  });
  assert.equal(done.code, 0, done.stdout);
  assert.equal(JSON.parse(done.stdout).config.path, join(tree, ".conclaude.yaml"));
  assert.ok(rows(place).every(([branch]) => branch === "feature-auth"));
  const inTree = { ...place, project: tree };
  assert.doesNotMatch((await ask(inTree, MINE))!, /commit_plan/);
  assert.match((await ask(inTree, OTHER))!, /commit_plan/);
  await importJson(place, "--local");
  assert.match((await ask(place, MINE))!, /commit_plan/);
});

test("a file of ours that cannot be changed stops it before anything is written", async (place) => {
  put(join(place.project, ".conclaude.yaml"), "requirements: [\n");
  const { code, body } = await place.json(["req", "import"]);
  assert.equal(code, 1);
  assert.match(body.error.what, /Cannot change/);
  assert.match(body.error.why, /nothing was changed/);
  assert.throws(() => Deno.statSync(place.database));
  put(join(place.project, ".conclaude.yaml"), "requirements: none\n");
  assert.match((await place.json(["req", "import"])).body.error.why, /no map of keys/);
});

test("a database that cannot be used stops it before anything is written", async (place) => {
  put(place.database, "no database");
  const { code, body } = await place.json(["req", "import"]);
  assert.equal(code, 1);
  assert.match(body.error.what, /Cannot open the database/);
  assert.throws(() => Deno.statSync(join(place.project, ".conclaude.yaml")));
  assert.equal((await importJson(place, "--dry-run")).state.satisfied, 3);
});

test("what else a file says stays as it is, also where all of it is comments", async (place) => {
  const shared = join(place.project, ".conclaude.yaml");
  await place.run(["config", "init"]);
  const template = Deno.readTextFileSync(shared);
  await importJson(place);
  assert.ok(Deno.readTextFileSync(shared).startsWith(template.trimEnd()));
  const own = "# mine\ncapture:   {exclude: {tools: [Read]}}   # as   I like it\n";
  put(shared, own);
  const { config } = await importJson(place);
  assert.ok(config.added.includes("commit_plan"));
  assert.ok(Deno.readTextFileSync(shared).startsWith(own.trimEnd()));
  assert.match((await ask(place, OTHER))!, /commit_plan/);
});

Deno.test("writePlanned() takes back what it wrote when a later file cannot be written", () => {
  using place = stage();
  const [old, fresh, blocked] = ["old", "fresh", "old/below"].map((name) => join(place.home, name));
  const file = (path: string, text: string, isNew: boolean) => ({
    target: { path, text, isNew, mode: 0o600 },
    text: "changed",
    added: [],
  });
  put(old!, "as it was");
  const files = [file(old!, "as it was", false), file(fresh!, "", true), file(blocked!, "", true)];
  assert.throws(() => writePlanned(files), /Cannot write/);
  assert.equal(Deno.readTextFileSync(old!), "as it was");
  assert.throws(() => Deno.statSync(fresh!), Deno.errors.NotFound);
});
