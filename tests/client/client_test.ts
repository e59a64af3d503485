/**
 * Sessions of the real Claude Code with the hooks that `install-hooks` wrote. A second hook beside each of ours tells
 * what Claude Code reported, so that our database is held to something that we have not written ourselves.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { query } from "../support/look.ts";
import { type Payload, say, type ScenarioRun, type SettingsPlace, test, use } from "./harness.ts";

const SCENARIOS: readonly (readonly [name: string, settingsAt: SettingsPlace])[] = [
  ["one-bash", "user"],
  ["write-bash-read", "user"],
  ["permission", "user"],
  ["mcp", "user"],
  ["stream", "user"],
  ["interactive", "user"],
  // It rewrites the user's settings while the session runs.
  ["reload", "project"],
];

const PRIORITIES: Readonly<Record<string, string>> = {
  Bash: "high",
  Edit: "high",
  Write: "high",
  Read: "low",
};

test(
  "a session of the real Claude Code is in the database, whole",
  async ({ runScenario }, context) => {
    for (const [name, at] of SCENARIOS) {
      await context.step(name, async () => {
        const run = await runScenario(name, { at });
        checkRun(run);
        if (name === "stream") checkMemory(run);
      });
    }
  },
);

test("the real Claude Code does not do what a guard denies, and reads the way out", async ({ runScenario }) => {
  const run = await runScenario("guarded", {
    files: {
      ".conclaude.yaml": 'preToolUse: {uneditableFiles: ["*.lock"], preventRootAdditions: true}\n',
      "a.lock": "1",
    },
    steps: [
      use("Read", { file_path: "{{PROJECT}}/a.lock" }),
      use("Write", { file_path: "{{PROJECT}}/a.lock", content: "2" }),
      use("Write", { file_path: "{{PROJECT}}/new.txt", content: "2" }),
      use("Bash", { command: "true && echo 3 > a.lock", description: "Write" }),
      use("Bash", { command: "echo fine", description: "Say" }),
      say("All done."),
    ],
  });
  assert.equal(await Deno.readTextFile(`${run.project}/a.lock`), "1");
  await assert.rejects(() => Deno.stat(`${run.project}/new.txt`));
  for (const told of ["uneditableFiles", "preventRootAdditions", "conclaude guard pause"]) {
    assert.ok(run.sentToModel.includes(told), told);
  }
  checkRun(run);
  using db = new DatabaseSync(run.database, { readOnly: true });
  const rows = db.prepare(
    "SELECT tool_name, status FROM hook_executions WHERE hook_name = 'PreToolUse' ORDER BY id",
  ).all();
  assert.deepEqual(rows.map((row) => `${row["tool_name"]} ${row["status"]}`), [
    "Write blocked",
    "Write blocked",
    "Bash blocked",
    "Bash success",
  ]);
});

test("the real Claude Code goes on without an executable that is gone, and not where the hooks are strict", async ({ executable: built, folder, runScenario }) => {
  const file_path = "{{PROJECT}}/a.txt";
  const steps = [
    use("Read", { file_path }),
    use("Edit", { file_path, old_string: "1", new_string: "2" }),
    say("All done."),
  ];
  /** What the file holds afterwards, what the model was sent, and what Claude Code noted. */
  const contentAfter = async (name: string, flags: readonly string[]) => {
    const executable = `${folder}/${name}/conclaude`;
    await Deno.mkdir(`${folder}/${name}`);
    await Deno.copyFile(built, executable);
    const run = await runScenario(name, {
      executable,
      flags,
      files: { "a.txt": "1" },
      steps,
      afterInstall: () => Deno.remove(executable),
    });
    const text = await Deno.readTextFile(`${run.project}/a.txt`);
    return { text, sent: run.sentToModel, log: run.logs.join("\n") };
  };
  const judged = ["--events", "PreToolUse"];
  const open = await contentAfter("gone", judged);
  assert.equal(open.text, "2");
  // Not even a file may be read, so that nothing passes unjudged.
  const strict = await contentAfter("gone-strict", [...judged, "--strict"]);
  assert.equal(strict.text, "1");
  assert.match(strict.sent, /blocking because onFailure is/);
  const whole = await contentAfter("gone-strict-all", ["--strict"]);
  assert.deepEqual([whole.text, whole.sent], ["1", ""]);
  assert.match(whole.log, /UserPromptSubmit/);
});

test("the real Claude Code does not stop while a command is red, reads why, and stops when it is green", async ({ runScenario }) => {
  const input = { file_path: "{{PROJECT}}/ready", content: "1" };
  const run = await runScenario("held", {
    files: {
      ".conclaude.yaml": "preToolUse: {preventRootAdditions: false}\n" +
        "stop: {commands: [{run: 'cat ready', message: The tide is out, showStderr: true}]}\n",
    },
    steps: [
      say("All done."),
      say("Really."),
      use("Write", input),
      say("Now it is."),
    ],
  });
  for (const told of ["The tide is out", "No such file", "conclaude guard pause --session"]) {
    assert.ok(run.sentToModel.includes(told), told);
  }
  checkRun(run, { recordsContinuedStops: true });
  using db = new DatabaseSync(run.database, { readOnly: true });
  const rows = db.prepare(
    "SELECT status FROM hook_executions WHERE hook_name = 'Stop' ORDER BY id",
  ).all();
  assert.deepEqual(rows.map(({ status }) => status), ["blocked", "blocked", "success"]);
});

/** What a scenario's configuration makes of the usual. */
interface Expected {
  readonly recordsContinuedStops?: boolean;
}

function checkRun(run: ScenarioRun, expected: Expected = {}): void {
  assert.ok(run.payloads.length > 0, `Claude Code reported nothing:\n${run.summary}`);
  using db = new DatabaseSync(run.database, { readOnly: true });
  checkAudit(db, run, expected);
  checkQueue(db, run);
  checkSessions(db, run);
  checkLogs(run);
}

/** Exactly one audit row for every reported event; a Stop that continues a stopped one leaves none where none is judged. */
function checkAudit(db: DatabaseSync, { payloads }: ScenarioRun, expected: Expected): void {
  const reported = payloads
    .filter((payload) =>
      payload["stop_hook_active"] !== true || payload.hook_event_name !== "Stop" ||
      expected.recordsContinuedStops
    )
    .map((payload) => nameOf(payload));
  const rows = db.prepare(
    "SELECT session_id, hook_name, tool_name, tool_use_id, status FROM hook_executions",
  ).all();
  const recorded = rows.map((row) =>
    nameOf({
      session_id: String(row["session_id"]),
      hook_event_name: String(row["hook_name"]),
      tool_name: row["tool_name"],
      tool_use_id: row["tool_use_id"],
    })
  );
  assert.deepEqual(recorded.sort(), reported.sort());
  assert.deepEqual(rows.filter(({ status }) => status === "failure" || status === "timeout"), []);
}

/** Every tool use is in the queue, with its priority and all of its input and answer. */
function checkQueue(db: DatabaseSync, { payloads }: ScenarioRun): void {
  const uses = payloads.filter(({ hook_event_name: event }) =>
    event === "PostToolUse" || event === "PostToolUseFailure"
  );
  const find = db.prepare(
    "SELECT outcome, priority, encoding, payload FROM pending_queue WHERE session_id = ? AND tool_use_id = ?",
  );
  for (const use of uses) {
    const rows = find.all(use.session_id, String(use["tool_use_id"]));
    assert.equal(rows.length, 1, nameOf(use));
    const { outcome, priority, encoding, payload } = rows[0]!;
    assert.equal(outcome, use.hook_event_name === "PostToolUse" ? "success" : "failure");
    assert.equal(priority, PRIORITIES[String(use["tool_name"])] ?? "normal", nameOf(use));
    const kept = JSON.parse(encoding === "br" ? inflate(payload) : String(payload));
    for (const field of ["tool_input", "tool_response", "error"]) {
      assert.deepEqual(kept[field], use[field], `${nameOf(use)}: ${field}`);
    }
  }
  // What people and Claude said at the ends of a turn is in the queue as well, and no tool use.
  const { count } = db.prepare(
    "SELECT count(*) AS count FROM pending_queue WHERE tool_use_id IS NOT NULL",
  ).get()!;
  assert.equal(count, uses.length);
}

/**
 * Nobody waits for the drain after a turn, and yet what happened in it has become memory. Of a session that is over when
 * its only turn is, Claude Code ends the drain, which is why this one has several.
 */
function checkMemory({ database, logs }: ScenarioRun): void {
  using db = new DatabaseSync(database, { readOnly: true });
  const { count } = db.prepare("SELECT count(*) AS count FROM observations").get()!;
  assert.ok(Number(count) > 0, "nothing was worked into memory");
  assert.ok(logs.some((log) => / hook Drain/.test(log)), "Claude Code's log names no drain");
}

function checkSessions(db: DatabaseSync, { payloads }: ScenarioRun): void {
  const reported = new Set(payloads.map(({ session_id }) => session_id));
  const sessions = db.prepare("SELECT session_id, status FROM sessions").all();
  assert.deepEqual(
    sessions.map((row) => `${row["session_id"]} ${row["status"]}`).sort(),
    [...reported].map((id) => `${id} ended`).sort(),
  );
}

/** Claude Code writes down how each hook process ended, and what it thought of its answer. */
function checkLogs({ logs, command }: ScenarioRun): void {
  const lines = logs.flatMap((log) => log.split("\n"));
  const ours = lines.filter((line) => line.includes(`[${command} `));
  assert.ok(ours.length > 0, "Claude Code's log does not name our hooks");
  const failed = ours.filter((line) =>
    / with status /.test(line) && !/ (finished|completed) with status 0\b/.test(line)
  );
  assert.deepEqual(failed, []);
  const errors = lines
    .filter((line) =>
      /\[ERROR\] "?Hook |Hook output looks like|JSON output validation failed/.test(line)
    )
    .map((line) => line.slice(0, 300));
  assert.deepEqual(errors, []);
}

function nameOf(
  payload: Pick<Payload, "session_id" | "hook_event_name"> & Readonly<Record<string, unknown>>,
): string {
  const { session_id: session, hook_event_name: event, tool_name: tool, tool_use_id: use } =
    payload;
  return [session, event, tool ?? "-", use ?? "-"].join(" ");
}

function inflate(payload: unknown): string {
  assert.ok(payload instanceof Uint8Array);
  return brotliDecompressSync(payload).toString();
}

test("the real Claude Code shows the person which rules no hook is asked about", async ({ folder, runScenario }) => {
  const settings = join(folder, "unarmed", "settings.json");
  const run = await runScenario("unarmed", {
    files: { ".conclaude.yaml": 'preToolUse: {uneditableFiles: ["*.lock"]}\n' },
    steps: [
      use("Write", { file_path: "{{PROJECT}}/a.lock", content: "2" }),
      say("All done."),
    ],
    async afterInstall() {
      const installed = JSON.parse(await Deno.readTextFile(settings));
      for (const group of installed.hooks.PreToolUse) group.matcher = "Bash";
      await Deno.writeTextFile(settings, JSON.stringify(installed));
    },
  });
  assert.equal(await Deno.readTextFile(join(run.project, "a.lock")), "2");
  const shown = await Deno.readTextFile(join(folder, "unarmed", "claude-0.out.jsonl"));
  assert.match(shown, /NOT ARMED: .* is not asked about Edit, Write/);
  // The tool was not the gate's to judge, so nothing went past it.
  assert.deepEqual(
    query(run.database, "SELECT 1 FROM hook_executions WHERE metadata ->> '$.gate' IS NOT NULL"),
    [],
  );
});
