/** The files that the guards depend on: wherever they lie, only a person may change them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type GuardedHome, guardedHome } from "../support/guarded.ts";
import { executions, type Row } from "../support/look.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const PROTECTED = /only a person changes it/;

const HOOKS = {
  PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "x", timeout: 10 }] }],
};

/** A settings file with hooks, in a folder of the home. */
function settingsIn(home: GuardedHome, folder: string): string {
  const path = join(home.path, folder, "settings.json");
  put(path, JSON.stringify({ hooks: HOOKS, permissions: {} }, null, 2));
  return path;
}

function put(path: string, text: string): void {
  Deno.mkdirSync(join(path, ".."), { recursive: true });
  Deno.writeTextFileSync(path, text);
}

const test = testWith(guardedHome);

test("an edit of the settings that disarms the hooks is denied, also if it never names them", async (home) => {
  home.configure("{}\n");
  const file_path = settingsIn(home, ".claude");
  const edit = (old_string: string, new_string: string) =>
    home.ask("Edit", { file_path, old_string, new_string, replace_all: true });
  assert.match((await edit('"matcher": "*"', '"matcher": "x"'))!, PROTECTED);
  assert.match((await edit('"timeout": 10', '"timeout": 0'))!, PROTECTED);
  assert.match((await edit("}", ""))!, PROTECTED);
  const edits = [{ old_string: '"command": "x"', new_string: '"command": "true"' }];
  assert.match((await home.ask("MultiEdit", { file_path, edits }))!, PROTECTED);
});

test("settings beside the hooks may be changed, and be written again as they are", async (home) => {
  home.configure("{}\n");
  const file_path = settingsIn(home, ".claude");
  const content = Deno.readTextFileSync(file_path);
  assert.equal(await home.ask("Write", { file_path, content }), null);
  const old_string = '"permissions": {}';
  const new_string = '"permissions": {},\n  "model": "m"';
  assert.equal(await home.ask("Edit", { file_path, old_string, new_string }), null);
  assert.match((await home.ask("Write", { file_path, content: "{}" }))!, PROTECTED);
  assert.match((await home.bash(`echo '{}' > ${file_path}`))!, PROTECTED);
});

test("CLAUDE_CONFIG_DIR names other settings, and those start the hooks as well", async (home) => {
  home.configure("{}\n");
  const file_path = settingsIn(home, "cc");
  const start = { env: { CLAUDE_CONFIG_DIR: join(home.path, "cc") } };
  const attempt = (tool: string, input: Record<string, unknown>) =>
    home.ask(tool, input, {}, start);
  assert.match((await attempt("Write", { file_path, content: "{}" }))!, PROTECTED);
  for (const command of [`rm ${file_path}`, "rm -r ~/cc", "echo '{}' > ~/cc/settings.json"]) {
    assert.match((await attempt("Bash", { command }))!, PROTECTED, command);
  }
  assert.equal(await attempt("Write", { file_path: `${file_path}.md`, content: "" }), null);
  assert.doesNotMatch((await home.bash("rm -r ~/cc")) ?? "", PROTECTED);
});

test("a file of the guards that is a link is protected under every name on its way", async (home) => {
  const project = home.configure("{}\n", ["cfg/other.yaml"]);
  const link = (target: string, path: string) => {
    Deno.mkdirSync(join(path, ".."), { recursive: true });
    Deno.symlinkSync(target, path);
  };
  put(join(project, "cfg/policy.yaml"), "{}\n");
  Deno.removeSync(join(project, ".conclaude.yaml"));
  link("cfg/step.yaml", join(project, ".conclaude.yaml"));
  link("policy.yaml", join(project, "cfg/step.yaml"));
  put(join(home.path, "dot/config.yaml"), "{}\n");
  link(join(home.path, "dot/config.yaml"), join(home.path, ".conclaude/config.yaml"));
  settingsIn(home, "dot/claude");
  link(join(home.path, "dot/claude/settings.json"), join(home.path, ".claude/settings.json"));
  await home.assertDenied(PROTECTED, CASES.linkedDenied);
  assert.match((await home.bash("rm -rf ~/dot"))!, /dot\/config\.yaml belongs to the guards/);
  assert.match((await home.write(`${project}/cfg/policy.yaml`))!, PROTECTED);
  assert.match((await home.write(`${home.path}/dot/claude/settings.json`))!, PROTECTED);
  assert.equal(await home.write(`${project}/cfg/other.yaml`), null);
  assert.equal(await home.bash("rm cfg/other.yaml; cat cfg/policy.yaml; ls ~/dot"), null);
});

test("a database at another place is protected from being removed or overwritten", async (home) => {
  home.configure("database: {path: ../state/own.db}\n");
  assert.equal(await home.bash("true"), null);
  await home.assertDenied(PROTECTED, CASES.databaseDenied);
  assert.match((await home.write(join(home.path, "state/own.db")))!, PROTECTED);
  assert.equal(await home.bash("echo x > ~/state/other.db"), null);
  const start = { env: { CONCLAUDE_DB_PATH: join(home.path, "else/e.db") } };
  const command = "rm ~/else/e.db";
  assert.match((await home.ask("Bash", { command }, {}, start))!, PROTECTED);
  assert.equal(await home.bash(command), null);
});

test(".git/HEAD is protected, for requirements depend on the branch that it names", async (home) => {
  const project = home.configure("{}\n", [".git/config", "sub/.git/HEAD"]);
  put(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  await home.assertDenied(PROTECTED, CASES.headDenied);
  assert.match((await home.write(".git/HEAD"))!, PROTECTED);
  assert.match((await home.write(".git/config"))!, PROTECTED);
  assert.match((await home.bash("rm -f .git/hooks/x"))!, PROTECTED);
  assert.equal(await home.bash("rm -f .git/index.lock; git config a.b c; rm -rf sub/.git"), null);
});

test("the .git file of a worktree, and the HEAD that it leads to, are protected", async (home) => {
  const project = home.configure("{}\n");
  const folder = join(home.path, "main/.git/worktrees/w");
  put(join(project, ".git"), `gitdir: ${folder}\n`);
  put(join(folder, "HEAD"), "ref: refs/heads/w\n");
  put(join(folder, "commondir"), "../..\n");
  await home.assertDenied(PROTECTED, ["rm .git", `echo > ${folder}/HEAD`, "rm -r ~/main"]);
  assert.equal(await home.bash(`rm ${folder}/index`), null);
});

test("an agent may not change the permissions of the files that the guards read", async (home) => {
  const project = home.configure("database: {path: ../state/own.db}\n", [
    "scripts/a.sh",
    ".git/x",
  ]);
  put(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  await home.assertDenied(PROTECTED, CASES.permissionsDenied);
  assert.equal(await home.bash("chmod +x scripts/a.sh; chmod -R u+w src .git/x"), null);
  assert.equal(await home.bash('chmod -R u+w,g+rX . && sudo chown -R "$USER:$USER" .'), null);
  assert.equal(await home.bash("sqlite3 -readonly ~/state/own.db 'select 1'"), null);
});

test("copying files of unknown names into the settings or a protected folder is denied", async (home) => {
  home.configure("preToolUse: {uneditableFiles: [secrets/**], preventAdditions: [dist/**]}\n", [
    "secrets/key",
    "sub/a",
  ]);
  settingsIn(home, ".claude");
  settingsIn(home, "cc");
  const cases = rowsOf<readonly [string, string]>(CASES.unknownNames);
  for (const [command, reason] of cases) {
    assert.match((await home.bash(command))!, new RegExp(reason), command);
  }
  const start = { env: { CLAUDE_CONFIG_DIR: join(home.path, "cc") } };
  const command = "cp -r /gone/x/. ~/cc";
  assert.match((await home.ask("Bash", { command }, {}, start))!, PROTECTED);
  await home.assertAllowed(["cp -r /gone/x/. sub", "cp -r src sub", "cp -r src ~/.claude/own"]);
  const doubts = (executions(home).at(-3)!["metadata"] as Row)["doubts"];
  assert.deepEqual(doubts, ["what will lie in /gone/x is not known"]);
});

test("no tool writes what the daemon starts, or code that runs inside Claude Code", async (home) => {
  const project = home.configure("{}\n", CASES.filesThatRun);
  put(join(home.path, ".claude/skills/x/run.py"), "");
  for (const path of CASES.runPaths) {
    const file_path = path.replace(/^~/, home.path);
    assert.match((await home.write(file_path))!, PROTECTED, path);
    assert.match((await home.edit(file_path))!, PROTECTED, path);
    assert.match((await home.bash(`echo x > ${path}`))!, PROTECTED, path);
  }
  const modules = { file_path: "tools/x/hooks.json", content: '{"modules": ["./m.js"]}' };
  assert.match((await home.ask("Write", modules))!, PROTECTED);
  const settings = join(project, ".claude/settings.json");
  for (const content of CASES.runSettings) {
    assert.match((await home.ask("Write", { file_path: settings, content }))!, PROTECTED, content);
  }
  await home.assertDenied(PROTECTED, CASES.runFilesDenied);
  await home.assertDenied(/only a person chooses which plugins/, CASES.pluginFiles);
});

test("skill texts, commands, agents and a project's own hooks are written as ever", async (home) => {
  const project = home.configure(
    "preToolUse: {preventRootAdditions: false}\n",
    CASES.filesOfSkills,
  );
  put(join(project, ".claude/settings.json"), '{"env": {"A": "1"}}');
  for (const path of CASES.writablePaths) {
    assert.equal(await home.write(path.replace(/^~/, home.path)), null, path);
  }
  const permissions = {
    file_path: join(project, ".claude/settings.json"),
    content: '{"env": {"A": "1"}, "permissions": {"allow": ["Bash(npm test:*)"]}}',
  };
  assert.equal(await home.ask("Write", permissions), null);
  await home.assertAllowed(CASES.writableAllowed);
});

test.executable("the link that a hook is started by is the program, too, and so is each one that it leads over", async (home) => {
  home.configure("{}\n");
  const bin = join(home.path, "bin");
  const link = join(bin, "conclaude");
  Deno.mkdirSync(bin);
  Deno.symlinkSync(Deno.env.get("CONCLAUDE_BIN")!, join(bin, "conclaude-1.0"));
  Deno.symlinkSync("conclaude-1.0", link);
  const start = { through: ["sh", "-c", 'shift; exec "$LINK" "$@"', "sh"], env: { LINK: link } };
  const attempt = (command: string) => home.ask("Bash", { command }, {}, start);
  for (const command of [`rm ${link}`, `ln -sf /bin/true ${link}`, `rm ${bin}/conclaude-1.0`]) {
    assert.match((await attempt(command))!, PROTECTED, command);
  }
  assert.equal(await attempt(`rm ${bin}/another`), null);
  assert.equal(await home.bash(`rm ${link}`), null, "nothing is started by it");
});
