/** That `install-hooks`, `uninstall-hooks` and `doctor` lead back to the file that they are about. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { needsUnix, testWhere } from "../support/requirements.ts";
import { type Stage, stage } from "./support.ts";

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

testWhere(needsUnix(), "a refusal repeats the flags that led to its file", async () => {
  using place = stage();
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

testWhere(needsUnix(), "doctor's next lines lead to the file that they are about", async () => {
  using place = stage();
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

testWhere(needsUnix(), "doctor --settings leads to a file that was named outright", async () => {
  using place = stage();
  await place.run(["install-hooks", "--settings", "mine.json", "--events", "Stop"]);
  assert.equal((await hookRows(place))[0]!.next, "conclaude install-hooks");
  const { body } = await place.json(["doctor", "--settings", "mine.json"]);
  const [row] = body.checks.filter(({ name }) => name === "hooks");
  assert.equal(row!.next, `conclaude install-hooks --settings ${place.project}/mine.json`);
});

testWhere(
  needsUnix(),
  "doctor finds two programs of ours in one file, and one install mends it",
  async () => {
    using place = stage();
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
  },
);

testWhere(
  needsUnix(),
  "doctor names hooks that may be ours under another name, and its next line takes them over",
  async () => {
    using place = stage();
    const program = makeProgram(place.home, "my-name");
    await place.run(["install-hooks", "--scope", "local", "--command", program]);
    const path = join(place.project, ".claude", "settings.local.json");
    Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replaceAll(" --conclaude", ""));
    await place.run(["install-hooks", "--scope", "local"]);
    const [row] = await hookRows(place);
    assert.match(row!.message, /look like conclaude's under another name/);
    const lines = /`(.*) && (.*)`/.exec(row!.next!);
    Deno.removeSync(program);
    for (const line of lines!.slice(1)) {
      assert.equal((await place.run(line.split(" ").slice(1))).code, 0);
    }
    assert.deepEqual((await hookRows(place)).map(({ status }) => status), ["ok"]);
    assert.ok(!Deno.readTextFileSync(path).includes("my-name"));
  },
);
