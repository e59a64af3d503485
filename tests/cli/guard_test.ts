import assert from "node:assert/strict";
import { stage } from "./support.ts";

Deno.test("guard list names every rule, those of stops too, with what it is about", async () => {
  using place = stage();
  place.configure(`preToolUse: {uneditableFiles: ["*.lock"]}
stop: {commands: [{run: deno task test}], rounds: 3, infinite: true}
`);
  const { body } = await place.json(["guard", "list"]);
  const rules = body.rules.map(({ name, pattern }) => [name, pattern]);
  const expecteds = [
    ["preToolUse.uneditableFiles[0]", "*.lock"],
    ["stop.commands[0]", "deno task test"],
    ["stop.rounds", "3"],
    ["stop.infinite", "continue working on the task"],
  ];
  for (const expected of expecteds) {
    assert.ok(rules.some((rule) => String(rule) === String(expected)), String(expected));
  }
  for (const [name] of rules) {
    const { code, stdout } = await place.run(["config", "get", name!]);
    assert.equal(code, 0, name!);
    assert.match(stdout, /^# [A-Z].{10,}\n/, `what ${name} means`);
  }
});
