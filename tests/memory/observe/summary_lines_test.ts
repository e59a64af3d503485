/** What a failure and its fix are called: by what was wrong, not by how much of it there was. */
import assert from "node:assert/strict";
import { describeFix } from "../../../src/memory/drain/describe_fix.ts";
import { saysLittle } from "../../../src/memory/observe/error_line.ts";
import { failed, ROOT } from "../../support/commands_observed.ts";

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

Deno.test("a fix is titled with the first line that says what was wrong, not with a counter", () => {
  const fixes: readonly (readonly [command: string, output: string, what: string])[] = [
    [
      "deno check main.ts",
      "Check main.ts\nTS2304 [ERROR]: Cannot find name 'x'.\nconst a = x;\n          ^\n    at file:///p/main.ts:1:11\n\nTS2304 [ERROR]: Cannot find name 'y'.\n    at file:///p/main.ts:2:11\n\nFound 2 errors.\n\nerror: Type checking failed.",
      "TS2304 [ERROR]: Cannot find name 'x'.",
    ],
    [
      "npx tsc --noEmit",
      "src/a.ts:3:5 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n3 let a: number = \"\";\n\n\nFound 1 error in src/a.ts:3",
      "src/a.ts:3:5 - error TS2322: Type 'string' is not assignable to type 'number'.",
    ],
    [
      "npx eslint .",
      "\n/p/src/a.js\n  3:5  error  'x' is not defined  no-undef\n  9:1  error  'y' is not defined  no-undef\n\n✖ 3 problems (2 errors, 1 warning)\n  0 errors and 1 warning potentially fixable with the `--fix` option.",
      "3:5 error 'x' is not defined no-undef",
    ],
    [
      "deno lint",
      "error[no-unused-vars]: `x` is never used\n --> /p/a.ts:1:7\n\n\nFound 3 problems\nChecked 1 file",
      "error[no-unused-vars]: `x` is never used",
    ],
    [
      "ruff check .",
      "src/a.py:1:8: F401 [*] `os` imported but unused\nsrc/a.py:2:8: F401 [*] `re` imported but unused\nFound 2 errors.\n[*] 2 fixable with the `--fix` option.",
      "src/a.py:1:8: F401 [*] `os` imported but unused",
    ],
    [
      "mypy .",
      'a.py:3: error: Incompatible types in assignment (expression has type "str")  [assignment]\nFound 1 error in 1 file (checked 3 source files)',
      'a.py:3: error: Incompatible types in assignment (expression has type "str") [assignment]',
    ],
    [
      "cargo build",
      "   Compiling demo v0.1.0\nerror[E0308]: mismatched types\n --> src/lib.rs:4:16\n\nerror: aborting due to 2 previous errors\n\nerror: could not compile `demo` (lib) due to 2 previous errors",
      "error[E0308]: mismatched types",
    ],
    [
      "make",
      "cc -c a.c\na.c:3:5: error: use of undeclared identifier 'x'\n1 error generated.\nmake: *** [all] Error 1",
      "a.c:3:5: error: use of undeclared identifier 'x'",
    ],
    [
      "npm run build",
      "> app@1.0.0 build\n> tsc\n\nsrc/a.ts(3,5): error TS2304: Cannot find name 'x'.\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 2\nnpm ERR! Exit status 2",
      "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
    ],
    [
      "pnpm build",
      "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\n ELIFECYCLE  Command failed with exit code 2.",
      "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
    ],
    [
      "go build ./...",
      "# example.com/a\n./a.go:3:2: undefined: x\n./a.go:4:2: undefined: y",
      "./a.go:3:2: undefined: x",
    ],
    [
      "npx webpack",
      "ERROR in ./src/a.js 3:5\nModule parse failed: Unexpected token (3:5)\n\nwebpack 5.88.0 compiled with 2 errors in 310 ms",
      "ERROR in ./src/a.js 3:5",
    ],
    [
      "bundle exec rubocop",
      "Inspecting 3 files\n\nlib/a.rb:3:5: W: Lint/UselessAssignment: Useless assignment to variable - x.\n\n3 files inspected, 2 offenses detected",
      "lib/a.rb:3:5: W: Lint/UselessAssignment: Useless assignment to variable - x.",
    ],
    ["make all", "make: *** [all] Error 1", "make all"],
    ["npm run lint", "✖ 3 problems (2 errors, 1 warning)", "npm run lint"],
    ["npx biome check", "Found 2 errors.", "npx biome check"],
    ["npm run build", "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1", "npm run build"],
    ["mvn -q package", "[INFO] BUILD FAILURE", "mvn -q package"],
  ];
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
  for (
    const line of [
      "AssertionError: 2 errors != 3 errors",
      "E   assert 2 == 3",
      "  3:5  error  'x' is not defined  no-undef",
      "  12  error  Missing semicolon",
      "error: 2 arguments required but got 1",
      "TypeError: 2 errors are no number",
      "TS2304 [ERROR]: Cannot find name 'x'.",
      "error[E0308]: mismatched types",
      "error: could not find `Cargo.toml`",
      "npm ERR! missing script: build",
      "error: recipe for x not found",
      "2 problems with the schema of users are left",
      "pages/index.tsx:3:1: error: Build failed to start",
      "a test makes 2 errors",
    ]
  ) assert.equal(saysLittle(line), false, line);
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
