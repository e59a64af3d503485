/** Every hook event, as Claude Code really sends it and as it never should, through the real program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { captures, executions, filesWith, queryValue, type Row } from "../support/look.ts";
import type { Finished } from "../support/process.ts";
import {
  hook,
  observed,
  observedNames,
  runProgram,
  type TempHome,
  tempHome,
} from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

const SILENT = '{"continue":true,"suppressOutput":true}\n';
const TOOL_USE_EVENTS = ["PostToolUse", "PostToolUseFailure"];
const PRIORITIES: Readonly<Record<string, string>> = {
  Write: "high",
  Edit: "high",
  Bash: "high",
  Read: "low",
};

/** The exact answer of an event on a database that knows no session yet. */
function answerTo(event: string): string {
  return [...TOOL_USE_EVENTS, "Stop"].includes(event) ? SILENT : "";
}

function assertQuiet(finished: Finished, stdout: string): void {
  assert.deepEqual(finished, { code: 0, signal: null, stdout, stderr: "" });
}

/** Sends one tool use and gives back its capture. */
async function captureOf(
  home: TempHome,
  payload: Record<string, unknown>,
  env: Record<string, string> = {},
): Promise<Row> {
  assertQuiet(await hook("PostToolUse", payload, home, { env }), SILENT);
  return captures(home).at(-1)!;
}

const test = testWith(tempHome);

for (const name of observedNames()) {
  const event = name.split(".")[0]!;
  test(`a recorded ${name} is answered exactly and becomes one audit row`, async (home) => {
    const payload = observed(name, { HOME: home.path, PROJECT: home.path });
    assertQuiet(await hook(event, payload, home), answerTo(event));

    const rows = executions(home);
    assert.equal(rows.length, 1);
    assert.deepEqual(
      {
        hook: rows[0]!["hook_name"],
        session: rows[0]!["session_id"],
        tool: rows[0]!["tool_name"],
        use: rows[0]!["tool_use_id"],
        status: rows[0]!["status"],
        error: rows[0]!["error_message"],
      },
      {
        hook: event,
        session: payload["session_id"],
        tool: payload["tool_name"] ?? null,
        use: payload["tool_use_id"] ?? null,
        status: "success",
        error: null,
      },
    );
    assert.ok(Number(rows[0]!["duration_ms"]) > 0);
    assertCaptured(captures(home), { event, payload });
  });
}

/** Events that are kept whole though they are no tool uses, by the field that is. */
const SAID: Readonly<Record<string, string>> = {
  UserPromptSubmit: "prompt",
  Stop: "last_assistant_message",
  StopFailure: "error",
  PostCompact: "compact_summary",
};

/** A tool use is kept whole, once, and so is what was said; every other event is not. */
function assertCaptured(
  kept: readonly Row[],
  { event, payload }: { readonly event: string; readonly payload: Record<string, unknown> },
): void {
  const said = SAID[event];
  if (said === undefined && !TOOL_USE_EVENTS.includes(event)) return assert.deepEqual(kept, []);
  assert.equal(kept.length, 1);
  const capture = kept[0]!;
  if (said !== undefined) {
    assert.equal(capture["tool_name"], event);
    assert.equal(Object(capture["payload"])[said], payload[said]);
    return;
  }
  const tool = String(payload["tool_name"]);
  assert.equal(capture["priority"], PRIORITIES[tool] ?? "normal");
  assert.equal(capture["outcome"], event === "PostToolUse" ? "success" : "failure");
  assert.equal(capture["status"], "raw");
  assert.equal(capture["tool_use_id"], payload["tool_use_id"]);
  const input = payload["tool_input"] as Record<string, unknown>;
  const file = PRIORITIES[tool] === undefined ? undefined : input["file_path"];
  assert.deepEqual(capture["files_touched"], file === undefined ? [] : [file]);
  const whole = { ...payload, project_dir: payload["cwd"] };
  const commons = ["session_id", "transcript_path", "cwd", "hook_event_name", "permission_mode"];
  for (const common of commons) {
    Reflect.deleteProperty(whole, common);
  }
  assert.deepEqual(capture["payload"], whole);
}

Deno.test("the recordings hold all 33 events", () => {
  assert.equal(new Set(observedNames().map((name) => name.split(".")[0])).size, 33);
});

test("an unknown event is recorded with its fields, and answered with nothing", async (home) => {
  assertQuiet(await hook("TeapotBoiled", { session_id: "s1", cups: 3 }, home), "");
  const [row] = executions(home);
  assert.equal(row!["hook_name"], "TeapotBoiled");
  const { told: _, ...metadata } = row!["metadata"] as Record<string, unknown>;
  assert.deepEqual(metadata, { config: "none", cups: 3 });
});

test("the event's name on the command line wins over the payload's", async (home) => {
  await hook("Notification", { session_id: "s1", hook_event_name: "SessionEnd" }, home);
  assert.deepEqual(executions(home).map((row) => row["hook_name"]), ["Notification"]);
  assert.equal(queryValue(home, "SELECT status FROM sessions"), "active");
});

test("a name on the command line that is none of an event is masked and short", async (home) => {
  await hook("password=hunter2Hunter2", { session_id: "s1" }, home);
  await hook(`Other${"x".repeat(100_000)}`, { session_id: "s1" }, home);
  const [masked, short] = executions(home).map((row) => String(row["hook_name"]));
  assert.equal(masked, "password=[redacted:secret]");
  assert.equal(short!.length, 256);
  assert.deepEqual(filesWith(home.path, "hunter2Hunter2"), []);
});

test("without a name on the command line the payload's counts, and its rule", async (home) => {
  const stdin = { session_id: "s1", hook_event_name: "PostToolUse", tool_name: "Bash" };
  assertQuiet(await runProgram(["hook"], { stdin, env: { HOME: home.path } }), SILENT);
  assert.equal(captures(home).length, 1);
});

test("--db leads to the database, before and after the event's name, in both forms", async (home) => {
  const database = join(home.path, "named.db");
  const stdin = { session_id: "s1", tool_name: "Bash" };
  const flags = [["--db", database], [`--db=${database}`]];
  for (const flag of flags) {
    for (const args of [["PostToolUse", ...flag], [...flag, "PostToolUse"]]) {
      const env = { HOME: home.path };
      assertQuiet(await runProgram(["hook", ...args], { stdin, env }), SILENT);
    }
  }
  assert.equal(captures(database).length, 4);
});

test("names such as __proto__, and endless names, are names like others", async (home) => {
  const names = [
    "constructor",
    "__proto__",
    "toString",
    "x".repeat(10_000),
    "a b",
    "-x",
    "é\n\t😀",
  ];
  for (const name of names) {
    assertQuiet(await hook(name, { session_id: "s1", hook_event_name: "Told" }, home), "");
  }
  const told = executions(home).map((row) => row["hook_name"]);
  assert.equal(told.length, names.length);
  assert.deepEqual(told.slice(0, 3), names.slice(0, 3));
});

test("CLAUDE_PROJECT_DIR is the project, whatever folder Claude is in", async (home) => {
  const project = join(home.path, "project");
  const payload = { session_id: "s1", cwd: join(project, "src"), tool_name: "Bash" };
  const named = await captureOf(home, payload, { CLAUDE_PROJECT_DIR: project });
  assert.equal((named["payload"] as Row)["project_dir"], project);
  assert.equal(queryValue(home, "SELECT project_dir FROM sessions"), project);
  assert.equal(queryValue(home, "SELECT cwd FROM sessions"), join(project, "src"));
  const empty = await captureOf(home, payload, { CLAUDE_PROJECT_DIR: "" });
  assert.equal((empty["payload"] as Row)["project_dir"], join(project, "src"));
});

test("a notebook is a touched file", async (home) => {
  const notebook = { notebook_path: "/work/a.ipynb", new_source: "1" };
  const capture = await captureOf(home, { tool_name: "NotebookEdit", tool_input: notebook });
  assert.deepEqual(capture["files_touched"], ["/work/a.ipynb"]);
});

for (const tool of ["Write", "Edit", "MultiEdit", "Read", "NotebookEdit", "Bash", "mcp__x__y"]) {
  test(`${tool} is kept with whatever is sent as its input`, async (home) => {
    const inputs: unknown[] = [null, [], ["/a"], "text", 7, true, {}, { file_path: null }, {
      file_path: 5,
      notebook_path: {},
    }];
    for (const input of inputs) {
      const capture = await captureOf(home, { tool_name: tool, tool_input: input });
      assert.deepEqual((capture["payload"] as Row)["tool_input"], input);
      assert.deepEqual(capture["files_touched"], []);
    }
    const missing = await captureOf(home, { tool_name: tool });
    assert.deepEqual((missing["payload"] as Row)["tool_input"], {});
  });
}

test("a response of any type is kept as it is", async (home) => {
  for (const response of ["done", "", null, 0, false, ["a", { b: 1 }]]) {
    const capture = await captureOf(home, { tool_name: "Bash", tool_response: response });
    assert.deepEqual((capture["payload"] as Row)["tool_response"], response);
  }
});

test("a tool use without ids or a tool's name is kept under a session of its own", async (home) => {
  const capture = await captureOf(home, { tool_input: { command: "ls" } });
  assert.equal(capture["session_id"], "unknown");
  assert.equal(capture["tool_name"], "unknown");
  assert.equal(capture["tool_use_id"], null);
  assert.equal(queryValue(home, "SELECT count(*) FROM sessions"), 0);
});

test("ids of wrong types are no ids, and nothing else is lost with them", async (home) => {
  for (const wrong of [null, 5, {}, [], "", " ", true]) {
    const capture = await captureOf(home, {
      session_id: wrong,
      tool_use_id: wrong,
      cwd: wrong,
      transcript_path: wrong,
      permission_mode: wrong,
      tool_name: "Bash",
      tool_response: "kept",
    });
    assert.equal(capture["session_id"], "unknown");
    assert.equal((capture["payload"] as Row)["tool_response"], "kept");
  }
});

test("the session's name in the environment counts where the payload has none", async (home) => {
  const env = { CLAUDE_CODE_SESSION_ID: "from-the-environment" };
  const capture = await captureOf(home, { tool_name: "Bash" }, env);
  assert.equal(capture["session_id"], "from-the-environment");
});

for (const text of ["null", "5", '"text"', "[]", '[{"session_id":"s1"}]', "true"]) {
  test(`stdin of ${text} is answered with nothing and stands in the audit trail`, async (home) => {
    for (const event of ["PostToolUse", "SessionStart", "Stop", "SessionEnd", "Whatever"]) {
      assertQuiet(await hook(event, text, home), "");
    }
    const rows = executions(home);
    assert.equal(rows.length, 5);
    for (const row of rows) {
      assert.equal(row["status"], "failure");
      assert.equal(row["error_message"], "stdin holds JSON, but not an object");
      assert.equal((row["metadata"] as Row)["stdin"], text);
    }
  });
}

test("nothing of the environment is stored but the variables that have a meaning here", async (home) => {
  const marker = "markerOf8Hq2";
  const env: Record<string, string> = { CLAUDE_PROJECT_DIR: home.path, CLAUDE_PID: "4711" };
  const real = ["ANTHROPIC_API_KEY", "SSH_AUTH_SOCK", "USER", "PWD", "AI_AGENT", "CLAUDE_ENV_FILE"];
  for (let i = 0; i < 200; i++) env[real[i] ?? `CLAUDE_CODE_VARIABLE_${i}`] = `${marker}${i}`;
  for (const name of observedNames()) {
    await hook(name.split(".")[0]!, observed(name, { PROJECT: home.path }), home, { env });
  }
  await hook("PostToolUse", "{", home, { env });
  assert.ok(executions(home).length > 33);
  assert.deepEqual(filesWith(home.path, marker), []);
});

const befores = [["--json"], ["--no-color"], ["--db", "elsewhere.db"], ["--db=elsewhere.db"]];
for (const before of befores) {
  test(`${before.join(" ")} before the verb leaves a hook a hook`, async (home) => {
    const { code, stdout } = await runProgram([...before, "hook", "PostToolUse"], {
      stdin: observed("PostToolUse.Bash"),
      env: { HOME: home.path },
      cwd: home.path,
    });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { continue: true, suppressOutput: true });
    const database = before[0]!.startsWith("--db")
      ? join(home.path, "elsewhere.db")
      : home.database;
    assert.equal(captures(database).length, 1);
  });
}

test("a failed tool use whose error is no text is kept like any other", async (home) => {
  const payload = { session_id: "s1", tool_name: "Bash", tool_input: {}, error: { toString: "x" } };
  assertQuiet(await hook("PostToolUseFailure", payload, home), SILENT);
  const [row] = captures(home);
  assert.deepEqual([row!["priority"], row!["outcome"]], ["high", "failure"]);
});
