import assert from "node:assert/strict";
import {
  type TranscriptItem,
  transcriptReader,
} from "../../src/claude/transcript/transcript_reader.ts";
import { bareSummary, promptOf } from "../../src/claude/transcript/spoken.ts";
import CASES from "../testdata/claude_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const COMMON = { sessionId: "s1", cwd: "/p", gitBranch: "main", timestamp: "2026-01-05T10:00:00Z" };
let lines = 0;

function line(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...COMMON, uuid: `line-${lines++}`, ...fields };
}

function answer(content: unknown, fields: Readonly<Record<string, unknown>> = {}) {
  const { id = `msg-${lines}`, stop = "end_turn", ...rest } = fields;
  const message = { id, role: "assistant", content, stop_reason: stop };
  return line({ type: "assistant", message, ...rest });
}

function said(content: unknown, fields: Readonly<Record<string, unknown>> = {}) {
  return line({ type: "user", message: { role: "user", content }, ...fields });
}

function used(id: string, result: Readonly<Record<string, unknown>>, fields = {}) {
  return [
    answer([{ type: "tool_use", id, name: "Bash", input: { command: "ls" } }], {
      stop: "tool_use",
    }),
    said([{ type: "tool_result", tool_use_id: id, ...result }], fields),
  ];
}

function read(transcript: readonly unknown[]): TranscriptItem[] {
  const reader = transcriptReader();
  return [...transcript.flatMap((one) => reader.take(one).items), ...reader.end()];
}

function brief(transcript: readonly unknown[]): string[] {
  return read(transcript).map((item) =>
    item.kind === "toolUse"
      ? `${item.toolName} ${
        item.error === null ? JSON.stringify(item.response) : `! ${item.error}`
      }`
      : `${item.kind}: ${item.text}`
  );
}

Deno.test("a turn's last message is the last text of Claude that no tool use follows", () => {
  const text = (text: string) => [{ type: "text", text }];
  assert.deepEqual(
    brief([
      said("Go."),
      answer(text("I look."), { id: "m1", stop: "tool_use" }),
      ...used("t1", { content: "out" }),
      answer(text("Part one."), { id: "m2" }),
      answer(text("Part two."), { id: "m2" }),
      said("Stop hook feedback: go on", { isMeta: true }),
      answer(text("Really done."), { id: "m3" }),
    ]),
    [
      "prompt: Go.",
      'Bash "out"',
      "lastMessage: Part two.",
      "lastMessage: Really done.",
    ],
  );
});

Deno.test("an interrupted turn and an error of the API have no last message", () => {
  const text = [{ type: "text", text: "Half of it" }];
  assert.deepEqual(
    brief([
      said("Go."),
      answer(text, { stop: null }),
      said([{ type: "text", text: "[Request interrupted by user]" }]),
      said("Again."),
      answer([{ type: "text", text: "API Error: 500" }], { isApiErrorMessage: true }),
    ]),
    ["prompt: Go.", "prompt: Again."],
  );
});

Deno.test("a tool that was refused, unknown or called with a wrong input was never used", () => {
  const accept = { permissionDecision: { decision: "accept" } };
  assert.deepEqual(
    brief([
      ...used("t1", { content: "no", is_error: true }, { toolDenialKind: "user-rejected" }),
      ...used("t2", { content: "no", is_error: true }, {
        permissionDecision: { decision: "reject" },
      }),
      ...used("t3", { content: "<tool_use_error>No such tool</tool_use_error>", is_error: true }),
      ...used("t4", { content: "The user doesn't want to proceed with it", is_error: true }),
      ...used("t5", { content: "Exit code 1\nbad", is_error: true }, {
        ...accept,
        toolUseResult: "Error: Exit code 1\nbad",
      }),
      ...used("t6", { content: "Exit code 2", is_error: true }),
      ...used("t7", { content: "ok" }, { ...accept, toolUseResult: { stdout: "ok" } }),
    ]),
    ["Bash ! Exit code 1\nbad", "Bash ! Exit code 2", 'Bash {"stdout":"ok"}'],
  );
});

Deno.test("a tool use without a result and a result without a tool use give no item", () => {
  const [use, result] = used("t1", { content: "out" });
  assert.deepEqual(read([use]), []);
  assert.deepEqual(read([result]), []);
});

Deno.test("the tool uses of a sub-agent count, and its words do not", () => {
  const aside = { isSidechain: true, agentId: "a1", attributionAgent: "Explore" };
  const transcript = [
    said("Look around.", aside),
    ...used("t1", { content: "out" }).map((one) => ({ ...one, ...aside })),
    answer([{ type: "text", text: "Found." }], aside),
  ];
  const [item, ...more] = read(transcript);
  assert.deepEqual(more, []);
  assert.equal(item?.agentId, "a1");
  assert.equal(item?.agentType, "Explore");
});

Deno.test("lines before a copied line were copied too", () => {
  const reader = transcriptReader();
  const copied = answer([{ type: "text", text: "Old." }], { requestSessionId: "s0" });
  assert.equal(reader.take(copied).isCopied, true);
  assert.deepEqual(reader.take(said("New.")).items.map(({ kind }) => kind), ["prompt"]);
  assert.equal(reader.take(answer([], { requestSessionId: "s1" })).isCopied, false);
});

Deno.test("a prompt is the text that a person typed", () => {
  const cases = rowsOf<readonly [unknown, string | null]>(CASES.typedPrompts);
  for (const [content, prompt] of cases) assert.equal(promptOf(content), prompt);
});

Deno.test("a prompt that was sent while Claude worked counts", () => {
  const attachment = { type: "queued_command", prompt: "And this.", commandMode: "prompt" };
  assert.deepEqual(brief([line({ type: "attachment", attachment })]), ["prompt: And this."]);
  const task = { ...attachment, commandMode: "task-notification" };
  assert.deepEqual(brief([line({ type: "attachment", attachment: task })]), []);
});

Deno.test("the summary of a compaction is the same in a transcript and for a hook", () => {
  const told = "<analysis>a</analysis>\n<summary>\nThe parser.\n\nTwo tests.\n</summary>";
  const written =
    "This session is being continued from a previous conversation that ran out of context. The summary below covers it.\n\n" +
    "<system-reminder>\n<tools-used-before-summary>Bash</tools-used-before-summary>\n</system-reminder>\nSummary:\n" +
    "The parser.\n\nTwo tests.\n\nIf you need specific details from before compaction, read it.\nContinue the conversation from where it left off.";
  assert.equal(bareSummary(told), "The parser.\n\nTwo tests.");
  assert.equal(bareSummary(written), bareSummary(told));
  assert.deepEqual(brief([said(written, { isCompactSummary: true })]).length, 1);
});

Deno.test("lines of other kinds and lines that are no objects give no items", () => {
  for (
    const other of [null, 7, "x", [], {}, { type: "summary", summary: "s" }, line({ type: "new" })]
  ) {
    assert.deepEqual(read([other]), []);
  }
  assert.deepEqual(read([{ ...said("Hi"), timestamp: "nonsense" }]), [], "without any time");
});
