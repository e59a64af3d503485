/** Secrets and private words, in every field of a session and on every way in, stand in no byte that the program writes or prints. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { addRow, makeClaudeMem } from "../../support/claude_mem.ts";
import { filesBelow, query } from "../../support/look.ts";
import { configureUser, held } from "../../support/on_home.ts";
import type { Finished } from "../../support/process.ts";
import { hook, runProgram, type TempHome, tempHome } from "../../support/program.ts";
import { removeFolder } from "../../support/folders.ts";
import { testWith } from "../../support/fixtures.ts";
import { jsonLines, toolUseLines } from "../../support/transcripts.ts";
import CASES from "../../testdata/secret_cases.json" with { type: "json" };

const SESSION = "0198f0e1-0000-7000-8000-00000000c001";
const NEXT = "0198f0e1-0000-7000-8000-00000000c002";

const GITHUB = `ghp_${"a1B2c3D4e5".repeat(4)}`;
const KEY_LINES = [
  "MIIEowIBAAKCAQEAvZebraStripes77kQ9xW2vB5nM8zL1jH4gF6dS3aP0oI7uYt",
  "QIDAQABAoIBAQCQuaggaHerd4711abcV7cX4zN1mK8jL5hG2fD9sA6pO3iU0yTr8",
];

/** What each kind of secret looks like in a text, and the part of it that nobody may see. */
const SECRETS = CASES.secretsOfASession as unknown as Readonly<
  Record<string, readonly [text: string, secret: string]>
>;
const HIDDEN = [
  ...Object.values(SECRETS).map(([, secret]) => secret),
  KEY_LINES[1]!,
  "scales at dusk",
  "okonjima",
  "Dunnart66Thicket",
];

/** All of them, each on lines of its own. */
const ALL = Object.values(SECRETS).map(([text], at) => `line ${at}\n${text}`).join("\n");
/** As somebody quotes it within JSON, twice. */
const QUOTED = JSON.stringify({ outer: JSON.stringify({ inner: ALL }) });
/** What is plain is found again: nothing here was masked away as a whole. */
const PLAIN = "wombat burrows";

const CONFIG = `capture:
  maxPayloadBytes: 1048576
  redact:
    patterns: ["ACME-[0-9]+"]
memory:
  recall:
    prompts: true
    edits: true
`;

const PIECE_CHARS = 8;

/** Pieces of the hidden words: half of a token is a secret, too. */
const PIECES = [...new Set(HIDDEN.flatMap((secret) => piecesOf(secret)))];
function piecesOf(secret: string): string[] {
  const last = Math.max(0, secret.length - PIECE_CHARS);
  return Array.from({ length: last + 1 }, (_, at) => secret.slice(at, at + PIECE_CHARS));
}

/** As a piece may be written: itself, and in base64 at each place within three bytes. */
const FORMS = new RegExp(
  [
    ...PIECES,
    ...HIDDEN.flatMap((secret) =>
      ["", "x", "xy"].map((before) =>
        Buffer.from(before + secret).toString("base64").slice(4, -4).slice(0, 16)
      )
    ),
  ].filter((form) => form.length >= PIECE_CHARS).map((form) => RegExp.escape(form)).join("|"),
);

function assertHidden(text: string, where: string): void {
  const found = FORMS.exec(text);
  if (found === null) return;
  const around = text.slice(Math.max(0, found.index - 120), found.index + 80);
  assert.fail(`${where} holds ${found[0]}: …${around}…`);
}

interface Stage extends Disposable {
  readonly home: TempHome;
  /** Everything that comes from outside lies elsewhere. */
  readonly outside: string;
  readonly project: string;
  readonly run: (args: readonly string[], stdin?: string) => Promise<Finished>;
  readonly event: (name: string, fields: object, session?: string) => Promise<Finished>;
  readonly use: (toolName: string, fields: object, session?: string) => Promise<void>;
  /** Every byte below the home, and what captures hold unpacked. */
  readonly search: () => Promise<void>;
}

function stage(branch = "main"): Stage {
  const home = tempHome();
  const outside = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-outside-" }));
  const project = join(outside, "app");
  Deno.mkdirSync(join(project, ".git", "refs", "heads"), { recursive: true });
  Deno.mkdirSync(join(project, ".git", "objects"));
  Deno.writeTextFileSync(join(project, ".git", "HEAD"), `ref: refs/heads/${branch}\n`);
  configureUser(home, CONFIG);
  const env = { HOME: home.path, TMPDIR: join(home.path, "tmp") };
  Deno.mkdirSync(env.TMPDIR);
  const seen = (what: string, finished: Finished) => {
    assertHidden(finished.stdout, `stdout of ${what}`);
    assertHidden(finished.stderr, `stderr of ${what}`);
    return finished;
  };
  let uses = 0;
  const run: Stage["run"] = async (args, stdin) =>
    seen(args.join(" ").slice(0, 40), await runProgram(args, { cwd: project, env, stdin }));
  const event: Stage["event"] = async (name, fields, session = SESSION) => {
    const payload = {
      session_id: session,
      hook_event_name: name,
      cwd: project,
      transcript_path: join(outside, "t.jsonl"),
      permission_mode: "default",
      ...fields,
    };
    const finished = await hook(name, payload, home, { cwd: project, env });
    assert.equal(finished.code, 0, finished.stderr);
    return seen(name, finished);
  };
  return {
    home,
    outside,
    project,
    run,
    event,
    async use(toolName, fields, session = SESSION) {
      const common = { tool_name: toolName, tool_use_id: `toolu_s${++uses}` };
      await event("PreToolUse", { ...common, ...fields }, session);
      const after = "error" in fields ? "PostToolUseFailure" : "PostToolUse";
      await event(after, { ...common, ...fields }, session);
    },
    async search() {
      await run(["export"]);
      for (const path of filesBelow(home.path)) {
        assertHidden(path, "the name of a file");
        assertHidden(Buffer.from(Deno.readFileSync(path)).toString("latin1"), path);
      }
    },
    [Symbol.dispose]() {
      home[Symbol.dispose]();
      removeFolder(outside);
    },
  };
}

/** A session in which all of them stand in every field that holds a text. */
async function worked({ event, use, project }: Stage): Promise<void> {
  const path = join(project, GITHUB, "notes <private>okonjima</private>.md");
  await event("SessionStart", { source: "startup", model: ALL });
  await event("UserPromptSubmit", { prompt: `${PLAIN}\n${ALL}`, session_title: ALL });
  await event("UserPromptSubmit", { prompt: `<private>okonjima\n${ALL}` });
  await use("Write", {
    tool_input: { file_path: path, content: `${PLAIN} of the file\n${ALL}` },
    tool_response: { type: "create", filePath: path, content: ALL, structuredPatch: [] },
  });
  await use("Edit", {
    tool_input: { file_path: join(project, "a.ts"), old_string: ALL, new_string: QUOTED },
    tool_response: {
      filePath: join(project, "a.ts"),
      originalFile: `first\n${ALL}\nlast`,
      structuredPatch: [{
        oldStart: 1,
        oldLines: 1,
        newStart: 1,
        newLines: 1,
        lines: [
          ...ALL.split("\n").map((line) => `-${line}`),
          ...ALL.split("\n").map((l) => `+${l}`),
        ],
      }],
    },
  });
  // A value alone, which only the file around it tells to be a secret, and what takes its place.
  const change = { file_path: join(project, ".env"), old_string: "Numbat4711Burrow" };
  await use("Edit", {
    tool_input: { ...change, new_string: "Dunnart66Thicket" },
    tool_response: {
      oldString: change.old_string,
      newString: "Dunnart66Thicket",
      originalFile: "A=1\nDB_PASSWORD=Numbat4711Burrow\n",
      structuredPatch: [{
        oldStart: 2,
        oldLines: 1,
        newStart: 2,
        newLines: 1,
        lines: ["-DB_PASSWORD=Numbat4711Burrow", "+DB_PASSWORD=Dunnart66Thicket"],
      }],
    },
  });
  await use("Bash", {
    tool_input: { command: `cat <<'X'\n${ALL}\nX`, description: ALL },
    tool_response: { stdout: `${PLAIN}\n${ALL}`, stderr: QUOTED },
  });
  await use("Bash", {
    tool_input: { command: `git commit -m "${ALL}"` },
    tool_response: { stdout: `[main 1a2b3c4] ${GITHUB} ${PLAIN}\n 1 file changed`, stderr: "" },
  });
  await use("Bash", {
    tool_input: { command: "deno test" },
    error: `Exit code 1\nerror: ${GITHUB} is not defined\n${ALL}`,
  });
  await use("WebFetch", {
    tool_input: { url: `https://example/${GITHUB}`, prompt: ALL },
    tool_response: { result: QUOTED, code: 200 },
  });
  await use("mcp__mock__ask", {
    tool_input: { path, question: ALL, deep: { text: QUOTED, password: "Numbat4711Burrow" } },
    tool_response: [{ type: "text", text: ALL }],
  });
  await use("TodoWrite", {
    tool_input: { todos: [{ content: ALL, status: "pending", activeForm: ALL }] },
    tool_response: { newTodos: [{ content: ALL }] },
  });
  await use("ExitPlanMode", { tool_input: { plan: ALL }, tool_response: { plan: ALL } });
  await use("AskUserQuestion", {
    tool_input: { questions: [{ question: ALL, options: [{ label: ALL }] }] },
    tool_response: { answers: { [ALL]: ALL } },
  });
  await use("Agent", {
    tool_input: { prompt: ALL, description: ALL, subagent_type: "Explore" },
    tool_response: { status: "completed", content: [{ type: "text", text: ALL }] },
  });
  await use("Read", { tool_input: { file_path: path }, error: `File not found: ${path} ${ALL}` });
  await event("SubagentStart", { agent_id: "a1", agent_type: GITHUB });
  await event("SubagentStop", { agent_id: "a1", agent_type: GITHUB, last_assistant_message: ALL });
  await event("Notification", { message: ALL, title: ALL, notification_type: "idle_prompt" });
  await event("PostCompact", { trigger: "manual", compact_summary: `<summary>${ALL}</summary>` });
  await event("Stop", { stop_hook_active: false, last_assistant_message: `${PLAIN}\n${ALL}` });
  await event("SessionEnd", { reason: ALL });
  await event("Drain", {});
}

Deno.test("secrets of a session stand in no byte of what hooks keep, and in nothing that is asked", async () => {
  using place = stage(`feature/${GITHUB}`);
  await worked(place);
  assert.equal((await place.run(["queue", "drain"])).code, 0);
  await place.search();
  const found = await place.run(["memory", "search", PLAIN, "--json"]);
  assert.match(found.stdout, /wombat/);
  const ids = query(place.home, "SELECT id FROM observations").map(({ id }) => String(id));
  assert.ok(ids.length > 12, `${ids.length} observations`);
  for (const id of ids) await place.run(["memory", "show", id, "--json"]);
  await place.run(["memory", "timeline", "a.ts", "--json"]);
  await place.run(["memory", "timeline", ids[0]!]);
  const context = await place.event("SessionStart", { source: "startup" }, NEXT);
  assert.match(context.stdout, /wombat|deno test/);
  const recalled = await place.event("UserPromptSubmit", { prompt: `What of ${PLAIN}?` }, NEXT);
  assert.match(recalled.stdout, /wombat/);
  await place.event("PreToolUse", {
    tool_name: "Edit",
    tool_use_id: "toolu_next",
    tool_input: { file_path: join(place.project, "a.ts"), old_string: "a", new_string: "b" },
  }, NEXT);
  for (const args of [["doctor", "--json"], ["status", "--json"], ["memory", "eval", "--self"]]) {
    await place.run(args);
  }
  for (const args of [["session", "show", SESSION, "--json"], ["audit", "list", "--json"]]) {
    await place.run(args);
  }
  await place.run(["export", "--output", join(place.home.path, "out.jsonl")]);
  await place.run(["db", "backup", join(place.home.path, "backup.db")]);
  await place.search();
});

const test = testWith(stage);

test("secrets stand in no byte when the database cannot be written, nor when the payload is damaged", async (place) => {
  await place.event("SessionStart", { source: "startup" });
  using lock = held(place.home.database, "BEGIN EXCLUSIVE");
  await place.event("UserPromptSubmit", { prompt: ALL });
  await place.use("Bash", { tool_input: { command: ALL }, tool_response: { stdout: QUOTED } });
  assert.ok(filesBelow(join(place.home.path, ".conclaude", "spool")).length >= 2);
  for (const path of filesBelow(place.home.path)) {
    assertHidden(Buffer.from(Deno.readFileSync(path)).toString("latin1"), path);
  }
  lock.release();
  const whole = JSON.stringify({ session_id: SESSION, prompt: ALL, cwd: place.project });
  for (const damaged of [whole.slice(0, -2), whole.slice(0, whole.length / 2), ALL, `[${whole}]`]) {
    const { stdout, stderr, code } = await hook("UserPromptSubmit", damaged, place.home, {
      cwd: place.project,
    });
    assert.equal(code, 0);
    assertHidden(stdout + stderr, "what a hook says of a damaged payload");
  }
  assert.equal((await place.run(["queue", "drain"])).code, 0);
  assert.ok(query(place.home, "SELECT 1 FROM pending_queue").length >= 2);
  await place.search();
});

test("secrets stand in no byte of what is remembered by hand, or taken over from elsewhere", async (place) => {
  await place.event("SessionStart", { source: "startup" });
  await place.run(["memory", "remember", `${PLAIN} ${ALL}`, "--file", `src/${GITHUB}.ts`]);
  await place.run(["memory", "remember", "<private>okonjima</private>"]);
  const claudeMem = join(place.outside, "claude-mem.db");
  const db = makeClaudeMem(claudeMem);
  const ids = { content_session_id: "c-1", memory_session_id: "m-1", project: "app" };
  addRow(db, "sdk_sessions", ids);
  addRow(db, "observations", {
    memory_session_id: "m-1",
    project: "app",
    type: "bugfix",
    title: ALL,
    narrative: QUOTED,
    facts: JSON.stringify([ALL]),
    files_modified: JSON.stringify([`/x/${GITHUB}.ts`]),
  });
  addRow(db, "user_prompts", { content_session_id: "c-1", prompt_number: 1, prompt_text: ALL });
  db.close();
  assert.equal((await place.run(["import", "claude-mem", claudeMem])).code, 0);
  const transcripts = join(place.outside, "transcripts");
  Deno.mkdirSync(transcripts);
  Deno.writeTextFileSync(join(transcripts, "s.jsonl"), transcript(place.project));
  await place.run(["reconcile", "--backfill", "--transcripts", transcripts]);
  assert.equal(query(place.home, "SELECT 1 FROM pending_queue WHERE tool_name = 'Bash'").length, 1);
  const file = join(place.outside, "export.jsonl");
  Deno.writeTextFileSync(file, await exported(place));
  assert.equal((await place.run(["import", file])).code, 0);
  assert.equal((await place.run(["queue", "drain"])).code, 0);
  assert.match((await place.run(["memory", "search", PLAIN])).stdout, /wombat/);
  await place.search();
});

/** A session as Claude Code writes it down. */
function transcript(cwd: string): string {
  const common = { cwd, sessionId: "trans", gitBranch: GITHUB };
  const use = {
    tool_name: "Bash",
    tool_input: { command: ALL },
    tool_response: { stdout: QUOTED, stderr: ALL, interrupted: false },
  };
  return jsonLines([
    {
      ...common,
      isSidechain: false,
      type: "user",
      uuid: "u1",
      timestamp: "2026-01-05T00:00:01.000Z",
      message: { role: "user", content: `${PLAIN}\n${ALL}` },
    },
    ...toolUseLines({ id: "toolu_t1", atMs: Date.UTC(2026, 0, 5, 0, 0, 2), use }, common),
  ]);
}

/** The own export, its texts replaced by what another program might have put there. */
async function exported({ run }: Stage): Promise<string> {
  const { stdout } = await run(["export"]);
  const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const observation = lines.find(({ type, kind }) => type === "observation" && kind === "note");
  const capture = lines.find(({ type }) => type === "capture");
  assert.ok(observation && capture);
  const added = [
    { ...observation, id: 900, uid: "other", sameAs: null, title: ALL, text: ALL, terms: ALL },
    {
      ...observation,
      id: 902,
      uid: "paths",
      sameAs: null,
      branch: GITHUB,
      files: [`src/${GITHUB}.ts`],
      observed_files: [{ path: `src/${GITHUB}.ts`, digest: null }],
    },
    { ...observation, id: 901, uid: "more", sameAs: null, facts: { error: ALL, open: [ALL] } },
    { ...capture, id: "0198f0e1-0000-7000-8000-00000000dddd", payload: { prompt: ALL } },
  ];
  const end = { ...lines.at(-1) };
  end.observations += 3;
  end.captures += 1;
  return jsonLines([...lines.slice(0, -1), ...added, end]);
}

test("no half of a secret is left where a payload is capped, or an output shortened to head and tail", async (place) => {
  configureUser(place.home, CONFIG.replace("1048576", "4096"));
  // At whatever place it is cut, it goes through one of these.
  const tokens = (shift: number, count = 400) => " ".repeat(shift) + `${GITHUB} `.repeat(count);
  for (let shift = 0; shift < 44; shift += 9) {
    const stdout = tokens(shift);
    await place.use("Bash", { tool_input: { command: `c ${shift}` }, tool_response: { stdout } });
    await place.use("Bash", {
      tool_input: { command: `d ${shift}` },
      error: `Exit code 1\n${tokens(shift, 80)}`,
    });
    await place.use("mcp__mock__x", {
      tool_input: { text: tokens(shift, 60) },
      tool_response: tokens(shift),
    });
  }
  const key = `-----BEGIN PRIVATE KEY-----\n${`${KEY_LINES.join("\n")}\n`.repeat(200)}`;
  await place.use("Bash", { tool_input: { command: "k" }, tool_response: { stdout: key } });
  await place.event("UserPromptSubmit", { prompt: `<private>${"okonjima ".repeat(2_000)}` });
  await place.run(["queue", "drain"]);
  await place.search();
});

test("a secret that colours take apart is not put together again, nor kept apart", async (place) => {
  const coloured = [
    `\x1b[01;31m\x1b[Kghp_\x1b[m\x1b[K${GITHUB.slice(4)}`,
    `${GITHUB.slice(0, 20)}\x1b[1m${GITHUB.slice(20)}`,
    `ACME-47119\x1b[32m90815\x1b[0m`,
    `\x1b]8;;https://x\x07${GITHUB.slice(0, 9)}\x1b]8;;\x07${GITHUB.slice(9)}`,
  ];
  for (const stdout of coloured) {
    await place.use("Bash", {
      tool_input: { command: "grep --color=always x -r ." },
      tool_response: { stdout: `found\n${stdout}\n${PLAIN} \x1b[32mgreen\x1b[0m`, stderr: "" },
    });
  }
  await place.event("Stop", { stop_hook_active: false, last_assistant_message: coloured.join() });
  await place.search();
  await place.run(["queue", "drain"]);
  await place.search();
  assert.match((await place.run(["memory", "search", PLAIN])).stdout, /wombat/);
});

test("what is made of an old capture goes by the patterns of now, also where its output is shortened", async (place) => {
  configureUser(place.home, CONFIG.replace("ACME-[0-9]+", "NOBODY-[0-9]+"));
  for (let shift = 0; shift < 16; shift += 3) {
    const stdout = " ".repeat(shift) + "ACME-4711990815 ".repeat(300);
    const event = { tool_name: "Bash", tool_use_id: `toolu_p${shift}`, cwd: place.project };
    await hook("PostToolUse", {
      ...event,
      session_id: SESSION,
      tool_input: { command: `echo ${shift}` },
      tool_response: { stdout, stderr: "" },
    }, place.home);
  }
  configureUser(place.home, CONFIG);
  await place.event("Drain", {});
  const rows = query(place.home, "SELECT title, text, terms, facts FROM observations");
  assert.ok(rows.length >= 6);
  for (const row of rows) {
    assert.doesNotMatch(JSON.stringify(row), /4711|990815/);
    assert.match(String(row["text"]), /\[redacted:custom\]|Asked|Done/);
  }
});

test("what is masked once stays as it is when it is masked again", async (place) => {
  await place.event("SessionStart", { source: "startup" });
  await place.use("Bash", {
    tool_input: { command: "env" },
    tool_response: { stdout: `${PLAIN}\n${ALL}`, stderr: QUOTED },
  });
  const payload = () => query(place.home, "SELECT payload FROM pending_queue")[0]!["payload"];
  const first = payload();
  const file = join(place.outside, "export.jsonl");
  await place.run(["export", "--output", file]);
  using other = stage();
  assert.equal((await other.run(["import", file])).code, 0);
  assert.equal(query(other.home, "SELECT payload FROM pending_queue")[0]!["payload"], first);
  await place.run(["queue", "drain"]);
  await other.run(["queue", "drain"]);
  const texts = (home: TempHome) =>
    query(home, "SELECT title, text, terms FROM observations WHERE kind <> 'summary'");
  assert.deepEqual(texts(other.home), texts(place.home));
  for (const { text } of texts(place.home)) {
    assert.doesNotMatch(String(text), /\[redacted:[a-z-]*\[|redacted:redacted|\]\]/);
  }
});

test("what stands behind a NUL is found, shown, exported and taken in again", async (place) => {
  await place.event("SessionStart", { source: "startup" });
  await place.event("UserPromptSubmit", { prompt: "numbat\0bilbies of the prompt" });
  await place.use("Bash", {
    tool_input: { command: "cat burrow" },
    tool_response: { stdout: "numbat\0quolls of the output", stderr: "" },
  });
  await place.use("Bash", {
    tool_input: { command: "dig" },
    error: "Exit code 1\nerror: numbat\0potoroos of the error",
  });
  await place.run(["queue", "drain"]);
  const file = join(place.outside, "nul.jsonl");
  await place.run(["export", "--output", file]);
  using other = stage();
  await other.run(["import", file]);
  for (const { home, run } of [place, other]) {
    const rows = query(home, "SELECT id, title || ' ' || text AS said FROM observations");
    for (const word of ["bilbies", "quolls", "potoroos"]) {
      const row = rows.find(({ said }) => String(said).includes(`numbat ${word} of the`));
      assert.ok(row, `${word} in ${JSON.stringify(rows)}`);
      assert.match((await run(["memory", "show", String(row["id"])])).stdout, new RegExp(word));
      assert.match((await run(["memory", "search", word])).stdout, new RegExp(word));
    }
  }
  assert.deepEqual(
    query(place.home, "SELECT 1 FROM observations WHERE instr(text, char(0)) > 0"),
    [],
  );
});
