import "../../src/operations/config_sections.ts";
import assert from "node:assert/strict";
import { explainProblems } from "../../src/operations/verbs/config_verbs.ts";

Deno.test("explainProblems() is empty when all is well", () => {
  assert.equal(explainProblems([]), "");
});

Deno.test("explainProblems() says where, why and what next, one block a problem", () => {
  const path = "/work/app/.conclaude.yaml";
  const text = explainProblems([
    { path, line: 0, column: 0, key: "", message: "the file cannot be read: not a regular file" },
    { path, line: 2, column: 1, key: "", message: "not valid YAML:\n  Missing closing quote" },
    {
      path,
      line: 3,
      column: 5,
      key: "capture.exlude",
      message: "there is no such key",
      suggestion: 'write "capture.exclude" instead',
    },
  ]);
  assert.equal(
    text,
    `/work/app/.conclaude.yaml
  why:  the file cannot be read: not a regular file

/work/app/.conclaude.yaml:2:1
  why:  not valid YAML: Missing closing quote

/work/app/.conclaude.yaml:3:5  capture.exlude
  why:  there is no such key
  next: write "capture.exclude" instead`,
  );
});
