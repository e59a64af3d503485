/** `preToolUse.preventUpdateGitIgnored`: what git ignores is not changed, by a tool or by a shell command. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { executions } from "../support/look.ts";
import { type GuardedHome, guardedHome } from "../support/guarded.ts";
import { needsTools } from "../support/requirements.ts";
import { gitSync, makeRepository } from "../support/git.ts";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const ON = "preToolUse: {preventUpdateGitIgnored: true, preventRootAdditions: false}\n";

/** A project that is a repository, with files by name. */
function repository(
  home: GuardedHome,
  files: Readonly<Record<string, string>>,
  config = ON,
): string {
  const project = home.configure(config);
  for (const [name, text] of Object.entries(files)) {
    Deno.mkdirSync(join(project, name, ".."), { recursive: true });
    Deno.writeTextFileSync(join(project, name), text);
  }
  makeRepository(project);
  return project;
}

const test = testWith(guardedHome, needsTools("git", "ps"));

test("an ignored file is refused with the pattern, its place and three ways out", async (home) => {
  repository(home, { ".gitignore": "# logs\n\n*.log\n" });
  const reason = (await home.write("a/debug.log"))!;
  assert.match(reason, /preventUpdateGitIgnored.*File: a\/debug\.log\n/);
  assert.match(reason, /\nPattern: \*\.log \(\.gitignore:3\)\n/);
  assert.match(
    reason,
    /remove the pattern from \.gitignore, add `!debug\.log` below it, or set /,
  );
  assert.match(reason, /preToolUse\.preventUpdateGitIgnored to false/);
  assert.equal(await home.write("a/debug.txt"), null);
  assert.equal(await home.ask("Read", { file_path: "a/debug.log" }), null);
});

test("a new file in the project's folder is allowed where git ignores it", async (home) => {
  const files = { ".gitignore": "*.log\n!keep.log\n/.env\n", "src/a.txt": "x" };
  repository(home, files, "preToolUse: {preventRootAdditions: true}\n");
  const refused = /preventRootAdditions.*File: (?:keep\.log|new\.txt|log)\n/;
  for (const path of ["debug.log", ".env", join(home.path, "project", "other.log")]) {
    assert.equal(await home.write(path), null, path);
  }
  await home.assertAllowed(CASES.ignoredAdditions);
  for (const path of ["new.txt", "keep.log"]) assert.match((await home.write(path))!, refused);
  await home.assertDenied(refused, CASES.newAdditions);
});

test("each of the three ways out works", async (home) => {
  const project = repository(home, { ".gitignore": "*.log\nout/\n" });
  const both = async () => [await home.write("a.log"), await home.write("out/x")];
  const [log, out] = await both();
  const [, first] = /add `(!\S+)`/.exec(log!)!;
  const [, second] = /add `(!\S+)`/.exec(out!)!;
  Deno.writeTextFileSync(join(project, ".gitignore"), `*.log\nout/\n${first}\n${second}\n`);
  assert.deepEqual(await both(), [null, null]);
  Deno.writeTextFileSync(join(project, ".gitignore"), "");
  assert.deepEqual(await both(), [null, null]);
  Deno.writeTextFileSync(join(project, ".gitignore"), "*.log\nout/\n");
  home.configure(ON.replace("true", "false"));
  assert.deepEqual(await both(), [null, null]);
});

test("git decides about nested files, negation, the repository's own list and the user's list", async (home) => {
  const project = repository(home, {
    ".gitignore": "*.tmp\n!keep.tmp\n",
    "sub/.gitignore": "local.*\n!local.md\n",
    ".config/x": "",
  });
  Deno.mkdirSync(join(project, ".git", "info"));
  Deno.writeTextFileSync(join(project, ".git", "info", "exclude"), "secret\n");
  Deno.mkdirSync(join(home.path, ".config", "git"), { recursive: true });
  Deno.writeTextFileSync(join(home.path, ".config", "git", "ignore"), "*.swp\n");
  assert.match((await home.write("a.tmp"))!, /\.gitignore:1/);
  assert.equal(await home.write("keep.tmp"), null);
  assert.match((await home.write("sub/local.txt"))!, /sub\/\.gitignore:1/);
  assert.equal(await home.write("sub/local.md"), null);
  assert.equal(await home.write("local.txt"), null);
  assert.match((await home.write("deep/secret"))!, /\.git\/info\/exclude:1/);
  assert.match((await home.write("x.swp"))!, /\.config\/git\/ignore:1/);
});

test("a tracked file that a pattern matches is not ignored", async (home) => {
  const project = repository(home, { ".gitignore": "*.log\n", "kept.log": "1", "other.log": "1" });
  gitSync(project, "add", "-f", "kept.log");
  assert.equal(await home.write("kept.log"), null);
  assert.ok(await home.write("other.log"));
});

test("shell commands are asked about, all files at once", async (home) => {
  const project = repository(home, {
    ".gitignore": "dist/\n.env\n",
    ".env": "A=1",
    "src/a.ts": "",
  });
  Deno.mkdirSync(join(project, "dist"));
  for (const command of CASES.changesOfIgnored) {
    assert.match((await home.bash(command)) ?? "", /preventUpdateGitIgnored/, command);
  }
  await home.assertAllowed(CASES.readsOfIgnored);
});

test("a link is judged by what it leads to, and a new folder by its pattern", async (home) => {
  const project = repository(home, { ".gitignore": "build/\n.env\n", ".env": "A=1" });
  Deno.symlinkSync(".env", join(project, "link"));
  assert.ok(await home.write("link"));
  assert.ok(await home.write("build/new/x.js"));
});

test("the rule is off by default, and git is not asked outside of a repository", async (home) => {
  const project = repository(home, { ".gitignore": "*.log\n" }, "{}\n");
  assert.equal(await home.write("src/a.log"), null);
  Deno.removeSync(join(project, ".git"), { recursive: true });
  home.configure(ON);
  assert.equal(await home.write("src/a.log"), null);
  assert.equal(await home.write(join(home.path, "elsewhere.log")), null);
  assert.deepEqual(executions(home).filter(({ status }) => status === "blocked"), []);
});

test("where git cannot be asked the file passes with a note, or is denied when strict", async (home) => {
  repository(home, { ".gitignore": "*.log\n" });
  const noGit = { env: { PATH: "/nowhere" } };
  assert.equal(await home.ask("Write", { file_path: "a.log" }, {}, noGit), null);
  const { doubts } = executions(home).at(-1)!["metadata"] as { readonly doubts: string[] };
  assert.match(doubts[0]!, /whether git ignores \S+a\.log could not be asked/);
  home.configure(ON.replace("{", "{strict: true, "));
  assert.match(
    (await home.ask("Write", { file_path: "a.log" }, {}, noGit))!,
    /only when it runs can be known.*could not be asked/,
  );
});

test.slow("a git that does not answer is not waited for, and does not stay", async (home) => {
  repository(home, { ".gitignore": "*.log\n" });
  const tools = join(home.path, "tools");
  Deno.mkdirSync(tools);
  const minutes = "exec sleep 97\n";
  Deno.writeTextFileSync(join(tools, "git"), `#!/bin/sh\necho $$ > ${tools}/pid\n${minutes}`, {
    mode: 0o755,
  });
  const path = { env: { PATH: `${tools}:/usr/bin:/bin` } };
  assert.equal(await home.ask("Write", { file_path: "a.log" }, {}, path), null);
  const { doubts } = executions(home).at(-1)!["metadata"] as { readonly doubts: string[] };
  assert.match(doubts[0]!, /whether git ignores \S+a\.log could not be asked/);
  const pid = Deno.readTextFileSync(join(tools, "pid")).trim();
  const { stdout } = new Deno.Command("ps", { args: ["-o", "args=", "-p", pid] }).outputSync();
  assert.doesNotMatch(new TextDecoder().decode(stdout), /sleep 97/);
});

test("a folder that tools make anew may go away", async (home) => {
  repository(home, {
    ".gitignore": "node_modules/\ndist\nlogs/\n",
    "node_modules/m/x.js": "",
    "dist/a.js": "",
    "logs/a.txt": "",
  });
  await home.assertAllowed(CASES.foldersMadeAnew);
  assert.match((await home.bash("rm -rf logs"))!, /git ignores the file/);
  assert.match((await home.bash("rm dist/a.js"))!, /git ignores the file/);
});

test("a git command that restores files is judged by the files that differ", async (home) => {
  const config = "preToolUse: {uneditableFiles: ['.env*', '*.lock']}\n";
  const project = repository(home, {
    ".gitignore": ".env\n",
    ".env": "",
    ".env.local": "",
    "src/a.ts": "",
    "lib/yarn.lock": "",
  }, config);
  gitSync(project, "add", ".gitignore", ".conclaude.yaml", "src", "lib");
  gitSync(project, "commit", "-qm", "x");
  const stashes = ["git stash push lib", "git stash", "git stash push -m 'work in progress'"];
  await home.assertAllowed([...CASES.restoring, ...stashes, "git checkout HEAD -- src"]);
  await home.assertDenied(/File: lib\/yarn\.lock\n/, CASES.restoringFromElsewhere);
  assert.match((await home.bash("git restore .conclaude.yaml"))!, /belongs to the guards/);
  Deno.writeTextFileSync(join(project, "lib/yarn.lock"), "changed");
  await home.assertDenied(/File: lib\/yarn\.lock\n/, CASES.restoring);
  // A stash keeps what it takes.
  await home.assertAllowed([...stashes, "git restore . ':!lib'"]);
  assert.match((await home.bash("git checkout $REF -- lib"))!, /yarn\.lock/);
  assert.match((await home.bash("git checkout none -- lib"))!, /yarn\.lock/);
  assert.match((await home.bash("git checkout HEAD~1 -- .env"))!, /File: \.env\n/);
  gitSync(project, "add", "lib");
  assert.equal(await home.bash("git restore lib"), null);
  assert.match((await home.bash("git checkout HEAD -- lib"))!, /yarn\.lock/);
  home.configure(`${config}# a person's\n`);
  assert.match((await home.bash("git checkout ."))!, /belongs to the guards/);
  await home.assertDenied(/belongs to the guards/, CASES.restoringPolicy);
  gitSync(project, "checkout", "-q", "--", ".");
  gitSync(project, "commit", "-qm", "y");
  await home.assertAllowed(["git stash -u", "git stash -a"]);
  Deno.writeTextFileSync(join(project, ".conclaude.local.yaml"), "{}\n");
  assert.match((await home.bash("git stash -u"))!, /conclaude\.local\.yaml belongs/);
  assert.match((await home.bash("git stash push --all"))!, /conclaude\.local\.yaml belongs/);
  assert.equal(await home.bash("git stash"), null);
});

test("git changes a folder without its ignored files", async (home) => {
  const project = repository(home, { ".gitignore": "*.log\n", "src/a.log": "", "src/a.ts": "" });
  gitSync(project, "add", "src/a.ts");
  assert.equal(await home.bash("git checkout -- src"), null);
  assert.match((await home.bash("rm src/*"))!, /git ignores the file.*File: src\/a\.log/);
  assert.match((await home.bash("find src -name '*.log' -delete"))!, /git ignores the file/);
});

test("explain shows the rule", async (home) => {
  repository(home, { ".gitignore": "*.log\n" });
  const { stdout, code } = await home.run("explain", "Write", "a.log");
  assert.equal(code, 1);
  assert.match(stdout, /preToolUse\.preventUpdateGitIgnored +forbids/);
});
