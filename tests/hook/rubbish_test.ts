/** Whatever stdin holds: the hook leaves with 0, says nothing or one JSON object, and what it keeps can be read. */
import assert from "node:assert/strict";
import { wellFormedJson } from "../../src/operations/verb.ts";
import { captures, executions, query, queryValue, spoolFiles } from "../support/look.ts";
import { runs, someOf } from "../support/lanes.ts";
import { generatedPayloads, type Sent } from "../support/payloads.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const SEED = 20_251_120;
const GENERATED = runs(1_000);

const DEADLINE_MS = 10_000;
/** For the largest payloads: they take 1 to 2 s of a processor that other tests want, too. */
const BUSY_DEADLINE_MS = 30_000;

const SILENT = '{"continue":true,"suppressOutput":true}\n';

/** Sends anything, and holds the program to its promise. @returns What it said. */
async function send(
  home: TempHome,
  event: string,
  stdin: string | Uint8Array,
  deadlineMs = DEADLINE_MS,
): Promise<string> {
  const startedMs = performance.now();
  const { code, stdout, stderr } = await hook(event, stdin, home);
  assert.ok(performance.now() - startedMs < deadlineMs, "it took too long");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assertAnswer(stdout);
  return stdout;
}

function assertAnswer(stdout: string): void {
  if (stdout === "") return;
  assert.match(stdout, /^\{.*\}\n$/s);
  const answer = JSON.parse(stdout);
  assert.equal(typeof answer, "object");
}

/** Everything that is stored can be read, with SQLite and with the program. */
async function assertReadable(home: TempHome, options: { readonly shown: number }): Promise<void> {
  const env = { HOME: home.path };
  const kept = captures(home);
  for (const { metadata } of executions(home)) assert.equal(typeof metadata, "object");
  const list = await runProgram(["audit", "list", "--limit", "100000", "--json"], { env });
  assert.equal(
    JSON.parse(list.stdout).executions.length,
    queryValue(home, "SELECT count(*) FROM hook_executions"),
  );
  const queue = await runProgram(["queue", "list", "--limit", "100000", "--json"], { env });
  assert.equal(JSON.parse(queue.stdout).items.length, kept.length);
  const sessions = await runProgram(["session", "list", "--limit", "100000", "--json"], { env });
  assert.equal(
    JSON.parse(sessions.stdout).sessions.length,
    queryValue(home, "SELECT count(*) FROM sessions"),
  );
  const step = Math.max(1, Math.floor(kept.length / options.shown));
  for (let i = 0; i < kept.length; i += step) {
    const { id, payload } = kept[i]!;
    const shown = await runProgram(["queue", "show", String(id), "--json"], { env });
    // Kept as it is, but told so that strict readers take it.
    const told = JSON.parse(wellFormedJson(JSON.stringify(payload)));
    assert.deepEqual(JSON.parse(shown.stdout).payload, told);
  }
}

const encoder = new TextEncoder();

const RUBBISH: Readonly<Record<string, string | Uint8Array>> = {
  "nothing": "",
  "an empty line": "\n",
  "white space": " \t\r\n ",
  "an open brace": "{",
  "a closing brace": "}",
  "two objects": '{"session_id":"s1"}\n{"session_id":"s2"}',
  "text after the object": '{"session_id":"s1"} and more',
  "bytes that are no UTF-8": Uint8Array.of(0xff, 0xfe, 0x00, 0x80, 0xc3),
  "UTF-16": Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00),
  "zero bytes": new Uint8Array(1_000),
  "an endless number": `{"session_id":${"9".repeat(400)}}`,
  "a comment": '{"a":1 /* no */}',
  "single quotes": "{'session_id':'s1'}",
  "50,000 levels that never end": "[".repeat(50_000),
  "50,000 levels of objects that never end": '{"a":'.repeat(50_000),
};

const test = testWith(tempHome);

for (const [name, stdin] of Object.entries(RUBBISH)) {
  test(`stdin of ${name} is answered and stands in the audit trail`, async (home) => {
    for (const event of ["PostToolUse", "SessionStart", "Stop", "Told"]) {
      await send(home, event, stdin);
    }
    assert.equal(executions(home).length, 4);
    await assertReadable(home, { shown: 0 });
  });
}

/** Tool uses with a strange content, of which nothing may be lost: the text of `tool_response`. */
const STRANGE: Readonly<Record<string, string>> = CASES.strangeTexts;

for (const [name, response] of Object.entries(STRANGE)) {
  test(`a tool use with ${name} is kept as it is`, async (home) => {
    const stdin = `{"session_id":"s1","tool_name":"Bash","tool_response":${response}}`;
    assert.equal(await send(home, "PostToolUse", stdin), SILENT);
    await send(home, "PreToolUse", stdin);
    const payload = String(queryValue(home, "SELECT payload FROM pending_queue"));
    assert.equal(
      JSON.stringify(JSON.parse(payload).tool_response),
      JSON.stringify(JSON.parse(response)),
    );
    await assertReadable(home, { shown: 1 });
  });
}

test("a zero byte becomes a blank, for SQLite's functions would stop at it", async (home) => {
  const stdin = String
    .raw`{"session_id":"s1","tool_name":"Bash","tool_response":{"a\u0000b":["\u0000c"]}}`;
  assert.equal(await send(home, "PostToolUse", stdin), SILENT);
  const payload = String(queryValue(home, "SELECT payload FROM pending_queue"));
  assert.deepEqual(JSON.parse(payload).tool_response, { "a b": [" c"] });
  await assertReadable(home, { shown: 1 });
});

test("strange texts in every field that has a column of its own can be read back", async (home) => {
  const texts = [
    String.raw`a\u0000b`,
    String.raw`\ud800`,
    String.raw`\udc00\ud83d`,
    String.raw`\u001b[2J`,
    "x".repeat(20_000),
    "😀".repeat(5_000),
  ];
  for (const text of texts) {
    const stdin = `{${CASES.fieldsWithColumns.map((name) => `"${name}":"${text}"`).join(",")}}`;
    for (const event of ["SessionStart", "PostToolUse", "UserPromptSubmit", "SessionEnd"]) {
      await send(home, event, stdin);
    }
  }
  assert.deepEqual(spoolFiles(home), []);
  assert.equal(executions(home).length, texts.length * 4);
  for (const row of query(home, "SELECT * FROM sessions")) {
    for (const [name, cell] of Object.entries(row)) {
      if (typeof cell === "string") assert.ok(cell.length <= 4_096, `${name} is endless`);
    }
  }
  assert.equal(
    queryValue(home, "SELECT count(*) FROM sessions WHERE instr(source || end_reason, char(0))"),
    0,
  );
  await assertReadable(home, { shown: 3 });
});

test("a byte order mark before the object is no reason to lose it", async (home) => {
  await send(home, "PostToolUse", "\ufeff" + '{"session_id":"s1","tool_name":"Bash"}');
  assert.equal(captures(home)[0]!["session_id"], "s1");
});

test("when a key comes twice, the last one counts", async (home) => {
  await send(home, "PostToolUse", '{"session_id":"s1","tool_name":"Bash","session_id":"s2"}');
  assert.equal(captures(home)[0]!["session_id"], "s2");
});

test("bytes that are no UTF-8 inside a tool use cost only themselves", async (home) => {
  const stdin = encoder.encode('{"session_id":"s1","tool_name":"Bash","tool_response":"a?b"}');
  stdin[stdin.indexOf(0x3f)] = 0xff;
  await send(home, "PostToolUse", stdin);
  assert.equal(
    JSON.parse(String(queryValue(home, "SELECT payload FROM pending_queue"))).tool_response,
    "a\ufffdb",
  );
});

for (const [name, open, close] of [["lists", "[", "]"], ["objects", '{"a":', "}"]] as const) {
  test(`50,000 levels of ${name} that end well are kept, each event answered`, async (home) => {
    const deep = open.repeat(50_000) + (name === "objects" ? "1" : "") + close.repeat(50_000);
    for (const event of ["PostToolUse", "PreToolUse", "SessionStart", "SessionEnd", "Stop"]) {
      await send(home, event, `{"session_id":"s1","tool_name":"Bash","tool_input":${deep}}`);
    }
    assert.equal(captures(home).length, 1);
    assert.equal(executions(home).length, 5);
    assert.deepEqual(spoolFiles(home), []);
  });
}

const MEGABYTE = 1_048_576;

test("5 MB of tool response are kept within the cap, in time", async (home) => {
  const long = JSON.stringify({
    session_id: "s1",
    tool_name: "Bash",
    tool_response: { stdout: "a line of output\n".repeat(5 * MEGABYTE / 17) },
  });
  assert.equal(await send(home, "PostToolUse", long, BUSY_DEADLINE_MS), SILENT);
  const [row] = query(home, "SELECT raw_bytes, cut_bytes FROM pending_queue");
  assert.ok(Number(row!["raw_bytes"]) <= MEGABYTE);
  assert.ok(Number(row!["cut_bytes"]) >= 4 * MEGABYTE);
  await assertReadable(home, { shown: 1 });
});

/** 5 MB that are hard to look through. */
const HARD: Readonly<Record<string, string>> = {
  "small values": JSON.stringify(Array.from({ length: 500_000 }, (_, i) => i)),
  "keys": JSON.stringify(
    Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i])),
  ),
  "emoji": JSON.stringify("😀".repeat(1_250_000)),
  "escapes": JSON.stringify("\u0001".repeat(800_000)),
  "passwords": JSON.stringify("password=hunter2Hunter2 ".repeat(200_000)),
  "half private tags": JSON.stringify("<private ".repeat(550_000)),
  "private tags": JSON.stringify("<private>".repeat(550_000)),
  "key beginnings": JSON.stringify("-----BEGIN PRIVATE KEY-----\n".repeat(180_000)),
  "quotes": JSON.stringify('"'.repeat(2_500_000)),
  "token letters": JSON.stringify("eyJ".repeat(1_700_000)),
  "assignments without an end": JSON.stringify("token:".repeat(850_000)),
  "one endless word": JSON.stringify("a".repeat(5_000_000)),
  "equals signs": JSON.stringify("=".repeat(5_000_000)),
  "colons and slashes": JSON.stringify("://".repeat(1_700_000)),
  "spaces after a name": JSON.stringify(`secret${" ".repeat(5_000_000)}`),
};

for (const [name, response] of someOf(Object.entries(HARD), 3)) {
  test.sized(`5 MB of ${name} are answered in time`, async (home) => {
    const stdin = `{"session_id":"s1","tool_name":"Bash","tool_response":${response}}`;
    assert.equal(await send(home, "PostToolUse", stdin, BUSY_DEADLINE_MS), SILENT);
    assert.equal(captures(home).length, 1);
  });
}

test("5 MB that are no JSON are answered in time", async (home) => {
  const stdin = `{"a": "${"password=x ".repeat(450_000)}`;
  await send(home, "PostToolUse", stdin, BUSY_DEADLINE_MS);
  assert.equal(executions(home).length, 1);
});

function told({ event, stdin }: Sent): string {
  return `${event} ${JSON.stringify(new TextDecoder().decode(stdin))} (seed ${SEED})`;
}

test.sized(`${GENERATED} generated payloads are answered, and what is kept of them can be read`, async (home) => {
  const sent = generatedPayloads(GENERATED, SEED);
  for (const next of sent) {
    try {
      await send(home, next.event, next.stdin);
    } catch (cause) {
      throw new Error(told(next), { cause });
    }
  }
  assert.deepEqual(spoolFiles(home), []);
  assert.equal(queryValue(home, "SELECT count(*) FROM hook_executions"), sent.length - quiet(sent));
  await assertReadable(home, { shown: 10 });
});

/** How many of them are a Stop that continues a stopped one: of these nothing is kept. */
function quiet(sent: readonly Sent[]): number {
  return sent.filter(({ event, stdin }) => {
    try {
      const fields = JSON.parse(new TextDecoder().decode(stdin));
      return event === "Stop" && fields.stop_hook_active === true;
    } catch {
      return false;
    }
  }).length;
}
