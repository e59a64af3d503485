/** What was forgotten is in no byte any more: the real program on a session with a telling word in everything. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { quoteWord } from "../../../src/claude/settings/hooks.ts";
import { spoolRecord, spoolSuffix } from "../../../src/db/spool.ts";
import { integrityFaults } from "../../../src/upkeep/care/care_table.ts";
import { isForgotten } from "../../../src/upkeep/forget/stay_away_table.ts";
import { checkIndex } from "../../../src/memory/search/memory_index_table.ts";
import { programCommand } from "../../../src/build/program.ts";
import {
  countRows,
  filesBelow,
  isThere,
  latin1,
  query,
  queryValue,
  type Row,
} from "../../support/look.ts";
import { closeDatabase, spoil } from "../../support/spoilt.ts";
import { PAGE_BYTES, pagesOf } from "../../support/worked_database.ts";
import { addToken } from "../../support/person.ts";
import {
  hook,
  jsonOf,
  type RunOptions,
  runProgram,
  type TempHome,
  tempHome,
} from "../../support/program.ts";
import { testWith } from "../../support/fixtures.ts";
import { hookRecord, type RecordFacts } from "../../support/records.ts";

const WORD = "Zanzibar-Quux";
const SESSION = "0198f0e1-0000-7000-8000-00000000a001";
const OTHER = "0198f0e1-0000-7000-8000-00000000b002";
const FILLER = Array.from({ length: 40 }, (_, n) => `line ${n} of the output`).join("\n");

interface Stage extends TempHome {
  readonly project: string;
  readonly run: (...args: string[]) => ReturnType<typeof runProgram>;
  readonly json: Asking;
  /** Forgets what is asked for, or says what it would forget; and verifies a receipt. */
  readonly forget: Asking;
  readonly preview: Asking;
  readonly verify: Asking;
}

// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
type Asking = (...args: string[]) => Promise<any>;

function stage(folder = "app"): Stage {
  const home = tempHome();
  const project = join(home.path, folder);
  Deno.mkdirSync(project);
  const run = (...args: string[]) => runProgram(args, { cwd: project, env: { HOME: home.path } });
  const json = async (...args: string[]) => jsonOf(await run(...args, "--json"));
  return Object.assign(home, {
    project,
    run,
    json,
    forget: (...asked: string[]) => json("memory", "forget", ...asked, "--yes"),
    preview: (...asked: string[]) => json("memory", "forget", ...asked, "--dry-run"),
    verify: (...asked: string[]) => json("memory", "verify", ...asked),
  });
}

async function event(
  place: Stage,
  name: string,
  fields: object,
  session = SESSION,
  options: RunOptions = {},
): Promise<void> {
  const usual = { session_id: session, hook_event_name: name, cwd: place.project };
  const payload = { ...usual, transcript_path: join(place.path, "t.jsonl"), ...fields };
  const { code, stderr } = await hook(name, payload, place, { cwd: place.project, ...options });
  assert.equal(code, 0, stderr);
}

let uses = 0;

async function use(place: Stage, toolName: string, fields: object, session = SESSION) {
  const id = `toolu_${++uses}`;
  const common = { tool_name: toolName, tool_use_id: id };
  await event(place, "PreToolUse", { ...common, ...fields }, session);
  await event(place, "error" in fields ? "PostToolUseFailure" : "PostToolUse", {
    ...common,
    ...fields,
  }, session);
}

/** A command ran and printed something. */
const bash = (place: Stage, command: string, stdout: string, session = SESSION) =>
  use(place, "Bash", { tool_input: { command }, tool_response: { stdout, stderr: "" } }, session);

async function drain(place: Stage): Promise<void> {
  assert.equal((await place.run("queue", "drain")).code, 0);
}

/** A session that holds the word in a prompt, an edit, an output, a commit, a todo and an error; and one without it. */
async function worked(place: Stage, word = WORD): Promise<void> {
  await event(place, "SessionStart", { source: "startup" });
  await event(place, "UserPromptSubmit", { prompt: `Please rename ${word.toUpperCase()} at last` });
  await use(place, "Edit", {
    tool_input: {
      file_path: join(place.project, "names.ts"),
      old_string: "const a = 1;",
      new_string: `const name = "${word}";\n// \\${word} é/"${word}"`,
    },
    tool_response: { filePath: "names.ts" },
  });
  await bash(place, "make names", `${FILLER}\nfound ${word} twice\n${FILLER}`);
  await bash(
    place,
    `git commit -m "Add ${word} to the names"`,
    `[main 1a2b3c4] Add ${word} to the names\n 1 file changed`,
  );
  await use(place, "TodoWrite", {
    tool_input: {
      todos: [{ content: `Explain ${word}`, status: "in_progress", activeForm: "x" }],
    },
    tool_response: {},
  });
  await use(place, "Bash", {
    tool_input: { command: "deno test" },
    error: `error: ${word} is not defined\n${FILLER}`,
  });
  await use(place, "Write", {
    tool_input: { file_path: join(place.project, "kept.ts"), content: "export const kept = 1;\n" },
    tool_response: { type: "create" },
  }, OTHER);
  await drain(place);
}

/** Files below a folder in whose bytes a word stands, in letters of either case; the transcripts left out. */
function holding(folder: string, word = WORD): string[] {
  return filesBelow(folder).filter((path) =>
    latin1(Deno.readFileSync(path)).toLowerCase().includes(word.toLowerCase())
  );
}

/** Lets a record wait in the spool that belongs to no session row. */
function spool(place: Stage, facts: RecordFacts): void {
  const folders = [join(place.path, ".conclaude", "spool")];
  spoolRecord({ ...hookRecord(facts), session: null }, { database: place.database, folders });
}

function look<Result>(place: Stage, ask: (db: DatabaseSync) => Result): Result {
  using db = new DatabaseSync(place.database);
  return ask(db);
}

function assertSound(place: Stage): void {
  look(place, (db) => {
    assert.deepEqual(integrityFaults(db, "full"), []);
    assert.deepEqual(checkIndex(db), []);
  });
}

/** What payloads say, unpacked: compressed bytes show no word. */
async function exported(place: Stage): Promise<string> {
  const { stdout } = await place.run("export");
  return stdout.toLowerCase();
}

/** What `doctor` says of forgetting that is not done. */
async function forgettingIn(place: Stage) {
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
  return (await place.json("doctor")).checks.filter(({ name }: any) => name === "forgetting");
}

const test = testWith(stage);

test("memory forget --text leaves the text in no byte, no table and no export, and verify says so later", async (place) => {
  await worked(place);
  assert.ok(holding(place.path).length > 0);
  assert.ok((await exported(place)).includes(WORD.toLowerCase()));
  const preview = await place.preview("--text", WORD.toLowerCase());
  assert.equal(preview.receipt, null);
  assert.ok(preview.wouldRemove.captures >= 5, JSON.stringify(preview));
  const before = countRows(place, "observations");
  const { receipt, left, copies } = await place.forget("--text", WORD);
  assert.deepEqual([left, copies], [[], []]);
  assert.equal(receipt.removed.captures, preview.wouldRemove.captures);
  assert.ok(receipt.removed.observations >= 5);
  assert.deepEqual(holding(place.path), []);
  assert.doesNotMatch(await exported(place), new RegExp(WORD, "i"));
  assertSound(place);
  assert.ok(countRows(place, "observations") >= 1 && countRows(place, "observations") < before);
  assert.deepEqual(
    query(place, "SELECT title FROM sessions WHERE title IS NOT NULL"),
    [],
    "the session is no longer called after its prompt",
  );
  const good = await place.verify(receipt.id, "--text", ` ${WORD.toUpperCase()} `);
  assert.deepEqual([good.ok, good.problems], [true, []]);
  assert.equal((await place.run("memory", "verify", receipt.id.slice(0, 18))).code, 0);
  assert.deepEqual(holding(place.path), []);
  // What is written later is found again.
  await bash(place, "make names", `${WORD} again`);
  const bad = await place.run("memory", "verify", receipt.id, "--text", WORD);
  assert.equal(bad.code, 1);
  assert.match(
    bad.stdout,
    /hold the text again\n {2}next: conclaude memory forget --text '<the same text>'$/m,
  );
  const other = await place.run("memory", "verify", receipt.id, "--text", "something else");
  assert.match(other.stderr, /it is not the text that was forgotten/);
});

test("memory forget finds a text however it is escaped, and JSON stays JSON", async (place) => {
  const text = 'say "Grüße/ñ"\nin C:\\new';
  await event(place, "UserPromptSubmit", { prompt: `Do ${text} now` });
  await use(place, "Bash", {
    tool_input: { command: "cat it" },
    tool_response: { stdout: `{"inner": ${JSON.stringify(JSON.stringify({ text }))}}`, stderr: "" },
  });
  await bash(place, "echo next", "one\next");
  const { left, receipt } = await place.forget("--text", text);
  assert.deepEqual(left, []);
  assert.equal(receipt.removed.captures, 2);
  assert.doesNotMatch(await exported(place), /grüße|gr\\u00fc/);
  assert.deepEqual(
    query(place, "SELECT 1 FROM hook_executions WHERE NOT json_valid(metadata)"),
    [],
  );
  // A new line and `ext` are no `next`.
  const none = await place.forget("--text", "onenext");
  assert.equal(none.receipt, null);
});

test("memory forget by session, id, file, project and time removes that and no more", async (place) => {
  await worked(place);
  const idOf = (kind: string) =>
    queryValue(place, "SELECT id FROM observations WHERE kind = ?", kind);
  const commit = String(idOf("commit"));
  const one = await place.forget(commit);
  assert.equal(one.receipt.removed.captures, 1);
  const commits =
    "SELECT count(*) AS n FROM pending_queue WHERE files_touched IS NOT NULL AND tool_name = 'Bash'";
  assert.equal(queryValue(place, commits), 2);
  assert.doesNotMatch(await exported(place), /git commit/);
  assert.equal((await place.verify(one.receipt.id)).ok, true);
  const file = await place.forget("--file", "names.ts");
  assert.equal(file.receipt.removed.captures, 1);
  assert.doesNotMatch(await exported(place), /const name =/);
  assert.deepEqual(
    (await place.forget("--file", "names.ts", "--session", OTHER))
      .receipt,
    null,
  );
  const session = await place.forget("--session", SESSION);
  assert.deepEqual(session.left, []);
  assert.deepEqual(holding(place.path), []);
  assert.doesNotMatch(await exported(place), new RegExp(WORD, "i"));
  assert.ok(countRows(place, "observations") > 0, "the other session stays");
  assert.ok(countRows(place, "hook_executions") > 10, "that something happened stays");
  assertSound(place);
  const before = await place.forget("--until", "2020-01-01");
  assert.equal(before.receipt, null);
  const project = await place.forget("--project", ".", "--since", "1h");
  assert.equal(project.receipt.removed.captures, 1);
  assert.equal(countRows(place, "observations") + countRows(place, "pending_queue"), 0);
  assertSound(place);
});

test("memory forget --dry-run names exactly what the receipt names afterwards", async (place) => {
  await worked(place);
  const log = join(place.path, ".conclaude", "conclaude.log");
  Deno.writeTextFileSync(log, `one ${WORD}, two ${WORD}\n`, { append: true });
  const prompt = queryValue(place, "SELECT id FROM observations WHERE kind = 'prompt'");
  for (
    const asked of [
      [String(prompt)],
      ["--file", "names.ts"],
      ["--text", WORD],
      ["--session", SESSION],
      ["--project", "."],
    ]
  ) {
    const { wouldRemove } = await place.preview(...asked);
    const { receipt } = await place.forget(...asked);
    assert.ok(Object.keys(wouldRemove).length > 0, asked.join(" "));
    assert.deepEqual(wouldRemove, receipt.removed, asked.join(" "));
    if (asked[0] === String(prompt)) assert.equal(wouldRemove.sessions, 1, "its title goes");
    if (asked[0] === "--text") assert.equal(wouldRemove.logs, 2);
    if (asked[0] === "--session") assert.ok(wouldRemove.hook_executions > 0);
  }
});

test("memory forget --dry-run changes no byte, and nothing is forgotten without a yes", async (place) => {
  await worked(place);
  addToken(place.database);
  const bytes = () =>
    ["", "-wal"].map((ending) => place.database + ending).filter(isThere)
      .map((path) => Deno.readFileSync(path).toHex());
  const before = bytes();
  const preview = await place.run("memory", "forget", "--text", WORD, "--dry-run");
  assert.match(preview.stdout, /^Would remove \d+ observations, \d+ captures/);
  const refused = await place.run("memory", "forget", "--text", WORD);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /next: conclaude memory forget --text '<the same text>' --yes$/m);
  for (const wrong of [[], ["--text", "ab"], ["--since", "1h", "--until", "2h"]]) {
    assert.equal((await place.run("memory", "forget", ...wrong, "--yes")).code, 2, wrong.join());
  }
  for (const wrong of [["999999"], ["0198ffff-dead"], ["--session", "feedbeef"]]) {
    const { code, stderr } = await place.run("memory", "forget", ...wrong, "--yes");
    assert.equal(code, 1, wrong.join());
    assert.match(stderr, /Cannot find/);
  }
  const receipt = await place.run("memory", "verify", "0198");
  assert.match(receipt.stderr, /Cannot find the receipt/);
  assert.deepEqual(bytes(), before);
});

test.linux("memory forget asks on a terminal, and a no changes nothing", async (place) => {
  await worked(place);
  const answer = async (text: string) => {
    const words = [...programCommand(), "memory", "forget", "--text", WORD];
    // Somebody who types at a terminal: `script` is one.
    const child = new Deno.Command("script", {
      args: ["-qec", words.map(quoteWord).join(" "), "/dev/null"],
      env: { HOME: place.path },
      cwd: place.project,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(text));
    const { stdout, code } = await child.output();
    await writer.close().catch(() => {});
    return { code, text: new TextDecoder().decode(stdout) };
  };
  const no = await answer("n\n");
  assert.match(no.text, /Remove for good: \d+ observations, \d+ captures[^]*\?/);
  assert.match(no.text, /the answer was no; nothing was changed/);
  assert.equal(no.code, 1);
  assert.ok(holding(place.path).length > 0);
  const yes = await answer("y\n");
  assert.match(yes.text, /Forgot \d+ observations/);
  assert.deepEqual(holding(place.path), []);
});

test("memory forget clears the spool, logs and outputs of agents, and forgets in backups and set-aside databases", async (place) => {
  await worked(place);
  const data = join(place.path, ".conclaude");
  const log = join(data, "conclaude.log");
  Deno.writeTextFileSync(log, `one\n${WORD} in a log\nthree\n`);
  const agent = join(data, "conclaude.agents", "a1");
  Deno.mkdirSync(agent, { recursive: true });
  Deno.writeTextFileSync(join(agent, "output.jsonl"), `{"text":"a ${WORD} b\\n"}\n`);
  const record = query(place, "SELECT id, session_id AS session FROM hook_executions LIMIT 1")[0]!;
  spool(place, {
    id: "0198f0e1-0000-7000-8000-00000000ffff",
    atMs: 5,
    sessionId: String(record["session"]),
    execution: {
      hookName: "Notification",
      toolName: null,
      toolUseId: null,
      metadata: { message: `wait for ${WORD}` },
    },
  });
  const backup = join(data, "backups", "b.db");
  assert.equal((await place.run("db", "backup", backup)).code, 0);
  const [aside, damaged] = [".before-restore-2026-01-02T03-04-05Z", ".damaged-2026-01-02T03-04-05Z"]
    .map((name) => place.database + name) as [string, string];
  Deno.copyFileSync(backup, aside);
  Deno.copyFileSync(backup, damaged);
  Deno.writeFileSync(damaged, new Uint8Array(100).fill(7), { append: false });
  Deno.writeTextFileSync(damaged, `rest of a page: ${WORD}`, { append: true });
  const report = await place.forget("--text", WORD);
  const { receipt, left, copies } = report;
  assert.deepEqual([left, copies], [[], []]);
  assert.deepEqual(report.copiesMadeAnew, [backup, aside]);
  assert.deepEqual(report.copiesRemoved, [damaged]);
  const rowsOf = (path: string) => {
    using db = new DatabaseSync(path);
    assert.deepEqual([...integrityFaults(db, "full"), ...checkIndex(db)], []);
    return Number(db.prepare("SELECT count(*) AS n FROM hook_executions").get()!["n"]);
  };
  assert.ok(rowsOf(backup) > 3);
  assert.deepEqual([receipt.removed.logs, receipt.removed.agentFiles], [1, 1]);
  assert.deepEqual(holding(place.path), []);
  assert.equal((await place.run("db", "restore", backup)).code, 0);
  const verified = await place.run("memory", "verify", receipt.id, "--text", WORD);
  assert.equal(verified.code, 0, verified.stdout);
  assert.equal(Deno.readTextFileSync(log).split("\n")[2], "three");
  assert.equal(
    JSON.parse(Deno.readTextFileSync(join(agent, "output.jsonl"))).text,
    `a ${"*".repeat(WORD.length)} b\n`,
  );
});

test("memory forget names the backups and exports that a person has written elsewhere, while they are there", async (place) => {
  await worked(place);
  const files = ["mine.db", "all.jsonl", "gone.jsonl"].map((name) => join(place.project, name));
  const [backup, exported, gone] = files as [string, string, string];
  for (const args of [["db", "backup", backup], ["export", "--output", "all.jsonl"]]) {
    assert.equal((await place.run(...args)).code, 0);
  }
  assert.equal((await place.run("export", "--output", gone)).code, 0);
  Deno.removeSync(gone);
  const before = [backup, exported].map((path) => Deno.readFileSync(path));
  const [{ id }] = query(place, "SELECT id FROM observations ORDER BY id LIMIT 1") as [Row];
  const byNumber = await place.preview(String(id));
  assert.deepEqual([byNumber.copies, byNumber.copiesThatMay], [[], [backup, exported]]);
  for (const how of ["--dry-run", "--yes"]) {
    const { copies, copiesThatMay } = await place.json("memory", "forget", "--text", WORD, how);
    assert.deepEqual([copies, copiesThatMay], [[backup, exported], []], how);
  }
  assert.deepEqual([backup, exported].map((path) => Deno.readFileSync(path)), before);
});

test("memory forget --dry-run says of a damaged copy what becomes of it", async (place) => {
  await worked(place);
  closeDatabase(place.database);
  const [sound, damaged] = ["01", "02"].map((day) =>
    `${place.database}.before-restore-2026-01-${day}T00-00-00Z`
  );
  for (const path of [sound!, damaged!]) Deno.copyFileSync(place.database, path);
  const [leaf] = pagesOf(damaged!, "observations", "leaf");
  spoil(damaged!, { at: (leaf! - 1) * PAGE_BYTES, length: PAGE_BYTES });
  for (const how of ["--dry-run", "--yes"]) {
    const told = await place.json("memory", "forget", "--text", WORD, how);
    assert.deepEqual([told.copiesMadeAnew, told.copiesRemoved], [[sound], [damaged]], how);
  }
});

test("memory forget names other databases' files in the spool, and takes the text out of its own whatever their ending", async (place) => {
  await worked(place);
  const spool = join(place.path, ".conclaude", "spool");
  Deno.mkdirSync(spool, { recursive: true, mode: 0o700 });
  const own = `0198f0e1-0000-7000-8000-00000000ffff${spoolSuffix(place.database)}.0a1b2c3d.tmp`;
  const others = [".tmp-x", "foreign.json", `a${spoolSuffix("/other.db")}`];
  for (const name of [own, ...others]) Deno.writeTextFileSync(join(spool, name), `{"x":"${WORD}`);
  const named = others.map((name) => join(spool, name)).sort();
  const preview = await place.preview("--text", WORD);
  assert.deepEqual(preview.copies.sort(), named);
  const { left, copies } = await place.forget("--text", WORD);
  assert.deepEqual([left, copies.sort()], [[], named]);
  assert.deepEqual(holding(place.path).sort(), named);
});

test("memory forget takes old copies of rows out of a database that was written without secure_delete", async (place) => {
  await worked(place);
  look(place, (db) => {
    db.exec("PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = 0");
    for (let round = 0; round < 20; round++) {
      db.exec(`UPDATE sessions SET title = '${WORD} ${round} ' || hex(randomblob(${50 * round}))`);
      db.exec(
        `INSERT INTO config_cache VALUES ('/p/${round}', 'h', '${`${WORD} `.repeat(900)}', 1)`,
      );
    }
    db.exec(
      "UPDATE sessions SET title = NULL; DELETE FROM config_cache; DELETE FROM pending_queue",
    );
    db.exec(
      "DELETE FROM observations; DELETE FROM hook_executions; PRAGMA wal_checkpoint(TRUNCATE)",
    );
  });
  assert.ok(holding(place.path).length > 0);
  const { receipt, left } = await place.forget("--text", WORD);
  assert.deepEqual(left, []);
  assert.deepEqual(receipt.removed, { unusedRoom: 1 });
  assert.deepEqual(holding(place.path), []);
  assertSound(place);
});

test("while a reader holds the log, memory forget says what is left, and works when it is gone", async (place) => {
  await worked(place);
  const reader = new DatabaseSync(place.database);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM observations").get();
  const blocked = await place.run("memory", "forget", "--text", WORD, "--yes", "--json");
  assert.equal(blocked.code, 1);
  const { receipt, left } = JSON.parse(blocked.stdout);
  assert.match(left.join(), /fuser -v/);
  assert.equal((await place.run("memory", "verify", receipt.id)).code, 1);
  const still = await place.run("memory", "forget", "--text", WORD, "--yes", "--json");
  assert.equal(still.code, 1);
  const { receipt: second } = JSON.parse(still.stdout);
  reader.close();

  const [told, ...more] = await forgettingIn(place);
  assert.deepEqual(more, []);
  assert.match(
    told.message,
    /could not be done to the end \(receipt \S+\): the write-ahead log may/,
  );
  assert.ok(told.message.includes(second.id));
  assert.ok(!told.message.includes(WORD));
  assert.equal(told.next, "conclaude memory forget --text '<the same text>'");

  const again = await place.forget("--text", WORD);
  assert.deepEqual(again.left, []);
  assert.deepEqual(holding(place.path), []);
  assert.deepEqual(await forgettingIn(place), []);
  for (const { id } of [second, again.receipt]) {
    assert.equal((await place.verify(id, "--text", WORD)).ok, true);
  }
  assertSound(place);
});

test("hooks at work beside memory forget lose nothing, and the database stays sound", async (place) => {
  await worked(place);
  const before = countRows(place, "pending_queue");
  const hooks = Array.from({ length: 24 }, (_, n) =>
    event(
      place,
      "PostToolUse",
      {
        tool_name: "Bash",
        tool_use_id: `toolu_p${n}`,
        tool_input: { command: `echo ${n}` },
        tool_response: { stdout: `innocent ${n} ${"x".repeat(n * 700)}`, stderr: "" },
      },
      OTHER,
      { through: [] },
    ));
  const forgetting = [
    await place.forget("--text", WORD),
    await place.forget("--text", "innocent 7"),
  ];
  await Promise.all(hooks);
  assert.deepEqual(forgetting[0].left, []);
  await place.run("queue", "drain");
  assertSound(place);
  assert.ok(
    countRows(place, "pending_queue") >= before - forgetting[0].receipt.removed.captures + 23,
  );
});

test("memory verify notices what came back, under its name or another, and says what removes it", async (place) => {
  await worked(place);
  const rowsOf = (db: DatabaseSync) =>
    db.prepare("SELECT * FROM observations WHERE kind = 'commit'").get() as unknown as Record<
      string,
      string
    >;
  const commit = look(place, rowsOf);
  const { receipt } = await place.forget(String(commit["id"]));
  look(place, (db) => {
    assert.equal(isForgotten(db, commit["uid"]!), true);
    assert.equal(isForgotten(db, "toolu_of_another"), false);
    const add = db.prepare(
      "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
        "VALUES (?, ?, 'commit', ?, ?, '', 1, 1)",
    );
    for (const uid of [commit["uid"]!, "another-name"]) {
      add.run(uid, commit["session_id"]!, commit["title"]!, commit["text"]!);
    }
    // Another session may have made the same commit, on another branch.
    add.run("of-another-session", "another", commit["title"]!, commit["text"]!);
  });
  const { ok, problems } = await place.verify(receipt.id);
  assert.equal(ok, false);
  assert.match(problems[0].message, /^2 observations are there again$/);
  const again = await place.run(...problems[0].next.split(" ").slice(1));
  assert.equal(again.code, 0, again.stderr);
  assert.equal((await place.verify(receipt.id)).ok, true);
});

/** What every session has. */
async function plainSession(place: Stage, session: string): Promise<void> {
  await event(place, "UserPromptSubmit", { prompt: "continue" }, session);
  await bash(place, "git status", "nothing to commit, working tree clean", session);
  await use(place, "Edit", {
    tool_input: { file_path: join(place.project, "a.ts"), old_string: "q", new_string: "r" },
    tool_response: { filePath: join(place.project, "a.ts") },
  }, session);
  await event(place, "Stop", { stop_hook_active: false, last_assistant_message: "Done." }, session);
  await drain(place);
}

test("the same everyday words in other sessions do not count as having come back, and an import brings them in", async (place) => {
  await plainSession(place, SESSION);
  await plainSession(place, OTHER);
  const chosen = await place.forget("--session", SESSION);
  const left = countRows(place, "observations");
  assert.ok(left >= 3);
  const verified = async (id: string) => {
    const { ok, problems } = await place.verify(id);
    assert.deepEqual([ok, problems], [true, []]);
  };
  await verified(chosen.receipt.id);
  // The session goes on, and does the same once more.
  await plainSession(place, SESSION);
  assert.ok(countRows(place, "observations") > left);
  await verified(chosen.receipt.id);
  const [status, twin] = query(
    place,
    "SELECT id FROM observations WHERE title LIKE '%git status%'",
  );
  assert.ok(twin !== undefined);
  const { receipt } = await place.forget(String(status!["id"]));
  await verified(receipt.id);
  using elsewhere = stage();
  await plainSession(elsewhere, "0198f0e1-0000-7000-8000-00000000c003");
  const file = join(elsewhere.path, "e.jsonl");
  assert.equal((await elsewhere.run("export", "--output", file)).code, 0);
  const imported = await place.json("import", file);
  assert.equal(imported.forgotten, 0, JSON.stringify(imported));
  await verified(chosen.receipt.id);
});

test("memory forget that is killed leaves a sound database, and can be repeated", async (place) => {
  await worked(place);
  for (const seconds of ["0.05", "0.09", "0.13", "0.17", "0.21", "0.26"]) {
    await runProgram(["memory", "forget", "--text", WORD, "--yes"], {
      cwd: place.project,
      env: { HOME: place.path },
      through: ["timeout", "-s", "KILL", seconds],
    });
    assertSound(place);
  }
  assert.equal((await place.run("memory", "forget", "--text", WORD, "--yes")).code, 0);
  assert.deepEqual(holding(place.path), []);
  assert.doesNotMatch(await exported(place), new RegExp(WORD, "i"));
  assert.ok(countRows(place, "observations") >= 1);
});

Deno.test("a text that is the name of the project's folder goes out of every path", async () => {
  using place = stage(WORD);
  await worked(place, "something");
  assert.ok(holding(place.path).length > 0);
  const { left } = await place.forget("--text", WORD);
  assert.deepEqual([left, holding(place.path)], [[], []]);
  assertSound(place);
});

test("memory forget says what it cannot remove: the id of a tool use", async (place) => {
  await event(place, "PreToolUse", {
    tool_name: `mcp__${WORD}__x`,
    tool_input: {},
    tool_use_id: `id-${WORD}`,
  });
  const { code, stdout } = await place.run("memory", "forget", "--text", WORD, "--yes");
  assert.equal(code, 1);
  assert.match(stdout, /left: the database file holds it in hook_executions: .*in an id/);
  assert.doesNotMatch((await place.run("audit", "list")).stdout, new RegExp(`mcp__${WORD}`));
});

test("memory forget leaves nothing of a compressed payload in any page", async (place) => {
  await worked(place);
  const payloads = look(place, (db) => {
    db.exec("PRAGMA secure_delete = OFF");
    const rows = db.prepare("SELECT payload FROM pending_queue WHERE encoding = 'br'").all();
    // What a program without `secure_delete` leaves behind when rows move.
    db.exec("UPDATE pending_queue SET rowid = rowid + 100");
    return rows.map(({ payload }) => latin1(payload as Uint8Array).slice(8, 48));
  });
  assert.ok(payloads.length >= 3);
  const left = () => {
    const bytes = latin1(Deno.readFileSync(place.database));
    return payloads.filter((part) => bytes.includes(part)).length;
  };
  assert.ok(left() >= 3);
  await place.forget("--since", "1h");
  assert.equal(left(), 0);
});

Deno.test("memory forget by file and by id takes what a person was asked, and what was refused, with it", async () => {
  for (const way of ["file", "id"]) {
    using place = stage();
    const file = join(place.project, "names.ts");
    const common = {
      tool_name: "Write",
      tool_input: { file_path: file, content: `${WORD} ${"x".repeat(900)}` },
    };
    await event(place, "UserPromptSubmit", { prompt: "Go on" });
    await event(place, "PreToolUse", { ...common, tool_use_id: "toolu_refused" });
    await event(place, "PreToolUse", { ...common, tool_use_id: "toolu_done" });
    // With more beside it, it is cut shorter.
    await event(place, "PermissionRequest", {
      ...common,
      permission_suggestions: Array.from({ length: 20 }, (_, n) => ({ rule: `r${n}`.repeat(30) })),
    });
    await event(place, "PostToolUse", { ...common, tool_response: {}, tool_use_id: "toolu_done" });
    const other = { tool_name: "Bash", tool_input: { command: "make kept" } };
    await event(place, "PermissionRequest", other);
    await use(place, "Bash", { ...other, tool_response: { stdout: "kept" } });
    await drain(place);
    const file2 = join(place.project, "others.ts");
    for (const [at, path] of [file, file2].entries()) {
      spool(place, {
        id: `0198f0e1-0000-7000-8000-00000000fff${at}`,
        sessionId: SESSION,
        execution: {
          hookName: "PreToolUse",
          toolUseId: null,
          metadata: { files: [path], tool_input: { file_path: path, content: "waits" } },
        },
      });
    }
    const quoting = "SELECT count(*) AS n FROM hook_executions WHERE instr(metadata, ?) > 0";
    const quotes = (word: string) => queryValue(place, quoting, word);
    assert.equal(quotes(WORD), 4);
    const id = queryValue(place, "SELECT id FROM pending_queue WHERE tool_use_id = 'toolu_done'");
    const asked = way === "file" ? ["--file", "names.ts"] : [String(id)];
    const preview = await place.preview(...asked);
    const { receipt } = await place.forget(...asked);
    assert.deepEqual(receipt.removed, preview.wouldRemove);
    assert.equal(receipt.removed.hook_executions, 5, way);
    assert.equal(quotes(WORD), 0, way);
    assert.deepEqual(holding(place.path), [], way);
    assert.equal(quotes("make kept"), 3, "another tool use keeps its rows");
  }
});

test("memory forget --text finds a text that a column has cut at its end", async (place) => {
  const text = "Zanzibar Plan Alpha";
  await event(place, "SessionStart", { source: "startup" });
  for (const length of [200, 240, 246, 252]) {
    const name = `${"q".repeat(length)} ${text}`;
    await event(place, "SubagentStart", { agent_id: `a${length}`, agent_type: name });
  }
  // It ends so by itself.
  await event(place, "SubagentStart", {
    agent_id: "a0",
    agent_type: `${"k".repeat(60)} Zanzibar P`,
  });
  const names = () =>
    query(place, "SELECT name FROM agents ORDER BY rowid")
      .map(({ name }) => String(name).replace(/^[qk]+/, ""));
  assert.deepEqual(
    names(),
    [` ${text}`, " Zanzibar Plan A", " Zanzibar ", " Zan", " Zanzibar P"].map(
      (name, at) => at < 4 ? name.trimEnd() : name,
    ),
  );
  assert.equal((await place.run("memory", "forget", "--text", text, "--yes")).code, 0);
  // So little of it tells nothing.
  assert.deepEqual(names(), [
    " [forgotten]",
    " [forgotten]",
    " [forgotten]",
    " Zan",
    " Zanzibar P",
  ]);
  assert.doesNotMatch(JSON.stringify(query(place, "SELECT data FROM events")), /q Zanzibar/);
});

Deno.test("doctor names forgetting that was stopped, with a command that finishes it", async () => {
  for (const kind of ["id", "text", "session"]) {
    using place = stage();
    await worked(place);
    const id = queryValue(place, "SELECT id FROM observations WHERE kind = 'commit'");
    const asked = kind === "id"
      ? [String(id)]
      : kind === "text"
      ? ["--text", WORD]
      : ["--session", SESSION];
    assert.equal((await place.run("memory", "forget", ...asked, "--yes")).code, 0);
    assert.deepEqual(await forgettingIn(place), []);
    // As a run leaves it that is killed when all rows are gone.
    look(place, (db) => db.exec("UPDATE forget_receipts SET finished_at_ms = NULL"));
    const [row] = await forgettingIn(place);
    assert.equal(row.status, "warn");
    assert.match(row.message, /^`memory forget` of \d{4}-.* was stopped before it was done/);
    if (kind === "text") {
      // Pasted as it is it forgets nothing: neither the word `text` nor anything else.
      assert.equal(row.next, "conclaude memory forget --text '<the same text>'");
      const pasted = await place.run("memory", "forget", "--text", "<the same text>", "--yes");
      assert.deepEqual([pasted.code, pasted.stdout], [2, ""]);
      assert.match(pasted.stderr, /put that in their place; nothing was changed/);
    }
    const again = [
      ...row.next.replace("'<the same text>'", WORD).split(" "),
      ...kind === "text" ? ["--yes"] : [],
    ];
    assert.deepEqual(again.slice(0, 3), ["conclaude", "memory", "forget"]);
    const { code, stdout, stderr } = await place.run(...again.slice(1));
    assert.deepEqual([code, stderr], [0, ""], kind);
    assert.match(stdout, /^Finished what was stopped: nothing of it was left\./, kind);
    assert.deepEqual(await forgettingIn(place), [], kind);
  }
});

test("a word that stands in the definitions of tables is forgotten as any other", async (place) => {
  await place.run("memory", "remember", "The kind of harbour");
  const { code, stdout } = await place.run("memory", "forget", "--text", "kind", "--yes");
  assert.deepEqual([code, stdout.includes("sqlite_schema")], [0, false], stdout);
});

test("memory forget --text names every transcript with the text, also of sessions that nobody captured", async (place) => {
  const folder = join(place.path, ".claude/projects");
  const files = ["-app/one.jsonl", "-app/fork.jsonl", "-app/one/subagents/a.jsonl", "-x/two.jsonl"]
    .map((name) => join(folder, name));
  for (const file of files) {
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeTextFile(file, `${JSON.stringify({ type: "user", text: WORD })}\n`);
  }
  await Deno.writeTextFile(join(folder, "-app/none.jsonl"), "{}\n");
  await event(place, "UserPromptSubmit", {
    prompt: `Please rename ${WORD} at last`,
    transcript_path: files[0],
  });
  for (const how of ["--dry-run", "--yes"]) {
    const { transcripts } = await place.json("memory", "forget", "--text", WORD, how);
    assert.deepEqual(transcripts, files.toSorted(), how);
  }
  // Nothing is left of it here, but there.
  const { stdout } = await place.run("memory", "forget", "--text", WORD, "--yes");
  assert.match(
    stdout,
    /^Nothing fits; nothing was changed\.\nClaude Code's own transcript has it[^]*fork/,
  );
});

/** A list of what is to be done, as `fields` of a tool use. */
function listed(content: string) {
  return {
    tool_input: { todos: [{ content, status: "pending", activeForm: "x" }] },
    tool_response: {},
  };
}

test("memory forget --text removes the captures that hold the text, and keeps other captures of the same observation", async (place) => {
  await event(place, "SessionStart", { source: "startup" });
  for (const n of [3, 4, 5]) {
    await bash(place, `make names; echo marker${n} Zanzibar${n}`, `marker${n} Zanzibar${n}\n`);
  }
  for (const animal of ["Quagga", "Okapi"]) {
    await use(place, "TodoWrite", listed(`Feed the ${animal}`));
  }
  await drain(place);
  const told = (kind: string) =>
    query(place, "SELECT id, text, repeats FROM observations WHERE kind = ?", kind)
      .map(({ id, text, repeats }) => ({ id, text: String(text), repeats }));
  const [merged] = told("command");
  assert.equal(merged!.repeats, 3);
  const copy = join(place.path, "all.jsonl");
  Deno.writeTextFileSync(copy, (await place.run("export")).stdout);

  const asked = [
    ["Zanzibar5", "command", "Zanzibar4", 2],
    ["Zanzibar3", "command", "Zanzibar4", 1],
    ["Okapi", "task", "Quagga", 1],
  ] as const;
  for (const [word, kind, left, repeats] of asked) {
    const { wouldRemove } = await place.preview("--text", word);
    const { stdout } = await place.run("memory", "forget", "--text", word, "--yes");
    assert.match(stdout, /^Forgot .*\b1 capture, and what is said of it in 1 observation, .*\.$/m);
    const receipt = /^receipt (\S+)$/m.exec(stdout)![1]!;
    const again = ["import", copy];
    for (const next of [again, ["queue", "drain"]]) {
      const [one, ...others] = told(kind);
      assert.deepEqual(others, [], word);
      assert.equal(one!.repeats, repeats, word);
      assert.match(one!.text, new RegExp(left));
      assert.doesNotMatch(await exported(place), new RegExp(word, "i"));
      assert.equal((await place.verify(receipt, "--text", word)).ok, true, word);
      assert.equal((await place.run(...next)).code, 0);
    }
    assert.equal(wouldRemove.captures, 1);
  }
  Deno.removeSync(copy);
  assert.equal(told("command")[0]!.id, merged!.id, "what refers to it finds it");
  for (const [word] of asked) assert.deepEqual(holding(place.path, word), [], word);
  assertSound(place);
});

test("memory forget by the id of a capture removes what only that capture told, and a closed failure stays closed", async (place) => {
  await event(place, "SessionStart", { source: "startup" });
  const failing = (word: string) => ({
    tool_input: { command: `make names; echo ${word}` },
    error: `Exit code 2\n${word}\nmake: *** [Makefile:3: names] Error 2`,
  });
  for (const word of ["Quagga", "Okapi"]) await use(place, "Bash", failing(word));
  await use(place, "Edit", {
    tool_input: { file_path: join(place.project, "Makefile"), old_string: "a", new_string: "b" },
    tool_response: {},
  });
  await bash(place, "make names", "");
  await drain(place);
  const failures =
    "SELECT repeats, text, resolved_by AS by FROM observations WHERE kind = 'failure'";
  const failure = () => query(place, failures)[0];
  const before = failure()!;
  assert.equal(before["repeats"], 2);
  assert.ok(Number(before["by"]) > 0);
  const captured =
    "SELECT id FROM pending_queue WHERE outcome = 'failure' ORDER BY created_at_ms, id";
  const id = String(queryValue(place, captured));
  const { wouldRemove } = await place.preview(id);
  assert.equal(wouldRemove.captures, 1);
  const { receipt } = await place.forget(id);
  assert.deepEqual(receipt.removed, wouldRemove);
  assert.equal(failure()!["repeats"], 1);
  assert.match(String(failure()!["text"]), /Okapi/);
  assert.equal(failure()!["by"], 0, "the fix quotes what is forgotten, and goes");
  assert.doesNotMatch(await exported(place), /quagga/);
  assert.equal((await place.verify(receipt.id)).ok, true);
  assertSound(place);
});
