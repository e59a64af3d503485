/** Requirements where no branch is checked out, or nobody can tell which. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { lastMetadata } from "../support/look.ts";
import { RequiredProject, SESSION } from "../support/required_project.ts";
import { it, testWith } from "../support/fixtures.ts";

const PLAN = "requirements: {commit_plan: {}}\n";

const test = testWith(() => new RequiredProject(PLAN));

/** Ways to leave every branch. */
const LEAVING: readonly (readonly string[])[] = [
  ["checkout", "-q", "--detach"],
  ["switch", "-q", "--detach"],
  ["checkout", "-q", "HEAD~0"],
];
for (const words of LEAVING) {
  test(`the requirements of the last branch count after git ${words.join(" ")}`, async (project) => {
    assert.match((await project.edit())!, /commit_plan/);
    project.git(...words);
    const reason = (await project.edit())!;
    assert.match(reason, /req satisfy commit_plan --session cad0ac4d --branch feature\/x/);
    assert.match((await project.bash("sed -i s/x/y/ src/a.ts"))!, /commit_plan/);
    const status = await project.req("status", "--session", SESSION);
    assert.match(status, /feature\/x, session/);
    assert.match(status, /no branch is checked out, so the last one of the session counts/);
    assert.match(await project.start({ source: "resume" }), /of `feature\/x`, .*, still count/);
    await project.req("satisfy", "commit_plan", "--session", SESSION);
    assert.equal(await project.edit(), null);
    assert.deepEqual(project.state("commit_plan").map(({ branch }) => branch), ["feature/x"]);
  });
}

Deno.test("a rebase that has stopped keeps the requirements of its branch, and a skill satisfies them", async () => {
  using project = new RequiredProject("requirements: {own: {satisfiedBySkill: [my-review]}}\n");
  project.git("add", ".");
  project.git("commit", "-q", "-m", "configuration");
  assert.match((await project.edit())!, /own/);
  project.shell("GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -q -i HEAD~1");
  assert.match((await project.edit())!, /own/);
  await project.skill("my-review");
  assert.equal(await project.edit(), null);
  assert.equal(project.shell("git rebase --continue"), true);
  assert.equal(await project.edit(), null);
});

Deno.test("a single use is used up where no branch is checked out as well", async () => {
  using project = new RequiredProject(
    "requirements: {review: {scope: single_use, triggerTools: [{tool: Bash, commandPattern: 'git commit'}]}}\n",
  );
  assert.match((await project.act("git commit -q --allow-empty -m a"))!, /review/);
  project.git("checkout", "-q", "--detach");
  await project.req("satisfy", "review", "--session", SESSION);
  assert.equal(await project.act("git commit -q --allow-empty -m a"), null);
  assert.match((await project.act("git commit -q --allow-empty -m b"))!, /review/);
});

/** A project as git keeps it in a reftable, with a `git` that answers about it as `says` does. */
function reftable(project: RequiredProject): (says: string) => void {
  const gitDir = join(project.path, ".git");
  project.write(".git/reftable/tables.list", "1\n");
  project.write(".git/HEAD", "ref: refs/heads/.invalid\n");
  Deno.removeSync(join(gitDir, "refs/heads"), { recursive: true });
  project.write(".git/refs/heads", "this repository uses the reftable format\n");
  const bin = join(project.home.path, "bin");
  Deno.mkdirSync(bin);
  project.environment = { PATH: `${bin}:${Deno.env.get("PATH")}` };
  // The installed git may be too old for reftables: this one answers in its place, as a newer one would.
  return (says) =>
    Deno.writeTextFileSync(join(bin, "git"), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
}

it.unix("in a repository with reftables git is asked for the branch", async () => {
  using project = new RequiredProject("requirements: {guarded: {type: guard}}\n", "main");
  const git = reftable(project);
  git('case "$*" in *symbolic-ref*) echo refs/heads/main;; *) exit 1;; esac');
  assert.match(await project.start(), /guarded/);
  assert.match((await project.edit())!, /main is protected/);
  git('case "$*" in *symbolic-ref*) echo refs/heads/feature/y;; *) exit 1;; esac');
  assert.equal(await project.edit(), null);
});

test.unix("where git cannot tell the branch it is said, and a strict policy denies", async (project) => {
  reftable(project)("exit 128");
  const { systemMessage } = (await project.send("SessionStart", { source: "startup" }))!;
  assert.match(String(systemMessage), /git does not tell which branch .* do not count/);
  assert.equal(await project.edit(), null);
  const { requirements } = lastMetadata(project.home);
  assert.match(String(requirements), /git does not tell/);
  const doctor = await project.run("doctor");
  assert.match(doctor.stdout, /git does not tell which branch/);
  project.configure(`preToolUse: {strict: true}\n${PLAN}`);
  const told = (await project.send("SessionStart", { source: "startup" }))!;
  assert.match(String(told["systemMessage"]), /every tool use that a requirement is about is den/);
  assert.match((await project.edit())!, /"commit_plan" counts here cannot be known/);
  assert.match((await project.bash("rm src/a.ts"))!, /cannot be known/);
  assert.equal(await project.bash("ls src"), null);
  const explained = await project.run("explain", "Edit", "src/a.ts");
  assert.deepEqual([explained.code, /forbids/.test(explained.stdout)], [1, true]);
  await project.req("pause", "--session", SESSION);
  assert.equal(await project.edit(), null);
});
