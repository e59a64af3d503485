/** Commands in several folders of a project, on the real program: each is mended where it failed. */
import assert from "node:assert/strict";
import { captures, query } from "../support/look.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";

const SESSION = "5e55a000-0000-4000-8000-0000000000f0";

/** Claude Code's report of `npm run build`, with its shell in a folder. */
async function build(home: TempHome, cwd: string, error?: string): Promise<void> {
  const event = error === undefined ? "PostToolUse" : "PostToolUseFailure";
  const { code } = await hook(
    event,
    {
      session_id: SESSION,
      cwd,
      hook_event_name: event,
      tool_name: "Bash",
      tool_input: { command: "npm run build" },
      ...(error === undefined
        ? { tool_response: { stdout: "built", stderr: "" } }
        : { error: `Exit code 2\n${error}` }),
    },
    home,
    { env: { CLAUDE_PROJECT_DIR: home.path } },
  );
  assert.equal(code, 0);
}

async function open(home: TempHome): Promise<string[]> {
  const { code, stderr } = await runProgram(["queue", "drain"], { env: { HOME: home.path } });
  assert.equal(code, 0, stderr);
  return query(
    home,
    "SELECT title FROM observations WHERE outcome = 'failure' AND resolved_by IS NULL ORDER BY id",
  ).map(({ title }) => String(title));
}

Deno.test("a build that failed where the shell was is mended there, and not by the same words in another folder", async () => {
  using home = tempHome();
  await build(home, `${home.path}/api`, "error: no such type");
  await build(home, home.path, "error: no such file");
  const inApi = "`cd api && npm run build` failed (exit 2): error: no such type";
  const atTop = "`npm run build` failed (exit 2): error: no such file";
  assert.deepEqual(await open(home), [inApi, atTop]);
  await build(home, `${home.path}/web`);
  assert.deepEqual(await open(home), [inApi, atTop]);
  await build(home, home.path);
  assert.deepEqual(await open(home), [inApi]);
  await build(home, `${home.path}/api`);
  assert.deepEqual(await open(home), []);
});

Deno.test("a capture names the shell's folder only where that is not the project's", async () => {
  using home = tempHome();
  await build(home, home.path);
  await build(home, `${home.path}/api`);
  const folders = captures(home).map(({ payload }) => Object(payload).cwd);
  assert.deepEqual(folders, [undefined, `${home.path}/api`]);
});
