/** What was undone is not told as fixed, and what had failed is open again; only where it is what the fix is credited to. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../../support/mixed_steps.ts";

const RED = "FAILED tests/test_a.py::test_tax - assert 1 == 2\n1 failed, 8 passed in 0.12s";
const FAILS: MixedStep = { failing: "pytest -q", output: RED };
const EDIT: MixedStep = { edited: "a.py", from: "1", to: "2", whole: "x = 1\n" };
const BACK: MixedStep = { edited: "a.py", from: "2", to: "1", whole: "x = 2\n" };
const OTHER: MixedStep = { edited: "tax.py", from: "5", to: "6", whole: "y = 5\n" };
const OTHER_BACK: MixedStep = { edited: "tax.py", from: "6", to: "5", whole: "y = 6\n" };
const PASSES: MixedStep = { passing: "pytest -q", output: "9 passed in 0.1s" };
const FIXED = [FAILS, EDIT, PASSES];
const command = (passing: string, output = ""): MixedStep => ({ passing, output });
const commit = (subject: string, hash = "aaaaaa1"): MixedStep =>
  command(`git commit -qam "${subject}" && git log --oneline -1`, `${hash} ${subject}`);
const revert = (subject: string, hash = "bbbbbb2"): MixedStep =>
  command("git revert --no-edit HEAD", `[main ${hash}] Revert "${subject}"\n 1 file changed`);
const amend = (subject: string, hash = "fffffff"): MixedStep =>
  command(`git commit --amend -m "${subject}"`, `[main ${hash}] ${subject}\n 1 file changed`);
const STASH = command("git stash", "Saved working directory and index state WIP on main: x");
const DROP = command("git stash drop", "Dropped refs/stash@{0}");

type Row = readonly [what: string, ...steps: readonly MixedStep[]];

const UNDONE: readonly Row[] = [
  ["git checkout --", ...FIXED, command("git checkout -- a.py")],
  ["a checkout from a folder below", ...FIXED, command("cd sub && git checkout -- ../a.py")],
  ["… to which git goes itself", ...FIXED, command("git -C sub checkout -- ../a.py")],
  ["git checkout of a file", ...FIXED, command("git checkout a.py")],
  ["git restore", ...FIXED, command("git restore a.py")],
  ["git restore of all", ...FIXED, command("git restore .")],
  ["git reset --hard", ...FIXED, command("git reset --hard")],
  ["a restore in another session", ...FIXED, { passing: "git restore a.py", session: "s2" }],
  ["a revert of its commit", ...FIXED, commit("Tax fix"), revert("Tax fix")],
  ["a revert in another session", ...FIXED, commit("Tax fix"), {
    ...revert("Tax fix"),
    session: "s2",
  }],
  [
    "a commit before it, and a revert of its own",
    commit("Begin", "ccccccc"),
    ...FIXED,
    commit("Tax fix"),
    revert("Tax fix"),
  ],
  ["a checkout that others follow", ...FIXED, command("git checkout -- a.py; git status --short")],
  ["a checkout behind others", ...FIXED, command("echo x; cd . && git checkout a.py; ls")],
  ["a restore of both", ...FIXED, command("git restore --staged --worktree a.py")],
  ["a restore of both in short", ...FIXED, command("git restore -SW -- a.py")],
  ["a checkout of HEAD", ...FIXED, command("git checkout HEAD a.py")],
  ["a restore of HEAD", ...FIXED, command("git restore --source=HEAD a.py")],
  ["a restore of HEAD in two words", ...FIXED, command("git restore -s HEAD .")],
  ["a checkout by force", ...FIXED, command("git checkout -f")],
  ["a switch by force", ...FIXED, command("git switch -f main")],
  ["a switch that discards", ...FIXED, command("git switch --discard-changes main")],
  ["a stash that is dropped", ...FIXED, command("git stash && git stash drop", "Saved working")],
  ["a stash of all that is dropped", ...FIXED, command("git stash -u -q; git stash drop -q")],
  [
    "a stash of the file that is dropped",
    ...FIXED,
    command("git stash push -m no a.py && git stash drop"),
  ],
  ["a stash that is dropped later", ...FIXED, STASH, command("git stash list"), DROP],
  ["a stash that is dropped after an edit that mends nothing", ...FIXED, STASH, OTHER, DROP],
  [
    "a stash that is dropped with what has mended it anew",
    ...FIXED,
    STASH,
    { ...EDIT, to: "7" },
    PASSES,
    command("git stash drop && git checkout -- a.py"),
  ],
  ["a stash of the file that is dropped later", ...FIXED, {
    ...STASH,
    passing: "git stash push a.py; git status",
  }, command("git stash clear")],
  ["what git shows of it", ...FIXED, command("git show HEAD:a.py > a.py")],
  ["its patch the other way round", ...FIXED, command("git diff | git apply -R")],
  ["… of the file alone", ...FIXED, command("git diff HEAD -- a.py | git apply --reverse")],
  [
    "a checkout of HEAD after it was staged",
    ...FIXED,
    command("git add a.py"),
    command("git checkout HEAD -- a.py"),
  ],
  [
    "a checkout of the commit before",
    ...FIXED,
    commit("Tax fix"),
    command("git checkout HEAD~1 -- a.py"),
  ],
  [
    "… that is committed",
    ...FIXED,
    commit("Tax fix"),
    command('git checkout HEAD^ -- a.py && git commit -qm "Not so"'),
  ],
  [
    "a revert in other words",
    ...FIXED,
    commit("Tax fix"),
    command('git revert -n HEAD && git commit -m "Undo it"', "[main bbbbbb2] Undo it"),
  ],
  ["a revert that is not committed", ...FIXED, commit("Tax fix"), command("git revert -n HEAD")],
  [
    "a revert of what had reverted its revert",
    ...FIXED,
    commit("Tax fix"),
    revert("Tax fix"),
    revert('Revert "Tax fix"', "ccccccc"),
    revert('Revert "Revert "Tax fix""', "ddddddd"),
  ],
  [
    "a reset that is taken back and made again",
    ...FIXED,
    commit("Tax fix"),
    command("git reset --hard HEAD~1"),
    command("git reset --hard HEAD@{1}"),
    command("git reset --hard HEAD~1"),
  ],
  [
    "a reset to a commit that does not hold it",
    commit("Begin", "ccccccc"),
    ...FIXED,
    commit("Tax fix"),
    command("git reset --hard HEAD~2"),
    command("git reset --hard ccccccc"),
  ],
  [
    "a reset behind another one, with a commit in between",
    ...FIXED,
    commit("Tax fix"),
    command("git reset --hard HEAD~1"),
    commit("Other", "ccccccc"),
    command("git reset --hard HEAD@{1}"),
  ],
  [
    "a revert, and an edit before that is reverted",
    ...FIXED,
    commit("Tax fix"),
    revert("Tax fix"),
    { edited: "c.py" },
    revert('Revert "Tax fix"', "ccccccc"),
  ],
  [
    "a revert of its commit that was amended",
    ...FIXED,
    commit("Tax fix"),
    amend("Tax fixed"),
    revert("Tax fixed"),
  ],
  [
    "a revert of its commit that was amended twice",
    commit("Begin", "ccccccc"),
    ...FIXED,
    commit("Tax fix"),
    amend("Tax fixed"),
    amend("Tax is right", "eeeeeee"),
    revert("Tax is right"),
  ],
  [
    "a reset behind its commit that was amended",
    ...FIXED,
    commit("Tax fix"),
    amend("Tax fixed"),
    command("git reset --hard HEAD~1"),
  ],
  [
    "a revert of what was committed anew after a soft reset",
    ...FIXED,
    commit("Tax fix"),
    command("git reset --soft HEAD~1"),
    commit("Tax fixed", "ccccccc"),
    revert("Tax fixed"),
  ],
  [
    "a checkout after its commit was taken back",
    ...FIXED,
    commit("Tax fix"),
    command("git reset HEAD~1"),
    command("git checkout -- a.py"),
  ],
  [
    "a checkout after what was staged and committed was taken back",
    ...FIXED,
    command("git add a.py && git status"),
    commit("Tax fix"),
    command("git reset HEAD~1"),
    command("git checkout -- a.py"),
  ],
  [
    "a hard reset after its commit was taken back",
    ...FIXED,
    commit("Tax fix"),
    command("git reset --soft HEAD~1"),
    command("git reset --hard"),
  ],
  [
    "a checkout of the commit before its own that was amended",
    ...FIXED,
    commit("Tax fix"),
    amend("Tax fixed"),
    command("git checkout HEAD~1 -- a.py"),
  ],
  ["an edit back", ...FIXED, BACK],
  ["an edit back after its commit", ...FIXED, commit("Tax fix"), BACK],
  ["edits back of both files", FAILS, EDIT, OTHER, PASSES, BACK, OTHER_BACK],
  ["an edit back, and another edit before it is done again", ...FIXED, BACK, OTHER, EDIT],
  ["an edit back that was done again", ...FIXED, BACK, EDIT, BACK],
  [
    "a checkout of the commit before, and one of what is staged",
    ...FIXED,
    commit("Tax fix"),
    command("git checkout HEAD~1 -- a.py"),
    command("git checkout -- a.py"),
  ],
  [
    "a checkout of the last commit after it was put back as that has it",
    ...FIXED,
    command("git checkout -- a.py"),
    command("git checkout HEAD -- a.py"),
  ],
  [
    "a checkout of the commit before that is committed, and one of that",
    ...FIXED,
    commit("Tax fix"),
    command("git checkout HEAD~1 -- a.py"),
    commit("Not so", "ccccccc"),
    command("git checkout HEAD -- a.py"),
  ],
  ["a reset behind its commit", ...FIXED, commit("Tax fix"), command("git reset --hard HEAD~1")],
];

const DONE: readonly Row[] = [
  ["nothing", ...FIXED],
  ["a restore of another file", ...FIXED, command("git checkout -- b.py")],
  ["a restore of one in a folder below", ...FIXED, command("git -C sub checkout -- a.py")],
  ["a restore of one above", ...FIXED, command("git checkout -- ../a.py")],
  ["a restore in another repository", ...FIXED, command("cd /other && git checkout -- a.py")],
  ["a restore after its commit", ...FIXED, commit("Tax fix"), command("git restore a.py")],
  [
    "a restore of what is staged",
    ...FIXED,
    command("git add a.py"),
    command("git checkout -- a.py"),
  ],
  ["a restore from the index alone", ...FIXED, command("git restore --staged a.py")],
  ["a restore that may have failed", ...FIXED, command("git restore a.py || true")],
  ["a restore that failed", ...FIXED, { failing: "git restore a.py", output: "error: x" }],
  ["a restore on another branch", ...FIXED, { ...command("git restore a.py"), on: "other" }],
  [
    "a restore of what was put aside",
    ...FIXED,
    command("cp a.py /tmp/a.py && git checkout -q a.py"),
  ],
  ["a restore before it", { ...EDIT, to: "3" }, command("git restore a.py"), ...FIXED],
  [
    "a restore of one of two files",
    FAILS,
    EDIT,
    { edited: "test_a.py", whole: "y" },
    PASSES,
    command("git restore test_a.py"),
  ],
  [
    "a revert of another commit",
    ...FIXED,
    commit("Tax fix"),
    commit("Other", "ccccccc"),
    revert("Other"),
  ],
  [
    "a revert of a commit before it",
    commit("Other", "ccccccc"),
    ...FIXED,
    commit("Tax fix"),
    revert("Other"),
  ],
  [
    "a revert of a commit that was amended after its own",
    ...FIXED,
    commit("Tax fix"),
    commit("Other", "ccccccc"),
    amend("Others"),
    revert("Others"),
  ],
  [
    "a checkout of what is staged after its commit was taken back",
    ...FIXED,
    commit("Tax fix"),
    command("git reset --soft HEAD~1"),
    command("git checkout -- a.py"),
  ],
  [
    "a checkout after it was committed anew",
    ...FIXED,
    commit("Tax fix"),
    command("git reset HEAD~1"),
    commit("Tax fixed", "ccccccc"),
    command("git checkout -- a.py"),
  ],
  ["a checkout after its commit was amended", ...FIXED, commit("Tax fix"), amend("Tax"), {
    passing: "git checkout -- a.py",
  }],
  ["a checkout that says an error", ...FIXED, command("git checkout -- a.py; ls", "error: x")],
  ["a checkout whose errors are hidden", ...FIXED, command("git checkout a.py 2>/dev/null; ls")],
  ["a checkout that may be left out", ...FIXED, command("test -f x && git checkout a.py; ls")],
  ["a checkout behind ||", ...FIXED, command("make x || git checkout a.py; ls")],
  ["a checkout of the commit that has it", ...FIXED, commit("Tax fix"), command("git checkout -f")],
  [
    "a checkout of the commit before a later one",
    ...FIXED,
    commit("Tax fix"),
    commit("Other", "ccccccc"),
    command("git checkout HEAD~1 -- a.py"),
  ],
  [
    "a checkout of the commit before, and back",
    ...FIXED,
    commit("Tax fix"),
    command("git checkout HEAD~1 -- a.py; cat a.py; git checkout HEAD -- a.py"),
  ],
  ["a restore on a branch that it goes to", ...FIXED, {
    ...command("git checkout x && git restore a.py && make && git checkout main"),
    on: "main",
  }],
  ["a restore of another branch", ...FIXED, command("git restore --source=main a.py")],
  ["a stash", ...FIXED, command("git stash", "Saved working directory")],
  [
    "a stash of nothing",
    ...FIXED,
    command("git stash; git stash drop", "No local changes to save"),
  ],
  [
    "another stash than the last that is dropped",
    ...FIXED,
    STASH,
    command("git stash drop stash@{1}"),
  ],
  ["a stash of another file that is dropped later", ...FIXED, {
    ...STASH,
    passing: "git stash push b.py",
  }, DROP],
  ["a stash before it that is dropped", STASH, ...FIXED, DROP],
  ["a stash that was applied and is dropped", ...FIXED, STASH, command("git stash apply"), DROP],
  [
    "a stash that is dropped after it was mended anew",
    ...FIXED,
    STASH,
    { ...EDIT, to: "7" },
    PASSES,
    DROP,
  ],
  [
    "a stash that is dropped before it is mended anew",
    ...FIXED,
    STASH,
    { ...EDIT, to: "7" },
    DROP,
    PASSES,
  ],
  [
    "a stash that is dropped, and another file mends it",
    ...FIXED,
    STASH,
    FAILS,
    OTHER,
    PASSES,
    DROP,
  ],
  ["a stash of another file", ...FIXED, command("git stash push b.py && git stash drop")],
  ["another stash that is dropped", ...FIXED, command("git stash drop")],
  ["a stash that was brought back", ...FIXED, command("git stash && git stash pop")],
  ["what git shows of it elsewhere", ...FIXED, command("git show HEAD:a.py > b.py")],
  ["a patch of what is staged", ...FIXED, command("git diff --cached | git apply -R")],
  ["a patch that is tried", ...FIXED, command("git diff | git apply -R --check")],
  [
    "a revert that is reverted",
    ...FIXED,
    commit("Tax fix"),
    revert("Tax fix"),
    revert('Revert "Tax fix"', "ccccccc"),
  ],
  [
    "a revert that is applied again",
    ...FIXED,
    commit("Tax fix"),
    revert("Tax fix"),
    FAILS,
    command("git revert --no-edit HEAD", '[main ccccccc] Reapply "Tax fix"'),
  ],
  [
    "a revert that is reverted, twice",
    ...FIXED,
    commit("Tax fix"),
    revert("Tax fix"),
    revert('Revert "Tax fix"', "ccccccc"),
    revert('Revert "Revert "Tax fix""', "ddddddd"),
    revert('Revert "Revert "Revert "Tax fix"""', "eeeeeee"),
  ],
  [
    "a reset that is taken back",
    ...FIXED,
    commit("Tax fix"),
    command("git reset --hard HEAD~1"),
    command("git reset --hard HEAD@{1}"),
  ],
  [
    "a reset that is taken back by its commit",
    ...FIXED,
    commit("Tax fix"),
    command("git reset --hard HEAD~1"),
    command("git log --oneline"),
    command("git reset --hard aaaaaa1"),
  ],
  [
    "a revert of another one in other words",
    ...FIXED,
    commit("Tax fix"),
    commit("Other", "ccccccc"),
    command('git revert -n HEAD && git commit -m "Undo it"', "[main bbbbbb2] Undo it"),
  ],
  ["an edit on", ...FIXED, { edited: "a.py", from: "2", to: "3", whole: "x = 2\n" }],
  ["an edit of another file", ...FIXED, { ...BACK, edited: "b.py" }],
  ["an edit back of one of two files", FAILS, EDIT, OTHER, PASSES, BACK],
  ["an edit back on another branch", ...FIXED, { ...BACK, on: "other" }],
  [
    "an edit to what it was before an earlier one",
    { ...EDIT, from: "0", to: "1", whole: "x = 0\n" },
    ...FIXED,
    {
      edited: "a.py",
      from: "2",
      to: "0",
      whole: "x = 2\n",
    },
  ],
  ["an edit back that is done again", ...FIXED, BACK, EDIT],
  ["an edit back that fails, and is done again", ...FIXED, BACK, FAILS, EDIT],
  [
    "a checkout of the commit before to see it fail, and back",
    ...FIXED,
    commit("Tax fix"),
    command("git checkout HEAD~1 -- a.py"),
    FAILS,
    command("git checkout HEAD -- a.py"),
  ],
  [
    "a revert that is given up",
    ...FIXED,
    commit("Tax fix"),
    command("git revert -n HEAD"),
    command("git checkout -f"),
  ],
  ["a soft reset", ...FIXED, commit("Tax fix"), command("git reset --soft HEAD~1")],
  ["a word about a revert", ...FIXED, commit("Tax fix"), commit("Revert the tax fix", "ccccccc")],
];

for (const [what, ...steps] of UNDONE) {
  Deno.test(`a fix is undone by ${what}, and what failed is open again`, async () => {
    const { standing, open } = await endOf(...steps);
    assert.deepEqual([standing.length, open.length], [0, 1]);
  });
}

for (const [what, ...steps] of DONE) {
  Deno.test(`a fix stays one: ${what}`, async () => {
    const { standing, open } = await endOf(...steps);
    const ofTests = open.filter((title) => !title.startsWith("`git"));
    assert.deepEqual([standing.length, ofTests.length], [1, 0]);
  });
}

Deno.test("a commit that is reverted is told no more, and is told again where that is reverted", async () => {
  const { commits } = await endOf(...FIXED, commit("Tax fix"), revert("Tax fix"));
  assert.deepEqual(commits.length, 1);
  assert.match(commits[0]!, /Revert "Tax fix"$/);
  const again = await endOf(
    ...FIXED,
    commit("Tax fix"),
    revert("Tax fix"),
    command("git revert --no-edit HEAD", '[main ccccccc] Reapply "Tax fix"\n 1 file changed'),
  );
  assert.equal(again.commits.length, 2);
  assert.match(again.commits[0]!, /: Tax fix$/);
  assert.match(again.commits[1]!, /Reapply "Tax fix"$/);
});

Deno.test("what is open again is mended by what is done then, and by that alone", async () => {
  const { standing, open } = await endOf(
    ...FIXED,
    command("git checkout -- a.py"),
    { edited: "tax.py", whole: "z" },
    PASSES,
  );
  assert.deepEqual(open, []);
  assert.equal(standing.length, 1);
  assert.match(standing[0]!, / by tax\.py$/);
  const without = await endOf(...FIXED, command("git checkout -- a.py"), PASSES);
  assert.deepEqual([without.standing, without.open], [[], []]);
});

Deno.test("a command that failed is open again as well, and fails again as the same", async () => {
  const fails: MixedStep = { failing: "make build", output: "error: no rule", exitCode: 2 };
  const { failures, open, standing } = await endOf(
    fails,
    { edited: "Makefile", whole: "all:\n" },
    command("make build"),
    command("git restore Makefile"),
    fails,
  );
  assert.deepEqual([failures.length, open.length, standing.length], [1, 1, 0]);
});

/** Two tests that fail in one run, and the runs in which the first, the second and both pass. */
interface Runner {
  readonly both: MixedStep;
  readonly secondFails: MixedStep;
  readonly first: MixedStep;
  readonly second: MixedStep;
  readonly all: MixedStep;
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  pytest: {
    both: { failing: "pytest", output: "FAILED t.py::one - x\nFAILED t.py::two - x\n2 failed" },
    secondFails: { failing: "pytest", output: "FAILED t.py::two - x\n1 failed, 1 passed in 1s" },
    first: command("pytest t.py::one", "1 passed in 0.1s"),
    second: command("pytest t.py::two", "1 passed in 0.1s"),
    all: command("pytest", "2 passed in 0.1s"),
  },
  jest: {
    both: {
      failing: "npx jest",
      output:
        "FAIL src/a.test.js\n  ● one\n\n    x\n\nFAIL src/b.test.js\n  ● two\n\n    x\n\nTests:       2 failed, 2 total",
    },
    secondFails: {
      failing: "npx jest",
      output:
        "PASS src/a.test.js\n  ✓ one (2 ms)\nFAIL src/b.test.js\n  ✕ two (1 ms)\n  ● two\n\n    x\n\nTests:       1 failed, 1 passed, 2 total",
    },
    first: command("npx jest src/a.test.js", "PASS src/a.test.js\nTests:       1 passed, 1 total"),
    second: command("npx jest src/b.test.js", "PASS src/b.test.js\nTests:       1 passed, 1 total"),
    all: command("npx jest", "Tests:       2 passed, 2 total"),
  },
  go: {
    both: {
      failing: "go test ./...",
      output:
        "--- FAIL: one (0.00s)\n    a_test.go:9: x\nFAIL\nFAIL\tx.org/a\t0.1s\n--- FAIL: two (0.00s)\n    b_test.go:9: x\nFAIL\nFAIL\tx.org/b\t0.1s\nFAIL",
    },
    secondFails: {
      failing: "go test ./...",
      output:
        "ok  \tx.org/a\t0.1s\n--- FAIL: two (0.00s)\n    b_test.go:9: x\nFAIL\nFAIL\tx.org/b\t0.1s\nFAIL",
    },
    first: command("go test ./a", "ok  \tx.org/a\t0.1s"),
    second: command("go test ./b", "ok  \tx.org/b\t0.1s"),
    all: command("go test ./...", "ok  \tx.org/a\t0.1s\nok  \tx.org/b\t0.1s"),
  },
};
const A: MixedStep = { edited: "a.py", from: "1", to: "2", whole: "x = 1\n" };
const B: MixedStep = { edited: "b.py", from: "1", to: "2", whole: "y = 1\n" };
const UNDO_A = command("git checkout -- a.py");

type Partly = readonly [
  what: string,
  steps: (runner: Runner) => readonly MixedStep[],
  open: readonly string[],
];

const PARTLY: readonly Partly[] = [
  ["the first is undone", ({ both, first, second }) => [both, A, first, B, second, UNDO_A], [
    "one",
  ]],
  ["… and all passed in between", ({ both, first, all }) => [both, A, first, B, all, UNDO_A], [
    "one",
  ]],
  ["both are undone", ({ both, first, all }) => [
    both,
    A,
    first,
    B,
    all,
    command("git checkout -- ."),
  ], ["one", "two"]],
  ["a revert of the commit with both", ({ both, first, all }) => [
    both,
    A,
    first,
    B,
    all,
    commit("Both"),
    revert("Both"),
  ], ["one", "two"]],
  ["the other is open still", ({ both, first }) => [both, A, first, UNDO_A], ["one", "two"]],
  ["… and it is a revert", ({ both, first }) => [both, A, first, commit("One"), revert("One")], [
    "one",
    "two",
  ]],
  ["… and it is a reset", ({ both, first }) => [
    both,
    A,
    first,
    commit("One"),
    command("git reset --hard HEAD~1"),
  ], ["one", "two"]],
  ["another run has failed with the other", ({ both, secondFails, all }) => [
    both,
    A,
    secondFails,
    B,
    all,
    UNDO_A,
  ], ["one"]],
  ["… as it has after the first passed", ({ both, first, secondFails, all }) => [
    both,
    A,
    first,
    secondFails,
    B,
    all,
    UNDO_A,
  ], ["one"]],
  ["a revert of the commit with both is reverted", ({ both, first, all }) => [
    both,
    A,
    first,
    B,
    all,
    commit("Both"),
    revert("Both"),
    revert('Revert "Both"', "ccccccc"),
  ], []],
  ["… where the other is open", ({ both, first }) => [
    both,
    A,
    first,
    commit("One"),
    revert("One"),
    revert('Revert "One"', "ccccccc"),
  ], ["two"]],
  [
    "it is undone and done again",
    ({ both, first, all }) => [both, A, first, UNDO_A, A, B, all],
    [],
  ],
  ["all passes since", ({ both, first, all }) => [both, A, first, UNDO_A, all], []],
];

for (const [name, runner] of Object.entries(RUNNERS)) {
  for (const [what, steps, names] of PARTLY) {
    Deno.test(`of two tests that failed together only those are open again whose fix is undone: ${name}, ${what}`, async () => {
      const { open } = await endOf(...steps(runner));
      const told = ["one", "two"].map((test) =>
        open.filter((title) => new RegExp(`\\b${test}\\b`).test(title)).length
      );
      assert.deepEqual(told, ["one", "two"].map((test) => Number(names.includes(test))), `${open}`);
    });
  }
}
