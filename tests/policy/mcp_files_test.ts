/** Tools of MCP servers that write: a protected file anywhere in their input is refused to them. */
import assert from "node:assert/strict";
import { judgeUse } from "../../src/policy/guards/judge_use.ts";
import { THIS_PROCESS } from "../../src/system/environment.ts";
import { JudgedProject } from "../support/judged_project.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import { rowsOf } from "../support/rows.ts";

Deno.test("a protected file anywhere in the input of a tool that may write is refused", async () => {
  using at = new JudgedProject(
    'preToolUse: { uneditableFiles: ["*.lock"], preventRootAdditions: true }\n',
    CASES.filesOfServers,
  );
  const judged = (tool: string, input: unknown) => {
    const use = { tool, input, agents: ["main"], folder: at.path, projectDir: at.path, home: null };
    const asked = { ...use, environment: THIS_PROCESS, gitAliases: new Map() };
    const places = {
      configFiles: [],
      database: ":memory:",
      repository: undefined,
      environment: THIS_PROCESS,
    };
    return judgeUse(at.policy, asked, places);
  };
  const rules = async (
    tool: string,
    input: unknown,
  ) => [...new Set((await judged(tool, input)).blocks.map(({ rule }) => rule.split("[")[0]))];
  const file = "preToolUse.uneditableFiles";
  const rows = JSON.stringify(CASES.deniedInputsOfServers).replaceAll("PROJECT", at.path);
  for (const [tool, input, denied] of rowsOf<readonly [string, object, string]>(JSON.parse(rows))) {
    assert.deepEqual([tool, await rules(tool, input)], [tool, [denied]], JSON.stringify(input));
  }
  assert.deepEqual(await rules("mcp__x__write", { all: [...many(4_000), "yarn.lock"] }), [file]);
  for (const [tool, input] of rowsOf<readonly [string, object]>(CASES.inputsOfServers)) {
    assert.deepEqual([tool, await rules(tool, input)], [tool, []]);
  }
  assert.match(
    (await judged("mcp__x__write", { all: [...many(6_000), "yarn.lock"] })).unread!,
    /more texts than can be looked up/,
  );
});

function many(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `a${i}`);
}
