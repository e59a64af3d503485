/** The verbs of `conclaude req` that look and that write configuration files, on the real program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { acceptConfiguration } from "../support/person.ts";
import { parseConfig } from "../support/configuration.ts";
import {
  POLICY_PRESETS,
  type PolicyPreset,
  policyPreset,
  presetText,
} from "../../src/policy/requirements/presets.ts";
import { hook } from "../support/program.ts";
import { OTHER_SESSION, RequiredProject, SESSION } from "../support/required_project.ts";
import { filesWith } from "../support/look.ts";
import { configureUser } from "../support/on_home.ts";
import { endedPid } from "../support/processes.ts";
import { until } from "../support/wait.ts";
import { testWith } from "../support/fixtures.ts";

const PRESETS = ["solo", "team", "strict", "relaxed", "minimal", "advanced"] as const;

async function json(project: RequiredProject, ...args: string[]) {
  const { code, stdout, stderr } = await project.run(...args, "--json");
  assert.equal(stderr, "");
  return { code, body: JSON.parse(stdout) };
}

function read(project: RequiredProject, name: string): string {
  return Deno.readTextFileSync(join(project.path, name));
}

const parsed = (text: string) =>
  parseConfig([{ layer: "project", path: "/p/.conclaude.yaml", text }]);

for (const preset of Object.keys(POLICY_PRESETS) as PolicyPreset[]) {
  Deno.test(`the file for ${preset} is a configuration without problems, explained in some ten lines`, () => {
    const text = policyPreset(preset);
    const { problems } = parsed(text);
    assert.deepEqual(problems, []);
    const comments = text.split("\n").filter((line) => /^\s*# /.test(line)).length;
    assert.ok(comments >= 6 && comments <= 20, String(comments));
  });
}

for (const preset of PRESETS) {
  Deno.test(`the set ${preset} is a configuration without problems`, () => {
    const { problems, config } = parsed(presetText(preset));
    assert.deepEqual(problems, []);
    const names = Object.keys(config.requirements);
    assert.equal(names.length > 0, preset !== "minimal" && preset !== "solo");
    if (preset === "strict") assert.deepEqual(names, ["commit_plan", "protected_branch"]);
  });
}

Deno.test("req init begins a file, shows it first, and never replaces requirements by itself", async () => {
  using project = new RequiredProject("# ours\ndatabase: {busyTimeoutMs: 500} # why\n");
  const shown = await project.req("init", "--preset", "strict", "--preview");
  assert.match(shown, /commit_plan/);
  assert.equal(read(project, ".conclaude.yaml"), "# ours\ndatabase: {busyTimeoutMs: 500} # why\n");
  await project.req("init", "--preset", "strict");
  assert.match(
    read(project, ".conclaude.yaml"),
    /^# ours\ndatabase: \{busyTimeoutMs: 500\} # why\n\n# What has.*\nrequirements:\n/,
  );
  const again = await project.run("req", "init", "--preset", "relaxed");
  assert.equal(again.code, 1);
  assert.match(
    again.stderr,
    /only --force replaces them.*\n *next: .* req init --force --preset relaxed\n/,
  );
  await project.req("init", "--preset", "relaxed", "--force");
  const text = read(project, ".conclaude.yaml");
  assert.match(text, /# why/);
  assert.doesNotMatch(text, /protected_branch/);
  assert.notEqual(await project.edit(), null);
});

Deno.test("req disable and enable write the file that is not committed, and keep what is in it", async () => {
  using project = new RequiredProject("requirements: {a: {}, b: {}}\n");
  project.write(".conclaude.local.yaml", "# mine\ncapture: {enabled: true} # yes\n");
  await project.req("disable", "a");
  assert.match(
    read(project, ".conclaude.local.yaml"),
    /^# mine\ncapture: .*# yes\n\nrequirements:\n/,
  );
  assert.match((await project.edit())!, /"b" is open/);
  await project.req("disable", "--all");
  assert.equal(await project.edit(), null);
  await project.req("enable", "a");
  assert.match((await project.edit())!, /"a" is open/);
  const { code, stderr } = await project.run("req", "disable", "aa");
  assert.equal(code, 1);
  assert.match(stderr, /Unknown requirement "aa"/);
  assert.equal((await project.run("req", "disable")).code, 1);
});

Deno.test("req disable leaves the layout and the comments of the requirements as they are", async () => {
  using project = new RequiredProject("requirements: {a: {}, b: {}}\n");
  const laidOut = (a: boolean) =>
    `requirements:\n    a:   # for now\n        enabled:   ${a}   # switched\n\n\n    b: {  enabled: false }\n`;
  project.write(".conclaude.local.yaml", laidOut(true));
  await project.req("disable", "a");
  assert.equal(read(project, ".conclaude.local.yaml"), laidOut(false), "the layout stays");
});

Deno.test("req status, list, show, explain and sessions give JSON that a program can use", async () => {
  using project = new RequiredProject(
    "requirements: {a: {satisfiedBySkill: [x]}, b: {type: guard}, c: {stopOnly: true}}\n",
  );
  await project.send("SessionStart");
  await project.req("satisfy", "a", "--session", SESSION, "--metadata", '{"ticket":"T-1"}');
  const { body: status } = await json(project, "req", "status");
  assert.equal(status.session, SESSION);
  assert.deepEqual(
    status.requirements.map((row: Record<string, unknown>) => [row["name"], row["status"]]),
    [["a", "satisfied"], ["b", "met"], ["c", "open"]],
  );
  assert.deepEqual(status.requirements[0].metadata, { ticket: "T-1", bypass: true });
  assert.deepEqual((await json(project, "req", "list")).body.branches, [
    { branch: "feature/x", satisfied: 1, sessions: 1 },
  ]);
  assert.equal(
    (await json(project, "req", "show", "b")).body.requirement.condition.type,
    "protected_branch",
  );
  assert.equal((await json(project, "req", "explain", "c")).body.status, "open");
  assert.equal((await json(project, "req", "sessions", "--project")).body.sessions.length, 1);
});

const test = testWith(() => new RequiredProject("requirements: {a: {}}\n"));

test("req status without a session says so, with exit status 0", async (project) => {
  const { code, body } = await json(project, "req", "status");
  assert.equal(code, 0);
  assert.match(body.warning, /no session/);
});

Deno.test("explain shows every requirement with why, and changes nothing", async () => {
  using project = new RequiredProject(
    "requirements: {a: {}, b: {triggerTools: [{tool: Bash, commandPattern: x}]}}\n",
  );
  await project.send("SessionStart");
  const { code, body } = await json(project, "explain", "Edit", "src/a.ts");
  assert.equal(code, 1);
  const rows = body.rules.filter(({ rule }: { rule: string }) => rule.startsWith("requirements."));
  assert.deepEqual(rows.map(({ says }: { says: string }) => says), ["forbids", "does not match"]);
  assert.deepEqual(project.state("a"), []);
  await project.req("satisfy", "a", "--session", SESSION);
  assert.equal((await project.run("explain", "Edit", "src/a.ts")).code, 0);
});

test("metadata and reasons are masked before they are stored", async (project) => {
  const secret = "ghp_" + "a1B2".repeat(9);
  await project.send("SessionStart");
  await project.req("satisfy", "a", "--session", SESSION, "--metadata", `{"token":"${secret}"}`);
  await project.req("pause", "--session", SESSION, "--reason", `because ${secret}`);
  assert.deepEqual(filesWith(join(project.home.path, ".conclaude"), secret), []);
});

Deno.test("req names the configuration file that cannot be read, and the command that shows its mistake", async () => {
  using project = new RequiredProject("requirements: {good: {}\n  bad: [\n");
  const status = await project.run("req", "status");
  assert.match(
    status.stdout,
    /note: nothing counts of .*\.conclaude\.yaml:\d+:\d+: .*config validate/,
  );
  assert.doesNotMatch(status.stdout, /req init/);
  const { code, stderr } = await project.run("req", "satisfy", "good", "--session", SESSION);
  assert.equal(code, 1);
  assert.match(stderr, /why: .*\.conclaude\.yaml:[^]*next: conclaude config validate/);
});

Deno.test("broken, switched-off and unknown requirements have different errors", async () => {
  using project = new RequiredProject(
    "requirements: {good: {}, broken: {scope: sesion}, off: {enabled: false, description: later}}\n",
  );
  const satisfy = (name: string) => project.run("req", "satisfy", name, "--session", SESSION);
  assert.match(
    (await satisfy("broken")).stderr,
    /left out because of a mistake in `requirements\.broken\.scope`[^]*\n +next: conclaude config validate/,
  );
  await project.req("disable", "--all");
  assert.match(
    (await project.run("req", "enable", "of")).stderr,
    /did you mean "off"\? Nothing was changed\n +next: conclaude req status/,
  );
  await project.req("enable", "good");
  assert.match(
    (await satisfy("off")).stderr,
    /it is switched off[^]*next: conclaude req enable off/,
  );
  assert.match(await project.req("show", "off"), /off \(switched off\)[^]*later/);
  for (const verb of ["show", "explain", "clear"]) {
    const { code, stderr } = await project.run("req", verb, "nope");
    assert.equal(code, 1);
    assert.match(stderr, /Unknown requirement "nope"/);
    assert.doesNotMatch(stderr, /recorded/);
  }
});

test("req explain without a session proposes no command with a session", async (project) => {
  const text = await project.req("explain", "a");
  assert.match(
    text,
    /^a is open on feature\/x, as far as can be told\.\n +note: no session of Claude Code /,
  );
  assert.doesNotMatch(text, /--session|nosessio/);
});

Deno.test("a permanent requirement cannot be satisfied for a limited time", async () => {
  using project = new RequiredProject("requirements: {a: {scope: permanent}}\n");
  const { code, stderr } = await project.run("req", "satisfy", "a", "--ttl", "1");
  assert.equal(code, 1);
  assert.match(stderr, /scope is `permanent`, which has no end; nothing was recorded/);
  assert.deepEqual(project.state("a"), []);
});

test("a requirement that is named twice is satisfied once", async (project) => {
  const text = await project.req("satisfy", "a", "a", "--session", SESSION);
  assert.equal(text, "Satisfied a for session cad0ac4d on feature/x\n");
});

Deno.test("req clear clears a requirement that is no longer configured", async () => {
  using project = new RequiredProject("requirements: {a: {}, b: {}}\n");
  await project.req("satisfy", "a", "--session", SESSION);
  project.configure("requirements: {b: {}}\n");
  assert.match(await project.req("clear", "a"), /^Cleared a/);
});

const it = testWith(() => new RequiredProject("{}\n"));

it("req init --local says that the file is not to be committed", async (project) => {
  assert.match(await project.req("init", "--local"), /add \.conclaude\.local\.yaml to \.gitignore/);
});

Deno.test("the requirements that forbid are in the JSON of explain", async () => {
  using project = new RequiredProject("requirements: {a: {description: because}}\n");
  await project.send("SessionStart");
  const { body } = await json(project, "explain", "Edit", "src/a.ts");
  assert.deepEqual([body.decision, body.blocks], ["deny", [
    { rule: "requirements.a", reason: "because" },
  ]]);
});

Deno.test("req clear of a session says what stays satisfied for the whole branch, and how to clear that", async () => {
  using project = new RequiredProject("requirements: {br: {scope: branch}, a: {}}\n");
  await project.start();
  await project.req("satisfy", "br", "a", "--session", SESSION);
  const one = await project.req("clear", "br", "--session", SESSION);
  assert.match(one, /^Nothing was recorded of br on feature\/x for session \w+\.\n/);
  const all = await project.req("clear", "--all", "--session", SESSION);
  for (const text of [one, all]) {
    assert.match(
      text,
      /Still satisfied for the whole branch: br\.\nTo clear: conclaude req clear br$/m,
    );
  }
  assert.equal(project.state("br").length, 1);
  await project.req("clear", "br");
  assert.equal(project.state("br").length, 0);
  assert.doesNotMatch(await project.req("clear", "--all", "--session", SESSION), /Still/);
});

Deno.test("req explain tells when a satisfaction ran out", async () => {
  using project = new RequiredProject(
    "requirements: {a: {}, b: {satisfiedBySkill: [plan], replanTtl: 60}}\n",
  );
  await project.start();
  await project.req("satisfy", "a", "--session", SESSION, "--ttl", "60");
  await project.skill("plan");
  assert.doesNotMatch(await project.req("explain", "a", "--session", SESSION), /ran out/);
  project.age(660);
  for (const [name, by] of [["a", "cli"], ["b", "skill"]] as const) {
    const told = await project.req("explain", name, "--session", SESSION);
    assert.match(told, new RegExp(`It was satisfied by ${by}; that ran out 10m ago \\(2`));
  }
});

it("req sessions leaves out sessions whose process is gone", async (project) => {
  const start = (session_id: string, pid: number) =>
    hook("SessionStart", { session_id, cwd: project.path, source: "startup" }, project.home, {
      env: { CLAUDE_PID: String(pid) },
    });
  await start(SESSION, await endedPid());
  await start(OTHER_SESSION, Deno.pid);
  const listed = await project.req("sessions");
  assert.ok(listed.includes(OTHER_SESSION.slice(0, 8)));
  assert.ok(!listed.includes(SESSION.slice(0, 8)), listed);
});

it.ps("req sessions leaves out a session whose process has ended but has not been reaped", async (project) => {
  // A shell that becomes another program no longer asks how its child ended: as in a container without an init.
  const parent = new Deno.Command("sh", {
    args: ["-c", "sleep 0.5 & echo $!; exec sleep 60"],
    stdout: "piped",
  }).spawn();
  try {
    const { value } = await parent.stdout.getReader().read();
    const pid = new TextDecoder().decode(value).trim();
    await untilEnded(pid);
    await project.start();
    const start = { session_id: OTHER_SESSION, cwd: project.path, source: "startup" };
    await hook("SessionStart", start, project.home, { env: { CLAUDE_PID: pid } });
    const listed = await project.req("sessions");
    assert.ok(!listed.includes(OTHER_SESSION.slice(0, 8)), listed);
  } finally {
    parent.kill();
    await parent.status;
  }
});

/** Waits until a process has ended that nobody takes note of. */
async function untilEnded(pid: string): Promise<void> {
  const state = new Deno.Command("ps", { args: ["-o", "stat=", "-p", pid] });
  const isEnded = () => new TextDecoder().decode(state.outputSync().stdout).startsWith("Z");
  await until(`process ${pid} ends, and nobody takes note of it`, isEnded);
}

it("an error says that a requirement of the user's file needs a configuration file in the project", async (project) => {
  configureUser(project.home, "requirements: {commit_plan: {}}\n");
  await project.start();
  await project.req("satisfy", "commit_plan", "--session", SESSION);
  Deno.removeSync(join(project.path, ".conclaude.yaml"));
  acceptConfiguration(project.home.path);
  const { code, body } = await json(project, "req", "satisfy", "commit_plan", "--session", SESSION);
  assert.equal(code, 1);
  assert.match(body.error.why, /only in a project with a configuration file of its own/);
  assert.equal(body.error.next, "conclaude config init");
  await project.run("config", "init");
  await project.req("satisfy", "commit_plan", "--session", SESSION);
});

it("a denied guard pause tells the commands that a person can run", async (project) => {
  await project.start();
  const denied = await project.bash("conclaude guard pause");
  const commands = [...denied!.matchAll(/`conclaude ((?:guard|req) pause --session \w+)`/g)];
  assert.equal(commands.length, 2, denied!);
  for (const [, command] of commands) {
    const { code } = await project.run(...command!.split(" "));
    assert.equal(code, 0);
  }
});

Deno.test("the texts of the presets name only ways that satisfy their requirements", () => {
  for (const preset of PRESETS) assert.doesNotMatch(presetText(preset), /write a plan/);
});
