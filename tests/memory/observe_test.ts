/** What captures tell, without any model. */
import assert from "node:assert/strict";
import type { Observed, ToolUse } from "../../src/memory/observe/observation.ts";
import { failureKey } from "../../src/memory/observe/command_key.ts";
import { errorLine } from "../../src/memory/observe/error_line.ts";
import { observe } from "../../src/memory/observe/observe.ts";
import { shownCommand } from "../../src/memory/observe/command_text.ts";
import { observed, observedNames } from "../support/program.ts";
import CASES from "../testdata/observed_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const ROOT = "/home/ana/app";

function tell(toolName: string, payload: Record<string, unknown>, failed = false): Observed {
  const use: ToolUse = { toolName, outcome: failed ? "failure" : "success", payload, root: ROOT };
  const told = observe(use);
  assert.ok(told, `${toolName} tells nothing`);
  return told;
}

const bash = (command: string, stdout: string) =>
  tell("Bash", { tool_input: { command }, tool_response: { stdout, stderr: "" } });
const keysOf = ({ passes = [] }: Observed) =>
  passes.map(({ what }): string | null => failureKey(what));
const fails = (command: string, error: string) =>
  tell("Bash", { tool_input: { command }, error }, true);

Deno.test("an edit tells its file, its symbols, and its added and removed lines", () => {
  const edit = tell("Edit", {
    tool_input: {
      file_path: `${ROOT}/src/a.ts`,
      old_string: "export const b = 1;",
      new_string: "export function parseHookEvent(text: string) {\n  return JSON.parse(text);\n}",
    },
    tool_response: { originalFile: "// a\nexport const b = 1;\n" },
  });
  assert.equal(edit.title, "Edit src/a.ts: parseHookEvent (+3 −1)");
  const { before, ...edited } = edit.facts;
  assert.deepEqual(edited, { added: 3, removed: 1, symbols: ["parseHookEvent"] });
  assert.match(before ?? "", /^[\da-f]{16}$/);
  assert.match(edit.text, /^-export const b = 1;\n\+export function parseHookEvent/);
  assert.equal(edit.files[0]!.path, "src/a.ts");
  const written = tell("Write", {
    tool_input: {
      file_path: `${ROOT}/src/a.ts`,
      content:
        "// a\nexport function parseHookEvent(text: string) {\n  return JSON.parse(text);\n}\n",
    },
    tool_response: { type: "create", structuredPatch: [] },
  });
  assert.equal(written.title, "Write src/a.ts: parseHookEvent (+4 −0)");
  assert.equal(written.files[0]!.digest, edit.files[0]!.digest, "the same content has one digest");
});

Deno.test("an edit of a payload that was cut has no digest", () => {
  const { files } = tell("Edit", {
    tool_input: {
      file_path: "/elsewhere/x.py",
      old_string: "def a(): pass",
      new_string: "def b(): pass",
    },
    tool_response: { originalFile: "[… 4123 bytes cut …]" },
  });
  assert.deepEqual(files, [{ path: "/elsewhere/x.py", digest: null }]);
});

Deno.test("Claude Code's own patch is taken where it sends one", () => {
  const { title, text } = tell("MultiEdit", {
    tool_input: { file_path: `${ROOT}/a.rs`, edits: [{ old_string: "x", new_string: "y" }] },
    tool_response: {
      structuredPatch: [{
        lines: [" kept", "-fn old_way() {}", "+fn new_way() {}", "+fn more() {}"],
      }],
    },
  });
  assert.equal(title, "Edit a.rs: new_way, more, old_way (+2 −1)");
  assert.equal(text, "-fn old_way() {}\n+fn new_way() {}\n+fn more() {}");
});

Deno.test("a command that fails is a failure, with its status and the line that says why", () => {
  const failure = fails(
    "npm run build",
    "Exit code 2\n> build\nsrc/a.ts(3,5): error TS2304: Cannot find name 'x'.",
  );
  assert.equal(failure.kind, "failure");
  assert.equal(failure.facts.exitCode, 2);
  assert.equal(
    failure.title,
    "`npm run build` failed (exit 2): src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
  );
  assert.deepEqual(keysOf(bash("npm run build", "done")).includes(failure.sameAs), true);
});

Deno.test("a script has the status that it prints in the place of `$?`, and no other number", () => {
  const rows = rowsOf<readonly [script: string, output: string, status: number | null]>(
    CASES.printedStatus,
  );
  for (const [script, output, status] of rows) {
    const { outcome, facts } = bash(script, output);
    const wanted = status === null
      ? [null, undefined]
      : [status === 0 ? "success" : "failure", status];
    assert.deepEqual([outcome, facts.exitCode], wanted, script);
  }
});

Deno.test("a command that runs tests has failed where its runner counts a failure, whatever its status says", () => {
  const runs = rowsOf<readonly [command: string, output: string, passes: boolean]>(CASES.testRuns);
  for (const [command, output, passes] of runs) {
    const { kind, outcome } = bash(`${command} 2>&1 | tail -40`, output);
    assert.deepEqual([kind, outcome], ["test", passes ? "success" : "failure"], command);
  }
  const others = ["ls test", "npm install", "git commit -m test", "deno task build", "cargo tree"];
  for (const command of [...others, "cat tests/a.ts", "echo latest", "npm run typecheck"]) {
    assert.notEqual(bash(command, "Tests: 1 failed, 1 total").kind, "test", command);
  }
});

Deno.test("failed tests are told by their names or their error, and not by a total or a heading", () => {
  const told = rowsOf<readonly [command: string, output: string, why: string]>(CASES.failedTests);
  for (const [command, output, why] of told) {
    const { title } = fails(command, `Exit code 1\n${output}`);
    assert.equal(title, `Tests fail: ${command} ${why}`);
  }
});

Deno.test("a plan is told by the first line that tells something", () => {
  const plans = rowsOf<readonly [plan: string, title: string]>(CASES.plans);
  for (const [plan, title] of plans) {
    assert.equal(tell("ExitPlanMode", { tool_input: { plan } }).title, `Plan: ${title}`);
  }
});

Deno.test("a command is the same wherever its output goes, and another one in another folder", () => {
  const same = CASES.sameCommands;
  for (const command of same) assert.equal(shownCommand(command), "npm test", command);
  assert.equal(shownCommand("npm test | grep -E 'a|b' | tail -5"), "npm test");
  assert.equal(shownCommand('npm test | grep "a \\" | b"'), "npm test");
  assert.equal(shownCommand("npm run 'a | tail'"), "npm run 'a | tail'");
  assert.notEqual(shownCommand("npm test -- --only a"), "npm test");
  assert.notEqual(shownCommand("cd app && npm test"), "npm test");
  assert.equal(shownCommand("cat a | sort | uniq"), "cat a | sort | uniq");
});

Deno.test("a commit that passes mends the failure of the one that a check refused", () => {
  const command = "git commit -m 'Say less'";
  const refused = fails(command, "Exit code 1\nlint: 3 problems");
  assert.ok(keysOf(bash(command, "[main 1a2b3c4] Say less")).includes(refused.sameAs));
});

Deno.test("reads, questions, plans and messages each have a title of their own", () => {
  const rows = rowsOf<readonly [use: Parameters<typeof tell>, kind: string, title: string]>(
    CASES.titles,
  );
  for (const [use, wantedKind, wantedTitle] of rows) {
    const { kind, title } = tell(...use);
    assert.deepEqual([kind, title], [wantedKind, wantedTitle]);
  }
});

Deno.test("a tool without an input of its own tells nothing, or its name alone", () => {
  for (const toolName of ["Agent", "WebFetch"]) {
    const payload = { tool_input: {}, tool_response: {} };
    assert.equal(observe({ toolName, outcome: "success", payload, root: ROOT }), null, toolName);
  }
  const { title, text } = tell("mcp__a__b", { tool_input: null, tool_response: "" });
  assert.deepEqual([title.trim(), text.trim()], ["mcp__a__b", ""]);
});

Deno.test("observing throws for no input of any tool", () => {
  const values = [undefined, null, 5, "text", [], {}, { file_path: 5 }, { command: [] }, {
    todos: [null, 1],
  }];
  const tools = CASES.toolNames;
  for (const toolName of tools) {
    for (const input of values) {
      for (const response of values) {
        for (const outcome of ["success", "failure"] as const) {
          const payload = {
            tool_input: input,
            tool_response: response,
            error: response,
            prompt: input,
          };
          observe({ toolName, outcome, payload, root: null });
        }
      }
    }
  }
});

Deno.test("every recorded tool use gives an observation, or is known to give none", () => {
  const silent = new Set(["TaskUpdate"]);
  for (const name of observedNames().filter((name) => /^PostToolUse(?:Failure)?\./.test(name))) {
    const payload = observed(name, { PROJECT: ROOT, HOME: "/home/ana" });
    const toolName = String(payload["tool_name"]);
    const outcome = name.startsWith("PostToolUseFailure") ? "failure" : "success";
    const told = observe({ toolName, outcome, payload, root: ROOT });
    assert.ok(told !== null || silent.has(toolName), name);
  }
});

Deno.test("the line that says what is wrong is found among others", () => {
  const lines = rowsOf<readonly [output: string, line: string | null]>(CASES.errorLines);
  for (const [output, line] of lines) assert.equal(errorLine(output), line);
});
