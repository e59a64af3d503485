/** Which commands have made a commit of this project, how many, and what is known of each. */
import assert from "node:assert/strict";
import type { Observed } from "../../../src/memory/observe/observation.ts";
import { observe } from "../../../src/memory/observe/observe.ts";
import { committedFiles } from "../../../src/memory/observe/observe_commit.ts";
import { summarizeSession } from "../../../src/memory/drain/summaries.ts";
import type { SummarizedPart } from "../../../src/memory/tell/session_story.ts";
import { failed, ran, ROOT } from "../../support/commands_observed.ts";
import { drainAt, saveUse, tempDatabase } from "../../support/records.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };
import { rowsOf } from "../../support/fixtures.ts";

const REFUSED =
  "[main abc1234] Say less\n 1 file changed, 2 insertions(+)\nTo ../far.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to '../far.git'";
const PRINTED = "[main 7777777] Q work\n 1 file changed";

/** The titles of the commits that a command has made. */
function commits(told: Observed): string[] {
  const titles = told.kind === "commit" ? [told.title] : [];
  return told.besides === undefined ? titles : [...titles, ...commits(told.besides)];
}

Deno.test("a commit is known by its number and subject, or else by the message in its command", () => {
  const rows = rowsOf<readonly [command: string, output: string, titles: readonly string[]]>(
    Object.values(CASES.commits).flat(),
  );
  for (const [command, output, titles] of rows) {
    assert.deepEqual(commits(ran(command, output)), titles, command);
  }
  const { commit } = ran("git commit -m x", "[main 1a2b3c4] Login").facts;
  assert.deepEqual(commit, { hash: "1a2b3c4", subject: "Login" });
  assert.deepEqual(ran("git commit -qm Login", "").facts.commit, { hash: null, subject: "Login" });
});

Deno.test("a command is no commit where neither its output nor its status shows one", () => {
  const none = rowsOf<readonly [command: string, output?: string]>(CASES.noCommits);
  for (const [command, output = ""] of none) {
    assert.equal(ran(command, output).kind, "command", command);
  }
  assert.equal(failed("git commit -qam x", "nothing to commit").kind, "failure");
});

Deno.test("a commit whose push was refused is a commit, and the command a failure", () => {
  const command = 'git commit -m "Say less" && git push';
  const told = failed(command, REFUSED);
  assert.equal(told.kind, "failure");
  assert.match(told.title, /failed .*: .*(?:rejected|failed to push)/);
  const { besides } = told;
  assert.deepEqual(
    [besides?.kind, besides?.outcome, besides?.title, besides?.facts.commit, besides?.passes],
    [
      "commit",
      "success",
      "Commit abc1234 on main: Say less",
      { hash: "abc1234", subject: "Say less" },
      undefined,
    ],
  );
  const merged = failed("git merge side && npm test", "[main abc1234] m\nboom");
  assert.deepEqual([merged.kind, merged.besides?.title], ["test", "Commit abc1234 on main: m"]);
  const none: readonly (readonly [string, string])[] = [
    [command, "error: pathspec 'x' did not match any file(s) known to git"],
    ["git commit -m x", "check.sh: [main abc1234] x\n[main abc1234] x\nthe check failed"],
    ["git add . && git commit -m x", "[main abc1234] x\nthe check failed"],
    ["npm run check -- commit && npm test", "[main abc1234] x\nboom"],
    ["git commit -qm x && git push", "error: failed to push some refs to 'far'"],
  ];
  for (const [line, output] of none) assert.equal(failed(line, output).besides, undefined, line);
});

Deno.test("the drain keeps each commit of a chain, and a commit beside the failure after it", async () => {
  const rows = rowsOf<readonly [payload: object, kept: readonly string[]]>(CASES.chainsOfCommits);
  for (const [payload, kept] of rows) {
    using temp = await tempDatabase();
    saveUse(temp.db, "Bash", payload, { atMs: 1_000 });
    assert.equal(drainAt(temp.db, 10_000).worked, 1);
    const found = temp.db.prepare(
      "SELECT kind, outcome FROM observations WHERE kind IN ('commit', 'failure') ORDER BY kind",
    ).all().map(({ kind, outcome }) => `${kind} ${outcome}`);
    assert.deepEqual(found, kept);
  }
});

function ranIn(command: string, stdout: string, cwd: string): Observed {
  const payload = { tool_input: { command }, tool_response: { stdout, stderr: "" }, cwd };
  return observe({ toolName: "Bash", outcome: "success", payload, root: ROOT })!;
}

Deno.test("a commit in another folder is no commit of this project", () => {
  const outside = rowsOf<readonly [command: string, output: string, cwd: string]>(
    CASES.commitsElsewhere,
  );
  for (const [command, output, cwd] of outside) {
    const told = ranIn(command, output, cwd);
    assert.deepEqual([told.kind, commits(told)], ["command", []], command);
  }
});

Deno.test("a commit is the project's wherever in it the shell is", () => {
  const inside = rowsOf<readonly [command: string, cwd: string]>(CASES.commitsInside);
  for (const [command, cwd] of inside) {
    const told = commits(ranIn(command, PRINTED, cwd));
    assert.deepEqual(told, ["Commit 7777777 on main: Q work"], command);
  }
});

Deno.test("an amended commit says so, and is not counted as another one", () => {
  const rows = rowsOf<readonly [command: string, output: string, title: string]>(CASES.amended);
  for (const [command, output, title] of rows) {
    const told = ran(command, output);
    assert.deepEqual([told.title, told.facts.commit?.amended], [title, true]);
  }
  const first = ran("git commit -m Typpo", "[main 1111111] Typpo");
  assert.equal(first.facts.commit?.amended, undefined);
  const last = rows.length;
  const parts = [first, ...rows.map(([command, output]) => ran(command, output))]
    .map((told, id): SummarizedPart => ({
      ...told,
      id,
      branch: "main",
      repeats: 1,
      files: [],
      // As a drain leaves them: each took the place of the one before it.
      resolvedBy: id < last ? id + 1 : null,
      updatedAtMs: id,
    }));
  assert.match(summarizeSession(parts)?.title ?? "", /\(1 commit\)$/);
});

Deno.test("a commit has the files that git names as new, deleted, renamed or rewritten", () => {
  const output = "[main 1a2b3c4] Move it\n 4 files changed, 3 insertions(+)\n" +
    " create mode 100644 src/new.ts\n delete mode 100755 bin/old\n" +
    " rename src/{a.ts => b.ts} (90%)\n rename x.md => docs/x.md (100%)\n rewrite big.json (71%)\n" +
    ' create mode 100644 "\\303\\244.txt"\n create mode 100644 a => b (50%)';
  const paths = ["src/new.ts", "bin/old", "src/a.ts", "src/b.ts", "x.md", "docs/x.md", "big.json"];
  const { files } = ran("git commit -am 'Move it'", output);
  assert.deepEqual(files.map(({ path }) => path), [...paths, "ä.txt", "a => b (50%)"]);
  assert.deepEqual(committedFiles("rename {a => b}/c.ts"), []);
  assert.deepEqual(committedFiles(" rename {a => b}/c.ts (99%)"), ["a/c.ts", "b/c.ts"]);
  assert.deepEqual(ran("git commit -qm x", "").files, []);
  // Of two commits in one command nobody knows whose the files are.
  const two = "[main 1a2b3c4] a\n create mode 100644 a\n[main 2b3c4d5] b\n create mode 100644 b";
  const told = ran("git commit -m a a && git commit -m b b", two);
  assert.deepEqual([told.files, told.besides?.files], [[], []]);
});
