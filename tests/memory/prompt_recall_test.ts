/** A prompt is told what is about the same, and nothing where only words that say little are shared. */
import assert from "node:assert/strict";
import { recallForPrompt } from "../../src/memory/search/recall.ts";
import { rememberNote } from "../../src/memory/drain/remember.ts";
import { drainAt, saveUse, tempDatabase } from "../support/records.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };

const START = Date.UTC(2026, 6, 15);

/** A project of invoices: files that were written, a test that was mended, a check that fails still. */
async function ledger() {
  const temp = await tempDatabase();
  let atMs = START;
  const save = (toolName: string, payload: object) =>
    saveUse(temp.db, toolName, payload, { atMs: atMs += 10_000 });
  const run = (command: string, stdout: string) =>
    save("Bash", { tool_input: { command }, tool_response: { stdout, stderr: "" } });
  const fail = (command: string, output: string) =>
    save("Bash", { tool_input: { command }, error: `Exit code 1\n${output}` });
  const write = (path: string, content: string) =>
    save("Write", { tool_input: { file_path: `/p/${path}`, content }, tool_response: {} });
  const edit = (path: string, before: string, after: string) =>
    save("Edit", {
      tool_input: { file_path: `/p/${path}`, old_string: before, new_string: after },
      tool_response: {},
    });
  for (const name of ["money", "invoice", "cli", "export_csv", "parser", "report"]) {
    write(`ledger/${name}.py`, `def ${name}_total(rows):\n    return sum(rows)\n`);
    run(`git add -A && git commit -m "Write the ${name} part"`, "[main 1a2b3c4] Write the part");
  }
  const UMLAUT = "FAILED tests/test_cli.py::test_umlaut - UnicodeEncodeError: 'ascii' codec";
  fail("pytest -q tests/test_cli.py", `${UMLAUT}\n1 failed in 0.1s`);
  edit("ledger/cli.py", "open(path)", "open(path, encoding='utf-8')");
  run("pytest -q tests/test_cli.py", "tests/test_cli.py .\n1 passed in 0.1s");
  edit("ledger/export_csv.py", "sep=','", "sep=flag");
  fail(
    "mypy ledger",
    'ledger/cli.py:12: error: Argument 1 to "main" has incompatible type "str"  [arg-type]\nFound 1 error in 1 file',
  );
  drainAt(temp.db, START + 1_000_000);
  rememberNote(temp.db, "Decision: amounts are kept in cents, floats are never used for money", {
    project: "/p",
    branch: null,
    sessionId: null,
    root: null,
    files: [],
    atMs: START,
  });
  let sessions = 0;
  const recalled = (prompt: string) =>
    recallForPrompt(temp.db, prompt, {
      sessionId: `now${sessions++}`,
      project: "/p",
      branch: null,
      root: null,
      nowMs: START + 86_400_000,
    }).split("\n").slice(1);
  return { recalled, [Symbol.dispose]: () => temp[Symbol.dispose]() };
}

Deno.test("a prompt that shares only common words with memory is told nothing", async () => {
  using project = await ledger();
  for (const prompt of CASES.commonPrompts) assert.deepEqual(project.recalled(prompt), [], prompt);
});

Deno.test("a prompt is told what memory knows of its subject; what names its file and is still broken comes first", async () => {
  using project = await ledger();
  const first = (prompt: string) => project.recalled(prompt)[0] ?? "";
  assert.match(first("fix the mypy error in cli.py"), /mypy ledger.*\(not mended\)/);
  assert.match(first("why did test_umlaut fail in the cli tests?"), /umlaut/);
  assert.match(first("are amounts kept as floats or in cents?"), /kept in cents/);
  assert.match(first("change the separator of export_csv.py to a semicolon"), /export_csv\.py/);
  const mypy = project.recalled("fix the mypy error in cli.py");
  assert.deepEqual(mypy.filter((line) => /edit: .*export_csv/.test(line)), []);
});
