/** Configuration as hooks live with it: changes between two hooks, the cache, broken files, and what is never kept. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FORMED_SECRETS, GIVEAWAYS, PLAIN_SECRET } from "../support/secret_texts.ts";
import {
  captures,
  executions,
  filesWith,
  isThere,
  query,
  queryValue,
  type Row,
} from "../support/look.ts";
import { hook, observed, observedNames, type TempHome, tempHome } from "../support/program.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import { configureUser } from "../support/on_home.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };
import { answerOf } from "../support/process.ts";

/** Writes the configuration of the project that lies in the home. */
function configure(home: TempHome, text: string, name = ".conclaude.yaml"): void {
  Deno.mkdirSync(projectOf(home), { recursive: true });
  Deno.writeTextFileSync(join(projectOf(home), name), text);
}

function projectOf(home: TempHome): string {
  return join(home.path, "project");
}

function use(home: TempHome, fields: Record<string, unknown> = {}, env = {}) {
  const payload = { session_id: "s1", cwd: projectOf(home), tool_name: "Bash", ...fields };
  return hook("PostToolUse", payload, home, { env });
}

/** Where the configuration of each hook came from, oldest first. */
function configSources(home: TempHome): unknown[] {
  return executions(home).map((row) => (row["metadata"] as Row)["config"]);
}

const test = testWith(tempHome);

test("without files there is nothing to parse and nothing to cache", async (home) => {
  await use(home);
  await use(home);
  assert.deepEqual(configSources(home), ["none", "none"]);
});

test("an unchanged configuration is parsed once and then served from the cache", async (home) => {
  configure(home, "capture:\n  exclude:\n    tools: [Read]\n");
  for (let i = 0; i < 4; i++) await use(home, { tool_name: i % 2 === 0 ? "Read" : "Bash" });
  assert.deepEqual(configSources(home), ["parsed", "cache", "cache", "cache"]);
  assert.deepEqual(captures(home).map((row) => row["tool_name"]), ["Bash", "Bash"]);
});

test("a change between two hooks counts for the second, also one of the same length", async (home) => {
  for (const tool of ["Read", "Bash", "Read"]) {
    configure(home, `capture: {exclude: {tools: [${tool}]}}\n`);
    await use(home, { tool_name: "Bash" });
    await use(home, { tool_name: "Bash" });
  }
  assert.deepEqual(executions(home).map((row) => row["status"]), [
    ...["success", "success"],
    ...["skipped", "skipped"],
    ...["success", "success"],
  ]);
  const changed = configSources(home).filter((_, i) => i % 2 === 0);
  assert.deepEqual(changed, Array(3).fill("parsed"));
});

test("a configuration that comes, goes, or is one of another layer counts at once", async (home) => {
  const off = "capture: {enabled: false}\n";
  await use(home);
  configure(home, off);
  await use(home);
  configure(home, "capture: {enabled: true}\n", ".conclaude.local.yaml");
  await use(home);
  Deno.removeSync(join(projectOf(home), ".conclaude.local.yaml"));
  await use(home);
  Deno.removeSync(join(projectOf(home), ".conclaude.yaml"));
  await use(home);
  configureUser(home, off);
  await use(home);
  assert.deepEqual(
    executions(home).map((row) => row["status"]),
    ["success", "skipped", "success", "skipped", "success", "skipped"],
  );
});

test("a broken file: hooks go on with what is valid, and SessionStart says so", async (home) => {
  configure(
    home,
    "capture:\n  exclude:\n    tools: [Read, 5]\n  enabeld: false\nnonsense: 1\ndatabase: {busyTimeoutMs: never}\n",
  );
  await use(home, { tool_name: "Read" });
  await use(home, { tool_name: "Bash" });
  assert.deepEqual(executions(home).map((row) => row["status"]), ["skipped", "success"]);
  const start = () => hook("SessionStart", { session_id: "s1", cwd: projectOf(home) }, home);
  assert.match(answerOf(await start()).systemMessage, /4 problem.*conclaude config validate/);
  assert.equal((await use(home)).stdout, '{"continue":true,"suppressOutput":true}\n');
});

const texts = [
  "capture: [",
  "\t- x",
  "5",
  "[]",
  "a: &a [*a]",
  "\u0000\u0001",
  "{".repeat(20_000),
  "&a : *b",
  "__proto__: {enabled: false}",
  "capture: null",
  "%YAML 9.9\n---\n- 1\n---\n- 2",
];
for (const text of texts) {
  test(`a configuration of ${JSON.stringify(text.slice(0, 30))} stops no hook`, async (home) => {
    configure(home, text);
    for (const event of ["SessionStart", "PostToolUse", "Stop", "SessionEnd"]) {
      const payload = { session_id: "s1", cwd: projectOf(home), tool_name: "Bash" };
      answerOf(await hook(event, payload, home));
    }
    assert.equal(captures(home).length, 1);
    assert.equal(executions(home).length, 4);
  });
}

test("a configuration that is a folder, or cannot be read, stops no hook", async (home) => {
  Deno.mkdirSync(join(projectOf(home), ".conclaude.yaml"), { recursive: true });
  await use(home);
  assert.equal(captures(home).length, 1);
});

test("database.path leads to the database, also from a subfolder, and its cache works", async (home) => {
  configure(home, "database:\n  path: state/own.db\n");
  const database = join(projectOf(home), "state", "own.db");
  for (let i = 0; i < 3; i++) await use(home, { cwd: join(projectOf(home), "src") });
  assert.equal(queryValue(database, "SELECT count(*) FROM pending_queue"), 3);
  assert.equal(rowsInDefaultDatabase(home), 0);
  const last = queryValue(
    database,
    "SELECT metadata FROM hook_executions ORDER BY id DESC LIMIT 1",
  );
  assert.equal(JSON.parse(String(last)).config, "cache");
});

test("the environment and the flag outrank database.path", async (home) => {
  configure(home, "database:\n  path: state/own.db\n");
  const named = join(home.path, "named.db");
  await hook("PostToolUse", { session_id: "s1", cwd: projectOf(home), tool_name: "Bash" }, home, {
    env: { CONCLAUDE_DB_PATH: named },
  });
  assert.equal(queryValue(named, "SELECT count(*) FROM pending_queue"), 1);
});

test("database.enabled: false keeps nothing at all, and answers as usual", async (home) => {
  configure(home, "database:\n  enabled: false\n");
  for (const event of ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"]) {
    const use = { tool_name: "Bash", prompt: "markerX" };
    answerOf(await hook(event, { session_id: "s1", cwd: projectOf(home), ...use }, home));
  }
  assert.equal(rowsInDefaultDatabase(home), 0);
  assert.deepEqual(filesWith(home.path, "markerX"), []);
});

/** Events and captures; the cache of the configuration may lie there. */
function rowsInDefaultDatabase(home: TempHome): unknown {
  if (!isThere(home.database)) return 0;
  return queryValue(
    home,
    "SELECT (SELECT count(*) FROM hook_executions) + (SELECT count(*) FROM sessions)",
  );
}

test("capture.enabled: false keeps sessions, counters and the audit trail, but no content", async (home) => {
  configure(home, "capture:\n  enabled: false\n");
  await sendMarked(home, "markerOfContent");
  assert.deepEqual(captures(home), []);
  assert.equal(queryValue(home, "SELECT count(*) FROM sessions"), 1);
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'tool_uses'"), 1);
  assert.ok(executions(home).length > 5);
  assert.deepEqual(filesWith(join(home.path, ".conclaude"), "markerOfContent"), []);
});

test("no content of an excluded project is kept", async (home) => {
  configure(home, "");
  Deno.writeTextFileSync(
    join(home.path, ".conclaude.yaml"),
    `capture: {exclude: {projects: ["${home.path}/proj*"]}}\n`,
  );
  await Deno.remove(join(projectOf(home), ".conclaude.yaml"));
  await sendMarked(home, "markerOfContent");
  assert.deepEqual(captures(home), []);
  assert.deepEqual(filesWith(join(home.path, ".conclaude"), "markerOfContent"), []);
  await use(home, { cwd: join(home.path, "elsewhere") });
  assert.equal(captures(home).length, 1);
});

/** Sends every kind of event with a marker in all of its content. */
async function sendMarked(home: TempHome, marker: string): Promise<void> {
  for (const event of CASES.eventsWithMarks.filter((name) => name !== "PostToolUseFailure")) {
    await hook(event, {
      session_id: "s1",
      cwd: projectOf(home),
      tool_name: "Bash",
      tool_input: { command: marker },
      tool_response: marker,
      prompt: marker,
      message: marker,
      last_assistant_message: marker,
      session_title: marker,
    }, home);
  }
}

test("excluded tools and paths are counted, but not kept", async (home) => {
  configure(
    home,
    'capture:\n  exclude:\n    tools: ["mcp__mail__*"]\n    paths: ["**/.env*", "private", "~/keys"]\n',
  );
  const marker = "markerOfContent";
  const read = (file_path: string) => ({
    tool_name: "Read",
    tool_input: { file_path },
    tool_response: marker,
  });
  await use(home, { tool_name: "mcp__mail__send", tool_input: { text: marker } });
  await use(home, read(join(projectOf(home), "a", ".env.local")));
  await use(home, read(join(projectOf(home), "private", "b.txt")));
  await use(home, read(join(home.path, "keys", "c.pem")));
  assert.deepEqual(executions(home).map((row) => row["status"]), Array(4).fill("skipped"));
  assert.deepEqual(filesWith(join(home.path, ".conclaude"), marker), []);
  await use(home, read(join(projectOf(home), "privateer.txt")));
  assert.equal(captures(home).length, 1);
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'tool_uses'"), 5);
});

test("a command that names an excluded path keeps nothing, nor does a search below it or a command that is excluded", async (home) => {
  configure(
    home,
    "capture:\n  exclude:\n    paths: ['secret/**', '~/keys']\n    commands: ['vault *', 'op read*']\n",
  );
  const marker = "markerOfContent";
  const bash = (command: string) => use(home, { tool_input: { command }, tool_response: marker });
  for (const folder of ["secret", "sub"]) {
    Deno.mkdirSync(join(projectOf(home), folder));
    Deno.writeTextFileSync(join(projectOf(home), folder, "x"), "");
  }
  for (const command of CASES.namingExcluded) {
    await bash(command.replace("<PROJECT>", projectOf(home)));
  }
  const tools = rowsOf<readonly [name: string, input: Record<string, unknown>, cwd?: string]>(
    CASES.excludedInputs,
  );
  for (const [tool_name, tool_input, folder = ""] of tools) {
    const input = { tool_name, tool_input, tool_response: marker };
    const cwd = join(projectOf(home), folder);
    await use(home, { ...input, cwd }, { CLAUDE_PROJECT_DIR: projectOf(home) });
  }
  assert.deepEqual(captures(home).map((row) => row["payload"]), []);
  assert.deepEqual(filesWith(join(home.path, ".conclaude"), marker), []);
  const kept = CASES.namingNothingExcluded;
  for (const command of kept) await bash(command);
  const search = { tool_name: "Grep", tool_input: { pattern: "a" } };
  const found = [
    { mode: "files_with_matches", filenames: ["a.ts", join(projectOf(home), "secret/x")] },
    { mode: "content", content: `src/a.ts:1:a\nsecret/x:12:${marker}` },
    `Found 1 file\nsecret/x`,
  ];
  for (const tool_response of found) await use(home, { ...search, tool_response });
  const printed = [
    `src/a.ts:1:a\nsecret/x:textOfTheFile`,
    `+++ b/secret/x\n@@ -1 +1 @@\n+textOfTheFile`,
    `==> secret/x <==\ntextOfTheFile`,
  ];
  for (const stdout of printed) {
    await use(home, { tool_input: { command: "make look" }, tool_response: { stdout } });
    const calls = [{ tool_name: "Bash", tool_input: {}, tool_response: { stdout } }];
    const batch = { session_id: "s1", cwd: projectOf(home), tool_calls: calls };
    await hook("PostToolBatch", batch, home);
    const failed = { tool_name: "Bash", tool_input: {}, error: stdout };
    await hook("PostToolUseFailure", { ...batch, ...failed }, home);
  }
  assert.equal(captures(home).length, kept.length);
  await use(home, {
    ...search,
    tool_response: { mode: "content", content: "a.ts:1: see secret/x" },
  });
  await use(home, { tool_input: { command: "ls" }, tool_response: { stdout: "secret\nsrc" } });
  assert.equal(captures(home).length, kept.length + 2);
  assert.deepEqual(filesWith(join(home.path, ".conclaude"), "textOfTheFile"), []);
});

test("a payload over maxPayloadBytes keeps head and tail, and says how much was cut", async (home) => {
  configure(home, "capture:\n  maxPayloadBytes: 4096\n");
  await use(home, { tool_response: `HEAD${"é".repeat(50_000)}TAIL` });
  const [row] = query(home, "SELECT payload, raw_bytes, cut_bytes FROM pending_queue");
  const payload = String(row!["payload"]);
  assert.ok(Number(row!["raw_bytes"]) <= 4_096);
  assert.equal(new TextEncoder().encode(payload).length, row!["raw_bytes"]);
  assert.ok(Number(row!["cut_bytes"]) > 90_000);
  const response = JSON.parse(payload).tool_response;
  assert.match(response, /^HEADé+\[… \d+ bytes cut …\]é+TAIL$/u);
});

test("own patterns mask in every event", async (home) => {
  configure(home, 'capture:\n  redact:\n    patterns: ["CUST-[0-9]{6}", "(?<=ticket )\\\\w+"]\n');
  await sendMarked(home, "see CUST-123456 and ticket QWERTZ9");
  for (const secret of ["CUST-123456", "QWERTZ9"]) {
    assert.deepEqual(filesWith(join(home.path, ".conclaude"), secret), [], secret);
  }
  assert.match(JSON.stringify(captures(home)[0]!["payload"]), /see \[redacted:custom\]/);
});

/** A text with every kind of secret, and the parts of it that must never be found. */
function secretText() {
  const formed = Object.values(FORMED_SECRETS).filter((secret) => !secret.includes("\n"));
  const given = GIVEAWAYS.map((giveaway) => giveaway.replaceAll("%", PLAIN_SECRET));
  return { texts: [...formed, ...given], secrets: [...formed, PLAIN_SECRET] };
}

/** The text in every place that a payload has. */
function everywhere(text: string): Record<string, unknown> {
  return {
    tool_input: {
      command: text,
      file_path: `/w/${text}`,
      [text]: "as a key",
      list: [text, { deep: [text] }],
    },
    tool_response: { stdout: `before ${text} after`, stderr: text },
    prompt: text,
    message: text,
    title: text,
    source: text,
    reason: text,
    session_title: text,
    last_assistant_message: text,
    error: text,
    [text]: text,
  };
}

const EVENTS = [...new Set(observedNames().map((name) => name.split(".")[0]!))];

for (const isBroken of [false, true]) {
  const where = isBroken ? "with a broken database, in spool and log" : "in database and log";
  test.slow(`no secret reaches the disk, in any event and any position, ${where}`, async (home) => {
    if (isBroken) Deno.mkdirSync(home.database, { recursive: true });
    const { texts, secrets } = secretText();
    // Each event gets a share of the secrets, so that all of them are seen without a thousand processes.
    const perEvent = Math.ceil(texts.length * 3 / EVENTS.length);
    for (const [i, event] of EVENTS.entries()) {
      const share = Array.from(
        { length: perEvent },
        (_, k) => texts[(i * perEvent + k) % texts.length]!,
      );
      const own = Object.fromEntries(share.map((text, k) => [`field_${k}`, everywhere(text)]));
      const payload = { ...observed(baseOf(event)), ...everywhere(share[0]!), ...own };
      const { code, stdout, stderr } = await hook(event, payload, home);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      for (const secret of secrets) assert.ok(!stdout.includes(secret));
    }
    for (const secret of secrets) assert.deepEqual(filesWith(home.path, secret), [], secret);
  });
}

function baseOf(event: string): string {
  return observedNames().find((name) => name.split(".")[0] === event)!;
}

const PRIVATE = "whatNobodyMaySee";

const rows = [
  `a <private>${PRIVATE}</private> b`,
  `<private reason="x">\n${PRIVATE}\n`,
  `<PRIVATE>${PRIVATE}`,
  `<private>a<private>b</private>${PRIVATE}</private>`,
];
for (const text of rows) {
  test(`private text is never kept: ${JSON.stringify(text)}`, async (home) => {
    await sendMarked(home, text);
    await hook("PostToolUse", `{"broken": "${text}`, home);
    Deno.renameSync(home.database, `${home.database}.kept`);
    Deno.mkdirSync(home.database);
    await sendMarked(home, text);
    assert.deepEqual(filesWith(home.path, PRIVATE), []);
  });
}

const ESCAPED: Readonly<Record<string, string>> = {
  "a token with a letter as \\u": String.raw`gh\u0070_aB3dE5gH7jK9mN2pQ4sT6vW8xY1zaB3dE5gH`,
  "an assignment with a letter as \\u": String.raw`passw\u006frd=hunter2Hunter2`,
  "a private tag as other encoders write it": String
    .raw`\u003cprivate\u003ewhatNobodyMaySee\u003c/private\u003e`,
  "a private tag with an escaped slash": String.raw`<private>whatNobodyMaySee<\/private>`,
};

for (const [name, text] of Object.entries(ESCAPED)) {
  test(`an escape in the JSON hides no secret: ${name}`, async (home) => {
    const fields = `"session_id":"s1","tool_name":"Bash","prompt":"${text}"`;
    const payload = `{${fields},"tool_input":{"command":"${text}"},"tool_response":"${text}"}`;
    for (const event of ["PostToolUse", "UserPromptSubmit", "PreToolUse"]) {
      await hook(event, payload, home);
    }
    for (const secret of ["aB3dE5gH7jK9mN2pQ4sT6vW8xY1z", PLAIN_SECRET, PRIVATE]) {
      assert.deepEqual(filesWith(home.path, secret), [], secret);
    }
  });
}

for (const event of ["PostToolUse", "SessionStart", "Unheard"]) {
  test(`secrets are masked in input that is no JSON, also where ${event} tells what is wrong with it`, async (home) => {
    const token = FORMED_SECRETS["github-token"]!;
    const broken = [
      `pwd=${PLAIN_SECRET}`,
      `{"pwd":"${PLAIN_SECRET}"`,
      `{"password": ${PLAIN_SECRET}}`,
      `["${token}"`,
      token,
      `"${token}"`,
      `{"a": ${token}`,
    ];
    for (const text of broken) await hook(event, text, home);
    assert.equal(executions(home).length, broken.length);
    for (const secret of [PLAIN_SECRET.slice(0, 9), token.slice(0, 7)]) {
      assert.deepEqual(filesWith(home.path, secret), [], secret);
    }
  });
}

test("a secret in the payload is masked also where it is nested too deep to be written as JSON", async (home) => {
  const deep = `${"[".repeat(20_000)}"pwd=${PLAIN_SECRET}"${"]".repeat(20_000)}`;
  await hook("PostToolUse", `{"session_id":"s1","tool_name":"Bash","tool_input":${deep}}`, home);
  assert.equal(captures(home).length, 1);
  assert.deepEqual(filesWith(home.path, PLAIN_SECRET), []);
});

test("a cache entry that is damaged is parsed anew", async (home) => {
  configure(home, "capture: {exclude: {tools: [Read]}}\n");
  await use(home, { tool_name: "Read" });
  const db = new DatabaseSync(home.database);
  for (const parsed of ["{", "null", "5", "{}"]) {
    db.prepare("UPDATE config_cache SET parsed = ?").run(parsed);
    answerOf(await use(home, { tool_name: "Read" }));
  }
  db.close();
  assert.deepEqual(captures(home), []);
  assert.equal(executions(home).length, 5);
});

test("an own pattern that backtracks without end does not hold up a hook", async (home) => {
  configure(home, 'capture: {redact: {patterns: ["(a+)+$"]}}\n');
  const { code, stdout } = await use(home, { tool_input: { command: `${"a".repeat(60)}!` } });
  assert.deepEqual([code, JSON.parse(stdout)], [0, { continue: true, suppressOutput: true }]);
  assert.equal(captures(home).length, 1);
});

test("an own pattern masks values, and neither names nor what tells sessions apart", async (home) => {
  configure(
    home,
    'capture: {redact: {patterns: ["[0-9a-f]{8}-[0-9a-f-]{27}", "input|name|cust_[0-9]+"]}}\n',
  );
  const session = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
  await use(home, { session_id: session, tool_input: { command: `see ${session} of cust_12` } });
  const [capture] = captures(home);
  assert.deepEqual([capture!["session_id"], capture!["tool_name"]], [session, "Bash"]);
  assert.deepEqual((capture!["payload"] as Row)["tool_input"], {
    command: "see [redacted:custom] of [redacted:custom]",
  });
});

test("an own pattern masks the project's folder too", async (home) => {
  configure(home, 'capture: {redact: {patterns: ["proj[e]ct"]}}\n');
  await use(home);
  assert.equal(
    queryValue(home, "SELECT project_dir FROM sessions"),
    `${home.path}/[redacted:custom]`,
  );
});

test("no row of any event holds an excluded file, however its path is spelled", async (home) => {
  configure(home, "capture:\n  exclude:\n    paths: ['secret/**']\n    tools: [mcp__mail__*]\n");
  const project = projectOf(home);
  Deno.mkdirSync(join(project, "secret"));
  Deno.symlinkSync("secret", join(project, "link"));
  Deno.symlinkSync("link/a", join(project, "a.txt"));
  const spellings = [
    "secret/a",
    "./secret/a",
    `${project}/sub/../secret/a`,
    `${project}//secret/a`,
    "link/a",
    `${project}/a.txt`,
  ];
  const events = ["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"];
  const inputs = [
    ...spellings.map((path) => ["Write", { file_path: path, content: "EXCLUDED" }] as const),
    ["Grep", { pattern: "EXCLUDED", path: "secret/sub" }] as const,
    ["Bash", { command: "echo EXCLUDED | tee a.txt" }] as const,
    ["mcp__mail__send", { text: "EXCLUDED" }] as const,
  ];
  for (const [tool_name, tool_input] of inputs) {
    const fields = { session_id: "s1", cwd: project, tool_name, tool_input };
    for (const event of events) {
      await hook(event, { ...fields, tool_response: "EXCLUDED", error: "EXCLUDED" }, home);
    }
    await hook("PostToolBatch", {
      session_id: "s1",
      cwd: project,
      tool_calls: [
        { tool_name, tool_input, tool_response: "EXCLUDED" },
        {
          tool_name: "Read",
          tool_input: { file_path: `${project}/open.txt` },
          tool_response: "OPEN",
        },
      ],
    }, home);
  }
  assert.deepEqual(await filesWith(join(home.path, ".conclaude"), "EXCLUDED"), []);
  assert.deepEqual(captures(home), []);
  const rows = executions(home);
  assert.equal(rows.length, inputs.length * (events.length + 1));
  assert.equal(
    rows.filter((row) => row["status"] === "skipped").length,
    inputs.length * events.length,
  );
  const batches = rows.filter((row) => row["hook_name"] === "PostToolBatch");
  assert.ok(batches.every((row) => JSON.stringify(row["metadata"]).includes("OPEN")));
});
