/** Which files a command changes, and in which way. */
import assert from "node:assert/strict";
import { readScript } from "../../src/policy/shell/script.ts";
import { findTargets } from "../../src/policy/shell/writes.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };

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

/** A disk with these patches. */
const DISK = {
  readText: (path: string) => PATCHES[path.replace("/p/", "")] ?? null,
  isTop: () => false,
  topOf: () => "/p",
};

/** What becomes of which files: `change src/a`; `?` where only the running shell knows; `+ in x` for a folder `x` that comes there. */
function targets(command: string): string[] {
  return readScript(command, { folder: "/p", home: "/h", disk: DISK }).commands
    .flatMap(findTargets)
    .map(({ effect, path, copied }) =>
      `${effect} ${path?.replace("/p/", "") ?? "?"}` +
      (copied?.isWhole ? ` + ${copied.lands} ${copied.name}`.trimEnd() : "")
    );
}

function assertTargets(table: Readonly<Record<string, readonly string[]>>): void {
  for (const [command, expected] of Object.entries(table)) {
    assert.deepEqual([command, targets(command)], [command, expected]);
  }
}

for (const [title, table] of Object.entries(CASES.changed)) {
  Deno.test(title, () => assertTargets(table));
}

Deno.test("a file on another machine is no file of this one", () => {
  assertTargets(CASES.changedElsewhere);
  const [placed] = readScript("scp h:yarn.lock sub", { folder: "/p", home: "/h" })
    .commands.flatMap(findTargets);
  assert.equal(placed!.copied!.name, "yarn.lock");
});

Deno.test("the files of a patch that stands in the script are known", () => {
  const patch = (body: string) => `<<'E'\n${body}\nE`;
  const change = "--- a/x/F\n+++ b/x/F\n@@ -1 +1 @@\n-a\n+b";
  assertTargets({
    [`git apply ${patch(change)}`]: ["change x/F"],
    [`git apply -p2 - ${patch(change)}`]: ["change F"],
    [`patch -p1 ${patch(change)}`]: ["change x/F"],
    [`patch ${patch(change)}`]: ["change F"],
    [`patch -p1 -d sub ${patch(change)}`]: ["change sub/x/F"],
    [`git apply --directory=sub ${patch(change)}`]: ["change sub/x/F"],
    [`git -C sub apply ${patch(change)}`]: ["change sub/x/F"],
    [`git apply a.patch ${patch(change)}`]: ["change ?"],
    [`git apply ${patch("--- a/F\n+++ /dev/null\n@@ -1 +0,0 @@\n-a")}`]: ["remove F"],
    [`git apply ${patch("--- /dev/null\n+++ b/F\n@@ -0,0 +1 @@\n+a")}`]: ["change F"],
    [`git apply ${patch("rename from F\nrename to G")}`]: ["change F", "change G"],
    "patch -p1 --dry-run < a": [],
  });
});

Deno.test("a copy of a folder makes files that are known only where the folder can be read", () => {
  const untold = (to: string) => [`change ${to}`, `fill ${to}`, "change ?"];
  assertTargets({
    "cp $X/*.ts sub": untold("sub"),
    "rsync -a --delete src/ sub/": ["change sub + as src", "fill sub", "change ?"],
    "rsync -a h:x/ sub": ["change sub + either x", "fill sub", "change ?"],
    "cp -a src/. sub": ["change sub + as"],
    "cp -r .. sub": ["change sub + as"],
    "cp -rT src sub": ["change sub + as src"],
    "rsync -a src/ sub/": ["change sub + as src"],
    "cp -r src sub": ["change sub + either src"],
    "mv src sub": ["change sub + either src", "remove src"],
    "cp src/a.ts sub": ["change sub"],
    "rsync -a src sub": ["change sub + in src"],
  });
});

Deno.test("a patch that cannot be read may change any file", () => {
  for (const command of CASES.patchesOfAnyFile) {
    assert.equal(targets(command).at(-1), "change ?", command);
  }
});

Deno.test("a patch that a command only looks at changes nothing", () => {
  for (const option of ["--check", "--stat", "--numstat", "--summary"]) {
    assert.deepEqual(targets(`git apply ${option} plain.diff`), [], option);
    assert.deepEqual(targets(`git apply ${option} --apply plain.diff`), ["change sub/F"]);
  }
  assert.deepEqual(targets("git am --abort"), []);
  assert.deepEqual(targets("patch -p1 --dry-run -i plain.diff"), []);
});
