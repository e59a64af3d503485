/** Desktop notifications, with a notifier that writes down what it is given. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { pause } from "../support/wait.ts";
import { testWith } from "../support/fixtures.ts";
import { textOf } from "../support/look.ts";

const SESSION = "5e551055-0000-4000-8000-000000000001";

/** A project, and a notifier on the `PATH`. @param notifier What the notifier does before it writes. */
function placeIn(home: TempHome, config: string, notifier = ""): Record<string, string> {
  Deno.mkdirSync(join(home.path, "project"));
  Deno.writeTextFileSync(join(home.path, "project", ".conclaude.yaml"), config);
  const tools = join(home.path, "tools");
  Deno.mkdirSync(tools);
  Deno.writeTextFileSync(
    join(tools, "notify-send"),
    `#!/bin/sh\n${notifier}\n{ printf '%s|' "$@"; echo "$DISPLAY"; } >> ${home.path}/told\n`,
    { mode: 0o755 },
  );
  return { PATH: `${tools}:/usr/bin:/bin`, DISPLAY: ":7" };
}

async function send(
  home: TempHome,
  env: Record<string, string>,
  event: string,
  payload: Record<string, unknown> = {},
) {
  const cwd = join(home.path, "project");
  const { code, stderr } = await hook(event, { session_id: SESSION, cwd, ...payload }, home, {
    env,
  });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
}

/** What the notifier was given, when it has been given as much as is expected: the hook does not wait for it. */
async function toldIn(home: TempHome, count: number): Promise<string[]> {
  for (let round = 0; round < 100; round++) {
    const lines = readLines(join(home.path, "told"));
    if (lines.length >= count) return lines;
    await pause(50);
  }
  return readLines(join(home.path, "told"));
}

const readLines = (path: string) => textOf(path).split("\n").filter((line) => line !== "");

const test = testWith(tempHome, Deno.build.os === "linux" ? null : "needs Linux");

test("a blocked event is shown as urgent, with its text as an argument", async (home) => {
  const env = placeIn(
    home,
    `notifications: {enabled: true, hooks: ["*"], showErrors: true}
stop: {commands: [{run: "false # $(touch hacked) <b> & 'x'"}]}
`,
  );
  await send(home, env, "Stop");
  const [line, ...more] = await toldIn(home, 1);
  assert.deepEqual(more, []);
  assert.match(
    line!,
    /^--app-name=conclaude\|--urgency=critical\|--\|Conclaude - Stop\|blocked: stop\.commands\[0\] /,
  );
  assert.ok(line!.endsWith("&lt;b&gt; &amp; 'x'|:7"), line);
  assert.throws(() => Deno.statSync(join(home.path, "project", "hacked")));
});

test("successes and system events are shown where the configuration asks for them", async (home) => {
  const env = placeIn(
    home,
    "notifications: {enabled: true, hooks: [Stop, SessionStart, PreToolUse], showSuccess: true}",
  );
  await send(home, env, "SessionStart", { source: "startup" });
  await send(home, env, "Stop");
  await send(home, env, "PreToolUse", { tool_name: "Bash", tool_input: { command: "rm -rf /" } });
  await send(home, env, "PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
  await send(home, env, "SessionEnd", { reason: "other" });
  const told = (await toldIn(home, 3)).map((line) => line.split("|").slice(3, 5)).sort();
  assert.deepEqual(told, [
    ["Conclaude - PreToolUse", "success: Bash"],
    ["Conclaude - SessionStart", "success: startup"],
    ["Conclaude - Stop", "All checks passed"],
  ]);
});

const configs = [
  "notifications: {enabled: true, hooks: []}",
  'notifications: {enabled: false, hooks: ["*"], showSuccess: true, showErrors: true}',
  "notifications: {enabled: true, hooks: [SessionStart], showSystemEvents: false}",
];
for (const config of configs) {
  test(`nothing is shown with ${config}`, async (home) => {
    const env = placeIn(home, config);
    await send(home, env, "SessionStart", { source: "startup" });
    await send(home, env, "Stop");
    await pause(300);
    assert.deepEqual(readLines(join(home.path, "told")), []);
  });
}

test("each command that asks for it is shown by itself", async (home) => {
  const env = placeIn(
    home,
    `notifications: {enabled: true, hooks: [Stop], showErrors: true, showSuccess: true}
stop:
  commands:
    - {run: "true", notifyPerCommand: true}
    - {run: "exit 7", notifyPerCommand: true, showCommand: false}
`,
  );
  await send(home, env, "Stop");
  const told = (await toldIn(home, 3)).map((line) => line.split("|")[4]).sort();
  assert.deepEqual(told.slice(1), [
    "failure: stop.commands[1] failed with exit code 7",
    "success: true succeeded",
  ]);
  assert.match(told[0]!, /^blocked: stop\.commands\[1\] failed/);
});

test("a notifier that hangs, or is missing, holds up nothing", async (home) => {
  const config = 'notifications: {enabled: true, hooks: ["*"], showSuccess: true}';
  const env = placeIn(home, config, "sleep 5");
  const startedAt = performance.now();
  await send(home, env, "Stop");
  assert.ok(performance.now() - startedAt < 4000);
  await send(home, { PATH: "/nowhere" }, "Stop");
});

test("an event that Claude Code does not have is refused, the others count", async (home) => {
  const config = "notifications: {enabled: true, hooks: [Stopp, Stop], showSuccess: true}";
  const env = placeIn(home, config);
  await send(home, env, "Stop");
  assert.equal((await toldIn(home, 1)).length, 1);
  const args = ["config", "validate"];
  const cwd = join(home.path, "project");
  const { code, stdout, stderr } = await runProgram(args, { env: { HOME: home.path }, cwd });
  assert.equal(code, 1);
  assert.match(
    stdout + stderr,
    /notifications\.hooks\[0\]\n.*"Stopp": Claude Code has no such event/,
  );
});
