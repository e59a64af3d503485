/** Private blocks that go on over several strings of one payload. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { redactValue } from "../../../src/secrets/redact_value.ts";
import { runs } from "../../support/lanes.ts";
import { join } from "node:path";
import { query } from "../../support/look.ts";
import { privatePlace } from "../../support/private_place.ts";
import { runProgram } from "../../support/program.ts";
import { jsonLines, toolUseLines } from "../../support/transcripts.ts";
import { rowsOf, testWith } from "../../support/fixtures.ts";
import CASES from "../../testdata/secret_cases.json" with { type: "json" };

const RULES = { patterns: [] };

/** Lines of a file, some of them private. */
const files = fc.array(
  fc.oneof(
    fc.constantFrom("plain one", "plain two"),
    fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 4 }).map((lines) =>
      ["<private>", ...lines.map((n) => `hidden line ${n}`), "</private>"].join("\n")
    ),
  ),
  { minLength: 1, maxLength: 6 },
).map((parts) => parts.join("\n").split("\n"));

Deno.test("no private line is left in any part of a file that is told beside the whole of it", () => {
  fc.assert(
    fc.property(
      files,
      fc.nat(20),
      fc.nat(20),
      fc.constantFrom("-", "+", " "),
      (lines, a, b, mark) => {
        const from = Math.min(a, b);
        const part = lines.slice(from, Math.max(a, b) + 1);
        const value = {
          tool_input: { old_string: part.join("\n"), new_string: "x" },
          tool_response: {
            originalFile: lines.join("\n"),
            structuredPatch: [{ lines: part.map((line) => mark + line) }],
          },
        };
        const once = redactValue(value, RULES);
        assert.doesNotMatch(JSON.stringify(once), /hidden/);
        assert.deepEqual(redactValue(once, RULES), once);
      },
    ),
    { numRuns: runs(1_000) },
  );
});

Deno.test("no private line is left in a list of blocks, wherever the list is cut", () => {
  fc.assert(
    fc.property(files, fc.nat(20), fc.boolean(), (lines, from, isBlocks) => {
      // A list that begins and ends within one block tells nothing of it.
      const rest = lines.slice(from).join("\n").includes("</private>") ? lines.slice(from) : lines;
      const value = { content: isBlocks ? rest.map((text) => ({ type: "text", text })) : rest };
      assert.doesNotMatch(JSON.stringify(redactValue(value, RULES)), /hidden/);
    }),
    { numRuns: runs(1_000) },
  );
});

Deno.test("what stands before and behind private blocks is left as it is", () => {
  const value = {
    content: [
      { type: "text", text: "before <private>" },
      { type: "text", text: "hidden" },
      { type: "text", text: "</private> behind" },
      { type: "text", text: "last", n: 1, none: null },
    ],
    cwd: "/home/ana",
  };
  assert.deepEqual(redactValue(value, RULES), {
    content: [
      { type: "text", text: "before [private removed]" },
      { type: "text", text: "[private removed]" },
      { type: "text", text: "[private removed] behind" },
      { type: "text", text: "last", n: 1, none: null },
    ],
    cwd: "/home/ana",
  });
});

Deno.test("private parts of a payload are found in linear time, whatever it holds", () => {
  const edits = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => ({ old_string: `a${n % 7}`, new_string: `a${n}a${n}` }),
    );
  const made: readonly ((n: number) => unknown)[] = [
    (n) => Array.from({ length: n }, () => "<private>"),
    (n) => Array.from({ length: n }, () => "</private>"),
    (n) => Array.from({ length: n }, (_, i) => i % 2 === 0 ? "a</private>b" : "<private>c"),
    (n) => ["<private>".repeat(n), "</private>".repeat(n)],
    (n) => ["</private".repeat(n), "</private>"],
    (n) => ["<private>", `${"a1 a2\n".repeat(n)}</private>`, ...edits(n / 50)],
    (n) => ["<private>", `${"a1".repeat(n)}</private>`, ...edits(n / 50)],
    (
      n,
    ) => ["<private>x</private>", "\x1b]".repeat(n), " ".repeat(n), "\\".repeat(n), "1:".repeat(n)],
  ];
  const timeOf = (value: unknown) => {
    const times = [1, 2, 3].map(() => {
      const begun = performance.now();
      redactValue(value, RULES);
      return performance.now() - begun;
    });
    return Math.min(...times);
  };
  for (const [at, make] of made.entries()) {
    // Eight times as much; quadratic would be 64 times. Other processes may slow one try down, not all.
    const tries = [1, 2, 3].values().map(() => ({
      small: timeOf(make(5_000)),
      large: timeOf(make(40_000)),
    }));
    const seen: unknown[] = [];
    const isLinear = tries.some((times) => {
      seen.push(times);
      return times.large < 100 + 24 * times.small;
    });
    assert.ok(isLinear, `${at}: ${JSON.stringify(seen)}`);
  }
});

/** What is told of one tool use, and a word of it that stays. */
const USES = rowsOf<readonly [what: string, use: Record<string, unknown>, kept: string]>(
  CASES.usesWithPrivateText,
);

const test = testWith(privatePlace);

for (const [what, use, kept] of USES) {
  test(`private text is not kept: ${what}`, async (here) => {
    const fields = { ...use, tool_use_id: "toolu_1" };
    await here.event("error" in use ? "PostToolUseFailure" : "PostToolUse", fields);
    const captured = await here.search();
    assert.ok(captured.includes(kept), captured);
    await here.event("Drain", {});
    await here.search();
    const [row] = query(here.home, "SELECT count(*) AS n FROM observations");
    assert.equal(Number(row?.["n"]) > 0, true);
  });
}

test("private text is not kept: prompts and last messages that begin within a block", async (here) => {
  await here.event("SessionStart", { source: "startup" });
  await here.event("UserPromptSubmit", { prompt: "HUSHWORD one\n</private>\nFind the wombats" });
  await here.event("Stop", {
    stop_hook_active: false,
    last_assistant_message: "HUSHWORD</private> The wombats are found",
  });
  await here.event("Drain", {});
  assert.match(await here.search(), /Find the wombats/);
  const texts = query(here.home, "SELECT text FROM observations").map(({ text }) => String(text));
  assert.ok(texts.some((text) => text.includes("The wombats are found")), texts.join("\n"));
});

test("a text that speaks of the closing tag is kept as it is", async (here) => {
  const prompt = "Why does the wombat parser skip `</private>` in a quotation?";
  await here.event("UserPromptSubmit", { prompt });
  await here.event("Drain", {});
  const [row] = query(here.home, "SELECT text FROM observations");
  assert.equal(row?.["text"], prompt);
});

test("private text of a transcript is not kept, in whichever strings it stands", async (here) => {
  const folder = join(here.home.path, "..", `transcripts-private-${Deno.pid}`);
  Deno.mkdirSync(folder);
  try {
    const common = { cwd: here.home.path, sessionId: "trans" };
    const lines = USES.flatMap(([, use], at) =>
      toolUseLines({ id: `toolu_t${at}`, atMs: Date.UTC(2026, 0, 5, 0, 0, at), use }, common)
    );
    Deno.writeTextFileSync(join(folder, "s.jsonl"), jsonLines(lines));
    const args = ["reconcile", "--backfill", "--transcripts", folder];
    const env = { HOME: here.home.path };
    const { code, stderr } = await runProgram(args, { cwd: here.home.path, env });
    assert.equal(code, 0, stderr);
    await runProgram(["queue", "drain"], { cwd: here.home.path, env });
    assert.match(await here.search(), /public wombat/);
    const rows = query(here.home, "SELECT 1 FROM pending_queue");
    assert.equal(rows.length, USES.length);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
