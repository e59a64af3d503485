/** `install-hooks --strict`: what a hook cannot judge, because it cannot run, does not happen. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Stage, stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

/** The events under which our hooks block when they cannot run. */
function blockingIn(path: string): string[] {
  const { hooks } = JSON.parse(Deno.readTextFileSync(path));
  return Object.entries(hooks as Record<string, { hooks: { onFailure?: string }[] }[]>)
    .filter(([, groups]) =>
      groups.some((group) => group.hooks.some((h) => h.onFailure === "block"))
    )
    .map(([event]) => event);
}

function settingsOf(place: Stage): string {
  return join(place.home, ".claude", "settings.json");
}

const test = testWith(stage);

test("only where Claude Code honours it a strict hook blocks when it cannot run", async (place) => {
  const { stdout } = await place.run(["install-hooks", "--strict"]);
  assert.match(stdout, /\n {2}strict: {2}UserPromptSubmit, PreToolUse: /);
  assert.deepEqual(blockingIn(settingsOf(place)).sort(), ["PreToolUse", "UserPromptSubmit"]);
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
  assert.throws(() => Deno.statSync(settingsOf(place)));
});

test("an installation becomes strict, and without --strict no longer, and says so", async (place) => {
  await place.run(["install-hooks"]);
  const usual = Deno.readTextFileSync(settingsOf(place));
  await place.run(["install-hooks", "--strict"]);
  assert.equal(blockingIn(settingsOf(place)).length, 2);
  const preview = await place.run(["install-hooks", "--dry-run"]);
  assert.match(preview.stdout, /\n- .*"onFailure": "block"/);
  const { stdout } = await place.run(["install-hooks"]);
  assert.match(
    stdout,
    /no longer: UserPromptSubmit, PreToolUse go on.*`conclaude install-hooks --strict`/,
  );
  assert.equal(Deno.readTextFileSync(settingsOf(place)), usual);
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
