/** Work that is in no commit, and folders that nobody can bring back, are not thrown away. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { gitSync } from "../support/git.ts";
import { JudgedProject } from "../support/judged_project.ts";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };

const RULE = "preToolUse.protectUncommitted";

/** A repository with three commits' files, and a folder `sub`. */
function project(): JudgedProject {
  const at = new JudgedProject("preToolUse: {}\n", ["a.txt", "sub/b.txt", "sub/c.txt"]);
  Deno.writeTextFileSync(join(at.path, ".gitignore"), "build/\n");
  return committed(at);
}

/** Makes a repository of a project, with all its files in the first commit. */
function committed(at: JudgedProject): JudgedProject {
  gitSync(at.path, "init", "-q", "-b", "main");
  gitSync(at.path, "add", ".");
  gitSync(at.path, "commit", "-qm", "Begin");
  return at;
}

/** Holds that each command is denied by these rules. */
async function assertRules(
  at: JudgedProject,
  rules: readonly string[],
  commands: readonly string[],
): Promise<void> {
  for (const command of commands) {
    const { blocks } = await at.judge("Bash", command);
    assert.deepEqual(blocks.map(({ rule }) => rule), rules, command);
  }
}

const THROWING = CASES.throwing;

const test = testWith(project);

test("changes that are in no commit are not thrown away; a clean tree is free", async (at) => {
  await assertRules(at, [], THROWING);
  Deno.removeSync(join(at.path, "sub/c.txt"));
  await assertRules(at, [], THROWING);
  Deno.writeTextFileSync(join(at.path, "sub/b.txt"), "work of hours");
  await assertRules(at, [RULE], THROWING);
  const { blocks: [block] } = await at.judge("Bash", "git restore .");
  assert.match(block!.reason, /uncommitted work \(sub\/b\.txt\).*Commit it or `git stash -u` it/);
  await assertRules(at, [], CASES.throwingNothing);
});

test("changes in the index are not thrown away by what takes a commit back", async (at) => {
  Deno.writeTextFileSync(join(at.path, "sub/b.txt"), "work of hours");
  gitSync(at.path, "add", ".");
  await assertRules(at, [RULE], CASES.throwingTheIndex);
  await assertRules(at, [], CASES.keepingTheIndex);
});

test("new files, and a stash, are not thrown away", async (at) => {
  Deno.mkdirSync(join(at.path, "build"));
  Deno.writeTextFileSync(join(at.path, "build/x.o"), "x");
  await assertRules(at, [], ["git clean -fd"]);
  await assertRules(at, [], ["git stash drop"]);
  Deno.writeTextFileSync(join(at.path, "new.txt"), "work");
  await assertRules(at, [RULE], ["git clean -fd"]);
  await assertRules(at, [], ["git clean -nd"]);
  gitSync(at.path, "stash", "-u");
  await assertRules(at, [RULE], ["git stash drop", "git stash clear"]);
  await assertRules(at, [], ["git stash pop"]);
});

Deno.test("one key lets uncommitted work go", async () => {
  const config = "preToolUse: { protectUncommitted: false }\n";
  using at = committed(new JudgedProject(config, ["a.txt"]));
  Deno.writeTextFileSync(join(at.path, "a.txt"), "other");
  await assertRules(at, [], ["git reset --hard"]);
});

test("folders of the home and the system, and other repositories, are not removed", async (at) => {
  const other = join(at.path, "../other");
  Deno.mkdirSync(join(other, ".git"), { recursive: true });
  await assertRules(at, ["preToolUse.denyDangerousCommands"], CASES.removingFolders);
  await assertRules(at, [], CASES.removingOwnFolders);
});

Deno.test("another working tree of the repository is not changed where the key says so", async () => {
  const config = "preToolUse: { protectOtherTrees: true, protectPolicy: false }\n";
  using at = committed(new JudgedProject(config, ["a.txt"]));
  const tree = join(at.path, "../tree");
  gitSync(at.path, "worktree", "add", "-q", tree);
  const judged = (command: string) => at.judge("Bash", command, { folder: tree });
  const { blocks: [block] } = await judged("echo x > ../project/a.txt");
  assert.match(block!.reason, /another working tree/);
  assert.deepEqual((await judged("echo x > a.txt")).blocks, []);
  assert.equal((await judged("rm -rf ../project/*")).blocks.length > 0, true);
});

test("the history of a shared branch is protected in each form of the command", async (at) => {
  await assertRules(at, ["preToolUse.denyDangerousCommands"], CASES.rewritingHistory);
  await assertRules(at, [], CASES.keepingHistory);
});
