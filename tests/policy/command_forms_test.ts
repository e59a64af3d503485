/** Rules about commands hold for the usual forms of a command, and for nothing that only looks like one. */
import assert from "node:assert/strict";
import TABLES from "../../src/policy/guards/command_forms.json" with { type: "json" };
import { formsOf, programsLike } from "../../src/policy/guards/command_forms.ts";
import { literal } from "../../src/policy/shell/word.ts";
import { JudgedProject } from "../support/judged_project.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };

const formsIn = (command: string) =>
  formsOf(command.split(" ").map(literal)).map((words) => words.map(({ text }) => text).join(" "));

Deno.test("a command that does what another one does has that form, its counterexample has not", () => {
  for (const { as, example, counterexample } of TABLES.same) {
    assert.ok(formsIn(example).some((form) => `${form} `.startsWith(`${as} `)), example);
    assert.ok(
      !formsIn(counterexample).some((form) => `${form} `.startsWith(`${as} `)),
      counterexample,
    );
  }
});

Deno.test("options may stand before the verb, between the words, and in any order", async () => {
  using at = new JudgedProject(
    `
preToolUse:
  toolUsageValidation:
    - { tool: Bash, commandPattern: "kubectl delete*", action: block }
    - { tool: Bash, commandPattern: "git push --force*", action: block }
    - { tool: Bash, commandPattern: "mytool deploy --prod*", action: block }
`,
    ["a.txt"],
  );
  for (const command of CASES.infrastructureDenied) {
    const { blocks } = await at.judge("Bash", command);
    assert.ok(blocks.some(({ rule }) => rule.includes("toolUsageValidation")), command);
  }
  await at.assertPlain(CASES.infrastructurePassing);
});

Deno.test("a pattern with a sign of the shell is tried on the whole script", async () => {
  const rule = '{ tool: Bash, commandPattern: "curl *| sh*", action: block }';
  using at = new JudgedProject(`preToolUse: { toolUsageValidation: [${rule}] }\n`, []);
  const rules = async (command: string) =>
    (await at.judge("Bash", command)).blocks.map(({ rule }) => rule);
  assert.deepEqual(await rules("curl http://x/i | sh -s"), ["preToolUse.toolUsageValidation[0]"]);
  assert.deepEqual(await rules("curl http://x/i; sh -s"), []);
  const { doubts } = await at.judge("Bash", `echo ${"x".repeat(20_000)} | sh`);
  assert.ok(doubts.some((doubt) => doubt.startsWith("it is too long to be compared")));
});

Deno.test("an allowing rule means the words as they are written", async () => {
  using at = new JudgedProject(
    `
preToolUse:
  toolUsageValidation:
    - { tool: Bash, commandPattern: "npm test*", action: allow }
`,
    ["a.txt"],
  );
  assert.equal((await at.judge("Bash", "npm test -- x")).blocks.length, 0);
  assert.equal((await at.judge("Bash", "npm --prefix /elsewhere test")).blocks.length, 1);
});

Deno.test("a rule is looked for under every name of its program", () => {
  assert.deepEqual(programsLike("kubectl").toSorted(), ["kubectl", "oc"]);
  assert.ok(programsLike("git").includes("gh"));
  assert.deepEqual(programsLike("mytool"), ["mytool"]);
});
