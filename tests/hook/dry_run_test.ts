/** `conclaude hook --dry-run`: what a hook would answer, and why, and nothing is done. */
import assert from "node:assert/strict";
import { snapshot, type Stage, stage } from "../cli/support.ts";
import { entriesBelow, executions } from "../support/look.ts";
import { runProgram } from "../support/program.ts";
import { RequiredProject, SESSION as SESSION_OF_PROJECT } from "../support/required_project.ts";
import { testWith } from "../support/fixtures.ts";
import { runOnTerminal } from "../support/terminal.ts";

const SESSION = "5e551033-0000-4000-8000-000000000001";
const CONFIG = `preToolUse:
  uneditableFiles: ["*.lock", "docs/**"]
permissionRequest: {deny: [WebFetch], allow: [Bash]}
`;

function payload(place: Stage, fields: Record<string, unknown> = {}) {
  return {
    session_id: SESSION,
    cwd: place.project,
    hook_event_name: "PreToolUse",
    tool_name: "Edit",
    tool_input: { file_path: "a.lock" },
    ...fields,
  };
}

async function dry(place: Stage, stdin: object | string, ...args: string[]) {
  const { code, stdout, stderr } = await place.run(["hook", ...args, "--dry-run"], { stdin });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^$|^\S+ was changed while a session was active: .*\n$/);
  return stdout;
}

const test = testWith(() => stage(CONFIG));

test("every rule is shown, with what it says and why, and the answer", async (place) => {
  const text = await dry(place, payload(place));
  assert.match(text, /^PreToolUse of Edit: denied\.\n/);
  assert.match(text, /uneditableFiles\[0\] +forbids +Blocked Edit operation.*'\*\.lock'/);
  assert.match(text, /uneditableFiles\[1\] +does not match +docs\/\*\*/);
  assert.match(text, /"permissionDecision": "deny"/);
  const passing = await dry(place, payload(place, { tool_input: { file_path: "src/a.ts" } }));
  assert.match(passing, /^PreToolUse of Edit: allowed\.\n/);
});

test("explain --json gives the answer of the hook", async (place) => {
  const events = [
    payload(place),
    payload(place, { tool_input: { file_path: "src/a.ts" } }),
    payload(place, { tool_name: "Bash", tool_input: { command: "rm -rf ~" } }),
    payload(place, { hook_event_name: "PermissionRequest", tool_name: "WebFetch", tool_input: {} }),
    payload(place, {
      hook_event_name: "PermissionRequest",
      tool_name: "Bash",
      tool_input: { command: "ls" },
    }),
    payload(place, { hook_event_name: "PostToolUse", tool_response: {} }),
  ];
  for (const stdin of events) {
    const tried = JSON.parse(await dry(place, stdin, "--json"));
    const { stdout } = await place.run(["hook"], { stdin });
    assert.deepEqual(tried, stdout === "" ? {} : JSON.parse(stdout));
  }
});

test("explain makes nothing in a fresh home", async (place) => {
  await dry(place, payload(place));
  await dry(place, payload(place, { hook_event_name: "SessionStart", source: "startup" }));
  assert.deepEqual(entriesBelow(place.home), []);
});

test("explain writes no row, file or cache entry where there is a database", async (place) => {
  // Processes leave a log; the first has made the tables, and emptied its own.
  await place.run(["hook"], { stdin: payload(place), through: [] });
  await place.run(["hook"], { stdin: payload(place), through: [] });
  place.configure(`${CONFIG}# changed\n`);
  const rows = executions(place.database);
  const before = snapshot(place.home);
  const events = ["PreToolUse", "PermissionRequest", "PostToolUse", "SessionStart", "Stop"];
  for (const hook_event_name of [...events, "SessionEnd", "Unheard"]) {
    await dry(place, payload(place, { hook_event_name }));
  }
  await dry(place, "{not json");
  assert.deepEqual(snapshot(place.home), before);
  assert.deepEqual(executions(place.database), rows);
  const explained = await place.run(["explain", "Edit", "a.lock"]);
  assert.equal(explained.code, 1);
  assert.deepEqual(snapshot(place.home), before);
});

test("rules that a person has lifted are shown all the same", async (place) => {
  await place.run(["hook"], { stdin: payload(place) });
  await place.run(["guard", "pause"]);
  const text = await dry(place, payload(place));
  assert.match(text, /^PreToolUse of Edit: allowed: a person has lifted the rules\.\n/);
  assert.match(text, /uneditableFiles\[0\] +forbids/);
});

test("a request for permission shows the rules about permissions", async (place) => {
  const about = (tool_name: string) =>
    dry(place, payload(place, { hook_event_name: "PermissionRequest", tool_name, tool_input: {} }));
  assert.match(await about("WebFetch"), /: denied\.\n[^]*permissionRequest\.deny\[0\] +forbids/);
  assert.match(await about("mcp__x__y"), /^PermissionRequest of mcp__x__y: the person would be/);
});

Deno.test("the first rule about permissions that matches decides", async () => {
  using place = stage('permissionRequest: {deny: [Edit], allow: ["Ba*", "*"], default: deny}\n');
  const fields = { hook_event_name: "PermissionRequest", tool_input: { command: "ls" } };
  const text = await dry(place, payload(place, { ...fields, tool_name: "Bash" }));
  assert.match(text, /deny\[0\] +does not match +Edit does not match the tool\n/);
  assert.match(text, /allow\[0\] +allows +Ba\* matches the tool\n/);
  assert.match(text, /allow\[1\] +not asked +a rule before it has decided\n/);
  assert.match(text, /permissionRequest\.default +not asked/);
});

test("the event's name on the command line counts, and an unknown one is refused", async (place) => {
  const text = await dry(place, payload(place, { hook_event_name: "Other" }), "PreToolUse");
  assert.match(text, /^PreToolUse of Edit: denied/);
  assert.match(await dry(place, "{"), /stdin is not JSON: it would be noted/);
  assert.equal(await dry(place, "{", "--json"), "{}\n");
  const stop = payload(place, { hook_event_name: "Stop" });
  assert.match(await dry(place, stop), /^Stop: .*known only once/);
});

test("explain tells the rule that decides first, and the rest with --all", async (place) => {
  const lines = async (...words: string[]) =>
    (await place.run(["explain", ...words])).stdout.trimEnd().split("\n");
  const [result, decides, stands, rest, ...more] = await lines("Edit", "a.lock");
  assert.deepEqual([result, stands, more], ["Denied.", "  set in .conclaude.yaml", []]);
  assert.match(decides!, /uneditableFiles\[0\] +forbids +Blocked/);
  assert.match(rest!, /^\d+ rules decide nothing here: --all shows them\.$/);
  const [, ...reasons] = await lines("Bash", "rm a.lock; $X b.lock");
  assert.match(
    reasons.join("\n"),
    /^\S+ +forbids .*\n {2}set in [^]*cannot tell [^]*\n +in doubt: /,
  );
  const all = await lines("Edit", "a.lock", "--all");
  assert.match(all[1]!, /uneditableFiles\[0\] +forbids/);
  assert.equal(all.length, 3 + parseInt(rest!));
  assert.match(all.slice(2).join("\n"), /uneditableFiles\[1\] +does not match/);
  assert.match((await lines("Edit", "src/a.ts")).join(), /^Allowed\.,\d+ rules decide nothing/);
});

Deno.test("a dry run of Stop tells what it would run and ask, and runs nothing", async () => {
  using place = stage(
    "stop:\n  commands: [{run: 'touch ran'}]\nrequirements:\n  tested: {message: M}\n",
  );
  const text = await dry(place, payload(place, { hook_event_name: "Stop" }));
  assert.match(text, /^Stop: .*\nIt would run and ask:\n[^]*commands\[0\] +touch ran\n/);
  assert.match(text, /requirements\.tested +asked after \S/);
  assert.ok(!entriesBelow(place.project).some(({ path }) => path.endsWith("/ran")));
  using free = stage("capture: {enabled: true}\n");
  assert.match(
    await dry(free, payload(free, { hook_event_name: "Stop" })),
    /Nothing would be run or asked/,
  );
});

Deno.test("explain names the built-in rules where there is no configuration file", async () => {
  using place = stage();
  assert.match(
    await dry(place, payload(place)),
    /^PreToolUse of Edit: allowed\.\n[^]*preToolUse\.protectPolicy/,
  );
});

Deno.test("a requirement forbids already before there is a database, and none is made", async () => {
  using project = new RequiredProject("requirements: {r: {message: M}}\n");
  const input = { file_path: "src/a.ts" };
  const stdin = { session_id: SESSION, cwd: project.path, tool_name: "Edit", tool_input: input };
  const options = { stdin, env: { HOME: project.home.path }, cwd: project.path };
  const before = entriesBelow(project.home.path);
  const dry = (...args: string[]) =>
    runProgram(["hook", "PreToolUse", "--dry-run", ...args], options);
  assert.match((await dry()).stdout, /^PreToolUse of Edit: denied\.\n[^]*requirements\.r +forbids/);
  const tried = JSON.parse((await dry("--json")).stdout);
  assert.match((await project.run("explain", "Edit", "src/a.ts")).stdout, /^Denied\.\n/);
  assert.deepEqual(entriesBelow(project.home.path), before);
  const { stdout: without } = await dry("--no-db");
  assert.match(without, /: allowed\.\n[^]*it does not count: the database is switched off/);
  const { stdout } = await runProgram(["hook", "PreToolUse"], options);
  assert.deepEqual(tried, JSON.parse(stdout));
});

Deno.test("explain agrees with the hook, also about rules that are lifted or cannot be judged", async () => {
  using project = new RequiredProject("requirements: {r: {}, s: {stopOnly: true}}\n");
  await project.send("SessionStart");
  const explain = async (file: string) => {
    const { stdout } = await project.run("explain", "Edit", file, "--all");
    return stdout;
  };
  assert.match(await explain("src/a.ts"), /^Denied\./);
  assert.match(
    await explain("docs/plans/a.md"),
    /^Allowed\.\n[^]*r +does not match +plans are free/,
  );
  await project.req("satisfy", "r", "--session", SESSION_OF_PROJECT);
  assert.match(await explain("src/a.ts"), /^Allowed\.\n/);
  assert.match(await explain(".conclaude.yaml"), /^Denied\./);
  await project.run("guard", "pause", "--session", SESSION_OF_PROJECT);
  assert.match(
    await explain(".conclaude.yaml"),
    /^Allowed: a person has lifted the rules\.\n[^]*protectPolicy +forbids/,
  );
  Deno.writeTextFileSync(project.home.database, "no database");
  assert.match(await explain("src/a.ts"), /^Allowed\.\n[^]*requirements\.r +cannot tell +what has/);
  assert.equal(await project.edit(), null);
});

test.terminal("on a terminal it says that it waits for the payload", async (place) => {
  const steps = [{ until: "payload is read from this terminal; Ctrl-D" }, {
    type: "\x04",
    until: "Stop:",
  }];
  const seen = await runOnTerminal(["hook", "Stop", "--dry-run"], steps, {
    cwd: place.project,
    env: { HOME: place.home },
  });
  assert.equal(seen.status, 0);
});
