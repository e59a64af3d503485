/** `doctor` proves that what is forbidden is forbidden: it runs the installed hook, and says ARMED or why not. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DEFAULT_EVENTS } from "../../src/claude/settings/lanes.ts";
import { programCommand } from "../../src/build/program.ts";
import { acceptConfiguration } from "../support/person.ts";
import { someOf } from "../support/lanes.ts";
import {
  alterSettings,
  checkOf,
  type CheckRow,
  checksOf,
  snapshot,
  type Stage,
  stage,
} from "./support.ts";
import { namesIn } from "../support/look.ts";
import { it, rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };
import { configureUser } from "../support/on_home.ts";

const GUARDED = "preToolUse: {uneditableFiles: ['*.lock'], preventRootAdditions: true}\n";

const gates = (place: Stage, ...flags: string[]) => checksOf(place, "gates", flags);

async function gate(place: Stage, ...flags: string[]): Promise<CheckRow> {
  const [row, ...more] = await gates(place, ...flags);
  assert.deepEqual(more, []);
  return row!;
}

/** A shell script in the place of the program: `$1` is `hook` or `--version`. */
function program(place: Stage, script: string, name = "conclaude"): string {
  const path = join(place.home, name);
  Deno.writeTextFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

const words = programCommand().map((word) => `'${word}'`).join(" ");
const DENIAL =
  `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'`;

Deno.test("where nothing is guarded there are no gates", async () => {
  using place = stage();
  await place.run(["install-hooks"]);
  const row = await gate(place);
  assert.equal(row.status, "ok");
  assert.match(row.message, /^no gates here/);
});

const test = testWith(() => stage(GUARDED));

test("an installation that judges is ARMED, and strict or not is said", async (place) => {
  await place.run(["install-hooks"]);
  const usual = await gate(place);
  assert.equal(usual.status, "ok", usual.message);
  assert.match(usual.message, /^ARMED: .*settings\.json denied .* not strict: .*--strict/);
  await place.run(["install-hooks", "--strict"]);
  assert.match((await gate(place)).message, /^ARMED: .*; strict: when it cannot run/);
});

test("the proof touches neither the person's home nor the project", async (place) => {
  await place.run(["install-hooks"]);
  const home = snapshot(place.home);
  const project = snapshot(place.project);
  const temporary = join(place.home, "..", "temporary");
  Deno.mkdirSync(temporary);
  const { message } = await checkOf(place, "gates", [], { env: { TMPDIR: temporary } });
  assert.match(message, /^ARMED/);
  assert.deepEqual(namesIn(temporary), []);
  assert.deepEqual(snapshot(place.home), home);
  assert.deepEqual(snapshot(place.project), project);
});

test("without hooks, or without the one that judges, it is NOT ARMED", async (place) => {
  const none = await gate(place);
  assert.deepEqual([none.status, none.next], ["fail", "conclaude install-hooks"]);
  assert.match(
    none.message,
    /^NOT ARMED: no hook is installed for PreToolUse, SessionStart and Stop$/,
  );
  await place.run(["install-hooks", "--scope", "local", "--events", "SessionStart,PostToolUse"]);
  const some = await gate(place);
  assert.deepEqual([some.status, some.next], ["fail", "conclaude install-hooks --scope local"]);
});

Deno.test("rules about permissions need the hook for them", async () => {
  using place = stage("permissionRequest: {deny: [Bash]}\n");
  await place.run(["install-hooks", "--events", "SessionStart,PreToolUse,Stop"]);
  const row = await gate(place);
  assert.equal(row.status, "fail");
  assert.equal(
    row.message,
    "NOT ARMED for permissionRequest: no hook is installed for PermissionRequest",
  );
});

test("disableAllHooks disarms, and the file with the last word decides", async (place) => {
  await place.run(["install-hooks"]);
  alterSettings(place, (settings) => settings.disableAllHooks = true);
  const row = await gate(place);
  assert.equal(row.status, "fail");
  assert.match(row.message, /^NOT ARMED: `disableAllHooks` is true in \S+home\/\.claude/);
  Deno.mkdirSync(join(place.project, ".claude"));
  Deno.writeTextFileSync(
    join(place.project, ".claude", "settings.json"),
    '{"disableAllHooks": false}',
  );
  assert.match((await gate(place)).message, /^ARMED/);
  Deno.writeTextFileSync(
    join(place.project, ".claude", "settings.local.json"),
    '{"disableAllHooks": true}',
  );
  assert.match((await gate(place)).message, /^NOT ARMED.*settings\.local\.json/);
});

test("an invalid handler of another program disarms the file that holds conclaude's hooks", async (place) => {
  await place.run(["install-hooks"]);
  alterSettings(place, ({ hooks }) => {
    hooks.PermissionRequest.push({ hooks: [{ type: "command", command: "x", timeout: 0 }] });
  });
  const row = await gate(place);
  assert.equal(row.status, "fail");
  assert.match(row.message, /^NOT ARMED: .*discards .*`hooks\.PermissionRequest\[1\]/);
  assert.match(row.next!, /^correct or remove `hooks\.PermissionRequest\[1\]/);
  await place.run(["install-hooks", "--scope", "local"]);
  assert.match((await gate(place)).message, /^ARMED: .*settings\.local\.json/);
});

test.unix("a program that is gone is NOT ARMED", async (place) => {
  const path = program(place, "exit 0");
  await place.run(["install-hooks", "--strict", "--command", path]);
  Deno.removeSync(path);
  const row = await gate(place);
  assert.deepEqual([row.status, row.next], ["fail", "conclaude install-hooks --strict"]);
  assert.match(
    row.message,
    /^NOT ARMED: the hook for PreToolUse, .* cannot start: \S+ is not there$/,
  );
});

it.unix("a program that denies everything, crashes or talks nonsense is NOT ARMED", async () => {
  const cases: readonly (readonly [script: string, message: RegExp])[] = [
    [`cat >/dev/null; ${DENIAL}`, /denies what must pass/],
    ["cat >/dev/null", /lets pass what must be denied/],
    ["cat >/dev/null; echo oh >&2; exit 3", /leaves with status 3 \(oh\)/],
    ["cat >/dev/null; echo hello", /Claude Code does not understand/],
  ];
  for (const [script, message] of cases) {
    using place = stage(GUARDED);
    await place.run(["install-hooks", "--command", program(place, script)]);
    const row = await gate(place);
    assert.equal(row.status, "fail");
    assert.match(row.message, message);
  }
});

test.unix("a program that hangs is waited for no longer than Claude Code waits", async (place) => {
  const path = program(place, "sleep 30 & wait");
  await place.run(["install-hooks", "--command", path]);
  alterSettings(place, ({ hooks }) => hooks.PreToolUse[0].hooks[0].timeout = 1);
  const startedMs = performance.now();
  const row = await gate(place);
  assert.match(row.message, /^NOT ARMED: .*does not answer within 1 seconds/);
  assert.ok(performance.now() - startedMs < 8_000);
});

test.unix("a hook that hangs is ended with all that it has started", async (place) => {
  const pids = join(place.home, "pids");
  const path = program(place, `sleep 31.5 & echo $! >>'${pids}'; wait`);
  await place.run(["install-hooks", "--command", path]);
  alterSettings(place, ({ hooks }) => hooks.PreToolUse[0].hooks[0].timeout = 1);
  await gate(place);
  const [pid] = Deno.readTextFileSync(pids).trim().split("\n");
  const { code } = new Deno.Command("sh", {
    // A dead one that nobody has asked about yet is still listed.
    args: ["-c", `ps -o stat= -p ${pid} | grep -q '^[^Z]'`],
  }).outputSync();
  assert.equal(code, 1, "it is gone");
});

test.unix("a command that names the home works in the proof's own home", async (place) => {
  program(place, `exec ${words} "$@"`);
  await place.run(["install-hooks"]);
  alterSettings(place, ({ hooks }) => {
    hooks.PreToolUse[0].hooks[0].command = '"$HOME/conclaude" hook PreToolUse';
  });
  const before = namesIn(place.home);
  for (const { message } of await gates(place)) assert.match(message, /^ARMED/);
  assert.deepEqual(namesIn(place.home), before);
});

test.unix("doctor does not run a program that only a file of the project names", async (place) => {
  const trace = join(place.home, "trace");
  const path = program(place, `touch '${trace}'`, "conclaude-2");
  await place.run(["install-hooks", "--scope", "project", "--command", path]);
  const row = await gate(place);
  assert.equal(row.status, "warn");
  assert.match(row.message, /^not proved: .*was not run/);
  assert.deepEqual(namesIn(place.home), ["conclaude-2"]);
});

test("a hook that is asked about one tool only is named", async (place) => {
  await place.run(["install-hooks"]);
  alterSettings(place, ({ hooks }) => hooks.PreToolUse[0].matcher = "Bash");
  const row = await gate(place);
  assert.equal(row.status, "fail");
  assert.match(
    row.message,
    /^NOT ARMED .*asked about Edit, Write, NotebookEdit, Monitor: .*`Bash`$/,
  );
});

/** The default events without some. */
function eventsBut(...missing: readonly string[]): string {
  return DEFAULT_EVENTS.filter((event) => !missing.includes(event)).join(",");
}

/** A gate that is alone in its configuration, and events without one of which it has no say. */
const NEEDS = rowsOf<readonly [config: string, gate: string, event: string]>(CASES.gatesThatNeed);

for (const [config, gateName, event] of someOf(NEEDS, 3)) {
  it.sized(`without a hook for ${event}, \`${config}\` is not called ARMED`, async () => {
    using place = stage(`${config}\n`);
    await place.run(["install-hooks"]);
    assert.match((await gate(place)).message, /^ARMED:/);
    await place.run(["install-hooks", "--events", eventsBut(event)]);
    const row = await gate(place);
    assert.equal(row.status, "fail");
    assert.match(row.message, new RegExp(`^NOT ARMED for .*: no hook is installed for ${event}$`));
    assert.match(row.message, new RegExp(gateName));
    assert.equal(row.next, "conclaude install-hooks");
  });
}

Deno.test("where only stops are guarded, their hook decides, and its program is proved", async () => {
  using place = stage();
  configureUser({ path: place.home }, "stop: {commands: [{run: 'true'}]}\n");
  await place.run(["install-hooks", "--events", "SessionStart,Stop"]);
  assert.match((await gate(place)).message, /^ARMED:/);
  await place.run(["install-hooks", "--events", "SessionStart,PreToolUse"]);
  const row = await gate(place);
  assert.deepEqual([row.status, row.message], [
    "fail",
    "NOT ARMED: no hook is installed for Stop",
  ]);
});

test("a hook that starts what another event wants is NOT ARMED", async (place) => {
  await place.run(["install-hooks"]);
  alterSettings(place, ({ hooks }) => {
    const [handler] = hooks.PreToolUse[0].hooks;
    handler.command = handler.command.replace("hook PreToolUse", "hook Notification");
  });
  assert.match(
    (await gate(place)).message,
    /^NOT ARMED .*another event wants: `hook Notification`/,
  );
  await place.run(["install-hooks"]);
  assert.match((await gate(place)).message, /^ARMED:/);
});

test.unix("hooks that are not asked about PowerShell are NOT ARMED where there is a `pwsh`", async (place) => {
  await place.run(["install-hooks"]);
  const gates = (folder: string) =>
    checkOf(place, "gates", [], { env: { PATH: `${folder}:/usr/bin:/bin` } });
  const tools = join(place.home, "tools");
  Deno.mkdirSync(tools);
  Deno.writeTextFileSync(join(tools, "pwsh"), "#!/bin/sh\n", { mode: 0o755 });
  assert.match((await gates(tools)).message, /^ARMED:/);
  const matcher = "Bash|Monitor|Edit|MultiEdit|Write|NotebookEdit";
  alterSettings(place, ({ hooks }) => hooks.PreToolUse[0].matcher = matcher);
  assert.match((await gates(tools)).message, /^NOT ARMED .*not asked about PowerShell: /);
  assert.match((await gates("/nowhere")).message, /^ARMED:/);
});

Deno.test("strict rules that cannot be read are named too", async () => {
  using place = stage("preToolUse: {strict: true}\n");
  await place.run(["install-hooks"]);
  const stdin = { session_id: "s1", cwd: place.project, tool_name: "Read" };
  await place.run(["hook", "PreToolUse"], { stdin });
  place.configure("a: [");
  acceptConfiguration(place.home);
  const [first, second] = await gates(place);
  assert.match(first!.message, /^ARMED/);
  assert.deepEqual([second!.status, second!.next], ["warn", "conclaude config validate"]);
  assert.match(second!.message, /every change is refused.*\.conclaude\.yaml:1:5/);
});

test("another settings file of Claude Code is looked at with --settings", async (place) => {
  const path = join(place.project, "mine.json");
  await place.run(["install-hooks", "--settings", path]);
  assert.match((await gate(place)).message, /^NOT ARMED/);
  assert.match((await gate(place, "--settings", path)).message, /^ARMED: .*mine\.json/);
});

const DISARMED: readonly (readonly [
  what: string,
  handler: Record<string, unknown>,
  why: RegExp,
])[] = [
  ["does not wait for the answer", { async: true }, /is not waited for: it is `async`$/],
  ["starts it for some uses only", { if: "Bash(ls)" }, /is asked only where its `if` holds$/],
  ["hands over arguments that are not ours", { args: ["x"] }, /not ours, as `args`$/],
];

for (const [what, fields, why] of DISARMED) {
  test(`hooks of which Claude Code ${what} are NOT ARMED, and install-hooks mends them`, async (place) => {
    await place.run(["install-hooks"]);
    alterSettings(place, ({ hooks }) => Object.assign(hooks.PreToolUse[0].hooks[0], fields));
    const row = await gate(place);
    assert.equal(row.status, "fail");
    assert.match(row.message, /^NOT ARMED for preToolUse: the hook for PreToolUse in /);
    assert.match(row.message, why);
    assert.equal(row.next, "conclaude install-hooks");
    await place.run(["install-hooks"]);
    assert.match((await gate(place)).message, /^ARMED:/);
  });
}

for (const matcher of ["[", "edit", "Read"]) {
  test(`hooks under the matcher ${matcher} are not ARMED: it lets no tool through that is guarded`, async (place) => {
    await place.run(["install-hooks"]);
    alterSettings(place, ({ hooks }) => hooks.PreToolUse[0].matcher = matcher);
    const row = await gate(place);
    assert.notEqual(row.status, "ok", row.message);
    assert.match(row.message, /NOT ARMED/);
  });
}
