/** Requirements of a command that checks out another branch before it does the rest. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { testWith } from "../support/fixtures.ts";
import { RequiredProject } from "../support/required_project.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const GUARD = `requirements:
  prot: {type: guard, protectedBranches: [main], triggerTools: [Edit, {tool: Bash, commandPattern: 'git\\s+(commit|push)'}]}
`;
const PLAN = "requirements: {plan: {autoResolveSkill: arch-review}}\n";

/** A project on `feature/x` with `main` beside it. */
function project(config: string): RequiredProject {
  const made = new RequiredProject(config);
  made.git("branch", "main");
  return made;
}

const test = testWith(() => project(GUARD));

test("a command that checks out a protected branch may change nothing after that", async (repository) => {
  await repository.assertDenied(/branch main is protected/, CASES.afterSwitchDenied);
  await repository.assertAllowed(CASES.afterSwitchAllowed);
  repository.git("update-ref", "refs/remotes/origin/trunk", "HEAD");
  repository.configure(GUARD.replace("[main]", "[trunk]"));
  assert.match((await repository.bash("git switch trunk && git commit"))!, /trunk is protected/);
});

test("on a protected branch, one command may create the branch that a denial advises and work there", async (repository) => {
  repository.git("switch", "-q", "main");
  assert.match((await repository.bash("echo x > src/a.ts"))!, /git switch -c NAME/);
  for (const begins of ["git switch -c", "git checkout -b", "git checkout -qb", "git switch -C"]) {
    assert.equal(await repository.bash(`${begins} feature/q && echo x > src/a.ts`), null, begins);
  }
  assert.equal(await repository.bash("git switch feature/x && git commit -m x"), null);
  // What git refuses leaves the branch as it is.
  const refused = ["-c feature/x", "nowhere", "-c main/x", "-c feature", "../../HEAD", "-c 'a b'"];
  for (const args of refused) {
    assert.match((await repository.bash(`git switch ${args}; git commit`))!, /main is/, args);
  }
});

Deno.test("a branch that the command creates has the size of the commit that it starts from", async () => {
  using repository = project(
    "preToolUse: {strict: true}\nrequirements: {size: {type: dynamic, cacheTtl: 0}}\n",
  );
  assert.equal(await repository.bash("git switch -c feature/q && echo x > src/a.ts"), null);
  assert.match(
    (await repository.bash("git switch -c q HEAD~1 && echo x > src/a.ts"))!,
    /calculated only where the branch is checked out/,
  );
});

Deno.test("a denial of a branch that is not checked out yet names it, and its skill satisfies there", async () => {
  using repository = project(PLAN);
  const command = "git switch -c feature/q && echo x > src/a.ts";
  await repository.send("SessionStart");
  const [, way] = /`conclaude (req [^`]+ --branch feature\/q)`/.exec(
    (await repository.bash(command))!,
  )!;
  await repository.run(...way!.split(" "));
  assert.equal(await repository.bash(command), null);
  assert.match((await repository.edit())!, /plan/);
  await repository.req("clear", "--all", "--branch", "feature/q");
  assert.notEqual(await repository.bash(command), null);
  await repository.skill("arch-review");
  assert.equal(await repository.bash(command), null);
  assert.equal(await repository.edit(), null);
});

Deno.test("a skill satisfies on another branch only what was denied there", async () => {
  using repository = project(`requirements:
  reviewed: {autoResolveSkill: check, triggerTools: [{tool: Bash, commandPattern: 'git commit'}]}
  pushable: {autoResolveSkill: check, triggerTools: [{tool: Bash, commandPattern: 'git push'}]}
`);
  await repository.send("SessionStart");
  assert.match((await repository.bash("git switch -c feature/q && git push"))!, /pushable/);
  await repository.skill("check");
  const satisfied = ["reviewed", "pushable"].flatMap((name) =>
    repository.state(name).map(({ branch }) => `${name} ${branch}`)
  );
  assert.deepEqual(satisfied, ["reviewed feature/x", "pushable feature/q", "pushable feature/x"]);
});

Deno.test("each part of a command is judged on its own branch", async () => {
  using repository = project("requirements: {plan: {}}\n");
  await repository.send("SessionStart");
  const command = "echo x > src/a.ts; git switch main; echo x > src/a.ts";
  const reason = (await repository.bash(command))!;
  assert.equal((await repository.follow(reason)).length, 2, reason);
  assert.equal(await repository.bash(command), null);
  assert.deepEqual(repository.state("plan").map(({ branch }) => branch), ["feature/x", "main"]);
  assert.ok(repository.state("plan").every(({ triggered_at_ms: atMs }) => atMs !== null));
  const { stdout } = await repository.run("explain", "Bash", "git switch -c q; rm src/a.ts");
  assert.match(stdout, /^Denied[^]*requirements\.plan/);
});

test("options and variables of git that name another repository are followed", async (repository) => {
  const tree = join(repository.home.path, "tree");
  repository.git("worktree", "add", "-q", tree, "main");
  await repository.assertDenied(/main is protected/, [
    `git --git-dir=${tree}/.git --work-tree=${tree} commit -m x`,
    `git --git-dir ${tree}/.git --work-tree ${tree} commit -m x`,
    `GIT_DIR=${tree}/.git git commit -m x`,
    `export GIT_DIR=${tree}/.git; git commit -m x`,
    `env GIT_DIR=${tree}/.git git commit -m x`,
    `GIT_DIR=${tree}/.git sh -c 'git commit -m x'`,
  ]);
  assert.equal(await repository.bash(`GIT_DIR=${tree}/.git git log; git commit -m x`), null);
});

test("a branch that is checked out in another repository changes nothing for this one", async (repository) => {
  repository.shell(
    "mkdir ../lib && cd ../lib && git init -q -b main && git commit -q --allow-empty -m x && git branch topic",
  );
  const flow = CASES.inOtherRepositories;
  await repository.assertAllowed(flow);
  repository.git("switch", "-q", "main");
  await repository.assertDenied(/main is protected/, [
    ...flow,
    "cd ../lib && git switch -c q && cd ../project && git commit --allow-empty -m x",
    "git -C ../lib switch topic && echo x > src/a.ts",
    "cd ../lib && git switch topic && git commit -m x",
  ]);
  // Where nobody knows the folder, it counts as one of this repository.
  assert.equal(await repository.bash('cd "$X" && git switch -c q && git commit -m x'), null);
});

test("what happens in a working tree that the command makes is judged afterwards", async (repository) => {
  repository.git("switch", "-q", "main");
  await repository.send("SessionStart");
  await repository.assertAllowed(CASES.inMadeTreesAllowed);
  await repository.assertDenied(/main is protected/, CASES.inMadeTreesDenied);
  repository.git("switch", "-q", "feature/x");
  const command = "git worktree add -q ../m main; cd ../m && git commit -q --allow-empty -m x";
  assert.equal(await repository.act(command), null);
  assert.match((await repository.stop())!, /refs\/heads\/main/);
});
