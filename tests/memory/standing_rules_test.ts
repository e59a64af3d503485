import assert from "node:assert/strict";
import { RULE_FORMS, standingRules } from "../../src/memory/observe/observe_words.ts";
import { drainAt, saveEvent, tempDatabase } from "../support/records.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };

Deno.test("each form of a rule finds its example, quoted as it was said, and not its counterexample", () => {
  for (const { name, example, counterexample } of RULE_FORMS) {
    assert.deepEqual(standingRules(`Fix the parser. ${example}`), [example], name);
    assert.deepEqual(standingRules(counterexample), [], name);
  }
});

Deno.test("a rule may stand behind please or in a list, and is said once", () => {
  assert.deepEqual(standingRules("Please always sign commits.\n- never push to main"), [
    "always sign commits.",
    "never push to main",
  ]);
  assert.deepEqual(standingRules("Never push to main\nnever mind\nNever push to main"), [
    "Never push to main",
  ]);
});

Deno.test("quotes, pasted code, questions and very short sentences are no rules", () => {
  for (const prompt of CASES.noRules) assert.deepEqual(standingRules(prompt), [], prompt);
});

Deno.test("a rule is a decision beside its prompt", async () => {
  using temp = await tempDatabase();
  const prompt = "Add the search page. From now on use pnpm.";
  const payload = JSON.stringify({ prompt, project_dir: "/p" });
  saveEvent(temp.db, { capture: { toolName: "UserPromptSubmit", payload } });
  drainAt(temp.db);
  const rows = temp.db.prepare(
    "SELECT kind, title FROM observations WHERE kind IN ('prompt', 'decision') ORDER BY kind",
  ).all();
  assert.deepEqual(rows.map(({ kind, title }) => [kind, title]), [
    ["decision", "From now on use pnpm."],
    ["prompt", prompt],
  ]);
});
