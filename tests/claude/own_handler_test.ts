import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { hookCommand, type Program } from "../../src/claude/settings/hooks.ts";
import { KNOWN_EVENTS } from "../../src/claude/settings/lanes.ts";
import { type Ownership, partsOfCommand, roleOf } from "../../src/claude/settings/own_handler.ts";
import CASES from "../testdata/claude_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

function isOwnHandler(handler: unknown, ownership?: Ownership): boolean {
  return roleOf(handler, ownership) !== undefined;
}

function isOwn(command: string, ownership?: Ownership): boolean {
  return isOwnHandler({ type: "command", command, timeout: 10 }, ownership);
}

Deno.test("roleOf() knows conclaude under any folder, version and platform", () => {
  for (const program of CASES.ownPrograms) {
    assert.ok(isOwn(`${program} hook Stop`), program);
  }
});

Deno.test("roleOf() knows the form without a shell", () => {
  const handler = { type: "command", command: "/opt/my tools/conclaude", args: ["hook", "Stop"] };
  assert.ok(isOwnHandler(handler));
  assert.ok(!isOwnHandler({ ...handler, args: ["status"] }));
  const marked = { ...handler, command: "/opt/cc", args: ["hook", "Stop", "--conclaude"] };
  assert.ok(isOwnHandler(marked));
});

Deno.test("roleOf() knows a clone and its bundle by their folders", () => {
  assert.ok(
    isOwn(
      "/usr/bin/deno run -A --config /src/conclaude/deno.json /src/conclaude/main.ts hook Stop",
    ),
  );
  assert.ok(isOwn("deno run --allow-all '/src/conclaude/dist/bundle/main.js' hook Stop"));
  assert.ok(!isOwn("deno run -A /src/other/main.ts hook Stop"));
});

Deno.test("roleOf() knows the program that is being installed under any name", () => {
  for (const program of rowsOf<Program>(CASES.programs)) {
    const command = hookCommand(program, "Stop");
    const unmarked = command.replace(/ --conclaude$/, "");
    for (const written of [command, unmarked]) {
      assert.ok(isOwn(written, { program }), written);
      assert.ok(!isOwn(`${written} && say done`, { program }), written);
    }
    assert.ok(!isOwn(unmarked), unmarked);
  }
  for (const command of ["x; y hook", "x; y  hook Stop", "x; y 'hook' Stop"]) {
    assert.ok(!isOwn(command, { program: { kind: "line", line: "x; y" } }), command);
  }
});

Deno.test("roleOf() knows its mark, whatever the program is called by now", () => {
  for (const program of CASES.renamedPrograms) {
    assert.ok(isOwn(`${program} hook Stop --conclaude`), program);
    assert.ok(!isOwn(`${program} hook Stop`), program);
  }
});

Deno.test("partsOfCommand() returns the program as it is written, in linear time", () => {
  const quoted = partsOfCommand(`"$HOME/bin/conclaude" "hook" 'Stop' '--conclaude'`);
  assert.deepEqual(quoted, { line: '"$HOME/bin/conclaude"', word: "Stop", isMarked: true });
  assert.equal(partsOfCommand("conclaude\\ hook hook --conclaude")?.line, "conclaude\\ hook");
  const began = performance.now();
  assert.equal(partsOfCommand(`a${" ".repeat(50_000)}b`), undefined);
  assert.ok(performance.now() - began < 1_000);
});

Deno.test("roleOf() takes no word for its mark that only resembles it", () => {
  for (const command of CASES.resemblingMark) {
    assert.ok(!isOwn(command), command);
  }
});

Deno.test("roleOf() knows what leads to this very executable, as long as it is there", () => {
  using folder = tempFolder();
  const [cc, guard] = [`${folder.path}/cc`, `${folder.path}/guard`];
  const ownership = { executable: cc };
  assert.ok(!isOwn(`${cc} hook Stop`, ownership));
  Deno.writeTextFileSync(cc, "");
  Deno.writeTextFileSync(guard, "");
  assert.ok(isOwn(`${cc} hook Stop`, ownership));
  assert.ok(!isOwn(`${guard} hook Stop`, ownership));
  assert.ok(!isOwn("cc hook Stop", ownership), "a bare name leads anywhere");
});

Deno.test("roleOf() leaves every other tool's handler alone", () => {
  for (const command of CASES.foreign) {
    assert.ok(!isOwn(command), command);
  }
});

Deno.test("roleOf() takes anything that is no command handler for foreign", () => {
  const command = "conclaude hook Stop";
  for (
    const handler of [
      null,
      "conclaude hook Stop",
      [],
      { command },
      { type: "http", command, url: "http://localhost" },
      { type: "command", command: ["conclaude", "hook", "Stop"] },
      { type: "command" },
    ]
  ) {
    assert.ok(!isOwnHandler(handler), JSON.stringify(handler));
  }
});

Deno.test("roleOf() finds its own command again for any folder that a path can have", () => {
  fc.assert(fc.property(
    anyText().filter((folder) => !/[\\/\0]/.test(folder)),
    fc.constantFrom(...KNOWN_EVENTS),
    (folder, event) => {
      for (const path of [`/home/${folder}/conclaude`, `/opt/${folder}`]) {
        assert.ok(isOwn(hookCommand({ kind: "path", path }, event)), path);
      }
    },
  ));
});

Deno.test("roleOf() never throws and claims no handler of a foreign program", () => {
  fc.assert(fc.property(fc.anything(), fc.string(), (handler, command) => {
    isOwnHandler(handler);
    assert.ok(!isOwn(`guard ${command}`));
  }));
});

Deno.test("roleOf() tells the drain from the hook of an event by the command alone, however it is written", () => {
  const role = (command: string, rest: Record<string, unknown> = {}) =>
    roleOf({ type: "command", command, ...rest });
  for (
    const drain of [
      role("conclaude hook Drain"),
      role("'/a b/conclaude' hook Drain"),
      role("/opt/cc-state hook Drain --conclaude"),
      role("conclaude", { args: ["hook", "Drain"] }),
      role("conclaude hook 'Drain'", { async: false }),
      roleOf({ type: "command", command: "x; y hook Drain" }, {
        program: { kind: "line", line: "x; y" },
      }),
    ]
  ) {
    assert.equal(drain, "drain");
  }
  for (const event of ["Stop", "drain", "DrainMore"]) {
    assert.equal(role(`conclaude hook ${event}`, { async: true }), "event");
  }
  assert.equal(role("conclaude hook"), "event");
  assert.equal(role("guard hook Drain"), undefined);
  assert.equal(role("conclaude hook Drain; ls"), undefined);
});
