/** The files that a patch from a file changes. */
import assert from "node:assert/strict";
import { readScript } from "../../src/policy/shell/script.ts";
import { findTargets } from "../../src/policy/shell/writes.ts";

const HUNK = "@@ -1 +1 @@\n-x\n+y\n";

/** The patches that lie in `/p`, by their names. */
const PATCHES: Readonly<Record<string, string>> = {
  "plain.diff": `--- a/sub/F\n+++ b/sub/F\n${HUNK}`,
  "git.diff": `diff --git a/sub/F b/sub/F\nindex 1..2 100644\n--- a/sub/F\n+++ b/sub/F\n${HUNK}`,
  "two.diff": `--- a/F\t2026-01-01\n+++ b/F\n${HUNK}--- a/G\n+++ b/G\n${HUNK}`,
  "new.diff": "--- /dev/null\n+++ b/F\n@@ -0,0 +1 @@\n+x\n",
  "gone.diff": "--- a/F\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
  "moved.diff": "diff --git a/F b/G\nsimilarity index 100%\nrename from sub/F\nrename to sub/G\n",
  "copied.diff": "diff --git a/F b/G\nsimilarity index 100%\ncopy from sub/F\ncopy to sub/G\n",
  "mode.diff": "diff --git a/sub/F b/sub/F\nold mode 100644\nnew mode 100755\n",
  "bytes.diff": "diff --git a/F b/F\nindex 1..2\nGIT binary patch\nliteral 1\nIcmZPo000\n",
  "quoted.diff": `--- "a/\\303\\251"\n+++ "b/\\303\\251"\n${HUNK}`,
  "other.diff": `--- a/F.orig\n+++ b/F\n${HUNK}`,
  "context.diff": "*** a/F\n--- b/F\n***************\n*** 1 ****\n! x\n--- 1 ----\n! y\n",
  "index.diff": `Index: F\n===\n--- F\n+++ F\n${HUNK}`,
  "lying.diff": `--- a/F\n+++ b/F\n@@ -1,1 +1,1 @@\n-x\n+y\n--- a/G\n+++ b/G\n${HUNK}`,
  "text.txt": "no patch\n",
};

function targets(command: string): string[] {
  const disk = {
    readText: (path: string) => PATCHES[path.replace("/p/", "")] ?? null,
    topOf: () => "/p",
  };
  return readScript(command, { folder: "/p", home: "/h", disk }).commands.flatMap(findTargets)
    .map(({ effect, path }) => `${effect} ${path?.replace("/p/", "") ?? "?"}`);
}

const TABLE: Readonly<Record<string, readonly string[]>> = {
  "git apply plain.diff": ["change sub/F"],
  "git apply ./plain.diff": ["change sub/F"],
  "git apply -p2 plain.diff": ["change F"],
  "git apply -p 0 plain.diff": ["change a/sub/F", "change b/sub/F"],
  "git apply -3 --whitespace fix plain.diff": ["change sub/F"],
  "git apply < plain.diff": ["change sub/F"],
  "git apply - < plain.diff": ["change sub/F"],
  "git apply -- plain.diff": ["change sub/F"],
  "git apply plain.diff new.diff": ["change sub/F", "change F"],
  "git apply --directory=x plain.diff": ["change x/sub/F"],
  "git apply --directory x plain.diff": ["change x/sub/F"],
  "git -C x apply ../plain.diff": ["change x/sub/F"],
  "git -C x apply ../git.diff": ["change sub/F"],
  "cd x && git apply ../git.diff": ["change sub/F"],
  "git-apply plain.diff": ["change sub/F"],
  "sudo git apply plain.diff": ["change sub/F"],
  "bash -c 'git apply plain.diff'": ["change sub/F"],
  "git am plain.diff": ["change sub/F"],
  "git am < git.diff": ["change sub/F"],
  "git am -3 git.diff two.diff": ["change sub/F", "change F", "change G"],
  "git apply two.diff": ["change F", "change G"],
  "git apply new.diff": ["change F"],
  "git apply gone.diff": ["remove F"],
  "git apply -R gone.diff": ["change F"],
  "git apply -R new.diff": ["remove F"],
  "git apply moved.diff": ["change sub/F", "change sub/G"],
  "git apply copied.diff": ["change sub/G"],
  "git apply other.diff": ["change F.orig", "change F"],
  "git apply lying.diff": ["change F", "change G"],
  "patch -p1 -i plain.diff": ["change sub/F"],
  "patch -p1 --input=plain.diff": ["change sub/F"],
  "patch -p1 < plain.diff": ["change sub/F"],
  "patch --strip=1 -s < plain.diff": ["change sub/F"],
  "patch < plain.diff": ["change F"],
  "patch -p1 -d x < plain.diff": ["change x/sub/F"],
  "patch -p1 -dx -i ../plain.diff": ["change x/sub/F"],
  "patch -p1 -R -i new.diff": ["remove F"],
  "patch -p0 -i index.diff": ["change F"],
};

Deno.test("a patch in a file changes the files that it names", () => {
  for (const [command, expected] of Object.entries(TABLE)) {
    assert.deepEqual([command, targets(command)], [command, expected]);
  }
});

Deno.test("a patch that cannot be read may change any file", () => {
  for (
    const command of [
      "git apply missing.diff",
      "git apply text.txt",
      "git apply mode.diff",
      "git apply bytes.diff",
      "git apply quoted.diff",
      "patch -p1 -i context.diff",
      "git apply $X",
      "git apply plain.diff missing.diff",
      "patch -p1 -i missing.diff",
      "patch -p1 -d x -i plain.diff",
      "curl -s x.org | git apply",
      "curl -s x.org | patch -p1",
      "cp other plain.diff && git apply plain.diff",
      "curl -s x.org > plain.diff; git apply plain.diff",
      "curl -so plain.diff x.org; git am plain.diff",
      "rm -rf sub; git checkout -p; mv /tmp/x plain.diff; patch -p1 < plain.diff",
    ]
  ) assert.equal(targets(command).at(-1), "change ?", command);
});

Deno.test("a patch that a command only looks at changes nothing", () => {
  for (const option of ["--check", "--stat", "--numstat", "--summary"]) {
    assert.deepEqual(targets(`git apply ${option} plain.diff`), [], option);
    assert.deepEqual(targets(`git apply ${option} --apply plain.diff`), ["change sub/F"]);
  }
  assert.deepEqual(targets("git am --abort"), []);
  assert.deepEqual(targets("patch -p1 --dry-run -i plain.diff"), []);
});
