/** What was left open on a branch that is gone is open where it was merged, and over where it was given up. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { git } from "../../support/git.ts";
import { runProgram } from "../../support/program.ts";
import {
  asked,
  edit,
  failed,
  ran,
  said,
  type Sender,
  start,
  type Workplace,
  workplace,
} from "../../support/told_sessions.ts";
import { pause } from "../../support/wait.ts";

const THIRD = { session: "c0de0000-0000-4000-8000-000000000003" };
const RED = "Exit code 1\nFAIL src/quote.test.js\n  ● escapes quotes\n\n" +
  "Tests:       1 failed, 4 passed, 5 total";
const GREEN = "PASS src/quote.test.js\n\nTests:       5 passed, 5 total";
const LEFT =
  /- #\d+ just now: Tests fail: npm test .*escapes quotes\n- .*said: Still to do: a bar\.$/m;

/** Git in the project; `sh` so that a row is read as it would be typed. */
async function typed(folder: string, script: string): Promise<void> {
  const who = ["AUTHOR", "COMMITTER"].map((one) => `GIT_${one}_NAME=a GIT_${one}_EMAIL=a@b`);
  const { success, stderr } = await new Deno.Command("sh", {
    args: ["-ec", `export ${who.join(" ")}; ${script}`],
    cwd: folder,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

async function begun(): Promise<Workplace> {
  const at = await workplace();
  await typed(at.project, "echo 1 > a; git add a; git commit -qm begun");
  return at;
}

/** Tests fail, and something is said to be left. */
async function leave(at: Workplace, sender?: Sender) {
  await asked(at, "Build the export", sender);
  await edit(at, "src/export.js", "1\n", sender);
  await failed(at, "npm test", RED, sender);
  await said(at, "It exports. Still to do: a bar.", sender);
}

const COMMIT = "echo 2 > b; git add b; git commit -qm export";
const TWO = `${COMMIT}; echo 4 > b; echo 4 > d; git add .; git commit -qm more`;
const ON_SERVER = `git clone -q --bare . ../o.git; git remote add origin ../o.git;
  git clone -q ../o.git ../other; (cd ../other; git merge -q --no-ff -m PR origin/export; git push -q origin main);
  git pull -q --no-rebase origin main;`;
const DELETE = "git branch -q -D export";

type Row = readonly [what: string, commit: string, person: string, on: string | null];

const ROWS: readonly Row[] = [
  ["merged", COMMIT, `git merge -q export; ${DELETE}`, "main"],
  [
    "merged beside other work",
    COMMIT,
    `echo 3 > c; git add c; git commit -qm c;
    git merge -q -m m export; ${DELETE}`,
    "main",
  ],
  [
    "put on top of other work and merged",
    COMMIT,
    `echo 3 > c; git add c; git commit -qm c;
    git switch -q export; git rebase -q main; git switch -q main; git merge -q export; ${DELETE}`,
    "main",
  ],
  ["merged on the server", COMMIT, `${ON_SERVER} ${DELETE}`, "main"],
  [
    "merged, and another branch begun",
    COMMIT,
    `git merge -q export; ${DELETE}; git switch -qc next`,
    "main",
  ],
  ["what another branch is built upon", COMMIT, `git switch -qc next export; ${DELETE}`, "next"],
  ["given up", COMMIT, DELETE, null],
  [
    "given up, other work goes on",
    COMMIT,
    `${DELETE}; echo 3 > c; git add c; git commit -qm c`,
    null,
  ],
  ["squashed", TWO, `git merge -q --squash export; git commit -qm all; ${DELETE}`, "main"],
  [
    "squashed on the server, beside other work",
    TWO,
    `git clone -q --bare . ../o.git;
    git remote add origin ../o.git; git clone -q ../o.git ../other; (cd ../other; echo 3 > c; git add c;
    git commit -qm c; git merge -q --squash origin/export; git commit -qm "Export (#3)"; git push -q origin main);
    git pull -q origin main; ${DELETE}`,
    "main",
  ],
  [
    "picked on top of other work",
    TWO,
    `echo 3 > c; git add c; git commit -qm c; git cherry-pick main..export;
    ${DELETE}`,
    "main",
  ],
  ["picked in part", TWO, `git cherry-pick export~; ${DELETE}`, null],
  ["without a commit", "", `git merge -q export; ${DELETE}`, null],
];

for (const [what, commit, person, on] of ROWS) {
  Deno.test(`what was left on a branch that is gone: ${what}`, async () => {
    using at = await begun();
    await typed(at.project, "git switch -qc export");
    await leave(at);
    await typed(at.project, `${commit || "true"}; git switch -q main; ${person}`);
    const branch = (await git(at.project, "branch", "--show-current")).trim();
    for (const _ of ["at once", "the next time"]) {
      const told = await start(at);
      if (on === null) assert.doesNotMatch(told, /Left open|\d open/);
      else if (on === branch) {
        assert.match(told, new RegExp(`Left open on ${on}:\n${LEFT.source}`, "m"));
      } else assert.match(told, new RegExp(`just now on ${on}: Tests fail: npm test`));
    }
    const { stdout } = await runProgram(["memory", "stats"], {
      env: { HOME: at.path },
      cwd: at.project,
    });
    assert.equal(/open failures +(\d+)/.exec(stdout)?.[1], on === null ? "0" : "1");
  });
}

Deno.test("what was left on a branch that was merged is mended where it was", async () => {
  using at = await begun();
  await typed(at.project, "git switch -qc export");
  await leave(at);
  await typed(at.project, `${COMMIT}; git switch -q main; git merge -q export; ${DELETE}`);
  assert.match(await start(at), LEFT);
  await ran(at, "npm test", GREEN, THIRD);
  await said(at, "Green.", THIRD);
  assert.doesNotMatch(await start(at), /Tests fail/);
});

Deno.test("a commit of a branch that was merged is told, whatever the branch was called before", async () => {
  for (const renamed of [false, true]) {
    using at = await begun();
    await typed(at.project, "git switch -qc export");
    await asked(at, "Build the export");
    await edit(at, "b", "2\n");
    await typed(at.project, COMMIT);
    const made = await git(at.project, "rev-parse", "--short", "HEAD");
    await ran(at, "git commit -qm export && git rev-parse HEAD", made);
    await said(at, "It exports. Still to do: a bar.");
    if (renamed) {
      await typed(at.project, "git branch -m new");
      await start(at);
    }
    const gone = renamed ? "new" : "export";
    await typed(at.project, `git switch -q main; git merge -q ${gone}; git branch -q -d ${gone}`);
    for (const _ of ["at once", "the next time"]) {
      const told = await start(at);
      assert.match(told, /Left open on main:\n- .*said: Still to do: a bar\./);
      assert.match(told, new RegExp(`Known:\n- .* on ${gone}, commit: `));
    }
  }
});

Deno.test("a commit of a branch that was given up is told as such, until it is there again", async () => {
  for (const left of ["", " Still to do: a bar."]) {
    using at = await begun();
    await typed(at.project, "git switch -qc export");
    await asked(at, "Build the export");
    await edit(at, "b", "2\n");
    await typed(at.project, COMMIT);
    const made = (await git(at.project, "rev-parse", "HEAD")).trim();
    await ran(at, "git commit -qm export && git rev-parse HEAD", `${made}\n`);
    await said(at, `It exports.${left}`);
    await typed(at.project, `git switch -q main; ${DELETE}`);
    for (const _ of ["at once", "the next time"]) {
      assert.match(
        await start(at),
        /on export, commit: Commit .* \(its branch was deleted unmerged\)$/m,
      );
    }
    await git(at.project, "branch", "export", made);
    assert.match(await start(at), /on export, commit: Commit (?!.*unmerged)/);
  }
});

Deno.test("a branch that is made under the name of one that was given up has nothing of it open", async () => {
  using at = await begun();
  await typed(at.project, "git switch -qc export");
  await leave(at);
  await typed(at.project, `${COMMIT}; git switch -q main; ${DELETE}`);
  await start(at);
  // Git's logs tell seconds.
  await pause(1_100);
  await typed(at.project, "git switch -qc export");
  const told = await start(at);
  assert.doesNotMatch(told, /Left open|\d open/);
  assert.match(told, /on export \(deleted\): Build the export/);
  await asked(at, "Build it", THIRD);
  await edit(at, "src/other.js", "1\n", THIRD);
  await said(at, "Built. Still to do: a foo.", THIRD);
  assert.match(await start(at), /Left open on export:\n- .*said: Still to do: a foo\./);
});

Deno.test("what passes after the merge is mended, though nobody was told of it between", async () => {
  using at = await begun();
  await typed(at.project, "git switch -qc export");
  await leave(at);
  await typed(at.project, `${COMMIT}; git switch -q main; git merge -q export; ${DELETE}`);
  await ran(at, "npm test", GREEN);
  await said(at, "Green. Still to do: a bar.");
  assert.doesNotMatch(await start(at), /Tests fail/);
});

Deno.test("what a branch without a working tree left is known by its commits", async () => {
  using at = await begun();
  await git(at.project, "worktree", "add", "-q", "-b", "export", "../export");
  const there = { project: join(at.path, "export") };
  await typed(there.project, COMMIT);
  await ran(
    at,
    "git commit -qm export && git rev-parse HEAD",
    await git(there.project, "rev-parse", "HEAD"),
    there,
  );
  await leave(at, there);
  await typed(at.project, `git merge -q export; git worktree remove ../export; ${DELETE}`);
  assert.match(await start(at), LEFT);
});

Deno.test("a fix on a branch that others merged and deleted mends what fails where it was merged", async () => {
  for (const redThere of [true, false]) {
    using at = await begun();
    await asked(at, "How are the tests?");
    await failed(at, "npm test", RED);
    await said(at, "One fails.");
    await typed(at.project, "git switch -qc export");
    await asked(at, "Fix it", THIRD);
    if (redThere) await failed(at, "npm test", RED, THIRD);
    await edit(at, "src/quote.js", "1\n", THIRD);
    await ran(at, "npm test", GREEN, THIRD);
    await said(at, "Fixed.", THIRD);
    await typed(at.project, `${COMMIT}; git switch -q main`);
    assert.match(await start(at), /Left open on main:\n- .*escapes quotes/);
    await typed(at.project, `git merge -q export; ${DELETE}`);
    const told = await start(at);
    assert.doesNotMatch(told, /Left open|\d open/);
    assert.match(told, /just now, fix: Fixed "escapes quotes" by src\/quote\.js/);
  }
});

Deno.test("git is asked once about a branch that was given up", async () => {
  using at = await begun();
  await typed(at.project, "git switch -qc export");
  await leave(at);
  await typed(at.project, `${COMMIT}; git switch -q main; ${DELETE}`);
  await start(at);
  const db = new DatabaseSync(at.database, { readOnly: true });
  const kept = db.prepare("SELECT key, value FROM meta WHERE key LIKE 'given_up:%'").all();
  db.close();
  assert.equal(kept.length, 1);
  assert.match(String(kept[0]!["value"]), /^[\da-f]{40}$/);
  // It is there again, and what was left on it with it.
  await git(at.project, "branch", "export", String(kept[0]!["value"]));
  assert.match(await start(at), /on export: Tests fail/);
});
