/** Payloads and commands of a size that nobody means well: answered in time, kept in part, and no secret in it. */
import assert from "node:assert/strict";
import { captures, executions, filesWith, type Row } from "../support/look.ts";
import { type GuardedHome, guardedHome, SESSION } from "../support/guarded.ts";
import { hook } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(guardedHome);

/** A hang guard, in milliseconds: a machine that is not busy needs a tenth of it. */
const MAX_MS = 20_000;

const TOKEN = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5";
const PASSWORD = "kT7qLw93xZpB";
/** As much of a secret as must not be kept either. */
const PARTS = [TOKEN.slice(0, 20), PASSWORD.slice(0, 9)];

const bash = (stdout: string) => ({
  tool_name: "Bash",
  tool_input: { command: "cat x" },
  tool_response: { stdout, stderr: "" },
});

/** A tool's response of so many bytes. */
const KINDS: Readonly<Record<string, (bytes: number) => object>> = {
  "JSON of tokens": (n) =>
    bash(`{"id":1,"token":"${TOKEN}","password":"${PASSWORD}"},\n`.repeat(n / 80)),
  "rows with tokens": (n) => ({
    tool_name: "mcp__x__y",
    tool_input: {},
    tool_response: {
      rows: Array.from({ length: n / 90 }, (_, id) => ({ id, token: TOKEN, password: PASSWORD })),
    },
  }),
  "lines of a log": (n) =>
    bash(`INFO Authorization: Bearer ${TOKEN} api_key=${PASSWORD} user=joe\n`.repeat(n / 90)),
  "base64": (n) => bash(`${"QUJDREVGR0hJSktMTU5PUFFSU1RVVldY".repeat(n / 32)} TOKEN=${TOKEN}`),
  "one line": (n) => bash(`password=${PASSWORD} ${"x".repeat(n)} ${TOKEN}`),
  "a file with names of its own": (n) => ({
    tool_name: "Write",
    tool_input: {
      file_path: "/tmp/x.py",
      content: Array.from({ length: n / 40 }, (_, i) => `password_${i} = "${PASSWORD}"\n`).join(""),
    },
    tool_response: { type: "create" },
  }),
  "an edit of a large file": (n) => ({
    tool_name: "Edit",
    tool_input: { file_path: "/tmp/x.json", old_string: "a", new_string: "b" },
    tool_response: {
      filePath: "/tmp/x.json",
      originalFile: `  "token": "${TOKEN}",\n  "password": "${PASSWORD}",\n`.repeat(n / 80),
      structuredPatch: [{ lines: ["-a", "+b", ` "password": "${PASSWORD}"`] }],
    },
  }),
  "keys": (n) => ({
    tool_name: "mcp__x__y",
    tool_input: {},
    tool_response: Object.fromEntries(
      Array.from({ length: n / 40 }, (_, i) => [`password_${i}`, PASSWORD]),
    ),
  }),
};

/** Sends an event and holds the program to its promises. @returns What it answered; null for nothing. */
async function send(
  home: GuardedHome,
  event: string,
  payload: object | string,
): Promise<Row | null> {
  const fields = { session_id: SESSION, cwd: `${home.path}/project`, tool_use_id: "toolu_1" };
  const stdin = typeof payload === "string" ? payload : { ...fields, ...payload };
  const startedMs = performance.now();
  const { code, stdout, stderr } = await hook(event, stdin, home);
  assert.ok(performance.now() - startedMs < MAX_MS, "it took too long");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout === "" ? null : JSON.parse(stdout);
}

/** Nothing of the secrets stands in any file below the home. */
function assertNoSecret(home: GuardedHome): void {
  for (const part of PARTS) assert.deepEqual(filesWith(home.path, part), [], part);
}

for (const [name, make] of Object.entries(KINDS)) {
  test(`of megabytes of ${name} a part is kept, masked, and what is missing is told`, async (home) => {
    for (const bytes of [1_000_000, 6_000_000]) await send(home, "PostToolUse", make(bytes));
    const kept = captures(home);
    assert.equal(kept.length, 2);
    for (const { cut_bytes: cut, payload } of kept) {
      assert.ok(Number(cut) > 400_000, String(cut));
      assert.match(JSON.stringify(payload), /bytes cut …\]/);
    }
    for (const { status, metadata } of executions(home)) {
      assert.equal(status, "success");
      assert.ok(Number((metadata as Row)["cutBytes"]) > 400_000);
    }
    assertNoSecret(home);
  });
}

test("an edit of a large file keeps what was edited", async (home) => {
  await send(home, "PostToolUse", KINDS["an edit of a large file"]!(6_000_000));
  const { tool_input: input, tool_response: response } = captures(home)[0]![
    "payload"
  ] as { tool_input: unknown; tool_response: { structuredPatch: { lines: string[] }[] } };
  assert.deepEqual(input, { file_path: "/tmp/x.json", old_string: "a", new_string: "b" });
  assert.deepEqual(response.structuredPatch[0]!.lines.slice(0, 2), ["-a", "+b"]);
});

test("of 30 MB that are nested without end the event is kept", async (home) => {
  const head =
    `{"session_id":"${SESSION}","tool_name":"mcp__x__y","tool_input":{"password":"${PASSWORD}"},`;
  const list = `${"[".repeat(15_000_000)}${"]".repeat(15_000_000)}`;
  const objects = `${'{"a":'.repeat(100_000)}"${TOKEN}"${"}".repeat(100_000)}`;
  for (const deep of [list, objects]) {
    await send(home, "PostToolUse", `${head}"tool_response":${deep},"tool_use_id":"toolu_1"}`);
  }
  assert.deepEqual(captures(home).map((row) => row["tool_use_id"]), ["toolu_1", "toolu_1"]);
  assertNoSecret(home);
});

test("a payload without secrets is kept up to the limit of the configuration", async (home) => {
  await send(home, "PostToolUse", bash("a line of ordinary output\n".repeat(30_000)));
  const [row] = captures(home);
  assert.equal(row!["cut_bytes"], 0);
  assert.ok(JSON.stringify(row!["payload"]).length > 780_000);
});

/** Commands that cost more than may be spent on reading them. */
const COSTLY: Readonly<Record<string, string>> = {
  "$( ) in $( )": `${"echo $(".repeat(1_000)}rm yarn.lock${")".repeat(1_000)}`,
  "subshells": `${"( ".repeat(5_000)}rm yarn.lock${" )".repeat(5_000)}`,
  "words for a shell": `printf '%s' ${"word ".repeat(100_000)} | sh`,
  "one word": `rm ${"a".repeat(5_000_000)}`,
};

test("a person is asked for a command that is too costly to be read, and it is denied under strict", async (home) => {
  const config = "preToolUse: {uneditableFiles: ['*.lock']}\n";
  const project = home.configure(config, ["yarn.lock"]);
  for (const [name, command] of Object.entries(COSTLY)) {
    const use = { tool_name: "Bash", tool_input: { command } };
    const answer = await send(home, "PreToolUse", use);
    const { permissionDecision, permissionDecisionReason: reason } =
      answer!["hookSpecificOutput"] as Row;
    assert.equal(permissionDecision, "ask", name);
    assert.match(
      String(reason),
      /not judged to its end, for it .*\. Split it into smaller ones\.$/,
    );
    const { status, metadata } = executions(home).at(-1)!;
    assert.equal(status, "success");
    assert.match(String((metadata as Row)["asked"]), /^it /, name);
    assert.equal(await send(home, "PermissionRequest", use), null, name);
  }
  Deno.writeTextFileSync(
    `${project}/.conclaude.yaml`,
    config.replace("{", "{strict: true, "),
  );
  for (const [name, command] of Object.entries(COSTLY)) {
    const answer = await send(home, "PreToolUse", { tool_name: "Bash", tool_input: { command } });
    assert.equal((answer!["hookSpecificOutput"] as Row)["permissionDecision"], "deny", name);
    assert.equal(executions(home).at(-1)!["status"], "blocked");
  }
});

test("a tool use of many megabytes is judged by its beginning, and a person is asked", async (home) => {
  home.configure("preToolUse: {uneditableFiles: ['*.lock']}\n", ["yarn.lock"]);
  const decide = async (file: string) => {
    const content = `password=${PASSWORD}\n`.repeat(300_000);
    const answer = await send(home, "PreToolUse", {
      tool_name: "Write",
      tool_input: { file_path: `${home.path}/project/${file}`, content },
    });
    return (answer!["hookSpecificOutput"] as Row)["permissionDecision"];
  };
  assert.deepEqual([await decide("yarn.lock"), await decide("src/a.ts")], ["deny", "ask"]);
  assertNoSecret(home);
});
