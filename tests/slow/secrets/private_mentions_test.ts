/** Of texts that speak of `<private>` tags everything is kept but what is private in them. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { query } from "../../support/look.ts";
import { CLEAR_TEXTS, DOUBTFUL_TEXTS, KEPT } from "../../support/private_pieces.ts";
import { type PrivatePlace, privatePlace } from "../../support/private_place.ts";
import { testWith } from "../../support/fixtures.ts";
import CASES from "../../testdata/secret_cases.json" with { type: "json" };

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
