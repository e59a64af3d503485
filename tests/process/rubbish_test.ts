/** A stdin, a stdout and an environment that are broken: the hook leaves with 0, and keeps what happened. */
import assert from "node:assert/strict";
import { captures, executions } from "../support/look.ts";
import { startProgram } from "../support/process.ts";
import { tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

const SILENT = '{"continue":true,"suppressOutput":true}\n';

const test = testWith(tempHome);

test("an unreadable or closed stdin counts as an empty one", async (home) => {
  for (const redirect of ["</", "<&-"]) {
    const { code, stdout, stderr } = await startProgram(["hook", "PostToolUse"], {
      env: { HOME: home.path },
      through: ["sh", "-c", `exec "$@" ${redirect}`, "sh"],
    });
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" }, redirect);
  }
  assert.equal(executions(home).length, 2);
});

test("an answer that nobody takes is no error", async (home) => {
  for (const redirect of [">&-", ">/dev/full"]) {
    const { code, stderr } = await startProgram(["hook", "PostToolUse"], {
      stdin: { session_id: "s1", tool_name: "Bash" },
      env: { HOME: home.path },
      through: ["sh", "-c", `exec "$@" ${redirect}`, "sh"],
    });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, redirect);
  }
  assert.equal(captures(home).length, 2);
});

test("an environment that is no UTF-8 costs no event", async (home) => {
  const names = ["CLAUDE_PROJECT_DIR", "CLAUDE_PID", "CLAUDE_CODE_SESSION_ID", "TEMP", "OTHER"];
  for (const name of names) {
    const { code, stderr, stdout } = await startProgram(["hook", "PostToolUse"], {
      stdin: { session_id: "s1", cwd: "/w", tool_name: "Bash" },
      env: { HOME: home.path },
      through: ["sh", "-c", `export ${name}="$(printf '/tmp/\\377')"; exec "$@"`, "sh"],
    });
    assert.deepEqual({ code, stderr, stdout }, { code: 0, stderr: "", stdout: SILENT }, name);
  }
  assert.equal(captures(home).length, names.length);
});
