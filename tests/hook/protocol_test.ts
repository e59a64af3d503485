import assert from "node:assert/strict";
import fc from "fast-check";
import { anyCharacter } from "../support/any_text.ts";
import { redactValue } from "../../src/secrets/redact_value.ts";
import { identityOf, parseInput, toEvent, withPlainLetters } from "../../src/hook/protocol.ts";

Deno.test("withPlainLetters() writes letters as themselves, and it stays the same JSON", () => {
  assert.equal(
    withPlainLetters('{"a":"\\u003cprivate\\u003e gh\\u0070_x"}'),
    '{"a":"<private> ghp_x"}',
  );
  assert.equal(withPlainLetters('"https:\\/\\/a \\\\/"'), '"https://a \\\\/"');
  assert.equal(withPlainLetters('"\\\\u0070"'), '"\\\\u0070"');
  assert.equal(
    withPlainLetters('"\\u0022\\u005c\\u007f\\u0000"'),
    '"\\u0022\\u005c\\u007f\\u0000"',
  );
  assert.equal(
    withPlainLetters('"contrase\\u00f1a \\u5bC6\\uff1a \\u0085 \\ud83d\\ude00"'),
    '"contraseña 密： \\u0085 \\ud83d\\ude00"',
  );
  fc.assert(fc.property(fc.json({ stringUnit: anyCharacter }), (json) => {
    const escaped = json.replace(
      /[a-z<>\u0080-\uffff]/g,
      (letter, at: number) =>
        at % 3 === 0 && isInString(json, at)
          ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
          : letter,
    );
    assert.deepEqual(JSON.parse(withPlainLetters(escaped)), JSON.parse(escaped));
  }));
});

Deno.test("parseInput() never quotes what it could not read", () => {
  const input = parseInput("pwd=hunter2Hunter2");
  assert.equal(input.kind, "unreadable");
  assert.ok(input.kind === "unreadable" && !input.problem.includes("hunter2"));
});

Deno.test("parseInput() never throws, and toEvent() takes whatever an object holds", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json({ maxDepth: 6 })), (text) => {
    const input = parseInput(text);
    if (input.kind === "event") toEvent(input.fields, undefined);
  }));
});

Deno.test("toEvent() takes no endless name and no empty one from the command line", () => {
  assert.equal(toEvent({}, "x".repeat(1_000_000)).name.length, 256);
  assert.equal(toEvent({ hook_event_name: "Stop" }, "").name, "Stop");
});

Deno.test("toEvent() keeps an own field that is called like a part of every object", () => {
  const { own } = toEvent(JSON.parse('{"__proto__": 1, "constructor": 2}'), undefined);
  assert.equal(JSON.stringify(own), '{"__proto__":1,"constructor":2}');
});

/** True when the character is a letter of a string, and no part of an escape. */
function isInString(json: string, at: number): boolean {
  let inside = false;
  for (let i = 0; i < at; i++) {
    if (json[i] === "\\") i += json[i + 1] === "u" ? 5 : 1;
    else if (json[i] === '"') inside = !inside;
    if (i >= at) return false;
  }
  return inside;
}

Deno.test("ids are masked among all fields as they are alone, so one pass is enough without own patterns", () => {
  const value = "toolu_01ABCDEFGHJKMNPQRSTVWX";
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const input = {
    command: `export API_TOKEN=${value}; curl -H "Authorization: Bearer ${value}" x ${secret}`,
  };
  for (const name of ["session_id", "hook_event_name", "tool_name", "tool_use_id"]) {
    for (const text of [value, secret, "password=hunter2abcdef"]) {
      const fields: Record<string, unknown> = {
        tool_name: "Bash",
        tool_input: input,
        [name]: text,
      };
      const all = redactValue(fields, { patterns: [] }) as typeof fields;
      const alone = redactValue(identityOf(fields), { patterns: [] }) as typeof fields;
      assert.equal(all[name], alone[name], `${name}: ${text}`);
    }
  }
});
