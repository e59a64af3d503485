/** Hooks of ours beside those that are installed: in other files, and within other commands. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { alterSettings, checkOf, checksOf, type Stage, stage } from "./support.ts";
import { namesIn } from "../support/look.ts";
import { testWith } from "../support/fixtures.ts";

const RULES = "preToolUse: {preventRootAdditions: false}\nstop: {commands: [{run: 'true'}]}\n";

/** Changes the groups of the Stop hook in the user's settings. */
// deno-lint-ignore no-explicit-any -- a settings file can hold anything
function alterStop(place: Stage, change: (groups: any[]) => unknown): void {
  alterSettings(place, ({ hooks }) => void (hooks.Stop = change(hooks.Stop)));
}

const test = testWith(stage);

test("a hook whose exit status is hidden is named, and the advised command adds no second hook", async (place) => {
  place.configure(RULES);
  await place.run(["install-hooks"]);
  alterSettings(place, ({ hooks }) => {
    hooks.Stop[0].hooks[0].command = "/opt/bin/conclaude hook Stop || true";
  });
  const { body } = await place.json(["doctor"]);
  const row = (name: string) => body.checks.find((check) => check.name === name)!;
  assert.match(
    row("hooks").message,
    /Stop .*do more than start conclaude \(`\S+ hook Stop \|\| true`\)/,
  );
  assert.match(row("gates").message, /^NOT ARMED for .*stop\.commands/);
  for (const name of ["hooks", "gates"]) {
    assert.match(
      row(name).next!,
      /^take `\S+ hook Stop \|\| true` out of \S+, then run `conclaude install-hooks`$/,
    );
  }
  const installed = await place.json(["install-hooks"]);
  assert.match(
    installed.body.warnings.join(),
    /recorded twice.*: Stop; take `\S+ hook Stop \|\| true` out/,
  );
});

test("where every hook is wrapped, hooks are not said to be missing", async (place) => {
  Deno.mkdirSync(join(place.home, ".claude"));
  const hook = { type: "command", command: "conclaude hook Stop 2>/dev/null" };
  const settings = {
    hooks: { Stop: [{ hooks: [hook, { type: "command", command: "echo | x" }] }] },
  };
  Deno.writeTextFileSync(place.settings, JSON.stringify(settings));
  const rows = await checksOf(place, "hooks");
  assert.equal(rows.length, 1);
  assert.match(rows[0]!.message, /do more than start conclaude/);
});

test("install-hooks tells of another file whose hooks record the same events", async (place) => {
  const first = await place.json(["install-hooks", "--scope", "local"]);
  assert.deepEqual(first.body.warnings, []);
  const same = await place.json(["install-hooks"]);
  assert.deepEqual(same.body.warnings, [], "equal commands run once");
  Deno.writeTextFileSync(join(place.home, "conclaude"), "#!/bin/sh\n", { mode: 0o755 });
  const other = await place.json(["install-hooks", "--command", join(place.home, "conclaude")]);
  assert.match(
    other.body.warnings.join(),
    /settings\.local\.json has more hooks .*recorded twice.*`conclaude uninstall-hooks --scope local`/,
  );
  await place.run(["uninstall-hooks", "--scope", "local"]);
  const { body } = await place.json(["install-hooks"]);
  assert.deepEqual(body.warnings, []);
});

test("install-hooks registers a second hook of Stop that nobody waits for, and says so", async (place) => {
  const { stdout } = await place.run(["install-hooks", "--events", "Stop"]);
  assert.match(stdout, /\n {2}drain: {3}beside Stop/);
  alterStop(place, (groups) => {
    const [stop, drain] = groups.map(({ hooks: [handler] }) => handler);
    assert.deepEqual(
      [drain.command, drain.timeout, drain.async],
      [stop.command.replace(" hook Stop", " hook Drain"), 60, true],
    );
    assert.equal(groups.length, 2);
    return groups;
  });
  const other = await place.run(["install-hooks", "--events", "SessionEnd"]);
  assert.doesNotMatch(other.stdout, /drain/);
});

test("doctor does not call the two hooks of Stop doubled, and names one that has no drain", async (place) => {
  await place.run(["install-hooks"]);
  const look = () => checkOf(place, "hooks");
  const whole = await look();
  assert.equal(whole.status, "ok", whole.message);
  assert.equal(whole.message.match(/\bStop\b/g)?.length, 1);
  alterStop(place, ([stop]) => [stop]);
  const older = await look();
  assert.deepEqual([older.status, older.next], ["warn", "conclaude install-hooks"]);
  assert.match(older.message, /no drain .*only at the end of a session/);
  await place.run(["install-hooks"]);
  assert.equal((await look()).status, "ok");
  alterStop(place, ([stop, { hooks: [{ async: _, ...drain }] }]) => [stop, { hooks: [drain] }]);
  const waited = await look();
  assert.deepEqual([waited.status, waited.next], ["warn", "conclaude install-hooks"]);
  assert.match(waited.message, /drain .* is waited for/);
  alterStop(place, ([stop, { hooks: [drain] }]) => [
    stop,
    { hooks: [{ ...drain, command: `${drain.command} || true`, async: true }] },
  ]);
  assert.equal((await look()).status, "ok", "what is around a drain hides nothing");
});

test("a drain hook beside Stop leaves the gates armed, a drain hook alone does not", async (place) => {
  place.configure(RULES);
  await place.run(["install-hooks"]);
  const look = () => checkOf(place, "gates");
  alterStop(place, ([stop, drain]) => [drain, stop]);
  assert.match((await look()).message, /^ARMED/);
  alterStop(place, ([drain]) => [drain]);
  const row = await look();
  assert.deepEqual([row.status, row.next], ["fail", "conclaude install-hooks"]);
  assert.match(row.message, /^NOT ARMED for .*stop\.commands.*: no hook is installed for Stop$/);
});

test("uninstall-hooks takes the folder away that install-hooks has made, when nothing else is in it", async (place) => {
  await place.run(["install-hooks"]);
  await place.run(["uninstall-hooks"]);
  assert.deepEqual(namesIn(place.home).filter((name) => name === ".claude"), []);
  await place.run(["install-hooks"]);
  Deno.writeTextFileSync(join(place.home, ".claude", "mine"), "");
  await place.run(["uninstall-hooks"]);
  assert.deepEqual(namesIn(join(place.home, ".claude")), ["mine"]);
  Deno.removeSync(join(place.home, ".claude"), { recursive: true });
  Deno.mkdirSync(join(place.home, ".claude"), { mode: 0o755 });
  await place.run(["install-hooks"]);
  await place.run(["uninstall-hooks"]);
  assert.deepEqual(namesIn(join(place.home, ".claude")), []);
  assert.ok(namesIn(place.home).includes(".claude"));
});
