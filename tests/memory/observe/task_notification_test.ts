/** What is kept of Claude Code's own word that something in the background has ended. */
import assert from "node:assert/strict";
import {
  observeNotification,
  readNotification,
} from "../../../src/memory/observe/task_notification.ts";

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

Deno.test("of an agent's end its last words are kept, and nothing of what they are wrapped in", () => {
  const { kind, title, text } = observeNotification(readNotification(AGENT)!);
  assert.deepEqual([kind, title, text], [
    "message",
    'Agent "look" finished',
    'Agent "look" finished\nI wrote slug.js.\nIts tests are not written yet.',
  ]);
});

Deno.test("where an end is told in other words they are kept as they are", () => {
  for (
    const [prompt, text] of [
      ["<task-notification>done</task-notification>", "done"],
      ["<task-notification>cut off", "<task-notification>cut off"],
    ] as const
  ) {
    assert.equal(observeNotification(readNotification(prompt)!).text, text);
  }
});
