/** What stands on a list is done as what was said is, and what is told as a failure is not told once more. */
import assert from "node:assert/strict";
import { type Happened, openAfter, type ToldTurn } from "../../support/left_sessions.ts";

const listed = (...tasks: readonly string[]): ToldTurn => ({
  asked: "Build the importer",
  said: "Begun.",
  file: "imp.ts",
  more: [{ kind: "task", title: "Tasks", facts: { open: tasks } }],
});
const turn = (asked: string, said: string, commit = "", file = "rows.ts"): ToldTurn => ({
  asked,
  said,
  ...file === "" ? {} : { file },
  ...commit === "" ? {} : { commit },
});

/** What of a task is open after a later session. */
const TASKS: readonly (readonly [task: string, later: ToldTurn, isOpen: boolean])[] = [
  ["Parse rows", turn("Parse rows", "Parse rows is done.", "Parse rows"), false],
  ["Parse rows", turn("Parse rows", "Done."), false],
  ["Parse rows", turn("continue", "ok", "Parse rows of a sheet"), false],
  ["Parse rows", turn("Parse rows", "Shall I begin with the header?"), true],
  ["Parse rows", turn("Parse the header", "The header is parsed.", "Parse header"), true],
  ["Write migration for users table", turn("x", "ok", "Migration for orders table"), true],
  ["Write migration for users table", turn("x", "ok", "Migration for users table"), false],
  ["Update README", turn("Write docs", "Written.", "", "README.md"), false],
  ["Remove the old API", turn("Document the old API", "Done.", "Document the old API"), true],
  ["Finish it", turn("Add a logo", "Added."), true],
  ["Add tests for the parser", turn("Test the parser", "The parser has tests now."), false],
  ["Fix the footer on phones", turn("Fix the header on phones", "Fixed the header."), true],
];

Deno.test("what stands on the list of an earlier session is done by a later one that did it", () => {
  for (const [task, later, isOpen] of TASKS) {
    assert.deepEqual(
      openAfter([listed(task)], [later]),
      isOpen ? [`task: ${task}`] : [],
      `${task} ${later.said}`,
    );
  }
});

Deno.test("a session that has a list ticks it itself", () => {
  const own = { ...listed("Parse rows"), said: "Parse rows is nearly there; rows are parsed." };
  assert.deepEqual(openAfter([own]), ["task: Parse rows"]);
});

const FAILED: Happened = {
  kind: "test",
  outcome: "failure",
  title: "Tests fail: npm test (2 passed, 1 failed): adds tax",
  facts: { command: "npm test", openRank: 0 },
};
const TOLD = `failure: ${FAILED.title}`;

const OF_FAILURE: readonly (readonly [said: string, ...told: string[]])[] = [
  ["The test `adds tax` still fails. Next steps:\n- fix `adds tax`\n- deploy it", "deploy it"],
  ["The tests still fail."],
  ["The rates are right; npm test still complains."],
  ["Next: investigate why `adds tax` does not pass."],
  ["Still to do: fix the test `adds tax`."],
  [
    "`adds tax` still fails since the rate is rounded.",
    "`adds tax` still fails since the rate is rounded.",
  ],
  ["The e2e tests still fail.", "The e2e tests still fail."],
  ["Next steps:\n- document `adds tax`", "document `adds tax`"],
  ["Still to do: fix the rounding.", "Still to do: fix the rounding."],
];

Deno.test("what is only said of a failure that is told has no line of its own", () => {
  for (const [said, ...told] of OF_FAILURE) {
    const session = { asked: "Fix it", said, more: [FAILED] };
    assert.deepEqual(openAfter([session]), [TOLD, ...told], said);
    // Another session may say it as well, and where it does not fail any more it is for itself.
    assert.deepEqual(
      openAfter([{ ...session, said: "One fails." }], [turn("Why?", said, "", "")]),
      [
        TOLD,
        ...told,
      ],
    );
  }
});

Deno.test("what is said of the test or the check of a failure that is told has no line of its own", () => {
  const check: Happened = {
    kind: "failure",
    outcome: "failure",
    title: "`mypy src` failed (exit 1): src/app.py:9: error: Argument 1",
    facts: { command: "mypy src", openRank: 1 },
  };
  const test: Happened = {
    kind: "test",
    outcome: "failure",
    title: "Tests fail: pytest -q (1 failed): tests/t.py::test_x",
    facts: { command: "pytest -q", openRank: 0, failing: ["tests/t.py::test_x"] },
  };
  const openOf = (said: string, failure: Happened) =>
    openAfter([{ asked: "Add the flag", said, more: [failure] }]).slice(1);
  const same: readonly (readonly [said: string, failure: Happened])[] = [
    ["mypy still complains about the type of the invoices; I left that.", check],
    ["`mypy` is still failing.", check],
    ["test_x still fails; I stopped here.", test],
    ["`test_x` still fails. I stopped here.", test],
    ["The test `test_x` still fails and I left it as it is.", test],
  ];
  for (const [said, failure] of same) assert.deepEqual(openOf(said, failure), [], said);
  const others: readonly (readonly [said: string, failure: Happened, told?: string])[] = [
    ["ruff still complains about the imports; I left that.", check],
    [
      "mypy still complains about the invoices; the docs are not written yet.",
      check,
      "the docs are not written yet.",
    ],
    ["mypy still complains about the invoices because the stubs are missing.", check],
    ["test_y still fails; I stopped here.", test],
    ["The export still fails for empty files.", test],
  ];
  for (const [said, failure, told = said] of others) {
    assert.deepEqual(openOf(said, failure), [told], said);
  }
});
