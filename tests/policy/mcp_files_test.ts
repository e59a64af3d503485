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
  for (
    const [tool, input, denied] of [
      ["mcp__fs__write_file", { path: "yarn.lock" }, file],
      ["mcp__fs__edit", { files: [{ path: "a.txt" }, { path: "./yarn.lock" }] }, file],
      ["mcp__serena__replace", { relativePath: "yarn.lock", body: "x" }, file],
      ["mcp__x__save", { uri: `file://${at.path}/yarn.lock` }, file],
      ["mcp__x__moveTo", { target: `${at.path}/yarn.lock` }, file],
      ["mcp__x__write", { path: ".conclaude.yaml" }, "preToolUse.protectPolicy"],
      ["mcp__x__write", { path: ".git/config" }, "preToolUse.protectPolicy"],
      ["mcp__x__write", { path: ".git/modules/lib/config" }, "preToolUse.protectPolicy"],
      ["mcp__x__write", { path: ".git/modules/a/b/hooks/post-commit" }, "preToolUse.protectPolicy"],
      ["mcp__x__write", { path: ".git/worktrees/w/config.worktree" }, "preToolUse.protectPolicy"],
      ["mcp__x__write", { path: "my notes/a b.lock" }, file],
      ["mcp__x__write", { path: "my notes/new one.lock" }, file],
      ["mcp__x__write", { texts: ["my notes/a b.lock"] }, file],
      ["mcp__x__write", { path: " yarn.lock\n" }, file],
      ["mcp__x__write", { files: { "yarn.lock": "x" } }, file],
      ["mcp__x__write", { uri: `file://localhost${at.path}/yarn.lock` }, file],
      ["mcp__x__write", { uri: `FILE://${at.path}/yarn%2Elock#L3` }, file],
      ["mcp__x__write", { uri: `file:${at.path}/src/../yarn.lock` }, file],
      ["mcp__x__write", { uri: `file://${at.path}/my%20notes/a%20b.lock` }, file],
      ["mcp__x__write", { all: [...many(4_000), "yarn.lock"] }, file],
      ["mcp__shell__run", { command: "cd src; echo x > ../yarn.lock" }, file],
      ["mcp__shell__run", { command: "rm", args: ["-f", "yarn.lock"] }, file],
      ["mcp__x__start", { cmd: "rm -rf /" }, "preToolUse.denyDangerousCommands"],
      ["mcp__x__find_and_replace", { path: "yarn.lock" }, file],
      ["mcp__x__openAndWrite", { path: "yarn.lock" }, file],
      ["mcp__x__resolve-conflicts", { path: "yarn.lock" }, file],
    ] as const
  ) assert.deepEqual([tool, await rules(tool, input)], [tool, [denied]]);
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
