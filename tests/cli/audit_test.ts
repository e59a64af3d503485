import assert from "node:assert/strict";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };

const test = testWith(tempDatabase);

test("audit list --json has the documented fields", async (temp) => {
  const id = saveEvent(temp.db, { execution: { metadata: { files: ["/p/a.ts"] } } });
  const { executions } = await runVerbJson(["audit", "list"], temp);
  const { createdAtMs, ...row } = executions[0];
  assert.equal(typeof createdAtMs, "number");
  assert.deepEqual(row, {
    id,
    sessionId: "cad0ac4d-3933-45ad-9a1c-14aec05bb940",
    hookName: "PostToolUse",
    toolName: "Write",
    toolUseId: "toolu_1",
    status: "success",
    durationMs: 1.5,
    errorMessage: null,
    errorStack: null,
    metadata: { files: ["/p/a.ts"] },
  });
});

test("audit list takes the short id of a session and an age", async (temp) => {
  saveEvent(temp.db, { atMs: Date.now() - 3 * 3_600_000 });
  saveEvent(temp.db, { atMs: Date.now() - 3_600_000 });
  saveEvent(temp.db, { sessionId: "other" });
  const count = async (...flags: string[]) =>
    (await runVerbJson(["audit", "list", ...flags], temp)).executions.length;
  assert.equal(await count("--session", "cad0ac4d"), 2);
  assert.equal(await count("--session", "cad0ac4d", "--since", "2h"), 1);
});

test("audit list notes doubts, lifted rules and allowed uses, like --json", async (temp) => {
  const noted = rowsOf<readonly [Record<string, unknown>, string]>(CASES.notedInTheTrail);
  for (const [metadata] of noted) saveEvent(temp.db, { execution: { metadata } });
  const { stdout } = await runVerb(["audit", "list"], { home: temp.folder, database: temp.path });
  const [head, ...lines] = stdout.trimEnd().split("\n");
  const notes = lines.map((line) => line.slice(head!.indexOf("NOTE")));
  for (const [, note] of noted) {
    assert.ok(notes.some((shown) => note === "" ? shown === "" : shown.startsWith(note)), note);
  }
  assert.ok(notes.every((note) => note.length <= 60));
});

test("audit list lets no stored text take over the terminal", async (temp) => {
  saveEvent(temp.db, {
    execution: { hookName: "\x1b[2J", toolName: "a\nb", errorMessage: "\x1b]0;x\x07 \u009b31m" },
  });
  const { stdout } = await runVerb(["audit", "list"], { home: temp.folder, database: temp.path });
  // deno-lint-ignore no-control-regex
  assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(stdout), JSON.stringify(stdout));
  assert.equal(stdout.trimEnd().split("\n").length, 2);
});

test("audit stats --json gives a row for every hook, with what somebody waited for", async (temp) => {
  for (const durationMs of [1, 2, 3, 4]) {
    const toolName = durationMs < 3 ? "Bash" : "Read";
    saveEvent(temp.db, { execution: { toolName, durationMs } });
  }
  saveEvent(temp.db, {
    execution: { hookName: "PreToolUse", toolName: "Edit", status: "blocked", durationMs: 9 },
  });
  assert.deepEqual(await runVerbJson(["audit", "stats"], temp), CASES.auditStats);
});
