/** Two lanes of hooks: what Claude Code waits for, and that its matchers leave out no tool that a rule names. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { testWith } from "../support/fixtures.ts";
import { type Stage, stage } from "./support.ts";

const test = testWith(stage);

type Groups = { matcher?: string; hooks: { command: string; args?: string[]; async?: true }[] }[];

function hooksOf({ home }: Stage): Record<string, Groups> {
  return JSON.parse(Deno.readTextFileSync(join(home, ".claude", "settings.json"))).hooks;
}

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
  const gates = async () => {
    const { body } = await place.json(["doctor"]);
    return body.checks.find(({ name }) => name === "gates")!;
  };
  const deaf = await gates();
  assert.deepEqual([deaf.status, deaf.next], ["fail", "conclaude install-hooks"]);
  await place.run(["install-hooks"]);
  assert.match((await gates()).message, /^ARMED:/);
});

test("doctor says how long Claude Code waited for hooks", async (place) => {
  await place.run(["install-hooks"]);
  const hooks = async () => {
    const { body } = await place.json(["doctor"]);
    return body.checks.find(({ name }) => name === "hooks")!;
  };
  assert.equal((await hooks()).status, "ok");
  await begin(place);
  await place.run(["hook", "SubagentStart"], { stdin: { session_id: crypto.randomUUID() } });
  assert.match((await hooks()).message, /waited \d+\.\d s for 1 hook, and did not wait for 1$/);
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
  const { body } = await place.json(["doctor"]);
  assert.match(body.checks.find(({ name }) => name === "gates")!.message, /^ARMED:/);
  assert.equal(body.checks.find(({ name }) => name === "hooks")!.status, "ok");
  assert.doesNotMatch(await withClient("2.1.1000", "--scope", "project"), /without a shell/);
  await place.run(["uninstall-hooks"]);
  assert.throws(() => hooksOf(place), Deno.errors.NotFound);
});
