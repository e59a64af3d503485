/** `conclaude usage`: what drains keep of the tokens in transcripts. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { filesBelow, query } from "../support/look.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { PROJECT, putTranscripts, transcriptsOf } from "../support/transcripts.ts";
import { json, run } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";
import { configureUser } from "../support/on_home.ts";

const test = testWith(tempHome);

const SESSION = "0b9312b2-b577-45f9-8cef-c3f687cfff01";
const KINDS = ["messages", "input", "output", "cacheRead", "cacheWrite"] as const;

/** One record of a message. @param n Names the message, and its minute. */
function record(
  n: number,
  output: number,
  { model = "claude-one-1", ...fields }: Readonly<Record<string, unknown>> = {},
) {
  const usage = {
    input_tokens: 10,
    output_tokens: output,
    cache_read_input_tokens: 1_234_567,
    cache_creation_input_tokens: 2_000,
  };
  const content = [{ type: "text", text: `Message ${n}` }];
  return JSON.stringify({
    type: "assistant",
    uuid: `u-${n}-${output}`,
    requestId: `req_${n}`,
    sessionId: SESSION,
    cwd: PROJECT,
    isSidechain: false,
    timestamp: new Date(Date.UTC(2026, 9, 1, 12, n)).toISOString(),
    message: { id: `msg_${n}`, role: "assistant", model, content, stop_reason: "end_turn", usage },
    ...fields,
  }) + "\n";
}

function write(home: TempHome, text: string, name = `${SESSION}.jsonl`): string {
  const path = join(transcriptsOf(home), "-home-ana-app", name);
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, text);
  return path;
}

/** Takes the transcripts of a home in, so that their sessions are known, and drains. */
async function takeIn(home: TempHome): Promise<void> {
  assert.equal((await run(home, "import", "transcripts", transcriptsOf(home))).code, 0);
  assert.equal((await run(home, "queue", "drain")).code, 0);
}

/** Drains after an event of the session, which says that its transcript has grown. */
async function drain(home: TempHome): Promise<void> {
  const event = { session_id: SESSION, cwd: home.path, prompt: "go on" };
  await hook("UserPromptSubmit", event, home);
  assert.equal((await run(home, "queue", "drain")).code, 0);
}

async function rowsBy(home: TempHome, by: string, ...flags: string[]) {
  const { rows, total } = await json(home, "usage", "--by", by, ...flags);
  const named = rows.map((row: Record<string, unknown>) => [row["name"], row["output"]]);
  return { rows: Object.fromEntries(named), total };
}

test("usage counts each message once, sub-agents for their session and repeated lines for the session they are of", async (home) => {
  // The recordings share the ids of their requests, which Claude Code's own never do.
  for (const name of ["work", "tools", "refused", "forked"] as const) {
    putTranscripts(home, [name], (text) => text.replaceAll("req_01ana", `req_${name}`));
  }
  await takeIn(home);
  const last = new Map<string, { readonly session: string; readonly tokens: number[] }>();
  for (const path of filesBelow(transcriptsOf(home))) {
    for (const line of Deno.readTextFileSync(path).trim().split("\n")) {
      const { message, requestId, requestSessionId, sessionId } = JSON.parse(line);
      if (message?.usage === undefined || message.model === "<synthetic>") continue;
      const { input_tokens, output_tokens, cache_read_input_tokens = 0 } = message.usage;
      const written = message.usage.cache_creation_input_tokens ?? 0;
      last.set(`${message.id}/${requestId}`, {
        session: requestSessionId ?? sessionId,
        tokens: [1, input_tokens, output_tokens, cache_read_input_tokens, written],
      });
    }
  }
  const sums: Record<string, number[]> = {};
  for (const { session, tokens } of last.values()) {
    sums[session] = tokens.map((n, i) => n + (sums[session]?.[i] ?? 0));
  }
  const { rows } = await json(home, "usage", "--by", "session");
  assert.ok(Object.keys(sums).length > 2);
  assert.deepEqual(
    Object.fromEntries(rows.map((row: Record<string, unknown>) => [
      row["name"],
      KINDS.map((kind) => row[kind]),
    ])),
    sums,
  );
  const agents = await rowsBy(home, "agent");
  assert.deepEqual(Object.keys(agents.rows).sort(), ["general-purpose", "main"]);
});

test("a drain reads of a transcript what is new, and another file in its place from the beginning", async (home) => {
  const filler = JSON.stringify({ type: "system", text: "x".repeat(2_000) }) + "\n";
  const path = write(home, record(1, 5) + record(1, 100) + filler + record(2, 30));
  await takeIn(home);
  const output = async () => (await rowsBy(home, "day")).total.output;
  assert.equal(await output(), 130, "the last record of a message counts");
  const read = () => query(home, "SELECT bytes FROM read_transcripts")[0]!["bytes"];
  assert.equal(read(), Deno.statSync(path).size);
  // What was read before is not read again: here it says something else.
  const old = record(1, 6) + record(1, 999) + filler + record(2, 30);
  write(home, old + record(2, 40) + record(3, 1));
  await drain(home);
  assert.equal(await output(), 141);
  write(home, old + record(2, 40) + record(3, 1) + record(4, 7).slice(0, 300));
  await drain(home);
  assert.equal(await output(), 141, "half a line waits");
  write(home, old + record(2, 40) + record(3, 1) + record(4, 7));
  await drain(home);
  assert.equal(await output(), 148);
  write(home, record(5, 1000));
  await drain(home);
  assert.equal(await output(), 1148, "it is shorter, so it is another one");
  write(home, record(6, 2000) + record(7, 3000));
  await drain(home);
  assert.equal(await output(), 6148, "it is longer, and still another one");
  Deno.removeSync(path);
  await drain(home);
  assert.equal(await output(), 6148, "the count outlives the transcript");
});

test("sub-agents of every depth are counted, in files of their own and in that of the session", async (home) => {
  write(home, record(1, 1) + record(2, 10, { isSidechain: true }));
  const agent = { isSidechain: true, agentId: "a1", attributionAgent: "Explore" };
  write(home, record(3, 100, agent), `${SESSION}/subagents/agent-a1.jsonl`);
  write(home, record(4, 1000, agent), `${SESSION}/subagents/deep/agent-a2.jsonl`);
  await takeIn(home);
  assert.deepEqual((await rowsBy(home, "agent")).rows, {
    Explore: 1100,
    "sub-agent": 10,
    main: 1,
  });
  assert.deepEqual((await rowsBy(home, "session")).rows, { [SESSION]: 1111 });
  assert.deepEqual((await rowsBy(home, "project")).rows, { [PROJECT]: 1111 });
});

test("usage --since and --until narrow it, and --limit says what it leaves out", async (home) => {
  const day = (n: number) => ({ timestamp: `2026-10-0${n}T12:00:00.000Z` });
  write(home, [1, 2, 3, 4].map((n) => record(n, 10 ** n, day(n))).join(""));
  await takeIn(home);
  const between = ["--since", "2026-10-02", "--until", "2026-10-04"];
  assert.deepEqual((await rowsBy(home, "day", ...between)).rows, {
    "2026-10-02": 100,
    "2026-10-03": 1000,
  });
  const { stdout } = await run(home, "usage", "--limit", "1");
  assert.match(stdout, /^DAY .*\n2026-10-04 .*\ntotal +4 .*\n… and 3 more, .* --limit\n$/);
  assert.equal(
    (await run(home, "usage", "--since", "1h")).stdout,
    "No tokens were used in that time.\n",
  );
});

test("usage tells the cost of models that have a price, by the exact name first, and names the others", async (home) => {
  const models = ["claude-one-1", "claude-one-2", "claude-two"];
  write(home, models.map((model, n) => record(n, 1_000_000, { model })).join(""));
  await takeIn(home);
  assert.ok(!(await run(home, "usage")).stdout.includes("COST"));
  configureUser(
    home,
    "usage:\n  prices:\n" +
      "    claude-one*: { input: 0, output: 2.5, cacheRead: 0, cacheWrite: 0 }\n" +
      "    claude-one-2: { input: 100000, output: 0, cacheRead: 0, cacheWrite: 500 }\n",
  );
  const { rows, total, unpriced } = await json(home, "usage", "--by", "model");
  const costs = rows.map((row: Record<string, unknown>) => [row["name"], row["cost"]]);
  assert.deepEqual(Object.fromEntries(costs), {
    "claude-one-1": 2.5,
    "claude-one-2": 2,
    "claude-two": null,
  });
  assert.deepEqual([total.cost, unpriced], [4.5, ["claude-two"]]);
  const { stdout } = await run(home, "usage", "--by", "model");
  assert.match(stdout, /^total +3 +30 +3\.0M +3\.7M +6\.0k +\$4\.50\nno price: claude-two\n$/m);
});

test("every line of usage fits 80 columns, however long the names are", async (home) => {
  const cwd = `/home/ana/${"a-long-folder/".repeat(12)}app`;
  write(home, record(1, 999_999, { model: `claude-${"x".repeat(90)}`, cwd }));
  await takeIn(home);
  await hook("UserPromptSubmit", { session_id: SESSION, cwd, prompt: "Say it ".repeat(40) }, home);
  for (const by of ["day", "session", "project", "model", "agent"]) {
    const env = { HOME: home.path, COLUMNS: "80" };
    const { stdout } = await runProgram(["usage", "--by", by], { env });
    assert.match(stdout, /^total .* 1\.0M/m);
    assert.equal(/^ {4}Say it Say it .*…/m.test(stdout), by === "session", stdout);
    for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
  }
});

test("usage without any tokens says where they come from", async (home) => {
  const { stdout, code } = await run(home, "usage");
  assert.equal(code, 0);
  assert.match(
    stdout,
    /counts them from Claude Code's transcripts\.\nTo count .*: conclaude queue drain\n$/,
  );
});

test("memory forget removes the tokens of a session, and no drain counts them again", async (home) => {
  const text = record(1, 5) + record(2, 30);
  write(home, text);
  await takeIn(home);
  const forgotten = await run(home, "memory", "forget", "--session", SESSION, "--yes");
  assert.equal(forgotten.code, 0, forgotten.stderr);
  assert.equal((await rowsBy(home, "day")).total.messages, 0);
  // Something else stands where it was read to, so it is read anew.
  write(home, text.trimEnd() + " \n");
  await drain(home);
  assert.equal((await rowsBy(home, "day")).total.messages, 0);
});

test("an export carries tokens, and retention removes those that are old", async (home) => {
  write(home, record(1, 5) + record(2, 30, { timestamp: new Date().toISOString() }));
  await takeIn(home);
  const file = join(home.path, "all.jsonl");
  await run(home, "export", "--output", file);
  using other = tempHome();
  assert.equal((await run(other, "import", file)).code, 0);
  assert.deepEqual(await json(other, "usage"), await json(home, "usage"));
  configureUser(home, "memory: { retentionDays: 7 }\n");
  assert.equal((await json(home, "retention", "run")).removed.tokenUse, 1);
  assert.equal((await rowsBy(home, "day")).total.output, 30);
});

test("the drain after a turn counts what the session used, in an excluded folder too, and keeps no text of it", async (home) => {
  const project = join(home.path, "hidden-folder");
  Deno.mkdirSync(join(home.path, ".conclaude"), { recursive: true });
  Deno.mkdirSync(project);
  configureUser(home, `capture: { exclude: { projects: ["${project}"] } }\n`);
  const transcript_path = write(home, record(1, 5));
  const common = { session_id: SESSION, transcript_path, cwd: project };
  const options = { cwd: project, env: { CLAUDE_PROJECT_DIR: project } };
  await hook("SessionStart", { ...common, source: "startup" }, home, options);
  await hook("Stop", common, home, options);
  await hook("Drain", { ...common, hook_event_name: "Stop" }, home, options);
  const [row, ...others] = query(home, "SELECT * FROM token_use");
  assert.deepEqual(others, []);
  const texts = Object.values(row!).filter((value) => typeof value === "string").slice(1);
  assert.deepEqual(texts, [SESSION, project, "main", "claude-one-1"]);
  assert.equal((await rowsBy(home, "session")).total.output, 5);
});
