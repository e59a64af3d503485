/** What passes at another state of the files than the one that is worked on mends nothing, through the real hooks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../support/git.ts";
import { query } from "../support/look.ts";
import { runProgram } from "../support/program.ts";
import { failed, ran, said, start, type Workplace, workplace } from "../support/told_sessions.ts";

const TYPES = "Exit code 2\nsrc/a.ts(1,1): error TS2304: No name foo.";

/** A repository with two commits on `main`. */
async function withHistory(): Promise<Workplace> {
  const at = await workplace();
  await Deno.writeTextFile(join(at.project, "a.ts"), "1\n");
  await git(at.project, "add", "-A");
  for (const subject of ["one", "two"]) {
    await git(
      at.project,
      ...["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty"],
      ...["-m", subject],
    );
  }
  return at;
}

/** Each command with its branch, and whether it is a failure that nothing has mended. */
function told(at: Workplace) {
  return query(
    at,
    `SELECT json_extract(facts, '$.command') AS command, branch,
            outcome = 'failure' AND resolved_by IS NULL AS isOpen
       FROM observations
      WHERE kind IN ('failure', 'command', 'test')
      ORDER BY id`,
  ).map(({ command, branch, isOpen }) => [command, branch, isOpen]);
}

Deno.test("what passes where HEAD is on no branch has none, and mends nothing of one, wherever the session went since", async () => {
  using at = await withHistory();
  await failed(at, "npm run build", TYPES);
  await git(at.project, "checkout", "-q", "HEAD~1");
  await ran(at, "npm run build", "ok");
  await failed(at, "npm run lint", "Exit code 1\nerror: unused variable");
  await git(at.project, "checkout", "-q", "main");
  await ran(at, "npm run lint", "ok");
  await said(at, "It was right one commit before.");
  assert.deepEqual(told(at), [
    ["npm run build", "main", 1],
    ["npm run build", null, 0],
    ["npm run lint", null, 1],
    ["npm run lint", "main", 0],
  ]);
});

Deno.test("a rebase that stopped, on no branch, is over when it was continued to its end, back on the branch", async () => {
  using at = await withHistory();
  const stopped =
    "Exit code 1\nCONFLICT (content): Merge conflict in a.ts\nerror: could not apply 1a";
  await git(at.project, "checkout", "-q", "--detach");
  await failed(at, "git rebase other", stopped);
  await git(at.project, "checkout", "-q", "main");
  await ran(at, "git add a.ts && git rebase --continue", "Successfully rebased");
  await said(at, "It is on top of other.");
  assert.deepEqual(told(at).map(([command, , isOpen]) => [command, isOpen]), [
    ["git rebase other", 0],
    ["git add a.ts && git rebase --continue", 0],
  ]);
});

Deno.test("outside of a repository, where nothing has a branch, what passes mends what failed", async () => {
  using at = await workplace();
  const project = join(at.path, "plain");
  await Deno.mkdir(project);
  await failed(at, "npm run build", TYPES, { project });
  await ran(at, "npm run build", "ok", { project });
  await said(at, "It builds.", { project });
  assert.deepEqual(told(at), [["npm run build", null, 0], ["npm run build", null, 0]]);
});

Deno.test("a merge that stopped is open as long as it is under way, whoever ends it", async () => {
  using at = await withHistory();
  const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
  const commit = [...who, "commit", "-qam"];
  await git(at.project, "checkout", "-q", "-b", "feat");
  await Deno.writeTextFile(join(at.project, "a.ts"), "2\n");
  await git(at.project, ...commit, "theirs");
  await git(at.project, "checkout", "-q", "main");
  await Deno.writeTextFile(join(at.project, "a.ts"), "3\n");
  await git(at.project, ...commit, "ours");
  await assert.rejects(git(at.project, ...who, "merge", "feat"));
  const stopped =
    "Exit code 1\nCONFLICT (content): Merge conflict in a.ts\nAutomatic merge failed; fix conflicts and then commit the result.";
  await failed(at, "git merge feat", stopped);
  await said(at, "There are conflicts.");
  const later = (n: number) =>
    start(at, "startup", { session: `c0de0000-0000-4000-8000-00000000000${n}` });
  assert.match(await later(2), /Under way in git:\n- a merge has stopped in/);
  await Deno.writeTextFile(join(at.project, "a.ts"), "4\n");
  await git(at.project, ...commit, "merged");
  assert.doesNotMatch(await later(3), /Under way|Left open/);
  const { stdout } = await runProgram(["memory", "stats", "--json"], {
    env: { HOME: at.path },
    cwd: at.project,
  });
  assert.equal(JSON.parse(stdout).openFailures, 0);
});
