/** That `install-hooks`, `uninstall-hooks` and `doctor` lead back to the file that they are about. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Stage, stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

function writeSettings(place: Stage, name: string, text: string): string {
  Deno.mkdirSync(join(place.project, ".claude"), { recursive: true });
  const path = join(place.project, ".claude", name);
  Deno.writeTextFileSync(path, text);
  return path;
}

/** An executable that only has to be there. */
function makeProgram(folder: string, name: string): string {
  Deno.mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  Deno.writeTextFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
  return path;
}

async function hookRows(place: Stage, env: Record<string, string> = {}) {
  const { body } = await place.json(["doctor"], { env });
  return body.checks.filter(({ name }) => name === "hooks");
}

const test = testWith(stage);

test.unix("a refusal repeats the flags that led to its file", async (place) => {
  writeSettings(place, "settings.json", "{");
  writeSettings(place, "my settings.json", "{");
  const program = makeProgram(place.project, "conclaude");
  const cases: readonly (readonly [args: readonly string[], line: string])[] = [
    [["install-hooks", "--scope", "project"], "conclaude install-hooks --scope project"],
    [["uninstall-hooks", "--scope", "project"], "conclaude uninstall-hooks --scope project"],
    [
      ["install-hooks", "--settings", ".claude/my settings.json"],
      `conclaude install-hooks --settings '${place.project}/.claude/my settings.json'`,
    ],
    [
      ["install-hooks", "--scope=project", "--command=./conclaude", "--events=Stop,SessionEnd"],
      `conclaude install-hooks --scope project --command ${program} --events Stop,SessionEnd`,
    ],
  ];
  for (const [args, line] of cases) {
    const { code, stderr } = await place.run(args);
    assert.equal(code, 1);
    assert.match(stderr, /\n {2}next: correct line 1 and run `/);
    assert.ok(stderr.includes(`\`${line}\` again; nothing was changed`), stderr);
  }
  assert.match((await place.run(["install-hooks"])).stdout, /^Installed/);
});

test.unix("the commands that doctor advises name the file that they are about", async (place) => {
  await place.run(["install-hooks", "--scope", "local", "--events", "Stop"]);
  assert.deepEqual((await hookRows(place)).map(({ next }) => next), [
    "conclaude install-hooks --scope local",
  ]);
  const other = makeProgram(place.project, "conclaude");
  await place.run(["install-hooks", "--scope", "local", "--command", other]);
  assert.deepEqual((await hookRows(place)).map(({ next }) => next), [
    "if this one is right: `conclaude install-hooks --scope local`",
  ]);
  const path = writeSettings(place, "settings.local.json", "{");
  assert.deepEqual((await hookRows(place)).map(({ next }) => next), [
    `correct ${path}, then run \`conclaude doctor\` again`,
  ]);
});

test.unix("doctor --settings leads to a file that was named outright", async (place) => {
  await place.run(["install-hooks", "--settings", "mine.json", "--events", "Stop"]);
  assert.equal((await hookRows(place))[0]!.next, "conclaude install-hooks");
  const { body } = await place.json(["doctor", "--settings", "mine.json"]);
  const [row] = body.checks.filter(({ name }) => name === "hooks");
  assert.equal(row!.next, `conclaude install-hooks --settings ${place.project}/mine.json`);
});

test.unix("doctor finds two programs of ours in one file, and one install mends it", async (place) => {
  await place.run(["install-hooks", "--scope", "local", "--events", "Stop"]);
  const path = join(place.project, ".claude", "settings.local.json");
  const settings = JSON.parse(Deno.readTextFileSync(path));
  const command = "/usr/bin/env hook Stop --conclaude";
  settings.hooks.Stop.push({ hooks: [{ type: "command", command, timeout: 10 }] });
  Deno.writeTextFileSync(path, JSON.stringify(settings));
  const doubled = (await hookRows(place)).find(({ message }) => /twice/.test(message));
  assert.equal(doubled?.next, "conclaude install-hooks --scope local");
  await place.run(["install-hooks", "--scope", "local"]);
  assert.deepEqual((await hookRows(place)).map(({ status }) => status), ["ok"]);
});

test.unix("install-hooks warns of a path of this machine in the project's shared file", async (place) => {
  const program = makeProgram(place.project, "conclaude");
  const install = async (...args: readonly string[]) =>
    (await place.json(["install-hooks", "--command", program, ...args])).body.warnings;
  const shared = /everybody who works in this project/;
  for (const args of [["--scope", "project"], ["--settings", ".claude/settings.json"]]) {
    const [warning, ...others] = await install(...args);
    assert.match(warning!, shared);
    assert.ok(warning!.includes("`conclaude install-hooks --scope project --command conclaude`"));
    assert.ok(warning!.includes("`conclaude uninstall-hooks --scope project && "));
    assert.deepEqual(others, []);
  }
  for (const args of [[], ["--scope", "local"], ["--settings", "mine.json"]]) {
    assert.deepEqual(await install(...args), []);
  }
  const { stdout } = await place.run(["install-hooks", "--scope", "project"]);
  assert.match(stdout, /\n {2}warning: everybody who works in this project gets this file/);
  const atHome = ["install-hooks", "--scope", "project", "--command", program];
  assert.deepEqual((await place.json(atHome, { cwd: place.home })).body.warnings, []);
});

test.unix("--command with a name alone leaves the search to the PATH of each start, and doctor searches too", async (place) => {
  const bin = join(place.home, "bin");
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  const args = ["install-hooks", "--scope", "project", "--command", "conclaude"];
  const refused = await place.run(args, { env });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /no folder of the PATH has an executable of this name/);

  makeProgram(place.project, "conclaude");
  const here = await place.run(args, { env: { PATH: `.:${env.PATH}` } });
  assert.equal(here.code, 2, "what lies in a project is not what the PATH should find");

  const program = makeProgram(bin, "conclaude");
  const { body } = await place.json(args, { env });
  assert.deepEqual([body.command, body.warnings], ["conclaude hook", []]);
  const settings = JSON.parse(Deno.readTextFileSync(body.settings));
  assert.equal(settings.hooks.Stop[0].hooks[0].command, "conclaude hook Stop");

  const [other] = await hookRows(place, env);
  assert.match(other!.message, new RegExp(`start another program than this one .*: ${program}$`));
  Deno.removeSync(program);
  const [gone] = await hookRows(place, env);
  assert.equal(gone!.status, "fail");
  assert.match(
    gone!.message,
    /cannot start: no folder of the PATH has an executable `conclaude`/,
  );
  assert.match(gone!.next!, /`conclaude install-hooks --scope project`$/);
});

test.unix("doctor offers to add events with the search on the PATH kept", async (place) => {
  const bin = join(place.home, "bin");
  makeProgram(bin, "cc-state");
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  await place.run(["install-hooks", "--scope=project", "--command=cc-state", "--events=Stop"], {
    env,
  });
  const missing = (await hookRows(place, env)).find(({ message }) => /no hook is/.test(message));
  assert.equal(missing?.next, "conclaude install-hooks --scope project --command cc-state");
});
