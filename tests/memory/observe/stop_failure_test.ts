/** What is kept of an error of the API that ended a turn. */
import assert from "node:assert/strict";
import { observe } from "../../../src/memory/observe/observe.ts";
import { summarizeSession } from "../../../src/memory/drain/summaries.ts";

/** What an event tells with these fields. */
function told(payload: Readonly<Record<string, unknown>>) {
  return observe({ toolName: "StopFailure", outcome: "success", payload, root: "/p" })!;
}

Deno.test("an error of the API is told by what it is, with all that is said of it", () => {
  const { kind, title, text, facts } = told({
    error: "rate_limit",
    last_assistant_message: "You've hit your limit · resets 3pm",
    error_details: "429 rate_limit_error",
  });
  assert.deepEqual([kind, title, text, facts], [
    "message",
    "Cut off (rate limit): You've hit your limit · resets 3pm",
    "You've hit your limit · resets 3pm\n429 rate_limit_error",
    { stopped: "rate_limit" },
  ]);
});

Deno.test("an error without a text is told by its kind, and an unknown kind as an API error", () => {
  assert.equal(told({ error: "overloaded" }).title, "Cut off (overloaded)");
  assert.equal(
    told({ error: "unknown", last_assistant_message: "API Error: 400 bad" }).title,
    "Cut off (API error): API Error: 400 bad",
  );
});

Deno.test("an API error is not the last message of a summary", () => {
  const rest = { outcome: null, branch: null, files: [], resolvedBy: null };
  const { title, text, facts } = told({ error: "server_error" });
  const summary = summarizeSession([
    { kind: "prompt", title: "Mend the login", text: "Mend the login", facts: {} } as const,
    { kind: "message", title: "It works.", text: "It works.", facts: {} } as const,
    { kind: "prompt", title: "Add a test", text: "Add a test", facts: {} } as const,
    { kind: "message", title, text, facts } as const,
  ].map((one, n) => ({ ...rest, ...one, id: n, updatedAtMs: n })))!;
  assert.match(summary.text, /^Last: It works\.$/m);
});
