import assert from "node:assert/strict";
import { compileCommand, splitScript } from "../../src/policy/stops/stop_section.ts";

const SCRIPTS: readonly (readonly [script: string, lines: readonly string[]])[] = [
  ["npm test", ["npm test"]],
  ["# c\n\ntrue\nfalse\necho no", ["true", "false", "echo no"]],
  ["a; b &\nc | \\\n  d", ["a; b &", "c | \\ …"]],
  ["cat <<EOF\nfalse\n\nEOF\nb # why", ["cat <<EOF …", "b # why"]],
  ["if a; then\n  b\nfi\nf() {\n  c\n}\nf", ["if a; then …", "f() { …", "f"]],
  ["  a\n\tb", ["a", "b"]],
  ["if true", ["if true"]],
  ["echo 'a\nb", ["echo 'a …"]],
  ["# nothing", ["# nothing"]],
];
for (const [script, lines] of SCRIPTS) {
  Deno.test(`a command is cut into its lines, and a construct stays whole: ${JSON.stringify(script)}`, () => {
    assert.deepEqual(compileCommand({ run: script }, "r").lines, lines);
  });
}

Deno.test("splitScript() loses nothing behind the first command", () => {
  const script = "a\n# why\n\nb \\\n c\ncat <<X\n y\nX\n\n d";
  assert.equal(splitScript(script).join(""), script);
});

Deno.test("a told line of a command is short", () => {
  const [line] = compileCommand({ run: "é".repeat(1000) }, "r").lines;
  assert.ok(line!.length <= 200 && line!.endsWith("…"));
});
