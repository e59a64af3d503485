import assert from "node:assert/strict";
import { branchName } from "../../src/work/engine/work_folder.ts";

Deno.test("the branch of a task is named by its id and the words of its title", () => {
  const cases: Readonly<Record<string, string>> = {
    "": "conclaude/t1",
    "Fix: the (login) bug!": "conclaude/t1-fix-the-login-bug",
    "…": "conclaude/t1",
    ["a ".repeat(40)]: `conclaude/t1-${"a-".repeat(20).slice(0, -1)}`,
  };
  for (const [title, name] of Object.entries(cases)) {
    assert.equal(branchName("t1", title), name, title);
  }
});
