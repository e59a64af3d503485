import assert from "node:assert/strict";
import { join } from "node:path";
import { namesIn, query } from "../support/look.ts";
import { snapshot, stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(stage);

test("the installed command runs from any folder, in a bare environment, and records the event", async (place) => {
  const { code, body } = await place.json(["install-hooks"]);
  assert.equal(code, 0);
  assert.equal(body.settings, join(place.home, ".claude", "settings.json"));
  const settings = JSON.parse(Deno.readTextFileSync(body.settings));
  const { command, timeout } = settings.hooks.PostToolUse[0].hooks[0];
  assert.equal(timeout, 10);
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", command],
    cwd: "/",
    clearEnv: true,
    env: {
      HOME: place.home,
      PATH: "/usr/bin:/bin",
      ...(body.fromSource && { DENO_DIR: Deno.env.get("DENO_DIR") ?? "dist/runtime-cache" }),
    },
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode('{"session_id":"s1","tool_name":"Read"}'));
  await writer.close();
  const { code: exit, stderr } = await child.output();
  assert.deepEqual([exit, new TextDecoder().decode(stderr)], [0, ""]);
  assert.deepEqual(
    query(place.database, "SELECT hook_name FROM hook_executions").map((row) => ({ ...row })),
    [{ hook_name: "PostToolUse" }],
  );
});

test("install-hooks says where, what and what to do next, and the second time changes nothing", async (place) => {
  const { stdout } = await place.run(["install-hooks", "--scope", "local"]);
  assert.match(stdout, /^Installed hooks in .*settings\.local\.json\n {2}program: \S/);
  assert.match(stdout, /\n {2}events: {2}SessionStart, UserPromptSubmit, /);
  assert.match(
    stdout,
    /\nRestart Claude Code, or start a new session, for the hooks to take effect\.\n$/,
  );
  const before = snapshot(place.project);
  assert.match((await place.run(["install-hooks", "--scope", "local"])).stdout, /are up to date/);
  assert.deepEqual(snapshot(place.project), before);
});

test("install-hooks --dry-run shows the lines and changes nothing", async (place) => {
  const { code, stdout } = await place.run([
    "install-hooks",
    "--scope=project",
    "--events=Stop,SessionEnd",
    "--dry-run",
  ]);
  assert.equal(code, 0);
  assert.match(stdout, /^Would install hooks in /);
  assert.match(stdout, /\n\+ .*"Stop"/);
  assert.doesNotMatch(stdout, /PostToolUse|Restart/);
  assert.deepEqual(namesIn(place.project), []);
});

test("uninstall-hooks gives back the bytes that were there before", async (place) => {
  const path = join(place.project, "mine.json");
  const before = '{"hooks": { }, "permissions": {"deny": ["Bash"]}}';
  Deno.writeTextFileSync(path, before);
  const installed = await place.json(["install-hooks", "--settings", "mine.json"]);
  assert.equal(installed.body.backup, `${path}.conclaude-backup`);
  assert.notEqual(Deno.readTextFileSync(path), before);
  const { body } = await place.json(["uninstall-hooks", "--settings", "mine.json"]);
  assert.deepEqual([body.restored, body.changed], [true, true]);
  assert.equal(Deno.readTextFileSync(path), before);
  assert.deepEqual(namesIn(place.project), ["mine.json"]);
  // The records stay, and a person is told how to delete them.
  const { stdout } = await place.run(["uninstall-hooks"]);
  const folder = join(place.home, ".conclaude");
  assert.ok(
    stdout.replace(/\s+/g, " ").includes(`stay in ${folder}: \`rm -r ${folder}\` deletes`),
    stdout,
  );
});

test("install-hooks --command takes an executable, and refuses what cannot be started", async (place) => {
  const program = join(place.project, "my conclaude");
  Deno.writeTextFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const { body } = await place.json(["install-hooks", "--command", "./my conclaude"]);
  assert.deepEqual([body.command, body.fromSource], [`'${program}' hook`, false]);

  Deno.writeTextFileSync(join(place.project, "plain"), "", { mode: 0o644 });
  for (const [name, why] of [["./plain", /not executable/], ["./none", /is not there/]] as const) {
    const before = snapshot(place.home);
    const { code, stderr } = await place.run(["install-hooks", "--command", name]);
    assert.equal(code, 2);
    assert.match(stderr, why);
    assert.deepEqual(snapshot(place.home), before);
  }
});
