/** How a session ended, in words. */
import assert from "node:assert/strict";
import { endInWords, whyCutOff, withEnd } from "../../src/memory/tell/ended_session.ts";
import { type SessionEnd } from "../../src/db/sessions.ts";

const begun = { kind: "begun" } as const;
const ended = { kind: "ended" } as const;
const failed = (error: string) => ({ kind: "failed", error }) as const;

const ENDS: readonly (readonly [end: SessionEnd, cutOff: string | null, words: string])[] = [
  [{ status: "active", reason: null, turn: begun }, null, ""],
  [{ status: "active", reason: null, turn: ended }, null, ""],
  [
    { status: "active", reason: null, turn: failed("rate_limit") },
    "rate limit",
    "cut off by an error of the API (rate limit)",
  ],
  [
    { status: "ended", reason: "other", turn: failed("max_output_tokens") },
    "max output tokens",
    "cut off by an error of the API (max output tokens)",
  ],
  [
    { status: "ended", reason: "other", turn: failed("unknown") },
    "API error",
    "cut off by an error of the API",
  ],
  [
    { status: "ended", reason: "prompt_input_exit", turn: begun },
    "by the person",
    "by the person, in a turn",
  ],
  [
    { status: "ended", reason: "prompt_input_exit", turn: ended },
    null,
    "by the person, after its last turn",
  ],
  [{ status: "ended", reason: "other", turn: begun }, "its session ended", "cut off in a turn"],
  [{ status: "ended", reason: "other", turn: ended }, null, "by itself, after its last turn"],
  [{ status: "ended", reason: null, turn: null }, null, "by itself"],
  [
    { status: "abandoned", reason: null, turn: begun },
    "its process died",
    "its process died, in a turn",
  ],
  [
    { status: "abandoned", reason: null, turn: ended },
    null,
    "its process died, after its last turn",
  ],
];

Deno.test("a session was cut off by an error, the person or its process, where that was in a turn", () => {
  for (const [end, cutOff, words] of ENDS) {
    assert.deepEqual([whyCutOff(end), endInWords(end)], [cutOff, words], JSON.stringify(end));
  }
});

Deno.test("a summary ends with how its session ended, and a new end replaces the old one", () => {
  const text = "Asked:\n- x\nLast: Done.";
  assert.equal(withEnd(text, "in a turn"), `${text}\nEnded: in a turn`);
  assert.equal(withEnd(withEnd(text, "in a turn"), "by itself"), `${text}\nEnded: by itself`);
  assert.equal(withEnd(withEnd(text, "in a turn"), ""), text);
});
