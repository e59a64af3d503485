/** `install-hooks`, `--strict` (what a hook cannot judge does not happen), the two lanes, and `uninstall-hooks`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { namesIn, query } from "../support/look.ts";
import { checkOf, snapshot, type Stage, stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(stage);

type Handler = { command: string; args?: string[]; async?: true; onFailure?: string };

function hooksOf(place: Stage): Record<string, { matcher?: string; hooks: Handler[] }[]> {
  return JSON.parse(Deno.readTextFileSync(place.settings)).hooks;
}

test("the installed command runs from any folder, in a bare environment, and records the event", async (place) => {
  const { code, body } = await place.json(["install-hooks"]);
  assert.equal(code, 0);
  assert.equal(body.settings, place.settings);
  const { command, timeout } = JSON.parse(Deno.readTextFileSync(body.settings))
    .hooks.PostToolUse[0].hooks[0];
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

/** The events under which our hooks block when they cannot run. */
function blockingIn(place: Stage): string[] {
  return Object.entries(hooksOf(place))
    .filter(([, groups]) => groups.some(({ hooks }) => hooks.some((h) => h.onFailure === "block")))
    .map(([event]) => event);
}

test("only where Claude Code honours it a strict hook blocks when it cannot run", async (place) => {
  const { stdout } = await place.run(["install-hooks", "--strict"]);
  assert.match(stdout, /\n {2}strict: {2}UserPromptSubmit, PreToolUse: /);
  assert.deepEqual(blockingIn(place).sort(), ["PreToolUse", "UserPromptSubmit"]);
  const again = await place.run(["install-hooks", "--strict"]);
  assert.match(again.stdout, /are up to date/);
});

test("--strict says so where none of the chosen events honours it", async (place) => {
  const { code, stdout } = await place.run(["install-hooks", "--strict", "--events", "Stop"]);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /\n {2}warning: --strict changes nothing here: .* PreToolUse and UserPromptSubmit only/,
  );
  const { body } = await place.json(["install-hooks", "--strict"]);
  assert.deepEqual(body.warnings, []);
});

test("--strict --dry-run shows what it would write, and writes nothing", async (place) => {
  const { stdout } = await place.run(["install-hooks", "--strict", "--dry-run"]);
  assert.match(stdout, /\n\+ .*"onFailure": "block"/);
  assert.throws(() => Deno.statSync(place.settings));
});

test("an installation becomes strict, and without --strict no longer, and says so", async (place) => {
  await place.run(["install-hooks"]);
  const usual = Deno.readTextFileSync(place.settings);
  await place.run(["install-hooks", "--strict"]);
  assert.equal(blockingIn(place).length, 2);
  const preview = await place.run(["install-hooks", "--dry-run"]);
  assert.match(preview.stdout, /\n- .*"onFailure": "block"/);
  const { stdout } = await place.run(["install-hooks"]);
  assert.match(
    stdout,
    /no longer: UserPromptSubmit, PreToolUse go on.*`conclaude install-hooks --strict`/,
  );
  assert.equal(Deno.readTextFileSync(place.settings), usual);
});

test("uninstall-hooks gives back the bytes from before a strict installation", async (place) => {
  const path = join(place.project, "mine.json");
  const before = '{"hooks": { }, "permissions": {"deny": ["Bash"]}}';
  for (const first of [["--strict"], []]) {
    Deno.writeTextFileSync(path, before);
    await place.run(["install-hooks", "--settings", path, ...first]);
    await place.run(["install-hooks", "--settings", path, "--strict"]);
    const { body } = await place.json(["uninstall-hooks", "--settings", path]);
    assert.equal(body.restored, true);
    assert.equal(Deno.readTextFileSync(path), before);
  }
});

test("a refusal repeats --strict in its way on", async (place) => {
  const path = join(place.project, "mine.json");
  Deno.writeTextFileSync(path, "{,}");
  const { body } = await place.json(["install-hooks", "--settings", path, "--strict"]);
  assert.match(body.error.next, /`conclaude install-hooks --settings \S+ --strict`/);
});

test("the way out that doctor names keeps a strict installation strict", async (place) => {
  const program = join(place.project, "conclaude");
  Deno.writeTextFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  await place.run(["install-hooks", "--command", program, "--strict"]);
  Deno.removeSync(program);
  const { body } = await place.json(["doctor"]);
  const row = body.checks.find(({ message }) => /cannot start/.test(message));
  assert.equal(row?.next, "conclaude install-hooks --strict");
});

/** Whether Claude Code waits for our hook when it uses a tool. */
function waitsFor(place: Stage, event: string, tool: string): boolean {
  return (hooksOf(place)[event] ?? []).some(({ matcher = "*", hooks }) =>
    (matcher === "*" || new RegExp(matcher).test(tool)) && hooks.some(({ async }) => !async)
  );
}

function rules(place: Stage, text: string, project = place.project): void {
  Deno.mkdirSync(project, { recursive: true });
  Deno.writeTextFileSync(join(project, ".conclaude.yaml"), text);
}

const begin = (place: Stage, cwd = place.project) =>
  place.run(["hook", "SessionStart"], {
    stdin: { session_id: crypto.randomUUID(), source: "startup", cwd },
  });

const READ_RULE =
  "preToolUse: {toolUsageValidation: [{tool: Read, pattern: 'x/**', action: block}]}\n";

test("install-hooks widens its matchers by the rules of every project that the database knows", async (place) => {
  const elsewhere = join(place.home, "elsewhere");
  rules(place, READ_RULE, elsewhere);
  await place.run(["install-hooks"]);
  assert.equal(waitsFor(place, "PreToolUse", "Read"), false);
  assert.equal(waitsFor(place, "PreToolUse", "Edit"), true);
  await begin(place, elsewhere);
  await place.run(["install-hooks"]);
  assert.equal(waitsFor(place, "PreToolUse", "Read"), true);
  assert.equal(waitsFor(place, "PreToolUse", "Grep"), false);
  assert.equal(waitsFor(place, "PostToolUse", "Edit"), false);
  rules(
    place,
    "requirements: {r: {scope: single_use, triggerTools: [Edit], autoResolveSkill: review}}\n",
  );
  await place.run(["install-hooks"]);
  assert.equal(waitsFor(place, "PostToolUse", "Edit"), true);
});

test("a rule for a tool that no hook is asked about is told at the start of a session, with the way to mend it", async (place) => {
  await place.run(["install-hooks"]);
  rules(place, READ_RULE);
  const { stdout } = await begin(place);
  assert.match(
    JSON.parse(stdout).systemMessage,
    /NOT ARMED: .*PreToolUse.* not asked about Read.*Run `conclaude install-hooks`/,
  );
  const deaf = await checkOf(place, "gates");
  assert.deepEqual([deaf.status, deaf.next], ["fail", "conclaude install-hooks"]);
  await place.run(["install-hooks"]);
  assert.match((await checkOf(place, "gates")).message, /^ARMED:/);
});

test("doctor says how long Claude Code waited for hooks", async (place) => {
  await place.run(["install-hooks"]);
  assert.equal((await checkOf(place, "hooks")).status, "ok");
  await begin(place);
  await place.run(["hook", "SubagentStart"], { stdin: { session_id: crypto.randomUUID() } });
  assert.match(
    (await checkOf(place, "hooks")).message,
    /waited \d+\.\d s for 1 hook, and did not wait for 1$/,
  );
});

test.unix("hooks are started without a shell where the Claude Code on the PATH can, and doctor proves them", async (place) => {
  rules(place, "preToolUse: {uneditableFiles: ['*.lock']}\n");
  const tools = join(place.home, "tools");
  Deno.mkdirSync(tools);
  const withClient = async (version: string, ...args: readonly string[]) => {
    const script = `#!/bin/sh\necho '${version} (Claude Code)'\n`;
    Deno.writeTextFileSync(join(tools, "claude"), script, { mode: 0o755 });
    const env = { PATH: `${tools}:/usr/bin:/bin` };
    const { stdout } = await place.run(["install-hooks", ...args], { env });
    return stdout;
  };
  const stop = () => hooksOf(place)["Stop"]!.map(({ hooks: [handler] }) => handler!);
  assert.doesNotMatch(await withClient("2.1.328"), /without a shell/);
  const [line] = stop();
  assert.equal("args" in line!, false);
  assert.match(await withClient("2.1.1000"), /without a shell/);
  const words = stop().map(({ command, args }) => [command, ...args ?? []]);
  for (const [at, word] of ["Stop", "Drain"].entries()) assert.ok(words[at]!.includes(word));
  assert.ok(line!.command.startsWith(`${words[0]![0]} `), line!.command);
  assert.match((await checkOf(place, "gates")).message, /^ARMED:/);
  assert.equal((await checkOf(place, "hooks")).status, "ok");
  assert.doesNotMatch(await withClient("2.1.1000", "--scope", "project"), /without a shell/);
  await place.run(["uninstall-hooks"]);
  assert.throws(() => hooksOf(place), Deno.errors.NotFound);
});
