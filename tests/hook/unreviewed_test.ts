/** Commits with real git, made in many ways: each uses a review up, or is told as one that came without it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { OTHER_SESSION, RequiredProject, SESSION } from "../support/required_project.ts";
import { gitSync } from "../support/git.ts";
import { query, type Row } from "../support/look.ts";
import { testWith } from "../support/fixtures.ts";
import { pause } from "../support/wait.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const REVIEW = `requirements:
  rev: {scope: single_use, triggerTools: [{tool: Bash, commandPattern: 'git\\s+commit(\\s|$)'}]}
`;
/** Commits by words that no rule knows. */
const HIDDEN = "sh ./c.sh";

/** A project in which a script commits, with a branch `side` that has gone on by itself. */
function scripted(config = REVIEW): RequiredProject {
  return new RequiredProject(config, "feature/x", (folder) => {
    const git = (...args: string[]) => gitSync(folder, ...args);
    Deno.writeTextFileSync(join(folder, ".gitignore"), ".conclaude.yaml\nc.sh\n");
    const script = 'date +%N >> "${1:-a.txt}"; git add -A; git commit -qm "${2:-x}"\n';
    Deno.writeTextFileSync(join(folder, "c.sh"), script);
    git("add", ".gitignore");
    git("commit", "-q", "-m", "ignore");
    git("checkout", "-qb", "side");
    Deno.writeTextFileSync(join(folder, "side.txt"), "1\n");
    git("add", "-A");
    git("commit", "-q", "-m", "side");
    git("checkout", "-q", "feature/x");
  });
}

const test = testWith(scripted);

function satisfy(project: RequiredProject, ...more: string[]): Promise<string> {
  return project.req("satisfy", "rev", "--session", SESSION, ...more);
}

/** Runs a command as Claude does, and what Claude is told after it. */
async function told(project: RequiredProject, command: string, more: Row = {}): Promise<string> {
  const id = { tool_use_id: crypto.randomUUID(), ...more };
  assert.equal(await project.bash(command, id), null, command);
  const succeeded = project.shell(command);
  const fields = { tool_name: "Bash", tool_input: { command }, ...id };
  const answer = succeeded
    ? await project.used("Bash", { command }, id)
    : await project.send("PostToolUseFailure", { error: "Exit code 1", ...fields });
  return answer?.["decision"] === "block" ? String(answer["reason"]) : "";
}

/** Whether a hook after a command holds Claude. */
async function isHeld(project: RequiredProject, command: string, more: Row): Promise<boolean> {
  return (await project.used("Bash", { command }, more))?.["decision"] === "block";
}

function violations(project: RequiredProject): Row[] {
  return query(project.home, "SELECT * FROM violations");
}

/** Ways to commit, each with what has to be done before. */
const WAYS: Readonly<Record<string, string>> = CASES.waysToCommit;

for (const [way, command] of Object.entries(WAYS)) {
  test(`a commit ${way} uses a review up, and is told where there is none`, async (project) => {
    project.write(
      "jj",
      'date >> j.txt; git add -A; GIT_REFLOG_ACTION=jj git commit -qm "from jj"\n',
    );
    await satisfy(project);
    assert.equal(await told(project, command), "", command);
    assert.deepEqual(project.state("rev"), [], command);
    assert.equal(project.shell("git checkout -q feature/x"), true);
    assert.match(await told(project, command), /[\da-f]{8} on feature\/x \(requirements\.rev\)/);
    assert.equal(violations(project).length, 1);
  });
}

/** Commits that no branch had when they were made, and how a branch gets each. */
const LATER: Readonly<Record<string, string>> = {
  "date >> a.txt; git add -A; git stash -q": "git merge -q stash@{0}",
  "sh ./dangling.sh": "git merge -q $(cat .git/dangling)",
};

for (const [made, brought] of Object.entries(LATER)) {
  test(`a commit of an earlier command counts once a branch has it: ${brought}`, async (project) => {
    const commit = "git commit-tree $(git write-tree) -p HEAD -m x > .git/dangling";
    project.write("dangling.sh", `date >> b.txt; git add -A; ${commit}; git reset -q --hard\n`);
    assert.equal(await told(project, made), "");
    // Git keeps whole seconds.
    await pause(1_100);
    assert.match(await told(project, brought), /[\da-f]{8} on feature\/x \(requirements\.rev\)/);
  });
}

test("a reviewed commit that is undone and brought back needs no second review", async (project) => {
  await satisfy(project);
  assert.equal(await told(project, HIDDEN), "");
  assert.equal(await told(project, "git reset -q --hard HEAD~1"), "");
  await pause(1_100);
  assert.equal(await told(project, "git reset -q --hard HEAD@{1}"), "");
  assert.deepEqual(violations(project), []);
});

test("a commit without its review holds the stop and the push until a review, which it uses up", async (project) => {
  const reason = await told(project, HIDDEN);
  assert.match(reason, /^Changed meanwhile, by whom is unknown/);
  assert.match(reason, /undo: `git reset --soft [\da-f]{40}~1`/);
  assert.match(reason, /`conclaude req explain rev`/);
  for (const push of ["git push", "git -C . push origin HEAD", "git add -A && git push -q"]) {
    assert.match((await project.bash(push))!, /^Blocked: commits came to be without/, push);
  }
  assert.equal(await project.bash("git stash push"), null);
  const explained = await project.run("explain", "Bash", "git push", "--session", SESSION);
  assert.match(explained.stdout, /^Denied.*\nrequirements\.rev +forbids +Blocked: commits/);
  assert.match((await project.stop())!, /on feature\/x \(requirements\.rev\)/);
  const tellings = "SELECT 1 FROM hook_executions WHERE metadata ->> '$.violated' IS NOT NULL";
  assert.equal(query(project.home, tellings).length, 1);
  const open = async () => JSON.parse((await project.run("status", "--json")).stdout).violations;
  assert.equal(await open(), 1);
  await satisfy(project);
  assert.equal(await open(), 0);
  assert.equal(await project.bash("git push"), null);
  assert.equal(await project.stop(), null);
  assert.deepEqual(project.state("rev").filter((row) => row["satisfied_at_ms"] !== null), []);
});

test("a commit that only a detached HEAD has holds the stop as well", async (project) => {
  assert.match(await told(project, "git checkout -q --detach && sh ./c.sh"), /requirements\.rev/);
  assert.match((await project.stop())!, /requirements\.rev/);
  assert.equal(await told(project, "git checkout -q feature/x"), "");
  assert.equal(await project.stop(), null);
});

test("one review answers for all commits before it", async (project) => {
  for (let commit = 0; commit < 3; commit++) await told(project, HIDDEN);
  await satisfy(project);
  assert.equal(await project.stop(), null);
  assert.match(await told(project, HIDDEN), /requirements\.rev/);
});

test("a commit that is undone holds nothing, and holds again when it comes back", async (project) => {
  const [, undo] = /undo: `([^`]+)`/.exec(await told(project, HIDDEN))!;
  assert.equal(await told(project, undo!), "");
  assert.equal(await project.stop(), null);
  assert.equal(await project.bash("git push"), null);
  assert.match(await told(project, "git reset -q --soft HEAD@{1}"), /requirements\.rev/);
  assert.match((await project.stop())!, /requirements\.rev/);
});

test("a commit that is undone by the same command violates nothing, and does when it comes back", async (project) => {
  assert.equal(await told(project, `${HIDDEN}; git reset -q --soft HEAD~1`), "");
  assert.equal(await project.stop(), null);
  assert.match(await told(project, "git reset -q --soft HEAD@{1}"), /requirements\.rev/);
});

test("a copy of a commit without review is one without review, too", async (project) => {
  await told(project, HIDDEN);
  const copied = "git checkout -q side && git cherry-pick feature/x";
  assert.match(await told(project, copied), /on side \(requirements\.rev\)/);
});

test("a commit that is pushed by the same command is told as well", async (project) => {
  assert.equal(
    project.shell("git init -q --bare ../o.git && git remote add origin ../o.git"),
    true,
  );
  project.write("p.sh", "sh ./c.sh && git push -q origin HEAD:x\n");
  assert.match(await told(project, "sh ./p.sh"), /requirements\.rev/);
});

test("rebase, cherry-pick, merge, fetch and pull of what is known use nothing up and violate nothing", async (project) => {
  project.shell("git init -q --bare ../o.git && git remote add origin ../o.git");
  project.shell("git clone -q ../o.git ../clone");
  project.shell("git push -q origin side && git fetch -q");
  project.shell("sh ./c.sh mine.txt mine; sh ./c.sh more.txt more");
  for (const isReviewed of [false, true]) {
    if (isReviewed) await satisfy(project);
    for (const command of CASES.movesOfTheKnown) {
      assert.equal(await told(project, command), "", command);
      assert.equal(project.state("rev").length, isReviewed ? 1 : 0, command);
    }
    project.shell("git checkout -q -B feature/x side && git branch -qD other; git tag -d v1");
    project.shell("sh ./c.sh mine2.txt mine; sh ./c.sh more2.txt more");
  }
  assert.deepEqual(violations(project), []);
});

test("a merge that had to be settled, an amended and a reverted commit bring something new", async (project) => {
  project.shell("sh ./c.sh side.txt mine");
  assert.match(await told(project, "git revert --no-edit HEAD"), /requirements\.rev/);
  await satisfy(project);
  assert.equal(await project.stop(), null);
  project.shell("sh ./c.sh side.txt mine");
  const merge =
    "git merge -q side || { echo both > side.txt; git add -A; git -c core.editor=true merge --continue; }";
  assert.match(await told(project, merge), /requirements\.rev/);
  await satisfy(project);
  assert.equal(await project.stop(), null);
  project.write("am.sh", "date >> a.txt; git add -A; git commit -q --amend --no-edit\n");
  assert.match(await told(project, "sh ./am.sh"), /requirements\.rev/);
});

test("a commit in the background is found before the next command and when Claude stops", async (project) => {
  for (const finds of ["stop", "next"]) {
    const id = { tool_use_id: crypto.randomUUID() };
    assert.equal(await project.bash(HIDDEN, id), null);
    await project.used("Bash", { command: HIDDEN }, {
      ...id,
      tool_response: { backgroundTaskId: "b" },
    });
    project.shell(`sh ./c.sh ${finds}.txt`);
    if (finds === "stop") assert.match((await project.stop())!, /requirements\.rev/);
    else assert.match((await project.bash("git push"))!, /requirements\.rev/);
    await satisfy(project);
    assert.equal(await project.stop(), null);
  }
});

for (const command of ["sh ./c.sh &", "(nohup sh ./c.sh > l &)", "at now <<< 'sh ./c.sh'"]) {
  test(`a commit by what \`${command}\` has left running is found beside the next command`, async (project) => {
    for (const one of [command, "sleep 9"]) {
      const id = { tool_use_id: crypto.randomUUID() };
      assert.equal(await project.bash(one, id), null);
      if (one !== command) project.shell("sh ./c.sh");
      const answer = await project.used("Bash", { command: one }, id);
      assert.equal(answer?.["decision"], one === command ? undefined : "block");
    }
    assert.match((await project.stop())!, /requirements\.rev/);
  });
}

test("a commit in another working tree counts on its branch", async (project) => {
  const tree = join(project.home.path, "tree");
  project.git("worktree", "add", "-q", "-b", "feature/n", tree);
  const command = `cd ${tree} && sh ${project.path}/c.sh`;
  assert.match(await told(project, command), /on feature\/n \(requirements\.rev\)/);
  assert.equal(await project.stop() === null, false);
  await satisfy(project);
  assert.equal(await project.stop() === null, false);
  await satisfy(project, "--branch", "feature/n");
  assert.equal(await project.stop(), null);
  assert.deepEqual(project.state("rev").map(({ branch }) => branch), ["feature/x"]);
  await satisfy(project, "--branch", "feature/n");
  assert.equal(await told(project, command), "");
  assert.deepEqual(project.state("rev").map(({ branch }) => branch), ["feature/x"]);
});

test("what a person commits between commands or beside one that only looks, and what another session does, is not Claude's", async (project) => {
  assert.equal(await told(project, "ls"), "");
  project.shell("sh ./c.sh by-hand.txt");
  assert.equal(await told(project, "ls"), "");
  const during = { tool_use_id: crypto.randomUUID() };
  assert.equal(await project.bash("sleep 1 | cat", during), null);
  project.shell("sh ./c.sh meanwhile.txt");
  assert.equal(await isHeld(project, "sleep 1 | cat", during), false);
  assert.equal(await project.stop(), null);
  const tree = join(project.home.path, "tree");
  project.git("worktree", "add", "-q", "-b", "theirs", tree);
  Deno.copyFileSync(join(project.path, ".conclaude.yaml"), join(tree, ".conclaude.yaml"));
  project.configure(REVIEW);
  const id = { tool_use_id: crypto.randomUUID() };
  assert.equal(await project.bash("sleep 1", id), null);
  const theirs = { session_id: OTHER_SESSION, cwd: tree, tool_use_id: crypto.randomUUID() };
  assert.equal(await project.bash(HIDDEN, theirs), null);
  project.shell(`cd ${tree} && sh ${project.path}/c.sh`);
  assert.equal(await isHeld(project, "sleep 1", id), false);
  assert.deepEqual(violations(project), []);
  assert.equal(await isHeld(project, HIDDEN, theirs), true);
});

test("a commit that another session's command makes meanwhile is asked about there alone", async (project) => {
  const theirs = { tool_use_id: crypto.randomUUID(), session_id: OTHER_SESSION };
  await satisfy(project);
  assert.equal(await project.bash("npm test", theirs), null);
  assert.equal(await told(project, "git commit -q --allow-empty -m reviewed"), "");
  assert.equal(await isHeld(project, "npm test", theirs), false);
  assert.deepEqual(violations(project), []);
});

Deno.test("a satisfaction that has expired before the command allows nothing", async () => {
  using project = scripted(REVIEW.replace("single_use", "session"));
  assert.equal(await told(project, "ls"), "");
  await satisfy(project, "--ttl", "60");
  assert.equal(await told(project, HIDDEN), "");
  project.age(61);
  assert.match(await told(project, HIDDEN), /requirements\.rev/);
});

Deno.test("a satisfaction of a session or a branch is not used up, and lets every commit be", async () => {
  for (const scope of ["session", "branch"]) {
    using project = scripted(REVIEW.replace("single_use", scope));
    assert.match(await told(project, HIDDEN), /requirements\.rev/);
    await satisfy(project);
    assert.equal(await project.stop(), null);
    assert.equal(await told(project, HIDDEN), "");
    assert.equal(await told(project, HIDDEN), "");
    assert.equal(project.state("rev").length, 1);
  }
});

test("while a person has paused requirements no commit is told, and a person's word accepts one", async (project) => {
  await project.req("pause", "--session", SESSION);
  assert.equal(await told(project, HIDDEN), "");
  await project.req("resume", "--session", SESSION);
  assert.match(await told(project, HIDDEN), /requirements\.rev/);
  const { code, stdout } = await project.run("config", "accept");
  assert.equal(code, 0);
  assert.match(stdout, /on feature\/x/);
  assert.equal(await project.stop(), null);
});
