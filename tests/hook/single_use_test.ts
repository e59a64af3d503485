/** Satisfactions for one action, with real commits: what uses them up, and what does not. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { RequiredProject, SESSION } from "../support/required_project.ts";
import { gitSync } from "../support/git.ts";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const REVIEW = `requirements:
  rev: {scope: single_use, triggerTools: [{tool: Bash, commandPattern: 'git\\s+commit(\\s|$)'}]}
`;
const COMMIT = "git commit --allow-empty -qm a";

/** A project with a review that was made, and something to commit. */
async function reviewed(branch?: string): Promise<RequiredProject> {
  const project = new RequiredProject(REVIEW, "feature/x", (folder) => {
    Deno.writeTextFileSync(join(folder, ".gitignore"), ".conclaude.yaml\n");
    gitSync(folder, "add", ".gitignore");
    gitSync(folder, "commit", "-q", "-m", "ignore");
    gitSync(folder, "branch", "main");
  });
  await project.send("SessionStart");
  await satisfy(project, branch);
  return project;
}

async function satisfy(project: RequiredProject, branch?: string): Promise<void> {
  const onto = branch === undefined ? [] : ["--branch", branch];
  await project.req("satisfy", "rev", "--session", SESSION, ...onto);
}

/** A branch `side` that has gone on by itself. */
function aside(project: RequiredProject): void {
  project.write("side.txt", "x\n");
  project.git("checkout", "-qb", "side");
  project.git("add", "side.txt");
  project.git("commit", "-qm", "side");
  project.git("checkout", "-q", "feature/x");
  project.git("commit", "-q", "--allow-empty", "-m", "on");
}

/** The same project where git refuses every commit, with a change to commit and a branch `side` to take in. */
async function refusing(): Promise<RequiredProject> {
  const project = await reviewed();
  aside(project);
  project.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
  Deno.chmodSync(join(project.path, ".git/hooks/pre-commit"), 0o755);
  project.write("src/a.ts", "y\n");
  project.git("add", "src/a.ts");
  return project;
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

Deno.test("a commit in another repository uses a review up as well, however it is written", async () => {
  const scripts = [
    `cd o; ${COMMIT}`,
    `cd o\n${COMMIT}`,
    `cd o || exit 1\n${COMMIT}`,
    `pushd o; ${COMMIT}; popd`,
    `D=o; cd "$D" && git add -A; ${COMMIT}`,
  ];
  for (const script of scripts) {
    using project = await reviewed();
    assert.equal(project.shell("git init -q o"), true);
    assert.equal(await project.act(script), null, script);
    assert.deepEqual(project.state("rev"), [], script);
  }
});

const test = testWith(reviewed);

test("a commit on a branch that the command begins needs a review of that branch, and uses it up", async (project) => {
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
  const afters = [
    "; git checkout -q main",
    " || git checkout -qb new",
    "; git checkout -q --detach",
  ];
  for (const after of afters) {
    using project = await reviewed();
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

test("a commit that failed keeps its review, though the command succeeded", async (project) => {
  for (const command of CASES.failedCommits) {
    assert.equal(await project.act(command), null, command);
  }
  assert.equal(project.state("rev").length, 1);
  assert.equal(await project.act(`${COMMIT} | tail -3`), null);
  assert.match((await project.act(COMMIT))!, /"rev" is open/);
});

test("a used-up review is known also where the repository's references are packed", async (project) => {
  project.git("pack-refs", "--all");
  assert.equal(await project.act("git commit -m x || true"), null);
  assert.equal(await project.act(`${COMMIT} || true`), null);
  assert.match((await project.act(COMMIT))!, /"rev" is open/);
});

test("a report that comes twice, or late, uses up no newer review", async (project) => {
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

Deno.test("a command that is no commit uses a satisfaction up when it succeeds, and keeps it when it fails", async () => {
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

Deno.test("a commit that was refused keeps its review, whatever else moves the branch", async () => {
  for (const command of CASES.refusedCommits) {
    using project = await refusing();
    assert.equal(await project.act(command), null, command);
    assert.equal(project.state("rev").length, 1, command);
    assert.equal(await project.act(`${COMMIT} --no-verify`), null, command);
    assert.match((await project.act(COMMIT))!, /"rev" is open/, command);
  }
});

Deno.test("each way to commit uses its review up, though the command failed", async () => {
  const commands = [
    "git commit -q --amend --allow-empty -m b; false",
    `${COMMIT}; git reset -q --hard HEAD~1; false`,
    `git checkout -q --detach; ${COMMIT}; false`,
    "git merge -q --no-commit --no-ff side; git commit -qm merged; false",
    "git merge -q --squash side; git commit -qm squashed; false",
    `git checkout -q "$(git branch --list main --format="%(refname:short)")"; ${COMMIT}; false`,
  ];
  for (const command of commands) {
    using project = await reviewed();
    aside(project);
    assert.equal(await project.act(command), null, command);
    assert.deepEqual(project.state("rev"), [], command);
  }
});

test("the first commit of a repository uses its review up", async (project) => {
  project.shell("rm -rf .git && git init -q -b feature/x");
  assert.equal(await project.act("false && git commit -qm a; true"), null);
  assert.equal(project.state("rev").length, 1);
  assert.equal(await project.act(`${COMMIT}; false`), null);
  assert.deepEqual(project.state("rev"), []);
});

Deno.test("a linked working tree has a log of its own", async () => {
  using project = await reviewed("feature/n");
  const tree = join(project.home.path, "tree");
  project.git("worktree", "add", "-q", "-b", "feature/n", tree);
  assert.equal(
    await project.act(`cd ${tree} && git commit -qm x; git reset -q --hard HEAD~1`),
    null,
  );
  const satisfied = () => project.state("rev").map(({ branch }) => branch);
  assert.deepEqual(satisfied(), ["feature/n"]);
  assert.equal(await project.act(`cd ${tree} && ${COMMIT}; false`), null);
  assert.deepEqual(satisfied(), []);
});

test("where git keeps no log, the branch itself tells", async (project) => {
  project.shell("git config core.logAllRefUpdates false && rm -r .git/logs");
  assert.equal(await project.act("git commit -qm x; true"), null);
  assert.equal(project.state("rev").length, 1);
  assert.equal(await project.act(`${COMMIT}; false`), null);
  assert.deepEqual(project.state("rev"), []);
});

test("a commit on each of two branches uses up only the review of the one that was made", async (project) => {
  await satisfy(project, "main");
  assert.equal(await project.act(`git commit -qm x; git checkout -q main; ${COMMIT}`), null);
  assert.deepEqual(project.state("rev").map(({ branch }) => branch), ["feature/x"]);
});

test("a merge that changes nothing, or nothing yet, keeps its review", async (project) => {
  aside(project);
  project.configure(REVIEW.replace("git\\s+commit(\\s|$)", "git\\s+(commit|merge|pull)"));
  for (const command of ["git merge -q main", "git pull -q . main", "git merge -q --squash side"]) {
    assert.equal(await project.act(command), null, command);
    assert.equal(project.state("rev").length, 1, command);
  }
  assert.equal(await project.act("git commit -qm squashed"), null);
  assert.deepEqual(project.state("rev"), []);
  await satisfy(project);
  project.shell("git branch ahead && git checkout -q ahead && git commit -q --allow-empty -m c");
  project.shell("git checkout -q feature/x");
  assert.equal(await project.act("git merge -q ahead; false"), null);
  assert.deepEqual(project.state("rev"), []);
});

Deno.test("a commit whose end nobody was told of has used its review up", async () => {
  // It goes on in the background, or the end is still to be told.
  const background = { tool_response: { backgroundTaskId: "b1" } };
  for (const isTold of [true, false]) {
    using project = await reviewed();
    const id = { tool_use_id: "toolu_b1" };
    assert.equal(await project.bash(COMMIT, id), null);
    if (isTold) await project.used("Bash", { command: COMMIT }, { ...id, ...background });
    assert.equal(project.state("rev").length, 1);
    assert.equal(await project.bash(COMMIT, { tool_use_id: "toolu_b2" }), null);
    assert.equal(project.shell(COMMIT), true);
    const explained = await project.run("explain", "Bash", COMMIT, "--session", SESSION);
    assert.match(explained.stdout, /^Denied[^]*requirements\.rev/);
    assert.match((await project.bash(COMMIT, { tool_use_id: "toolu_b3" }))!, /"rev" is open/);
    assert.deepEqual(project.state("rev"), []);
    await satisfy(project);
    assert.equal(await project.act(COMMIT), null);
  }
});

test("a review is shown as used up as soon as the commit is made, whoever asks", async (project) => {
  const background = { tool_use_id: "toolu_b1", tool_response: { backgroundTaskId: "b1" } };
  assert.equal(await project.bash(COMMIT, { tool_use_id: "toolu_b1" }), null);
  await project.used("Bash", { command: COMMIT }, background);
  const status = () => project.req("status", "--session", SESSION);
  assert.match(await status(), /rev +satisfied/);
  assert.equal(project.shell(COMMIT), true);
  assert.match(await status(), /rev +open/);
  assert.match(await project.req("explain", "rev", "--session", SESSION), /^rev is open/);
  assert.match(await project.start({ source: "resume" }), /Requirements: 0\/1 satisfied/);
  project.git("checkout", "-q", "main");
  assert.match(
    await project.req("status", "--session", SESSION, "--branch", "feature/x"),
    /rev +open/,
  );
  project.git("checkout", "-q", "feature/x");
  await satisfy(project);
  assert.match(await status(), /rev +satisfied/);
});

test("a person's commit after a failed one of Claude uses no review up", async (project) => {
  assert.equal(await project.act("git commit -qm x"), null);
  project.git("commit", "-q", "--allow-empty", "-m", "by hand");
  assert.equal(await project.act(COMMIT), null);
  assert.deepEqual(project.state("rev"), []);
});

test("a commit that never ran uses no review up, whatever is committed on another branch", async (project) => {
  assert.equal(await project.bash(COMMIT, { tool_use_id: "toolu_refused" }), null);
  project.git("checkout", "-q", "main");
  await satisfy(project);
  assert.equal(await project.act(COMMIT), null);
  project.git("checkout", "-q", "feature/x");
  assert.equal(await project.act(COMMIT), null);
  assert.deepEqual(project.state("rev"), []);
});
