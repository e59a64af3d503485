import assert from "node:assert/strict";
import { drainAt, saveEvent, saveUse, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/cli_cases.json" with { type: "json" };
import { type DatabaseSync, StatementSync } from "node:sqlite";

const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
const AT = Date.parse("2026-11-20T10:00:00Z");

const test = testWith(tempDatabase);

/** The beginning of a session, in the order of time; two of its three commands are the same. */
function begin(db: DatabaseSync, atMs = AT): void {
  const run = (command: string, toolUseId: string, more: { at: number; payload: object }) => {
    const execution = { toolName: "Bash", toolUseId };
    saveEvent(db, { atMs: more.at - 2_500, execution: { ...execution, hookName: "PreToolUse" } });
    const payload = JSON.stringify({ tool_input: { command }, ...more.payload });
    const outcome = "error" in more.payload ? "failure" : "success";
    const capture = { ...execution, outcome, payload } as const;
    saveEvent(db, { atMs: more.at, execution, capture });
  };
  saveUse(db, "UserPromptSubmit", { prompt: `Make it ${"so ".repeat(80)}fast` }, { atMs });
  const failed = { error: "Exit code 1\nFAILED | 3 passed | 1 failed (5ms)" };
  run("deno test", "toolu_1", { at: atMs + 10_000, payload: failed });
  const passed = (n: number) => ({
    tool_response: { stdout: `ok | ${n} passed | 0 failed (5ms)` },
  });
  run("deno test", "toolu_2", { at: atMs + 20_000, payload: passed(4) });
  run("deno test", "toolu_3", { at: atMs + 30_000, payload: passed(5) });
  saveEvent(db, {
    atMs: atMs + 40_000,
    execution: {
      ...{ hookName: "PreToolUse", toolName: "Bash", toolUseId: "toolu_4", status: "blocked" },
      errorMessage: "no force push",
      metadata: { tool_input: { command: "git push --force" } },
    },
  });
  saveUse(db, "Stop", { last_assistant_message: "It is\nfast." }, { atMs: atMs + 90_000 });
}

function end(db: DatabaseSync, atMs: number): void {
  saveEvent(db, {
    atMs,
    session: { effect: "end", endReason: "logout" },
    execution: {
      ...{ hookName: "SessionEnd", toolName: null, toolUseId: null },
      metadata: { reason: "logout" },
    },
  });
}

/** The lines without their times. */
function stepsIn(stdout: string): string[] {
  return stdout.split("\n").filter((line) => /^\d\d:\d\d:\d\d {2}/.test(line))
    .map((line) => line.slice(10).replace(/ +/g, " "));
}

test("session log shows every step on a line that fits the terminal, in order, with its result and duration", async (temp) => {
  begin(temp.db);
  end(temp.db, AT + 95_000);

  for (const isDrained of [false, true]) {
    if (isDrained) await drainAt(temp.db, AT + 100_000);
    for (const columns of [60, 120]) {
      const { stdout } = await runVerb(["session", "log", "cad0"], temp, { COLUMNS: `${columns}` });
      const longest = Math.max(...stdout.split("\n").map((line) => line.length));
      assert.ok(longest <= columns && longest > columns - 12, stdout);
    }
    const { stdout } = await runVerb(["session", "log", "cad0"], temp, { COLUMNS: "80" });
    const [asked, ...steps] = stepsIn(stdout);
    assert.match(asked!, /^You Make it so so .*…$/);
    assert.deepEqual(steps, [
      "Bash Tests fail: deno test (3 passed, 1 failed), failed, 2.5s",
      "Bash Tests pass: deno test (4 passed), 2.5s",
      "Bash Tests pass: deno test (5 passed), 2.5s",
      "Bash git push --force: no force push, denied",
      "Claude It is, 1m 30s",
      "Session ended (logout)",
    ]);
    const shown = await runVerb(["session", "show", "cad0"], temp);
    assert.match(shown.stdout, /^Denied\n {2}Bash {2}git push --force\n {4}no force push$/m);
  }
});

test("session log --full opens what was given and came back, and --json has all fields", async (temp) => {
  begin(temp.db);

  const { stdout } = await runVerb(["session", "log", "cad0", "--full"], temp);
  assert.match(stdout, /^ {4}tool_input:\n {6}\{\n {8}"command": "deno test"$/m);
  assert.match(stdout, /^ {4}last_assistant_message:\n {6}It is\n {6}fast\.$/m);
  const { sessionId, steps } = await runVerbJson(["session", "log", "cad0"], temp);
  assert.equal(sessionId, SESSION);
  const { id, ...first } = steps[1];
  assert.equal(typeof id, "string");
  assert.deepEqual(first, {
    ...{ atMs: AT + 10_000, kind: "tool", name: "Bash", result: "failed", tookMs: 2_500 },
    ...{ subject: "Tests fail: deno test (3 passed, 1 failed)", toolUseId: "toolu_1" },
    ...{ observation: null, agent: null, agentType: null },
  });
  const { steps: full } = await runVerbJson(["session", "log", "cad0", "--full"], temp);
  assert.equal(full[1].payload.tool_input.command, "deno test");
  const push = { command: "git push --force" };
  assert.deepEqual(full[4].payload, { tool_input: push, why: "no force push" });
  assert.match(stdout, /^ {4}why:\n {6}no force push$/m);
});

test("of a denial with a long command the line tells the rule as well", async (temp) => {
  const command = `npm publish --registry https://registry.example/${"packages/".repeat(9)}`;
  saveEvent(temp.db, {
    atMs: AT,
    execution: {
      ...{ hookName: "PreToolUse", toolName: "Bash", status: "blocked" },
      errorMessage: "Tool usage blocked by preToolUse.toolUsageValidation rule: publish in CI",
      metadata: { tool_input: { command }, rules: ["preToolUse.toolUsageValidation[0]"] },
    },
  });
  const { stdout } = await runVerb(["session", "log", "cad0"], temp, { COLUMNS: "80" });
  assert.match(stdout, /Bash +npm publish…: toolUsageValidation publish in CI, denied$/m);
});

test("a denial is told by its rule where there is one line for it, and whole with --full and --json", async (temp) => {
  const denials = rowsOf<readonly [reason: string, rule: string, brief: string]>(CASES.denials);
  for (const [n, [reason, rule]] of denials.entries()) {
    const execution = { hookName: "PreToolUse", toolName: "Edit", status: "blocked" } as const;
    const metadata = { tool_input: { file_path: "deps.lock" }, rules: [rule] };
    saveEvent(temp.db, {
      atMs: AT + n,
      execution: { ...execution, errorMessage: reason, metadata },
    });
  }
  const [[first, , brief] = [], briefs] = [denials[0], denials.map(([, , brief]) => brief)];
  const { stdout: log } = await runVerb(["session", "log", "cad0"], temp);
  assert.equal(stepsIn(log)[0], `Edit deps.lock: ${brief?.replace("preToolUse.", "")}, denied`);
  const { story } = await runVerbJson(["session", "show", "cad0"], temp);
  assert.equal(story.denied[0].why, first);
  const { stdout: show } = await runVerb(["session", "show", "cad0"], temp);
  const whys = show.split("\n").filter((line) => line.startsWith("    "));
  assert.deepEqual(whys.map((line) => line.trim()), briefs);
  const { stdout: full } = await runVerb(["session", "log", "cad0", "--full"], temp);
  assert.ok(full.includes(`why:\n      ${first}`));
  const { stdout: audit } = await runVerb(["audit", "list"], temp);
  assert.ok(audit.includes(`  ${brief}; deps.lock\n`), audit);
});

test("session log reads a denial's audit row once, also with --full", async (temp) => {
  begin(temp.db);
  const { get } = StatementSync.prototype;
  let read = 0;
  StatementSync.prototype.get = new Proxy(get, {
    apply(target, statement, values) {
      if (/FROM hook_executions WHERE id = \?/.test(statement.sourceSQL)) read++;
      return Reflect.apply(target, statement, values);
    },
  });
  try {
    for (const more of [[], ["--full"]]) {
      read = 0;
      await runVerb(["session", "log", "cad0", ...more], temp);
      assert.equal(read, 1, more.join());
    }
  } finally {
    StatementSync.prototype.get = get;
  }
});

test("what retention took from the queue is told by what memory keeps", async (temp) => {
  begin(temp.db);
  await drainAt(temp.db, AT + 100_000);
  temp.db.exec("DELETE FROM pending_queue");
  const { stdout } = await runVerb(["session", "log", "cad0"], {
    home: temp.folder,
    database: temp.path,
  });
  const steps = stepsIn(stdout);
  assert.match(steps[0]!, /^You Make it/);
  assert.ok(steps.some((line) => line.startsWith("test Tests fail: deno test")), stdout);
});

test("session log --follow tells what hooks keep and the transcript has, each once, until the session ends", async (temp) => {
  const now = Date.now();
  const transcript = `${temp.folder}/transcript.jsonl`;
  Deno.writeTextFileSync(transcript, "");
  for (const atMs of [now - 9_000, now - 5_000]) {
    saveUse(temp.db, "UserPromptSubmit", { prompt: "Make a clock" }, {
      atMs,
      session: { transcriptPath: transcript, projectDir: temp.folder },
    });
  }
  const following = runVerb(["session", "log", "cad0", "--follow"], temp);
  const line = (type: string, content: unknown) =>
    JSON.stringify({
      ...{ type, sessionId: SESSION, uuid: crypto.randomUUID(), cwd: temp.folder },
      ...{ timestamp: new Date(now).toISOString(), message: { role: type, content } },
    });
  const use = (id: string, file: string) => [
    line("assistant", [{ type: "tool_use", id, name: "Read", input: { file_path: file } }]),
    line("user", [{ type: "tool_result", tool_use_id: id, content: "x" }]),
  ];
  const key = `sk-ant-api03-${"Ab3".repeat(31)}`;
  const uses = [...use("toolu_8", `${temp.folder}/a.ts`), ...use("toolu_9", `/tmp/${key}.ts`)];
  const lines = [line("user", "Make a clock"), ...uses];
  Deno.writeTextFileSync(transcript, `${lines.join("\n")}\n`);
  saveUse(temp.db, "Read", { tool_input: { file_path: `${temp.folder}/a.ts` } }, {
    atMs: now,
    execution: { toolName: "Read", toolUseId: "toolu_8" },
  });
  temp.db.prepare("UPDATE pending_queue SET tool_use_id = 'toolu_8' WHERE tool_name = 'Read'")
    .run();
  end(temp.db, now + 1_000);
  const { stdout } = await following;
  const steps = stepsIn(stdout);
  assert.equal(steps.filter((step) => step === "You Make a clock").length, 2, stdout);
  assert.equal(steps.filter((step) => step === "Read a.ts").length, 1, stdout);
  assert.equal(steps.filter((step) => step.startsWith("Read")).length, 2, stdout);
  assert.ok(!stdout.includes(key), "secrets are masked as hooks mask them");
  assert.equal(steps.filter((step) => step === "Session ended (logout)").length, 1);
});

test("a cursor gives what was written since, once, however old it is, and what belongs to it", async (temp) => {
  begin(temp.db);

  const all = await runVerbJson(["session", "log", "cad0"], temp);
  const after = (cursor: string) =>
    runVerbJson(["session", "log", "cad0", "--after", cursor], temp);
  assert.deepEqual((await after(all.next)).steps, []);
  const use = { toolName: "Bash", toolUseId: "toolu_old" };
  saveEvent(temp.db, { atMs: AT + 12_000, execution: { ...use, hookName: "PreToolUse" } });
  saveEvent(temp.db, {
    atMs: AT + 15_000,
    execution: { ...use, metadata: { agentId: "a1", agentType: "Explore" } },
    capture: { ...use, payload: JSON.stringify({ tool_input: { command: "ls" } }) },
  });
  saveUse(temp.db, "Stop", { last_assistant_message: "Done." }, { atMs: AT + 100_000 });
  saveUse(temp.db, "Stop", { last_assistant_message: "Elsewhere." }, {
    atMs: AT + 100_000,
    sessionId: crypto.randomUUID(),
  });
  const { steps, next, more } = await after(all.next);
  assert.deepEqual(
    steps.map((step: Record<string, unknown>) => [step["subject"], step["tookMs"]]),
    [
      ["Run ls", 3_000],
      ["Done.", 100_000],
    ],
  );
  assert.deepEqual([steps[0].agent, steps[0].agentType, more], ["a1", "Explore", false]);
  assert.deepEqual((await after(next)).steps, []);
  const whole = await runVerbJson(["session", "log", "cad0"], temp);
  const known = [...all.steps, ...steps].toSorted((a, b) => a.atMs - b.atMs);
  assert.deepEqual(whole.steps, known, "both ways tell the same");
});

test("many new steps come in pages, none twice and none left out", async (temp) => {
  begin(temp.db);

  let { next } = await runVerbJson(["session", "log", "cad0"], temp);
  for (let n = 0; n < 450; n++) {
    saveUse(temp.db, "Read", { tool_input: { file_path: `/tmp/${n}` } }, { atMs: AT + 91_000 + n });
  }
  const read: string[] = [];
  let pages = 0;
  for (let more = true; more; pages++) {
    const page = await runVerbJson(["session", "log", "cad0", "--after", next], temp);
    assert.ok(page.steps.length <= 200, `${page.steps.length} steps`);
    read.push(...page.steps.map(({ subject }: { subject: string }) => subject));
    ({ next, more } = page);
  }
  assert.deepEqual(read, Array.from({ length: 450 }, (_, n) => `/tmp/${n}`));
  assert.equal(pages, 3);
});

test("what Claude Code sends in a person's place is a notice, and no prompt of theirs", async (temp) => {
  const notice =
    "<task-notification>\n<status>completed</status>\n<summary>Build completed</summary>\n</task-notification>";
  saveUse(temp.db, "UserPromptSubmit", { prompt: "Build it" }, { atMs: AT });
  saveUse(temp.db, "UserPromptSubmit", { prompt: notice }, { atMs: AT + 10_000 });
  saveUse(temp.db, "Stop", { last_assistant_message: "Built." }, { atMs: AT + 12_000 });

  for (const isDrained of [false, true]) {
    if (isDrained) await drainAt(temp.db, AT + 100_000);
    const { stdout } = await runVerb(["session", "log", "cad0"], temp);
    assert.deepEqual(stepsIn(stdout), [
      "You Build it",
      "Notice Build completed",
      "Claude Built., 2.0s",
    ]);
  }
});
