/** Satisfactions for one action, on the real program and with real commits: what uses them up, and what does not. */
import assert from "node:assert/strict";
import { RequiredProject, SESSION } from "../support/required_project.ts";

const REVIEW = `requirements:
  rev: {scope: single_use, triggerTools: [{tool: Bash, commandPattern: 'git\\s+commit(\\s|$)'}]}
`;
const COMMIT = "git commit --allow-empty -qm a";

/** A project with a review that was made, and something to commit. */
async function reviewed(branch?: string): Promise<RequiredProject> {
  const project = new RequiredProject(REVIEW);
  project.write(".gitignore", ".conclaude.yaml\n");
  project.git("add", ".gitignore");
  project.git("commit", "-q", "-m", "ignore");
  project.git("branch", "main");
  await project.send("SessionStart");
  await satisfy(project, branch);
  return project;
}

async function satisfy(project: RequiredProject, branch?: string): Promise<void> {
  const onto = branch === undefined ? [] : ["--branch", branch];
  await project.req("satisfy", "rev", "--session", SESSION, ...onto);
}

Deno.test("a review is used up by the commit that it allowed, wherever the command goes afterwards", async () => {
  for (const after of ["git checkout -q main", "git checkout -q --detach", "git branch -m y"]) {
    using project = await reviewed();
    assert.equal(await project.act(`${COMMIT} && ${after}`), null, after);
    assert.deepEqual(project.state("rev"), [], after);
    assert.equal(project.shell("git checkout -q feature/x || git checkout -q y"), true);
    assert.match((await project.act(COMMIT))!, /"rev" is open/, after);
  }
});

Deno.test("a commit on a branch that the command begins needs a review of that branch, and uses it up", async () => {
  using project = await reviewed();
  const command = `git checkout -qb feature/n && ${COMMIT}`;
  assert.match(
    (await project.act(command))!,
    /`conclaude req satisfy rev --session cad0ac4d --branch feature\/n`/,
  );
  await satisfy(project, "feature/n");
  assert.equal(await project.act(command), null);
  assert.deepEqual(project.state("rev").map(({ branch }) => branch), ["feature/x"]);
  assert.match((await project.act(COMMIT))!, /open: rev/);
});

Deno.test("a commit that failed keeps its review, also where the command goes to another branch", async () => {
  for (
    const after of [
      "; git checkout -q main",
      " || git checkout -qb new",
      "; git checkout -q --detach",
    ]
  ) {
    using project = await reviewed();
    // git notes what was done by the second: what came before has to be over.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal(await project.act(`git commit -qm nothing${after}`), null, after);
    assert.equal(project.state("rev").length, 1, after);
  }
});

Deno.test("a commit that succeeded uses its review up, though the command failed", async () => {
  for (const command of [`${COMMIT} && git push`, `${COMMIT}; false`]) {
    using project = await reviewed();
    assert.equal(await project.act(command), null, command);
    assert.match((await project.act(COMMIT))!, /"rev" is open/, command);
  }
  using project = await reviewed("feature/n");
  assert.equal(await project.act(`git switch -qc feature/n && ${COMMIT} && git push`), null);
  assert.match((await project.act(COMMIT))!, /"rev" is open/);
});

Deno.test("a commit that failed keeps its review, though the command succeeded", async () => {
  using project = await reviewed();
  const commands = [
    "git commit -m x 2>&1 | tail -3",
    "git commit -m x || true",
    "git commit -m x; echo done",
    "false && git commit -m x || true",
    "git commit -m x",
    "git commit -m x && git push",
  ];
  for (const command of commands) assert.equal(await project.act(command), null, command);
  assert.equal(project.state("rev").length, 1);
  assert.equal(await project.act(`${COMMIT} | tail -3`), null);
  assert.match((await project.act(COMMIT))!, /"rev" is open/);
});

Deno.test("the same is told where the references of a repository are packed", async () => {
  using project = await reviewed();
  project.git("pack-refs", "--all");
  assert.equal(await project.act("git commit -m x || true"), null);
  assert.equal(await project.act(`${COMMIT} || true`), null);
  assert.match((await project.act(COMMIT))!, /"rev" is open/);
});

Deno.test("a report that comes twice, or late, uses up no newer review", async () => {
  using project = await reviewed();
  assert.equal(await project.act(COMMIT, "toolu_d1"), null);
  await satisfy(project);
  await project.ended(COMMIT, true, { tool_use_id: "toolu_d1" });
  assert.equal(await project.bash(COMMIT, { tool_use_id: "toolu_d2" }), null);
  await satisfy(project);
  await project.ended(COMMIT, true, { tool_use_id: "toolu_d2" });
  assert.equal(project.state("rev").length, 1);
  assert.equal(await project.act(COMMIT), null);
  assert.deepEqual(project.state("rev"), []);
});

Deno.test("a report of a use that nobody saw begin is taken at its word", async () => {
  using project = await reviewed();
  await project.ended(COMMIT, false, { tool_use_id: "toolu_new" });
  assert.equal(project.state("rev").length, 1);
  await project.ended(COMMIT, true, { tool_use_id: "toolu_new" });
  assert.deepEqual(project.state("rev"), []);
});

Deno.test("what is no commit is used up when the command succeeds, and kept when it fails", async () => {
  using project = new RequiredProject(
    REVIEW.replace("git\\s+commit(\\s|$)", "git\\s+(tag|commit)"),
  );
  await project.send("SessionStart");
  await satisfy(project);
  assert.equal(await project.act("git tag; false"), null);
  assert.equal(project.state("rev").length, 1);
  assert.equal(await project.act("git tag v1; git commit -m x; true"), null);
  assert.deepEqual(project.state("rev"), []);
});
