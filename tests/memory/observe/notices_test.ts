/** What is kept of Claude Code's own notices: a background agent has ended, an API error has ended a turn. */
import assert from "node:assert/strict";
import {
  observeNotification,
  readNotification,
} from "../../../src/memory/observe/observe_words.ts";
import { observe } from "../../../src/memory/observe/observe.ts";
import { summarizeSession } from "../../../src/memory/drain/summaries.ts";
import AGENT from "../../testdata/agent_notice.txt" with { type: "text" };

Deno.test("the notice of an agent's end keeps its last words without their frame", () => {
  const { kind, title, text } = observeNotification(readNotification(AGENT)!);
  assert.deepEqual([kind, title, text], [
    "message",
    'Agent "look" finished',
    'Agent "look" finished\nI wrote slug.js.\nIts tests are not written yet.',
  ]);
});

Deno.test("a notice in another form is kept as it is", () => {
  for (
    const [prompt, text] of [
      ["<task-notification>done</task-notification>", "done"],
      ["<task-notification>cut off", "<task-notification>cut off"],
    ] as const
  ) {
    assert.equal(observeNotification(readNotification(prompt)!).text, text);
  }
});

/** What an event or a tool tells with these fields. */
function told(toolName: string, payload: Readonly<Record<string, unknown>>) {
  const { kind, title, text, facts } = observe({
    toolName,
    outcome: "success",
    payload,
    root: "/p",
  })!;
  return { kind, title, text, facts };
}

/** The text of the summary of these observations. */
function summaryOf(...parts: readonly ReturnType<typeof told>[]): string {
  const rest = { outcome: null, branch: null, files: [], repeats: 1, resolvedBy: null };
  return summarizeSession(parts.map((one, id) => ({ ...rest, ...one, id, updatedAtMs: id })))!.text;
}

const ANSWER = {
  tool_input: { prompt: "Look at slug.js", subagent_type: "look" },
  tool_response: { content: [{ type: "text", text: "The edge case is not handled yet." }] },
};

const said = (text: string) => told("Stop", { last_assistant_message: text });
const asked = (prompt: string) => told("UserPromptSubmit", { prompt });

Deno.test("the last message of a summary is the session's own, also where a sub-agent ended after it", () => {
  for (const last of [asked(AGENT), told("Agent", ANSWER)]) {
    assert.match(summaryOf(said("Begun."), last), /^Last: Begun\.$/m);
  }
});

Deno.test("an API error is not the last message of a summary", () => {
  const error = told("StopFailure", { error: "server_error" });
  const parts = [asked("Mend the login"), said("It works."), asked("Add a test"), error];
  assert.match(summaryOf(...parts), /^Last: It works\.$/m);
});

Deno.test("an error of the API is told by what it is, with all that is said of it", () => {
  const { kind, title, text, facts } = told("StopFailure", {
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
  assert.equal(told("StopFailure", { error: "overloaded" }).title, "Cut off (overloaded)");
  assert.equal(
    told("StopFailure", { error: "unknown", last_assistant_message: "API Error: 400 bad" }).title,
    "Cut off (API error): API Error: 400 bad",
  );
});
