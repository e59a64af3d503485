/** Commands that are called by an alias of git's configuration. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { RequiredProject } from "../support/required_project.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const COMMIT = "requirements: {reviewed: {scope: single_use, triggerTools: " +
  "[{tool: Bash, commandPattern: 'git commit'}]}}\n";
const RULES = `preToolUse:
  uneditableFiles: [src/a.ts]
  toolUsageValidation: [{tool: Bash, commandPattern: "git push --force*", action: block}]
`;

Deno.test("a requirement about a command is asked of an alias of git for it, and used up by it", async () => {
  using repository = new RequiredProject(COMMIT);
  await repository.send("SessionStart");
  assert.equal(await repository.bash("git ci -m x"), null);
  repository.git("config", "alias.ci", "commit -q --allow-empty");
  repository.git("config", "alias.cia", "CI --amend");
  repository.git("config", "alias.save", '!git add -A && git commit -m "$1"');
  repository.git("config", "alias.st", "status --short");
  await repository.assertDenied(/reviewed/, CASES.aliasesOfCommits);
  const { stdout, code } = await repository.run("explain", "Bash", "git ci -m x");
  assert.equal(code, 1);
  assert.match(stdout, /^Denied[^]*requirements\.reviewed +forbids/);
  await repository.assertAllowed(CASES.aliasesOfNoCommits);
  await repository.req("satisfy", "reviewed", "--session", "cad0ac4d");
  assert.equal(await repository.act("git ci -m x"), null);
  assert.match((await repository.bash("git ci -m x"))!, /reviewed/);
});

Deno.test("the rules see what an alias of git does, wherever it is configured", async () => {
  using repository = new RequiredProject(RULES);
  const gitconfig = join(repository.home.path, ".gitconfig");
  Deno.writeTextFileSync(
    gitconfig,
    `[user]\n\tname = pf\n[Alias] # short ones
\tPF = "push --force" ; in a hurry
\tlg = log --format='%h (%an)'
\tlong = log \\
\t  --output=src/a.ts
\twipe = "!f() { git reset --hard; rm -rf / ; }; f"
\tstatus = push --force
\tco = checkout
`,
  );
  const denied = ["git pf", "git pf origin main", "git long", "git wipe", "git -C src pf"];
  for (const command of denied) assert.notEqual(await repository.bash(command), null, command);
  assert.match((await repository.bash("git pf origin"))!, /git push --force origin/);
  await repository.assertAllowed(CASES.aliasesAllowed);
  Deno.removeSync(gitconfig);
  assert.equal(await repository.bash("git pf"), null);
  repository.write("../.config/git/config", "[alias]\npf = push --force\n");
  assert.notEqual(await repository.bash("git pf"), null);
  repository.git("config", "alias.pf", "push");
  assert.equal(await repository.bash("git pf"), null);
});

Deno.test("an alias of git checks out branches, and takes the repository that git is told", async () => {
  using repository = new RequiredProject(
    "requirements: {prot: {type: guard, protectedBranches: [main], triggerTools: " +
      "[{tool: Bash, commandPattern: 'git commit'}]}}\n",
  );
  repository.git("worktree", "add", "-q", "-b", "main", "../m");
  repository.git("branch", "other");
  for (const [name, value] of [["ci", "commit"], ["sw", "switch"], ["sci", "!git commit"]]) {
    repository.git("config", `alias.${name}`, value!);
  }
  assert.match((await repository.bash("git -C ../m ci -m x"))!, /main is protected/);
  assert.match((await repository.bash("git -C ../m sci -m x"))!, /main is protected/);
  assert.match((await repository.bash("cd ../m && git ci -m x"))!, /main is protected/);
  assert.equal(await repository.bash("cd ../m && git sw other && git ci -m x"), null);
  assert.equal(await repository.bash("git ci -m x"), null);
});
