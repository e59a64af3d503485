/** SessionStart says when something is guarded here and Claude Code will not ask. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { stage } from "../cli/support.ts";
import type { Stage } from "../cli/support.ts";

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
  Deno.writeTextFileSync(join(place.project, ".conclaude.yaml"), "{}\n");
  return place;
}

Deno.test("an installation that judges is nothing to talk about", async () => {
  using place = guarded();
  await place.run(["install-hooks"]);
  assert.equal(await toldAt(place), "");
});

Deno.test("rules without a hook that asks them are told of in one line", async () => {
  using place = guarded();
  await place.run(["install-hooks", "--events", "SessionStart,PostToolUse"]);
  const told = await toldAt(place);
  assert.match(
    told,
    /^conclaude: .*NOT ARMED: no hook is installed for PreToolUse\. .*`conclaude doctor`/,
  );
  assert.equal(told.split("\n").length, 1);
  await place.run(["install-hooks", "--scope", "local", "--events", "PreToolUse"]);
  assert.equal(await toldAt(place), "");
});

Deno.test("where nothing is guarded, nothing is said", async () => {
  using place = stage();
  await place.run(["install-hooks", "--events", "SessionStart"]);
  assert.equal(await toldAt(place), "");
});

Deno.test("hooks that came another way are not doubted", async () => {
  using place = guarded();
  assert.equal(await toldAt(place), "");
});

Deno.test("disableAllHooks and a discarded file are told of", async () => {
  using place = guarded();
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

Deno.test("CLAUDE_CONFIG_DIR names the user's settings", async () => {
  using place = guarded();
  const env = { CLAUDE_CONFIG_DIR: join(place.home, "elsewhere") };
  await place.run(["install-hooks", "--events", "SessionStart"], { env });
  assert.equal(await toldAt(place), "");
  const { stdout } = await place.run(["hook", "SessionStart"], {
    stdin: { session_id: "s1", source: "startup", cwd: place.project },
    env,
  });
  assert.match(stdout, /NOT ARMED/);
});
