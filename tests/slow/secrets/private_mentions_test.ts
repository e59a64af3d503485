/** Of texts that speak of `<private>` tags everything is kept but what is private in them. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { query } from "../../support/look.ts";
import { type PrivatePlace, privatePlace } from "../../support/private_place.ts";
import { rowsOf, testWith } from "../../support/fixtures.ts";
import CASES from "../../testdata/secret_cases.json" with { type: "json" };
import { redactText } from "../../../src/secrets/redact.ts";
import { redactValue } from "../../../src/secrets/redact_value.ts";
import { assertQuick } from "../../support/quick.ts";
import { runs } from "../../support/lanes.ts";

/** What is private of these files and outputs, the longest first. */
const PRIVATE = [
  "<private>the vault HUSHWORD is\nHUSHWORD-ONE</private>",
  "<private>HUSHWORD\n</private>",
  " HUSHWORD-ONE</private>",
  "<private>…</private>",
];

/** What is told of one tool use; every word of it is kept but the hidden ones. */
const USES: Readonly<Record<string, Record<string, unknown>>> = CASES.usesWithMentions;

/** What is kept of tool uses and of what was said. */
function payloads(here: PrivatePlace): string[] {
  return query(here.home, "SELECT payload FROM pending_queue ORDER BY id")
    .map(({ payload }) => String(payload));
}

/** A value without what is private in it. */
function shown(value: unknown): unknown {
  const hidden = PRIVATE.map((text) => JSON.stringify(text).slice(1, -1));
  return JSON.parse(
    hidden.reduce(
      (json, text) => json.replaceAll(text, "[private removed]"),
      JSON.stringify(value),
    ),
  );
}

const test = testWith(privatePlace);

for (const [what, use] of Object.entries(USES)) {
  test(`what is not private is kept: ${what}`, async (here) => {
    await here.event("PostToolUse", { ...use, tool_use_id: "toolu_1" });
    assert.match(await here.search(), /wombat/);
    const { tool_input, tool_response } = JSON.parse(payloads(here)[0]!);
    assert.deepEqual(tool_input, shown(use["tool_input"]));
    assert.deepEqual(tool_response, shown(use["tool_response"]));
    await here.event("Drain", {});
    await here.search();
    assert.ok(query(here.home, "SELECT 1 FROM observations").length > 0);
  });
}

test("a prompt and an answer that speak of the tags are kept as they are", async (here) => {
  const prompt = "Please document the `<private>` tag in the README, then fix the wombat parser";
  const answer = 'Documented "<private>" and found /<private>/g.\n\nThe wombats are fixed.';
  await here.event("UserPromptSubmit", { prompt });
  await here.event("Stop", { stop_hook_active: false, last_assistant_message: answer });
  await here.event("Drain", {});
  const texts = query(here.home, "SELECT text FROM observations").map(({ text }) => String(text));
  assert.ok(texts.includes(prompt), texts.join("\n"));
  assert.ok(texts.includes(answer), texts.join("\n"));
});

test("prompts that speak of the tags keep every word that is not private, and no other", async (here) => {
  const sample = (texts: fc.Arbitrary<string>) => fc.sample(texts, { numRuns: 16, seed: 7 });
  for (const prompt of sample(CLEAR_TEXTS.filter((text) => text.search(KEPT) >= 0))) {
    await here.event("UserPromptSubmit", { prompt });
    const kept = payloads(here).at(-1)!;
    assert.deepEqual(kept.match(KEPT), prompt.match(KEPT), `${prompt}\n---\n${kept}`);
  }
  for (const text of sample(DOUBTFUL_TEXTS)) {
    await here.event("UserPromptSubmit", { prompt: text });
    const tool_response = { content: text.split("\n").map((line) => ({ text: line })) };
    await here.event("PostToolUse", { tool_name: "mcp__a__b", tool_input: {}, tool_response });
  }
  await here.search();
  await here.event("Drain", {});
  await here.search();
});

const RULES = { patterns: [] };
const redact = (text: string) => redactText(text, RULES);
const RUNS = { numRuns: runs(700) };

for (const text of CASES.mentions) {
  Deno.test(`a text that only speaks of tags is left alone: ${text}`, () => {
    assert.equal(redact(text), text);
    const value = { a: text, b: [{ type: "text", text }, { type: "text", text: "more" }], c: "d" };
    assert.deepEqual(redactValue(value, RULES), value);
  });
}

/** A text, and what is left of it. */
const REAL = rowsOf<readonly [text: string, left: string]>(
  Object.values(CASES.mentionsInUnits).flat(),
);

for (const [text, left] of REAL) {
  Deno.test(`what is private is hidden, and nothing else: ${text}`, () => {
    assert.equal(redact(text), left.replaceAll("%", "[private removed]"));
  });
}

Deno.test("a tag in quotes that a later string closes hides what is between", () => {
  const opening = "so `<private>` hush";
  assert.deepEqual(redactValue({ a: opening, b: { c: "hush" }, d: "hush</private> d" }, RULES), {
    a: "so `[private removed]",
    b: { c: "[private removed]" },
    d: "[private removed] d",
  });
  for (const closing of ["hush</private> d", "hush `</private>` d"]) {
    const value = [opening, "hush", closing].map((text) => ({ type: "text", text }));
    const left = JSON.stringify(redactValue({ content: [{ text: "a" }, ...value] }, RULES));
    assert.doesNotMatch(left, /hush/);
    assert.match(left, / d"/);
    assert.match(left, /"a"/);
  }
});

Deno.test("a tag that is broken over two blocks of an answer is one", () => {
  for (
    const texts of [
      ["a", "<private", ">", "hush", "</private", ">", "z"],
      ["a", "<private ", " why>hush", "hush</private\n", ">", "z"],
    ]
  ) {
    const content = texts.map((text) => ({ type: "text", text }));
    const left = JSON.stringify(redactValue({ content }, RULES));
    assert.doesNotMatch(left, /hush/);
    assert.match(left, /"a".*"z"/);
  }
});

Deno.test("what is private from the first of several tags on is known again elsewhere", () => {
  const value = { a: "a <private>\nhush hush\n<private>\nb", b: "b\nhush hush" };
  assert.deepEqual(redactValue(value, RULES), {
    a: "a [private removed]",
    b: "b\n[private removed]",
  });
});

Deno.test("an edit in a file that speaks of tags is kept, and its private lines are not", () => {
  const value = {
    tool_input: { old_string: "the old line", new_string: "the `<private>` line" },
    tool_response: {
      originalFile: "Write `<private>` in front, or <private>hush hush</private>\nthe old line\n",
      structuredPatch: [{ lines: ["-the old line", "+the `<private>` line", " hush hush"] }],
    },
  };
  assert.deepEqual(redactValue(value, RULES), {
    tool_input: value.tool_input,
    tool_response: {
      originalFile: "Write `<private>` in front, or [private removed]\nthe old line\n",
      structuredPatch: [{
        lines: ["-the old line", "+the `<private>` line", " [private removed]"],
      }],
    },
  });
});

Deno.test("a text that speaks of tags keeps every word that is not private, and no other", () => {
  fc.assert(
    fc.property(CLEAR_TEXTS, (text) => {
      const left = redact(text);
      assert.ok(!left.includes(HUSH), left);
      assert.deepEqual(left.match(KEPT), text.match(KEPT));
      assert.deepEqual(redactValue({ prompt: text }, RULES), { prompt: left });
    }),
    RUNS,
  );
});

Deno.test("no private word is left of any text that speaks of tags, however it is told", () => {
  fc.assert(
    fc.property(fc.oneof(CLEAR_TEXTS, DOUBTFUL_TEXTS), (text) => {
      const lines = text.split("\n");
      const told: readonly unknown[] = [
        text,
        JSON.stringify({ prompt: text }),
        lines,
        lines.map((line) => ({ type: "text", text: line })),
        { originalFile: text, structuredPatch: [{ lines: lines.map((line) => `+${line}`) }] },
        { old_string: text, new_string: "x", edits: [{ old_string: "x", new_string: text }] },
      ];
      for (const value of told) {
        const once = redactValue({ value }, RULES);
        assert.ok(!JSON.stringify(once).includes(HUSH), JSON.stringify(once));
        assert.deepEqual(redactValue(once, RULES), once);
      }
    }),
    RUNS,
  );
});

Deno.test("a megabyte of tags and quotes takes less than a second", () => {
  const pieces = [
    ...CASES.pieces,
    `${"\\".repeat(180)}"<private>" a`,
    `${" ".repeat(180)}"<private>" a`,
    `${"\\n".repeat(90)}"<private>" a`,
  ];
  for (const piece of pieces) {
    const text = piece.repeat(1_000_000 / piece.length);
    assertQuick(piece, () => redactValue({ text, list: [text] }, RULES));
  }
});

/** In every private line of them. */
const HUSH = "HUSHWORD";
/** Every word that is to be kept. */
const KEPT = /wombat[a-z]+/g;

const word = fc.stringMatching(/^[a-z]{3,8}$/).map((letters) => `wombat${letters}`);
const BREAKS = fc.constantFrom("\n", "\n\n", "\n  ");

/** Ways to speak of the opening tag, none of which opens anything. */
const openingMention = fc.tuple(
  word,
  fc.constantFrom(
    "the `<private>` tag",
    'the "<private>" tag',
    "the '<private>' tag",
    "the “<private>” tag",
    "``<private>`` in front",
    '`<private why="x">` hides',
    "- `<PRIVATE>`: hides",
    'if (text.includes("<private>")) return;',
    'text.replace("<private>", "");',
    "re = r'<private>'",
    "const TAG = /<private>/g;",
    String.raw`const BLOCK = /<private>([\s\S]*?)<\/private>/gi;`,
    String.raw`text.replace(/<private\b[^>]*>/i, "");`,
    String.raw`sed '/<private>/,/<\/private>/d' notes.md`,
    "so `<private>` is written, and so `<private>`",
  ),
).map(([kept, mention]) => `${kept} ${mention} ${kept}`);

const closingMention = fc.tuple(
  word,
  fc.constantFrom("the `</private>` tag", 'the "</private>" tag', 'text.indexOf("</private>")'),
).map(([kept, mention]) => `${kept} ${mention} ${kept}`);

/** What people write between two tags. */
const secret = fc.array(
  fc.constantFrom(
    HUSH,
    `\n${HUSH}\n`,
    `${HUSH} \`<private>\` ${HUSH}`,
    `${HUSH} "</private>" ${HUSH}`,
    `<private>${HUSH}</private>`,
    `\n<private>\n${HUSH}\n</private>\n`,
  ),
  { minLength: 1, maxLength: 3 },
).map((parts) => `${HUSH}${parts.join(` ${HUSH} `)}${HUSH}`);

const pair = fc.tuple(
  secret,
  fc.constantFrom(
    "<private>%</private>",
    "`<private>%</private>`",
    "<private>\n%\n</private>",
    [
      "```xml",
      "<private>%</private>",
      "```",
    ].join("\n"),
  ),
).map(([inside, around]) => around.replace("%", () => inside));

/** Pairs with a tag in quotes, in front of which a text may speak of another one: nobody can tell which of them opens it. */
const quotedPair = fc.tuple(
  secret,
  fc.constantFrom(
    '"<private>" is %</private>',
    "so `<private>` %\n</private>",
    "the `<private>` % and `</private>` tags",
    '["a", "<private>", "%", "</private>", "b"]',
    '{"a":"<private>"}\n{"a":"%"}\n{"a":"</private>"}',
  ),
).map(([inside, around]) => around.replace("%", () => inside.replace(/\n|<[^>]*>|["`]/g, " ")));

/** A real tag that nobody closes. */
const unclosed = fc.tuple(fc.constantFrom("<private>", "`<private>`\n", "<private>\n"), secret)
  .map(([tag, inside]) => `${tag}${inside}`);

function textsOf(pieces: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(
    fc.array(fc.tuple(pieces, BREAKS).map((piece) => piece.join("")), {
      minLength: 1,
      maxLength: 8,
    }),
    fc.oneof({ weight: 2, arbitrary: fc.constant("") }, unclosed),
  ).map(([all, end]) => all.join("") + end);
}

/** What is to be kept of these is told by their words. */
const CLEAR_TEXTS: fc.Arbitrary<string> = fc.oneof(
  textsOf(fc.oneof(word, openingMention, pair)),
  textsOf(fc.oneof(word, closingMention, pair)),
);
/** Of these more may be hidden. */
const DOUBTFUL_TEXTS: fc.Arbitrary<string> = textsOf(
  fc.oneof(word, openingMention, closingMention, pair, quotedPair),
);
