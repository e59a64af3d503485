/** A protected file by another way: under a name that `ln` made, and in the input of an MCP server's tool. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { gitSync } from "../support/git.ts";
import { JudgedProject } from "../support/judged_project.ts";
import { judgeUse } from "../../src/policy/guards/judge_use.ts";
import { THIS_PROCESS } from "../../src/system/environment.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const FILES = ["yarn.lock", "sub/b.lock", "own.txt", "secret/key", "docs/"];

function project(config: string): JudgedProject {
  const at = new JudgedProject(config, FILES);
  gitSync(at.path, "init", "-q", "-b", "main");
  gitSync(at.path, "add", ".");
  for (const [file, link] of [["sub/b.lock", "lock"], ["own.txt", "own"], ["secret/key", "key"]]) {
    Deno.linkSync(join(at.path, file!), join(at.path, "docs", link!));
  }
  Deno.linkSync(join(at.path, ".git/config"), join(at.path, "docs/config"));
  return at;
}

const CONFIG = 'preToolUse: { uneditableFiles: ["*.lock", secret/key] }\n';

Deno.test("a hard link to a protected file counts as that file, for tools and for commands", async () => {
  using at = project(CONFIG);
  const rules = async (tool: string, text: string) =>
    (await at.judge(tool, text)).blocks.map(({ rule }) => rule.split("[")[0]);
  for (const tool of ["Edit", "Write"]) {
    assert.deepEqual(await rules(tool, "docs/lock"), ["preToolUse.uneditableFiles"]);
    assert.deepEqual(await rules(tool, "docs/key"), ["preToolUse.uneditableFiles"]);
    assert.deepEqual(await rules(tool, "docs/config"), ["preToolUse.protectPolicy"]);
    assert.deepEqual(await rules(tool, "docs/own"), []);
    assert.deepEqual(await rules(tool, "docs/new"), []);
  }
  for (const command of ["echo x > docs/lock", "sed -i s/a/b/ docs/*", "git checkout docs/lock"]) {
    assert.ok((await rules("Bash", command)).includes("preToolUse.uneditableFiles"), command);
  }
  assert.ok((await rules("Bash", "echo x > docs/config")).includes("preToolUse.protectPolicy"));
  // The file itself stays.
  for (const command of ["rm docs/lock docs/config", "cat docs/lock", "echo x > docs/own"]) {
    assert.deepEqual(await rules("Bash", command), [], command);
  }
});

Deno.test("the reason names the protected file as well", async () => {
  using at = project(CONFIG);
  const { blocks: [block] } = await at.judge("Edit", "docs/lock");
  assert.match(block!.reason, /File: docs\/lock \(the same file as sub\/b\.lock\)/);
});

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
