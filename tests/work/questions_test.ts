import assert from "node:assert/strict";
import { detectQuestion, lastQuestion } from "../../src/work/agent_text.ts";

Deno.test("detectQuestion() tells what kind of answer is asked for", () => {
  const cases: readonly (readonly [line: string, type: string, options?: readonly string[]])[] = [
    ["Should I proceed?", "confirmation"],
    ["Do you want to continue with this plan?", "confirmation"],
    ["Proceed?", "confirmation"],
    ["Overwrite the file? (y/n)", "confirmation", ["y", "n"]],
    ["Overwrite the file [Y/n]:", "confirmation", ["Y", "n"]],
    ["Delete it, yes/no?", "confirmation"],
    ["Please confirm:", "confirmation"],
    ["May I have permission to edit package.json?", "permission"],
    ["Do you approve these changes?", "permission"],
    ["Can it have network access?", "permission"],
    ["Allow this command? [once/always/never]", "permission", ["once", "always", "never"]],
    ["Which database should I use? [postgres/sqlite]", "choice", ["postgres", "sqlite"]],
    ["Select an option (1, 2, 3):", "choice", ["1", "2", "3"]],
    ["Choose one: red | green | blue", "choice", ["red", "green", "blue"]],
    ["Which database should I use?", "input"],
    ["**What should the name be?**", "input"],
    ["- Where does `foo?` live?", "input"],
    ["What port is it (e.g. 80, 8080)?", "input"],
    ["どのファイルですか 教えて？", "input"],
  ];
  for (const [line, type, options] of cases) {
    const question = detectQuestion(`  ${line}  `);
    assert.equal(question?.type, type, line);
    assert.equal(question.text, line);
    assert.deepEqual(question.options, options ?? [], line);
  }
});

Deno.test("detectQuestion() leaves program text, data, addresses and quotations alone", () => {
  const lines = [
    "",
    "I will continue.",
    "Now I continue",
    "The tests have permission to write.",
    "Which of the options [a/b] it is, is told below.",
    "// should this be public?",
    "const ok = a === b ?",
    "if (ready && done?",
    '{"question": "Shall I proceed?"}',
    '"Proceed?"',
    'It printed "Continue?"',
    "The prompt says `Continue?`",
    "See https://example.org/search?",
    "empty?",
    "list.empty?",
    "call(a, b)?",
    "+ Is this added?",
    "$ which node?",
    "2026-01-01 12:00 is it up?",
    "/(?:a|b)?",
    "x".repeat(2000) + " y?",
  ];
  for (const line of lines) assert.equal(detectQuestion(line), null, line);
});

Deno.test("lastQuestion() finds what a text ends with, but not in a fence", () => {
  assert.equal(lastQuestion("Done.\n\nShall I proceed?\n")?.type, "confirmation");
  assert.equal(lastQuestion("Shall I proceed?\nI did.\nAll of it.\nIt works."), null);
  assert.equal(lastQuestion("Shall I proceed? (y/n)\nI did it anyway."), null);
  assert.equal(lastQuestion("Shall I proceed? (y/n)\nWhat is next?")?.text, "What is next?");
  assert.equal(lastQuestion("Which one do you want?\n1. red\n2. green")?.type, "input");
  assert.equal(lastQuestion("1. Shall I proceed?\n2. I did it."), null);
  assert.equal(lastQuestion("Ready.\n```\nShall I proceed?\n```\n"), null);
  assert.equal(lastQuestion("Ready.\n```\nShall I proceed?"), null);
  assert.equal(lastQuestion(""), null);
});
