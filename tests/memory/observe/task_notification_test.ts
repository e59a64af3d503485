/** What is kept of Claude Code's own word that something in the background has ended. */
import assert from "node:assert/strict";
import {
  observeNotification,
  readNotification,
} from "../../../src/memory/observe/observe_words.ts";
import { observe } from "../../../src/memory/observe/observe.ts";
import { summarizeSession } from "../../../src/memory/drain/summaries.ts";

const AGENT = `<task-notification>
<task-id>a4df7cda051d8ef7b</task-id>
<tool-use-id>toolu_07</tool-use-id>
<output-file>/tmp/tasks/a4df7cda051d8ef7b.output</output-file>
<status>completed</status>
<summary>Agent "look" finished</summary>
<note>A task-notification fires each time this agent stops.</note>
<result>I wrote slug.js.
Its tests are not written yet.</result>
<usage><subagent_tokens>120</subagent_tokens><tool_uses>2</tool_uses></usage>
</task-notification>`;

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

/** What is told of a prompt that Claude Code itself sends, and of what the Agent tool answered. */
function told(toolName: string, payload: Readonly<Record<string, unknown>>) {
  const { kind, title, text, facts } = observe({
    toolName,
    outcome: "success",
    payload,
    root: "/p",
  })!;
  return { kind, title, text, facts };
}

const ANSWER = {
  tool_input: { prompt: "Look at slug.js", subagent_type: "look" },
  tool_response: { content: [{ type: "text", text: "The edge case is not handled yet." }] },
};

Deno.test("the last message of a summary is the session's own, also where a sub-agent ended after it", () => {
  const part = { outcome: null, branch: null, files: [], resolvedBy: null };
  const own = { kind: "message", title: "Begun.", text: "Begun.", facts: {} } as const;
  for (const last of [told("UserPromptSubmit", { prompt: AGENT }), told("Agent", ANSWER)]) {
    const parts = [own, last].map((one, n) => ({ ...part, ...one, id: n, updatedAtMs: n }));
    assert.match(summarizeSession(parts)!.text, /^Last: Begun\.$/m);
  }
});
