/** What a session triggered on other branches of its repository holds its stops as well, on the real program. */
import assert from "node:assert/strict";
import { queryValue } from "../support/look.ts";
import { RequiredProject } from "../support/required_project.ts";

const EVIDENCE = "requirements: {evidence: {stopOnly: true}}\n";

/** A project in which something was edited on `feature/x`. */
async function edited(config = EVIDENCE): Promise<RequiredProject> {
  const project = new RequiredProject(config);
  assert.equal(await project.edit(), null);
  return project;
}

/** Gives the commands that a reason prints, each as it stands there. */
async function followWayOut(project: RequiredProject, reason: string): Promise<string[]> {
  const commands = [...reason.matchAll(/`conclaude (req satisfy [^`]+)`/g)].map(([, words]) =>
    words!
  );
  for (const words of commands) {
    const { code, stderr } = await project.run(...words.split(" "));
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  }
  return commands;
}

/** How a session leaves the branch on which it has worked. */
const LEAVING: readonly (readonly [what: string, ...git: string[]])[] = [
  ["another branch is begun", "switch", "-q", "-c", "feature/n"],
  ["HEAD is detached", "checkout", "-q", "--detach"],
  ["the branch is renamed", "branch", "-m", "feature/renamed"],
];
for (const [what, ...git] of LEAVING) {
  Deno.test(`what was triggered on a branch holds the stop when ${what}, and the way out works there`, async () => {
    using project = await edited();
    project.git(...git);
    const reason = (await project.stop())!;
    assert.match(reason, /on the branch feature\/x[^]*\| evidence \|/);
    assert.equal(/which is there no more/.test(reason), git[0] === "branch");
    const commands = await followWayOut(project, reason);
    assert.deepEqual(commands, ["req satisfy evidence --session cad0ac4d --branch feature/x"]);
    assert.equal(await project.stop(), null);
  });
}

Deno.test("what was triggered in another working tree holds the stop, named with its branch", async () => {
  using project = new RequiredProject(EVIDENCE);
  project.git("worktree", "add", "-q", "../w", "-b", "wt");
  assert.equal(await project.edit({}, "../w/src/a.ts"), null);
  const reason = (await project.stop())!;
  assert.match(reason, /on the branch wt/);
  await followWayOut(project, reason);
  assert.equal(await project.stop(), null);
});

Deno.test("each branch has its own satisfactions, and one answer names all that are open", async () => {
  using project = await edited();
  project.git("switch", "-q", "-c", "feature/n");
  assert.equal(await project.edit(), null);
  const reason = (await project.stop())!;
  assert.equal((await followWayOut(project, reason)).length, 2);
  assert.equal(await project.stop(), null);
  await project.req("clear", "evidence", "--branch", "feature/n");
  assert.equal(await project.edit(), null);
  const again = (await project.stop())!;
  assert.doesNotMatch(again, /feature\/x/);
});

Deno.test("a stop is not held for another session's branch, nor for another repository's", async () => {
  using project = await edited();
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

Deno.test("what was triggered on a protected branch holds the stop also from another branch", async () => {
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
