/** SessionStart says when something is guarded here and Claude Code will not ask. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { stage } from "../cli/support.ts";
import type { Stage } from "../cli/support.ts";
import { testWith } from "../support/fixtures.ts";
import { configureUser } from "../support/on_home.ts";

/** What the person is told when a session begins in the project; empty for nothing. */
async function toldAt(place: Stage): Promise<string> {
  const { code, stdout } = await place.run(["hook", "SessionStart"], {
    stdin: { session_id: crypto.randomUUID(), source: "startup", cwd: place.project },
  });
  assert.equal(code, 0);
  return stdout === "" ? "" : JSON.parse(stdout).systemMessage ?? "";
}

function guarded(): Stage {
  const place = stage();
  place.configure("preToolUse: {preventRootAdditions: true}\n");
  return place;
}

const test = testWith(guarded);

test("nothing is said where the installed hooks cover every gate", async (place) => {
  await place.run(["install-hooks"]);
  assert.equal(await toldAt(place), "");
});

test("rules that no hook enforces are named in one line", async (place) => {
  await place.run(["install-hooks", "--events", "SessionStart,PostToolUse"]);
  const told = await toldAt(place);
  assert.match(
    told,
    /^conclaude: .*NOT ARMED: no hook is installed for PreToolUse and Stop\. .*`conclaude doctor`/,
  );
  assert.equal(told.split("\n").length, 1);
  await place.run(["install-hooks", "--scope", "local", "--events", "PreToolUse,Stop"]);
  assert.equal(await toldAt(place), "");
});

Deno.test("where nothing is guarded, nothing is said", async () => {
  using place = stage();
  await place.run(["install-hooks", "--events", "SessionStart"]);
  assert.equal(await toldAt(place), "");
});

test("nothing is said where no settings file holds hooks, since they came another way", async (place) => {
  assert.equal(await toldAt(place), "");
});

/** Installs all hooks and changes that of PreToolUse. */
async function withHook(
  place: Stage,
  // deno-lint-ignore no-explicit-any -- a settings file can hold anything
  change: (group: any) => void,
): Promise<void> {
  await place.run(["install-hooks"]);
  const path = join(place.home, ".claude", "settings.json");
  const settings = JSON.parse(Deno.readTextFileSync(path));
  change(settings.hooks.PreToolUse[0]);
  Deno.writeTextFileSync(path, JSON.stringify(settings));
}

Deno.test("rules about stops that no Stop hook enforces are named, also where they are the only rules", async () => {
  using place = stage();
  configureUser({ path: place.home }, "stop: {commands: [{run: 'true'}]}\n");
  await place.run(["install-hooks", "--events", "SessionStart,PreToolUse"]);
  assert.match(await toldAt(place), /NOT ARMED: no hook is installed for Stop\. Run/);
});

test("gates without a hook are named beside gates with one", async (place) => {
  place.configure("preToolUse: {preventRootAdditions: false}\nstop: {rounds: 2}\n");
  await place.run(["install-hooks", "--events", "SessionStart,PreToolUse"]);
  assert.match(
    await toldAt(place),
    /^conclaude: .* NOT ARMED for stop\.rounds: no hook is installed for Stop\. Run/,
  );
});

const DEAF: readonly (readonly [
  what: string,
  // deno-lint-ignore no-explicit-any -- a settings file can hold anything
  change: (group: any) => void,
  told: RegExp,
])[] = [
  [
    "names a program that is gone",
    ({ hooks: [handler] }) => handler.command = "/nonexistent/conclaude hook PreToolUse",
    /cannot start: \/nonexistent\/conclaude is not there\. Run/,
  ],
  [
    "names another event",
    ({ hooks: [handler] }) =>
      handler.command = handler.command.replace("hook PreToolUse", "hook PostToolUse"),
    /does what another event wants: `hook PostToolUse`\. Run/,
  ],
  [
    "is asked about Bash only",
    (group) => group.matcher = "Bash",
    /is not asked about Edit, Write, NotebookEdit, Monitor: its matcher is `Bash`\. Run/,
  ],
];

for (const [what, change, told] of DEAF) {
  test(`a PreToolUse hook that ${what} is told of when a session begins`, async (place) => {
    await withHook(place, change);
    const text = await toldAt(place);
    assert.match(text, /^conclaude: .*NOT ARMED for preToolUse: the hook for PreToolUse in \S+ /);
    assert.match(text, told);
  });
}

test("disableAllHooks and a discarded file are told of", async (place) => {
  await place.run(["install-hooks"]);
  const local = join(place.project, ".claude", "settings.local.json");
  Deno.mkdirSync(join(place.project, ".claude"));
  Deno.writeTextFileSync(local, '{"disableAllHooks": true}');
  assert.match(
    await toldAt(place),
    /NOT ARMED: `disableAllHooks` is true in \S+settings\.local\.json/,
  );
  Deno.removeSync(local);
  const path = join(place.home, ".claude", "settings.json");
  const settings = JSON.parse(Deno.readTextFileSync(path));
  settings.hooks.PreToolUse.push({ matcher: 5, hooks: [] });
  Deno.writeTextFileSync(path, JSON.stringify(settings));
  assert.match(await toldAt(place), /NOT ARMED: Claude Code discards .*PreToolUse\[1\]\.matcher/);
});

test("CLAUDE_CONFIG_DIR names the user's settings", async (place) => {
  const env = { CLAUDE_CONFIG_DIR: join(place.home, "elsewhere") };
  await place.run(["install-hooks", "--events", "SessionStart"], { env });
  assert.equal(await toldAt(place), "");
  const { stdout } = await place.run(["hook", "SessionStart"], {
    stdin: { session_id: "s1", source: "startup", cwd: place.project },
    env,
  });
  assert.match(stdout, /NOT ARMED/);
});
