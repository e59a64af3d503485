/** What the size of a branch is measured from, on the real program. */
import assert from "node:assert/strict";
import { executions, type Row } from "../support/look.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";

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

Deno.test("a branch is measured from the default branch of its remote, whatever that is called", async () => {
  using project = cloneOfDevelop();
  project.git("switch", "-q", "-c", "feature/z");
  commit(project, 900);
  assert.match((await project.edit())!, /branch feature\/z has changed 90\d lines/);
  project.git("pack-refs", "--all");
  assert.match(await project.req("status", "--session", SESSION), /size +open .*90\d lines/);
});

Deno.test("a branch that is built upon others is measured from the nearest of them", async () => {
  using project = cloneOfDevelop();
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

Deno.test("the default branch itself is not measured, like main", async () => {
  using project = cloneOfDevelop();
  commit(project, 900);
  assert.equal(await project.edit(), null);
  assert.match(await project.req("status", "--session", SESSION), /size +met/);
});

Deno.test("a branch with nothing to compare it with passes, and is not said to be small", async () => {
  for (const strict of ["", "preToolUse: {strict: true}\n"]) {
    using project = new RequiredProject(`${strict}${SIZE}`, "develop");
    commit(project, 900);
    assert.equal(await project.edit(), null);
    const { unknown } = executions(project.home).at(-1)!["metadata"] as Row;
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
