/** What a session triggered on other branches of its repository holds its stops as well. */
import assert from "node:assert/strict";
import { testWith } from "../support/fixtures.ts";
import { lastMetadata, queryValue, type Row } from "../support/look.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const EVIDENCE = "requirements: {evidence: {stopOnly: true}}\n";

/** A project in which something was edited on `feature/x`. */
async function edited(config = EVIDENCE): Promise<RequiredProject> {
  const project = new RequiredProject(config);
  assert.equal(await project.edit(), null);
  return project;
}

/** How a session leaves the branch on which it has worked. */
const LEAVING: readonly (readonly [what: string, ...git: string[]])[] = [
  ["another branch is begun", "switch", "-q", "-c", "feature/n"],
  ["HEAD is detached", "checkout", "-q", "--detach"],
  ["the branch is renamed", "branch", "-m", "feature/renamed"],
];
const test = testWith(edited);

for (const [what, ...git] of LEAVING) {
  test(`a requirement triggered on a branch holds the stop when ${what}, and the way out works there`, async (project) => {
    project.git(...git);
    const reason = (await project.stop())!;
    assert.match(reason, /on the branch feature\/x[^]*\| evidence \|/);
    assert.equal(/which is there no more/.test(reason), git[0] === "branch");
    const commands = await project.follow(reason);
    assert.deepEqual(commands, ["req satisfy evidence --session cad0ac4d --branch feature/x"]);
    assert.equal(await project.stop(), null);
  });
}

Deno.test("a requirement triggered in another working tree holds the stop, named with its branch", async () => {
  using project = new RequiredProject(EVIDENCE);
  project.git("worktree", "add", "-q", "../w", "-b", "wt");
  assert.equal(await project.edit({}, "../w/src/a.ts"), null);
  const reason = (await project.stop())!;
  assert.match(reason, /on the branch wt/);
  await project.follow(reason);
  assert.equal(await project.stop(), null);
});

test("each branch has its own satisfactions, and one answer names all that are open", async (project) => {
  project.git("switch", "-q", "-c", "feature/n");
  assert.equal(await project.edit(), null);
  const reason = (await project.stop())!;
  assert.equal((await project.follow(reason)).length, 2);
  assert.equal(await project.stop(), null);
  await project.req("clear", "evidence", "--branch", "feature/n");
  assert.equal(await project.edit(), null);
  const again = (await project.stop())!;
  assert.doesNotMatch(again, /feature\/x/);
});

test("a stop is not held for another session's branch, nor for another repository's", async (project) => {
  project.git("switch", "-q", "-c", "feature/n");
  assert.equal(await project.stop({ session_id: "77aa11bb-0000-4000-8000-000000000002" }), null);
});

Deno.test("a skill satisfies what its session has triggered on other branches, also on none", async () => {
  using project = await edited(
    "requirements: {evidence: {stopOnly: true, autoResolveSkill: show}}\n",
  );
  project.git("checkout", "-q", "--detach");
  assert.match((await project.stop())!, /\*\*Execute\*\*: `\/show`/);
  await project.skill("show");
  assert.equal(await project.stop(), null);
  assert.deepEqual(project.state("evidence").map(({ branch }) => branch), ["feature/x"]);
  await project.req("clear", "evidence", "--branch", "feature/x");
  project.git("switch", "-q", "feature/x");
  assert.equal(await project.edit(), null);
  project.git("switch", "-q", "-c", "feature/n");
  await project.skill("show");
  assert.equal(await project.stop(), null);
});

Deno.test("the size of a branch holds a stop where the branch is checked out", async () => {
  using project = new RequiredProject(
    "requirements: {size: {type: dynamic, cacheTtl: 0}}\n",
    "main",
  );
  project.git("add", ".");
  project.git("commit", "-q", "-m", "configuration");
  project.git("switch", "-q", "-c", "topic");
  assert.equal(await project.edit(), null);
  project.write("big.txt", "line\n".repeat(500));
  assert.match((await project.stop())!, /branch topic has changed 500 lines/);
  project.git("add", ".");
  project.git("commit", "-q", "-m", "big");
  project.git("switch", "-q", "main");
  assert.equal(await project.stop(), null);
  project.git("worktree", "add", "-q", "../w", "topic");
  assert.match((await project.stop())!, /branch topic has changed 500 lines/);
});

Deno.test("a requirement triggered on a protected branch holds the stop also from another branch", async () => {
  using project = new RequiredProject("requirements: {main: {type: guard}}\n", "main");
  await project.req("satisfy", "main", "--session", "cad0ac4d-3933-45ad-9a1c-14aec05bb940");
  assert.equal(await project.edit(), null);
  project.git("switch", "-q", "-c", "topic");
  assert.equal(await project.stop(), null);
  await project.req("satisfy", "main", "--session", "cad0ac4d", "--branch", "main", "--ttl", "1");
  project.age(2);
  assert.match((await project.stop())!, /the branch main is protected/);
});

Deno.test("requirements alone hold a stop also when it continues one that something else held, once a turn", async () => {
  for (const additions of ["true", "false"]) {
    using project = new RequiredProject(
      `preToolUse: {preventRootAdditions: ${additions}}\n${EVIDENCE}`,
    );
    const continued = { stop_hook_active: true };
    assert.equal(await project.stop(), null);
    assert.equal(await project.edit(), null);
    assert.match((await project.stop(continued))!, /evidence/);
    assert.equal(await project.stop(continued), null);
    assert.match((await project.stop())!, /evidence/);
    assert.equal(await project.stop(continued), null);
    assert.equal(
      queryValue(project.home, "SELECT count(*) FROM hook_executions WHERE status = 'blocked'"),
      2,
    );
  }
});

Deno.test("a branch that has just begun on another one is built upon it, as it is after its first commit", async () => {
  using project = new RequiredProject(
    "requirements: {size: {type: dynamic, cacheTtl: 0}}\n",
    "main",
  );
  project.git("switch", "-q", "-c", "feature/x");
  project.write("big.txt", "line\n".repeat(500));
  project.git("add", ".");
  project.git("commit", "-q", "-m", "big");
  assert.match((await project.edit())!, /branch feature\/x has changed 501 lines/);
  assert.equal(await project.bash("git switch -c fix/n1 && echo x > src/a.ts"), null);
  project.git("switch", "-q", "-c", "fix/n1");
  assert.equal(await project.edit(), null);
  // The other way round it is not.
  project.git("switch", "-q", "feature/x");
  assert.match((await project.edit())!, /branch feature\/x has changed 501 lines/);
  project.git("switch", "-q", "fix/n1");
  project.git("commit", "-q", "--allow-empty", "-m", "x");
  assert.equal(await project.edit(), null);
  // Where git keeps no log of branches, nobody can tell which one was there first.
  project.git("-c", "core.logAllRefUpdates=false", "switch", "-q", "-c", "fix/n2", "feature/x");
  assert.match((await project.edit())!, /branch fix\/n2 has changed 501 lines/);
});

const SIZE = "requirements: {size: {type: dynamic, cacheTtl: 0}}\n";

/** A repository on `develop`, as a clone of one whose default branch that is. */
function cloneOfDevelop(): RequiredProject {
  const project = new RequiredProject(SIZE, "develop");
  project.git("update-ref", "refs/remotes/origin/develop", "develop");
  project.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop");
  return project;
}

function commit(project: RequiredProject, lines: number): void {
  project.write("big.txt", "line\n".repeat(lines));
  project.git("add", ".");
  project.git("commit", "-q", "-m", "big");
}

const it = testWith(cloneOfDevelop);

it("a branch is measured from the default branch of its remote, whatever that is called", async (project) => {
  project.git("switch", "-q", "-c", "feature/z");
  commit(project, 900);
  assert.match((await project.edit())!, /branch feature\/z has changed 90\d lines/);
  project.git("pack-refs", "--all");
  assert.match(await project.req("status", "--session", SESSION), /size +open .*90\d lines/);
});

it("a branch that is built upon others is measured from the nearest of them", async (project) => {
  for (const [name, lines] of [["feature/far", 300], ["feature/near", 600]] as const) {
    project.git("switch", "-q", "-c", name);
    commit(project, lines);
  }
  project.git("switch", "-q", "-c", "feature/z");
  commit(project, 700);
  assert.equal(await project.edit(), null);
  project.git("branch", "-q", "-D", "feature/near");
  project.git("commit", "-q", "--allow-empty", "-m", "On");
  assert.match((await project.edit())!, /branch feature\/z has changed 40\d lines/);
});

it("the default branch itself is not measured, like main", async (project) => {
  commit(project, 900);
  assert.equal(await project.edit(), null);
  assert.match(await project.req("status", "--session", SESSION), /size +met/);
});

Deno.test("a branch with nothing to compare it with passes, and is not said to be small", async () => {
  for (const strict of ["", "preToolUse: {strict: true}\n"]) {
    using project = new RequiredProject(`${strict}${SIZE}`, "develop");
    commit(project, 900);
    assert.equal(await project.edit(), null);
    const { unknown } = lastMetadata(project.home);
    assert.match(String((unknown as Row)["size"]), /nothing to compare the branch with/);
    assert.match(
      await project.req("status", "--session", SESSION),
      /size +unknown .*nothing to compare .*`git remote set-head origin --auto`/,
    );
    const { stdout } = await project.run("explain", "Edit", "src/a.ts", "--session", SESSION);
    assert.match(stdout, /^Allowed[^]*size +allows +it cannot be known: there is nothing/);
  }
});

Deno.test("a missing base of comparison is remembered as long as a size", async () => {
  using project = new RequiredProject("requirements: {size: {type: dynamic}}\n", "develop");
  await project.edit();
  project.git("branch", "main");
  assert.equal(await project.edit(), null);
  assert.match(await project.req("status", "--session", SESSION), /size +unknown .*nothing to/);
});

Deno.test("a branch without a commit has changed nothing, also for a strict policy", async () => {
  using project = new RequiredProject(`preToolUse: {strict: true}\n${SIZE}`);
  project.git("switch", "-q", "--orphan", "fresh");
  project.write("src/a.ts", "x\n".repeat(900));
  assert.equal(await project.edit(), null);
  assert.match(await project.req("status", "--session", SESSION), /size +met/);
});

Deno.test("a protected branch gets no commits, and is not moved or pushed from another branch either", async () => {
  using project = new RequiredProject(
    "requirements: {r: {type: guard, protectedBranches: [main]}}\n",
  );
  project.git("branch", "-f", "main");
  project.git("branch", "tmp");
  for (const command of CASES.movingProtected) {
    assert.match((await project.bash(command)) ?? "", /the branch main is protected/, command);
  }
  for (const command of CASES.movingOthers) {
    assert.equal(await project.bash(command), null, command);
  }
  project.git("config", "push.default", "upstream");
  assert.equal(await project.bash("git push"), null);
  project.git("config", "branch.feature/x.merge", "refs/heads/main");
  assert.match((await project.bash("git push")) ?? "", /the branch main is protected/);
  project.git("switch", "-q", "main");
  assert.match((await project.bash("git commit -m x")) ?? "", /the branch main is protected/);
});
