/** What the line of a session says it was about, and how a forgotten prompt is known by it. */
import assert from "node:assert/strict";
import { observe } from "../../src/memory/observe/observe.ts";
import { summarizeSession } from "../../src/memory/drain/summaries.ts";
import type { SummarizedPart } from "../../src/memory/tell/session_story.ts";
import { sessionTitleOf } from "../../src/claude/payload.ts";
import { titleKey, titleKeysOf } from "../../src/memory/observe/capture_keys.ts";

const part = (
  kind: SummarizedPart["kind"],
  title: string,
  more: Partial<SummarizedPart> = {},
): SummarizedPart => ({
  id: 1,
  kind,
  title,
  branch: "main",
  outcome: null,
  text: title,
  files: [],
  repeats: 1,
  facts: {},
  resolvedBy: null,
  updatedAtMs: 1,
  ...more,
});
const titleOf = (...parts: readonly SummarizedPart[]) => summarizeSession(parts)!.title;
const COMMIT = part("commit", "Commit 1a2b3c4 on main: Async handlers", { outcome: "success" });
const EDIT = part("edit", "Edit src/app.ts", { files: ["src/app.ts"] });
const SAID = part("message", "All handlers are async.");

Deno.test("a session whose prompt only says to go on is titled with its work, too", () => {
  const goOn = part("prompt", "continue");
  assert.equal(
    titleOf(goOn, EDIT, COMMIT, SAID),
    "Session: continue: Commit 1a2b3c4 on main: Async handlers (1 commit, 1 file)",
  );
  assert.equal(titleOf(goOn, EDIT, SAID), "Session: continue: All handlers are async. (1 file)");
  assert.equal(titleOf(goOn, SAID), "Session: continue");
  assert.equal(
    titleOf(goOn, part("prompt", "Rename the app"), EDIT, SAID),
    "Session: Rename the app (1 file)",
  );
});

Deno.test("a prompt whose first line only introduces the next is titled by both", () => {
  const prompt = "Implement the following plan:\n\n# Retries with a limit\n\n## Context";
  const use = { toolName: "UserPromptSubmit", outcome: "success", root: null } as const;
  assert.equal(
    titleOf(part("prompt", observe({ ...use, payload: { prompt } })!.title), EDIT),
    "Session: Implement the following plan: Retries with a limit (1 file)",
  );
});

Deno.test("a session without a known prompt keeps its title", () => {
  const called = (title: string | null, ...parts: readonly SummarizedPart[]) =>
    summarizeSession(parts, title)!.title;
  assert.equal(called("Make a clock", EDIT), "Session: Make a clock (1 file)");
  assert.equal(called("Make a clock", SAID, EDIT), "Session: Make a clock (1 file)");
  assert.equal(called(null, EDIT), "Session: Edit src/app.ts (1 file)");
  assert.equal(
    called("Make a clock", part("prompt", "Rename the clock"), EDIT),
    "Session: Rename the clock (1 file)",
  );
});

Deno.test("the summary that a compacted session goes on with is no prompt", () => {
  const prompt =
    "This session is being continued from a previous conversation that ran out of context.";
  const payload = { prompt: `${prompt}\n\nAnalysis: …` };
  const seen = observe({ toolName: "UserPromptSubmit", outcome: "success", payload, root: null });
  assert.equal(seen?.kind, "message");
  assert.equal(seen?.facts.isRelayed, true);
});

Deno.test("a forgotten prompt is known by the title that it gave, whichever version gave it", () => {
  const prompt = "\n## Correct the tide table:\n- for Greenwich\n";
  const keys = titleKeysOf(prompt);
  for (const title of [sessionTitleOf(prompt), "Correct the tide table:"]) {
    assert.ok(keys.includes(titleKey(title)), title);
  }
  assert.ok(!keys.includes(titleKey("Correct the tide")));
});
