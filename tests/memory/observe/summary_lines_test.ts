/** What a failure and its fix are called: by what was wrong, not by how much of it there was. */
import assert from "node:assert/strict";
import { describeFix } from "../../../src/memory/drain/describe_fix.ts";
import { saysLittle } from "../../../src/memory/observe/error_line.ts";
import LINES from "../../../src/memory/observe/output_lines.json" with { type: "json" };
import { failed, ROOT } from "../../support/commands_observed.ts";
import CASES from "../../testdata/observed_cases.json" with { type: "json" };
import { rowsOf } from "../../support/fixtures.ts";

/** The title of the fix of a command that fails with an output, by edits of files. */
function fixOf(command: string, output: string, ...files: string[]): string {
  const { title, text, facts } = failed(command, output);
  const edited = files.length === 0 ? ["a.ts"] : files;
  return describeFix(
    { id: 1, title, text, facts },
    edited.map((file, at) => ({ id: at + 2, title: `Edit ${file}`, text: "+a", files: [file] })),
    command,
  ).title;
}

Deno.test("each pattern for a line of an output matches the example in its row", () => {
  for (const { pattern, example } of Object.values(LINES).flat()) {
    assert.match(example, new RegExp(pattern, "mi"));
  }
});

Deno.test("a fix is titled with the first line that says what was wrong, not with a counter", () => {
  const fixes = rowsOf<readonly [command: string, output: string, what: string]>(
    CASES.summaryLines,
  );
  for (const [command, output, what] of fixes) {
    assert.equal(fixOf(command, output), `Fixed ${shortOf(what)} by a.ts`, command);
  }
});

/** As long as a title lets it be. */
function shortOf(what: string): string {
  return what.length <= 90 ? what : `${what.slice(0, 89).trimEnd()}…`;
}

Deno.test("a failure that shows nothing but a counter is titled with it", () => {
  const titles: readonly (readonly [command: string, output: string, why: string])[] = [
    ["npm run lint", "✖ 3 problems (2 errors, 1 warning)", ": ✖ 3 problems (2 errors, 1 warning)"],
    ["make", "cc a.c\nmake: *** [all] Error 1", ": make: *** [all] Error 1"],
    ["mvn package", "[INFO] BUILD FAILURE", ""],
  ];
  for (const [command, output, why] of titles) {
    assert.equal(failed(command, output).title, `\`${command}\` failed (exit 1)${why}`);
  }
});

Deno.test("headings of a report and hints to read more are not taken for the error", () => {
  const collecting = '____ ERROR collecting test_m.py ____\nE     File "m.py", line 1\n' +
    "E   SyntaxError: expected ':'\n=== short test summary info ===\nERROR test_m.py\n" +
    "!!!! Interrupted: 1 error during collection !!!!\n1 error in 0.05s";
  assert.equal(failed("pytest", collecting).facts.error, "SyntaxError: expected ':'");
  const rustc = "For more information about this error, try `rustc --explain E0308`.\n" +
    "error: could not compile `calc` (lib)";
  assert.equal(failed("cargo build", rustc).facts.error, "error: could not compile `calc` (lib)");
});

Deno.test("a line that says what is wrong is not taken for a counter, whatever numbers it holds", () => {
  for (const line of CASES.plainLines) assert.equal(saysLittle(line), false, line);
});

Deno.test("a fix of several tests says how many more there are", () => {
  const rows = [1, 2, 3].map((count) =>
    "abc".slice(0, count).replace(/./g, "FAILED t.py::test_$& - no\n") + `${count} failed in 0.1s`
  );
  assert.deepEqual(rows.map((output) => fixOf("pytest", output)), [
    "Fixed t.py::test_a by a.ts",
    "Fixed t.py::test_a +1 more by a.ts",
    "Fixed t.py::test_a +2 more by a.ts",
  ]);
});

Deno.test("a fix quotes names of tests that are words, and the line of a linter as it stands", () => {
  const jest = "FAIL src/a.test.ts\n  ● fixed amount\n\n    expect(1).toBe(2)\n\n" +
    "  ● fixed rate\n\n    expect(1).toBe(2)\n\nTests:       2 failed, 2 total";
  const unused = "error  'x' is assigned a value but never used  @typescript-eslint/no-unused-vars";
  const rows: readonly (readonly [command: string, output: string, what: string])[] = [
    ["npm test", jest, '"fixed amount" +1 more'],
    [
      "npx eslint .",
      `\n${ROOT}/src/a.ts\n  6:1  ${unused}\n\n✖ 1 problem (1 error, 0 warnings)`,
      `6:1 ${unused.replaceAll("  ", " ")}`,
    ],
  ];
  for (const [command, output, what] of rows) {
    assert.equal(fixOf(command, output, "web/a.ts"), `Fixed ${what} by web/a.ts`, output);
  }
});

Deno.test("the failed part of a chain is named where the output tells it", () => {
  const chain = "cd web && npm ci && npm run build";
  const build = "added 3 packages\n\n> app@1.0.0 build\n> vite build\n\nnpm ERR! code ELIFECYCLE";
  const rows: readonly (readonly [command: string, output: string, part: string])[] = [
    [chain, build, "npm run build"],
    ["make deps && npm run pack", "ok\nmake: *** [deps] Error 1", "make deps"],
    // Nothing tells which of them it was.
    ["cp a b && ./build.sh", "boom", "cp a b && ./build.sh"],
    ["npm ci; npm run build", build, "npm ci; npm run build"],
    ["npm run build", build, "npm run build"],
  ];
  for (const [command, output, part] of rows) {
    assert.ok(failed(command, output).title.startsWith(`\`${part}\` failed (exit 1)`), command);
  }
});

Deno.test("a fix names two of the files that were changed, and how many more there are", () => {
  const long = "packages/accounting/src/invoices";
  const rows: readonly (readonly [files: readonly string[], by: string])[] = [
    [["src/a.ts", "src/b.ts"], "src/a.ts, src/b.ts"],
    [["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"], "src/a.ts, src/b.ts +2 more"],
    [[`${long}/totals.ts`, `${long}/rates.ts`], "totals.ts, rates.ts"],
  ];
  for (const [files, by] of rows) {
    assert.equal(fixOf("make all", "make: *** [all] Error 1", ...files), `Fixed make all by ${by}`);
  }
});
