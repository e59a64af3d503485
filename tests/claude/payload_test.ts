import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { capValue } from "../../src/claude/cap.ts";
import {
  capturePriority,
  filesTouched,
  inputExcerpt,
  serializePayload,
  summarizeInput,
} from "../../src/claude/payload.ts";
import { runs } from "../support/lanes.ts";
import { it } from "../support/fixtures.ts";

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
/** Arrays and objects, small and large, with long and short strings, at some depth. */
const bigValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue(),
    fc.tuple(anyText(200), fc.integer({ min: 1, max: 60 })).map(([text, times]) =>
      text.repeat(times)
    ),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.array(fc.integer(), { minLength: 100, maxLength: 300 }),
    fc.dictionary(anyText(200), tie("value"), { maxKeys: 6 }),
  ),
})).value;

function jsonSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

Deno.test("capturePriority() puts what changes things first and what only looks last", () => {
  const tools = ["Write", "Edit", "MultiEdit", "Bash", "Read", "Glob", "Grep", "TodoRead"]
    .concat(["TodoWrite", "WebFetch", "NotebookEdit", "mcp__x__y", "", "constructor"]);
  assert.deepEqual(tools.map(capturePriority), [
    ...Array(4).fill("high"),
    ...Array(5).fill("low"),
    ...Array(5).fill("normal"),
  ]);
});

Deno.test("filesTouched() names the file of the tools that have one", () => {
  for (const tool of ["Write", "Edit", "MultiEdit", "Read"]) {
    assert.deepEqual(filesTouched(tool, { file_path: "/p/a.ts" }), ["/p/a.ts"]);
  }
  for (const tool of ["NotebookEdit", "NotebookRead"]) {
    assert.deepEqual(filesTouched(tool, { notebook_path: "/p/a.ipynb" }), ["/p/a.ipynb"]);
  }
  assert.deepEqual(filesTouched("Bash", { file_path: "/p/a.ts" }), []);
});

Deno.test("filesTouched() names none for an input of any other shape", () => {
  for (const input of [null, undefined, "x", 5, [], ["file_path"], {}, { file_path: "" }]) {
    assert.deepEqual(filesTouched("Write", input), []);
  }
  assert.deepEqual(filesTouched("Write", { file_path: ["/a"] }), []);
});

Deno.test("filesTouched() cuts a path after 4,096 characters", () => {
  assert.equal(filesTouched("Read", { file_path: "a".repeat(9_000) })[0]!.length, 4_096);
});

Deno.test("capValue() cuts the largest string and leaves the small ones alone", () => {
  const value = { path: "/a.ts", content: "c".repeat(5_000_000), flags: [true, null, 5] };
  const capped = capValue(value, 65_536);
  const result = capped.value as typeof value;
  assert.ok(jsonSize(result) <= 65_536 && jsonSize(result) > 60_000);
  assert.match(result.content, /^c+\[… \d+ bytes cut …\]c+$/);
  assert.deepEqual({ ...result, content: "" }, { ...value, content: "" });
  assert.equal(capped.cutBytes, jsonSize(value) - jsonSize(result));
});

Deno.test("capValue() drops the middle of an array of many small values", () => {
  const { value } = capValue(Array.from({ length: 100_000 }, (_, index) => index), 4_096);
  const items = value as unknown[];
  assert.deepEqual([items[0], items.at(-1)], [0, 99_999]);
  assert.match(String(items.find((item) => typeof item === "string")), /^\[… \d+ bytes cut …\]$/);
  assert.ok(jsonSize(value) <= 4_096 && jsonSize(value) > 1_000);
});

Deno.test("capValue() drops the middle of an object of many small values", () => {
  const entries = Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]);
  const { value } = capValue(Object.fromEntries(entries), 4_096);
  const keys = Object.keys(value as object);
  assert.deepEqual([keys[0], keys.at(-1)], ["k0", "k19999"]);
  assert.ok(keys.some((key) => /^\[… \d+ bytes cut …\]$/.test(key)));
});

Deno.test("capValue() gives back the value itself when it fits", () => {
  const value = { a: "x".repeat(100) };
  assert.equal(capValue(value, 1_000).value, value);
});

it.sized("capValue() fits whatever the value into its limit, as JSON without half characters", () => {
  fc.assert(
    fc.property(bigValue, fc.integer({ min: 64, max: 4_000 }), (value, maxBytes) => {
      const { value: capped, cutBytes } = capValue(value, maxBytes);
      const size = jsonSize(capped);
      assert.ok(size <= maxBytes);
      assert.equal(cutBytes, Math.max(0, jsonSize(value) - size));
      assert.equal(Array.isArray(capped), Array.isArray(value));
      if (!HALF_PAIR.test(JSON.stringify(value))) {
        assert.ok(!/\\ud[89a-f]/.test(JSON.stringify(capped).replaceAll("\\\\", "")));
      }
    }),
    { numRuns: runs(1_000) },
  );
});

Deno.test("of a payload with 100,000 levels the text that was sent stays, within the limit", async () => {
  for (const depth of [150, 100_000]) {
    const sent = '{"a":['.repeat(depth) + "]}".repeat(depth);
    const payload = { tool_name: "Bash", tool_input: JSON.parse(sent), project_dir: "/p" };
    const { text, cutBytes } = await serializePayload(payload, { maxBytes: 512, sent: () => sent });
    const { unparsed, ...rest } = JSON.parse(text);
    assert.ok(text.length <= 4_096);
    assert.deepEqual(rest, { tool_name: "Bash", project_dir: "/p" });
    assert.match(unparsed, /^\{"a":\[.*\[… \d+ bytes cut …\].*\]\}$/);
    assert.ok(cutBytes > 0);
  }
});

Deno.test("summarizeInput() clips strings, arrays and depth", () => {
  const summary = summarizeInput({
    command: "c".repeat(501),
    items: Array(21).fill(1),
    a: { b: { c: { d: { e: 1 } } } },
  });
  assert.deepEqual(summary, {
    command: `${"c".repeat(500)}…`,
    items: [...Array(20).fill(1), "… 1 more"],
    a: { b: { c: { d: "…" } } },
  });
});

Deno.test("summarizeInput() stays below 4 kB whatever the input", () => {
  fc.assert(
    fc.property(fc.dictionary(anyText(200), bigValue, { maxKeys: 8 }), (fields) => {
      assert.ok(jsonSize(summarizeInput(fields)) <= 4_096);
    }),
  );
});

Deno.test("inputExcerpt() ends with the input, and with the limit where that is longer", () => {
  const payload = (input: unknown, rest: Record<string, unknown>) =>
    JSON.stringify({ tool_name: "Bash", tool_input: input, ...rest });
  const response = { tool_response: { stdout: "out" }, project_dir: "/p" };
  assert.equal(inputExcerpt(payload({ command: "ls" }, response)), '{"command":"ls"}');
  assert.equal(inputExcerpt(payload(null, { project_dir: "/p" })), "null");
  const tricky = { command: "echo ',\"tool_response\":{}'" };
  assert.equal(inputExcerpt(payload(tricky, response)), JSON.stringify(tricky));
  const long = inputExcerpt(payload({ command: "x".repeat(500) }, response));
  assert.equal(long, `{"command":"${"x".repeat(148)}…`);
});
