import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { git } from "../../support/git.ts";
import {
  addRow,
  EARLY,
  fillClaudeMem,
  makeClaudeMem,
  makeClaudeMemLite,
} from "../../support/claude_mem.ts";
import { isNext } from "../../support/next.ts";
import { spoil } from "../../support/spoilt.ts";
import { type Stage, stage } from "../../cli/support.ts";
import { namesIn } from "../../support/look.ts";
import { testWith } from "../../support/fixtures.ts";

/** A full database of claude-mem beside the project. */
function claudeMem(place: Stage): string {
  const path = `${place.project}/claude-mem.db`;
  const db = makeClaudeMem(path);
  fillClaudeMem(db);
  db.close();
  return path;
}

function rows(place: Stage, sql: string): Record<string, unknown>[] {
  using db = new DatabaseSync(place.database, { readOnly: true });
  return db.prepare(sql).all().map((row) => ({ ...row }));
}

const test = testWith(stage);

test("import claude-mem takes observations, summaries and prompts over, once", async (place) => {
  const path = claudeMem(place);
  const before = Deno.readFileSync(path);
  const run = (...args: string[]) => place.run(["import", "claude-mem", "claude-mem.db", ...args]);
  const dry = await run("--dry-run");
  assert.match(dry.stdout, /^Would take over from .*: 8 observations, 1 summary, 2 prompts\./);
  assert.deepEqual(namesIn(`${place.home}/.conclaude`), []);
  const { code, stdout, stderr } = await run();
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^Took over from .*: 8 observations, 1 summary, 2 prompts\.\n/);
  assert.match(stdout, /\n1 says nothing that may be kept\.\n/);
  assert.match(stdout, /\nNobody knows here where these projects lie: project, website\. /);
  assert.deepEqual(Deno.readFileSync(path), before);
  assert.deepEqual(namesIn(place.project), ["claude-mem.db"]);
  const again = await run();
  assert.match(
    again.stdout,
    /: 0 observations, 0 summaries, 0 prompts\.\n11 were there already\.\n/,
  );

  const kinds = rows(
    place,
    "SELECT kind FROM observations WHERE uid LIKE 'claude-mem/observations/%' ORDER BY id",
  );
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    ["fix", "decision", "edit", "edit", "edit", "note", "note", "note"],
  );
  const [first] = rows(place, "SELECT * FROM observations ORDER BY id LIMIT 1");
  assert.match(String(first!["uid"]), /^claude-mem\/observations\/1\/[0-9a-f]{8}$/);
  assert.equal(first!["session_id"], "11111111-2222-4333-8444-555555555555");
  assert.equal(first!["project"], "project");
  assert.equal(first!["title"], "Title 0 of parseHookEvent");
  assert.equal(
    first!["text"],
    "Title 0 of parseHookEvent\nUnder it\nIt was so and so.\n- fact one\n- fact two\nConcepts: how-it-works",
  );
  const short = rows(place, "SELECT text FROM observations WHERE title = 'Only a title'");
  assert.deepEqual(short.map(({ text }) => text), ["Only a title"]);
  assert.equal(first!["created_at_ms"], 1_767_323_045_000);
  assert.deepEqual(JSON.parse(String(first!["files"])), [
    "/work/project/src/changed.ts",
    "src/changed.ts",
    "/work/project/src/read.ts",
  ]);
  const [summary] = rows(place, "SELECT * FROM observations WHERE kind = 'summary'");
  assert.equal(summary!["title"], "Session: Mend the parser");
  assert.match(String(summary!["text"]), /^Asked:\nMend the parser\n.*\nLearned:\nIt is greedy\n/s);
});

test("import claude-mem makes what it takes over findable, by its words and by its files", async (place) => {
  claudeMem(place);
  await place.run(["import", "claude-mem", "claude-mem.db"]);
  const found = (words: string) =>
    rows(
      place,
      `SELECT count(*) AS n FROM memory_index WHERE memory_index MATCH '${words}'`,
    )[0]!["n"];
  assert.equal(found('"parsehookeventǃ"'), 7);
  assert.equal(found("greedy"), 1);
  assert.equal(found("header"), 1);
  const files = rows(
    place,
    "SELECT count(*) AS n FROM observation_files WHERE path = 'src/changed.ts'",
  );
  assert.equal(files[0]!["n"], 7);
});

test("an imported summary outlives what else is forgotten of its session, unless it tells the same", async (place) => {
  const path = claudeMem(place);
  const source = new DatabaseSync(path);
  for (const [title, narrative] of [["The lexer is greedy", "x"], ["Small", "Small words."]]) {
    addRow(source, "observations", {
      memory_session_id: "mem-1",
      project: "project",
      type: "discovery",
      title: title!,
      narrative: narrative!,
    });
  }
  source.exec("UPDATE session_summaries SET learned = 'That the lexer is  greedy'");
  source.close();
  await place.run(["import", "claude-mem", path]);
  const idOf = (title: string) =>
    String(rows(place, `SELECT id FROM observations WHERE title = '${title}'`)[0]!["id"]);
  const summaries = () =>
    rows(place, "SELECT uid FROM observations WHERE kind = 'summary'").map(({ uid }) =>
      String(uid).split("/", 2).join("/")
    );
  const removed = async (id: string) => {
    const { body } = await place.json(["memory", "forget", id, "--yes"]);
    return (body as unknown as { receipt: { removed: unknown } }).receipt.removed;
  };
  assert.deepEqual(await removed(idOf("Small")), { observations: 1 });
  await place.run(["queue", "drain"]);
  assert.deepEqual(summaries(), ["claude-mem/session_summaries"]);
  const telling = idOf("The lexer is greedy");
  assert.match(
    (await place.run(["memory", "forget", telling, "--dry-run"])).stdout,
    /Would remove 2 observations, of them 1 imported summary of the same\./,
  );
  assert.deepEqual(await removed(telling), { observations: 2, importedSummaries: 1 });
  assert.deepEqual(summaries(), []);
  await place.run(["import", "claude-mem", path]);
  assert.deepEqual(summaries(), [], "it stays away");
});

test("import claude-mem keeps no secrets and nothing private", async (place) => {
  const source = new DatabaseSync(claudeMem(place));
  const secret = `website-ghp_${"aB3".repeat(12)}`;
  addRow(source, "observations", {
    memory_session_id: "mem-1",
    project: secret,
    type: "discovery",
    title: "Of a project with a name of its own",
  });
  source.close();
  const told = await place.run(["import", "claude-mem", "claude-mem.db"]);
  assert.ok(!told.stdout.includes("aB3aB3"));
  const prompts = rows(
    place,
    "SELECT title, text FROM observations WHERE kind = 'prompt' ORDER BY id",
  );
  assert.deepEqual(prompts, [
    { title: "Make the header blue", text: "[private removed] Make the header blue" },
    { title: "The token is [redacted:github-token]", text: "The token is [redacted:github-token]" },
  ]);
  const whole = JSON.stringify(rows(place, "SELECT * FROM observations"));
  assert.ok(!/diary|all of it|aB3aB3/.test(whole));
});

test("import claude-mem puts a project where sessions here know it, or where --project says", async (place) => {
  claudeMem(place);
  await git(place.project, "init", "--quiet", "-b", "main");
  const stdin = {
    session_id: "s",
    cwd: place.project,
    tool_name: "Bash",
    tool_input: { command: "ls" },
  };
  await place.run(["hook", "PostToolUse"], {
    stdin,
    env: { CLAUDE_PROJECT_DIR: place.project },
  });
  const first = await place.run(["import", "claude-mem", "claude-mem.db"]);
  assert.match(first.stdout, /Nobody knows here where these projects lie: website\. /);
  const project = `${place.project}/.git`;
  const known = rows(
    place,
    "SELECT DISTINCT project FROM observations WHERE uid LIKE 'claude-mem/%' ORDER BY project",
  );
  assert.deepEqual(known, [{ project }, { project: "website" }]);

  const website = `${place.home}/src/site`;
  Deno.mkdirSync(website, { recursive: true });
  const at = (...args: string[]) =>
    place.run(["import", "claude-mem", "claude-mem.db", "--project", website, ...args]);
  const wrong = await at();
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.stderr,
    /^claude-mem has nothing of a project "site"\n {2}why: {2}it has project, website; nothing was changed\n {2}next: conclaude import claude-mem claude-mem\.db --project \S+ --name project\n$/,
  );
  const moved = await at("--name", "website");
  assert.match(
    moved.stdout,
    /: 0 observations, .*\n3 were there already; 3 of them have a place now\.\n/,
  );
  assert.deepEqual(
    rows(place, "SELECT count(*) AS n FROM observations WHERE project = 'website'"),
    [{ n: 0 }],
  );
  const [{ n, terms } = {}] = rows(
    place,
    `SELECT count(*) AS n, max(terms) AS terms FROM observations WHERE project = '${website}'`,
  );
  assert.equal(n, 3);
  assert.match(String(terms), /projectǀ/);
  const settled = await at("--name", "website");
  assert.match(settled.stdout, /\n3 were there already\.\n/);
  for (const args of [["--project", "/no/such/folder"], ["--name", "website"]]) {
    const { code, stderr } = await place.run(["import", "claude-mem", "claude-mem.db", ...args]);
    assert.equal(code, 2);
    assert.ok(isNext(stderr.split("next: ")[1]!.trimEnd()), stderr);
  }
});

test("import claude-mem --project takes the paths from the project's folder", async (place) => {
  const db = makeClaudeMem(`${place.project}/mem.db`);
  addRow(db, "sdk_sessions", {
    content_session_id: "c",
    memory_session_id: "m",
    project: "project",
  });
  addRow(db, "observations", {
    memory_session_id: "m",
    project: "project/some-worktree",
    type: "change",
    title: "t",
    files_modified: JSON.stringify([`${place.project}/src/a.ts`, "src/a.ts", "/etc/hosts"]),
  });
  db.close();
  await place.run(["import", "claude-mem", "mem.db", "--project", "."]);
  const [row] = rows(place, "SELECT files, project FROM observations");
  assert.deepEqual(row, { files: '["src/a.ts","/etc/hosts"]', project: place.project });
});

test("import claude-mem reads what early versions made, with seconds for times and plain lists", async (place) => {
  const db = makeClaudeMem(`${place.project}/early.db`, EARLY);
  addRow(db, "sdk_sessions", { claude_session_id: "c-1", sdk_session_id: "m-1", project: "old" });
  addRow(db, "observations", {
    sdk_session_id: "m-1",
    project: "old",
    type: "bugfix",
    text: "The parser was wrong.\nNow it is right.",
    created_at_epoch: 1_700_000_000,
  });
  addRow(db, "session_summaries", {
    sdk_session_id: "m-1",
    project: "old",
    learned: "Much",
    files_edited: "a.ts\nb.ts",
  });
  db.close();
  const { code, stdout } = await place.run(["import", "claude-mem", "early.db"]);
  assert.equal(code, 0);
  assert.match(stdout, /: 1 observation, 1 summary\./);
  assert.deepEqual(
    rows(
      place,
      "SELECT session_id AS s, kind, title, files, created_at_ms AS ms FROM observations ORDER BY id",
    ),
    [
      { s: "c-1", kind: "fix", title: "The parser was wrong.", files: "[]", ms: 1_700_000_000_000 },
      {
        s: "c-1",
        kind: "summary",
        title: "Session: Much",
        files: '["a.ts","b.ts"]',
        ms: 1_767_323_045_000,
      },
    ],
  );
});

test("import claude-mem reads a database that is in use, also what is in its log alone", async (place) => {
  const db = makeClaudeMem(`${place.project}/live.db`);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  fillClaudeMem(db);
  const log = Deno.readFileSync(`${place.project}/live.db-wal`);
  const { code, stdout } = await place.run(["import", "claude-mem", "live.db"]);
  assert.equal(code, 0);
  assert.match(stdout, /: 8 observations, 1 summary, 2 prompts\./);
  assert.deepEqual(Deno.readFileSync(`${place.project}/live.db-wal`), log);
  db.close();
});

test("import claude-mem says what else it was given, and changes nothing", async (place) => {
  await place.run(["hook", "PostToolUse"], { stdin: { session_id: "s", tool_name: "Bash" } });
  Deno.copyFileSync(place.database, `${place.project}/ours.db`);
  Deno.writeTextFileSync(`${place.project}/notes.txt`, "hello");
  Deno.writeTextFileSync(`${place.project}/empty.db`, "");
  const other = new DatabaseSync(`${place.project}/other.db`);
  other.exec("CREATE TABLE observations (id INTEGER PRIMARY KEY, text TEXT)");
  other.close();
  const spoilt = claudeMem(place);
  const cut = Deno.readFileSync(spoilt);
  Deno.writeFileSync(`${place.project}/cut.db`, cut.subarray(0, 60));
  const cases = [
    ["missing.db", /why: {2}there is no such file\n {2}next: ls -l ~\/\.claude-mem\*\/\*\.db\n/],
    [".", /it is a folder/],
    ["notes.txt", /it is no SQLite database/],
    ["empty.db", /none of the tables of claude-mem/],
    ["other.db", /none of the tables of claude-mem/],
    ["cut.db", /it is damaged/],
    ["ours.db", /a database of conclaude itself/],
  ] as const;
  for (const [file, why] of cases) {
    const { code, stdout, stderr } = await place.run(["import", "claude-mem", file]);
    assert.deepEqual([code, stdout], [1, ""], file);
    assert.match(
      stderr,
      /^Cannot take over ".*"\n {2}why: {2}.*(?:no such file|; the file is as it was)\n {2}next: ls -l ~\/\.claude-mem/,
    );
    assert.match(stderr, why);
  }
});

test("import claude-mem takes over what can be read of a damaged database, and exits with 1", async (place) => {
  const path = `${place.project}/mem.db`;
  const db = makeClaudeMem(path);
  addRow(db, "sdk_sessions", { content_session_id: "c", memory_session_id: "m", project: "p" });
  for (let i = 0; i < 900; i++) {
    addRow(db, "observations", {
      memory_session_id: "m",
      project: "p",
      type: "change",
      title: `t ${i}`,
      narrative: "x".repeat(900),
    });
  }
  addRow(db, "session_summaries", { memory_session_id: "m", project: "p", learned: "Much" });
  db.close();
  spoil(path, { at: Math.floor(Deno.statSync(path).size / 2 / 4096) * 4096, length: 4096 });
  const { code, stdout, stderr } = await place.run(["import", "claude-mem", "mem.db"]);
  assert.equal(code, 1);
  assert.match(stderr, /^A part of observations in ".*" cannot be read\n {2}why: /);
  const [, taken] = /: (\d+) observations, 1 summary/.exec(stdout) ?? [];
  assert.ok(Number(taken) >= 200 && Number(taken) < 900, stdout);
  spoil(path, { at: 100, length: 3900 });
  const worse = await place.run(["import", "claude-mem", "mem.db"]);
  assert.equal(worse.code, 1);
  assert.match(worse.stderr, /^Cannot take over ".*"\n {2}why: {2}.*the file is as it was\n/);
});

test("import claude-mem reads times in microseconds and nanoseconds, and any number costs no other row", async (place) => {
  const db = makeClaudeMem(`${place.project}/claude-mem.db`);
  addRow(db, "sdk_sessions", {
    content_session_id: "c",
    memory_session_id: "m",
    project: "project",
  });
  const add = (title: string, epoch: string) => {
    addRow(db, "observations", {
      memory_session_id: "m",
      project: "project",
      type: "bugfix",
      title,
    });
    db.exec(`UPDATE observations SET created_at_epoch = ${epoch} WHERE title = '${title}'`);
  };
  add("milliseconds", "1767323045000");
  add("seconds", "1767323045");
  add("microseconds", "1767323045000000");
  add("nanoseconds", "1767323045000000000");
  add("nonsense", "9223372036854775807");
  add("last", "1767323045000");
  db.exec(`UPDATE observations SET prompt_number = ${2n ** 60n}, discovery_tokens = ${2n ** 62n}`);
  db.close();
  const { code, stdout, stderr } = await place.run(["import", "claude-mem", "claude-mem.db"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /: 6 observations, /);
  const taken = rows(place, "SELECT title, created_at_ms AS at FROM observations ORDER BY id");
  assert.equal(taken.length, 6);
  for (const { title, at } of taken) {
    if (title !== "nonsense") assert.equal(at, 1_767_323_045_000, String(title));
  }
});

for (const ids of ["TEXT", "INTEGER"] as const) {
  test(`import claude-mem takes the memory of claude-mem-lite over as well, once, with ids of ${ids}`, async (place) => {
    const folder = `${place.home}/src`;
    makeClaudeMemLite(`${place.project}/lite.db`, { ids, folder }).close();
    const run = (...args: string[]) => place.run(["import", "claude-mem", "lite.db", ...args]);
    const dry = await run("--dry-run");
    assert.match(dry.stdout, /^Would take over from .*: 3 observations, 1 summary, 2 learnings\./);
    const { code, stdout, stderr } = await run();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Took over from .*: 3 observations, 1 summary, 2 learnings\.\n/);
    assert.match(stdout, /\n1 says nothing that may be kept\.\n/);
    const taken = rows(
      place,
      "SELECT session_id, kind, title, project, created_at_ms FROM observations ORDER BY id",
    ).map(Object.values);
    const lite = `${folder}/lite`;
    const at1 = Date.parse("2026-01-02T10:30:00Z");
    const began = Date.parse("2026-01-02T10:00:00Z");
    assert.deepEqual(taken, [
      ["s-1", "edit", "Harden turnip parser", lite, at1],
      ["s-1", "command", "Run turnip tests", lite, began],
      ["s-2", "note", "Ask for beets", `${folder}/other`, at1 + 86_400_000],
      ["s-1", "summary", "Session: Turnips were hardened", lite, began],
      ["notes", "note", "Turnips need salt", lite, at1],
      ["notes", "note", "Roots grow down", null, at1],
    ]);
    assert.deepEqual(rows(place, "SELECT text, files FROM observations").map(Object.values), [
      [
        "Harden turnip parser\nBecause turnips overflowed\nFunctions: parse_turnip (modified)",
        '["a.py"]',
      ],
      ["Run turnip tests\nThey passed\n[redacted:github-token]", "[]"],
      ["Ask for beets", "[]"],
      ["Turnips were hardened", "[]"],
      ["Turnips need salt\nCategory: gotcha", "[]"],
      ["Roots grow down", "[]"],
    ]);
    const source = new DatabaseSync(`${place.project}/lite.db`);
    // It goes on: what is known stays known.
    source.exec(`UPDATE sessions SET ended_at = '2026-02-02 10:00:00';
      UPDATE learnings SET source_sessions = '["s-1","s-2"]', times_seen = 9`);
    source.close();
    const again = await run();
    assert.match(
      again.stdout,
      /: 0 observations, 0 summaries, 0 learnings\.\n6 were there already\.\n/,
    );
    assert.equal(rows(place, "SELECT * FROM observations").length, 6);
  });
}

test("a project of claude-mem-lite is that of its folder, and --project says where it lies now", async (place) => {
  const folder = `${place.home}/src`;
  makeClaudeMemLite(`${place.project}/lite.db`, { ids: "TEXT", folder }).close();
  const run = (...args: string[]) => place.run(["import", "claude-mem", "lite.db", ...args]);
  const projects = () =>
    rows(
      place,
      "SELECT project, count(*) AS n FROM observations GROUP BY project ORDER BY project",
    );
  // A repository is there by now; the other folder is gone.
  Deno.mkdirSync(`${folder}/lite`, { recursive: true });
  await git(`${folder}/lite`, "init", "--quiet", "-b", "main");
  await run();
  assert.deepEqual(projects(), [
    { project: null, n: 1 },
    { project: `${folder}/lite/.git`, n: 4 },
    { project: `${folder}/other`, n: 1 },
  ]);
  const moved = `${place.home}/moved`;
  Deno.mkdirSync(moved);
  const told = await run("--project", moved, "--name", "other");
  assert.match(told.stdout, /\n1 was there already; 1 of them has a place now\.\n/);
  assert.deepEqual(projects().at(-1), { project: `${folder}/lite/.git`, n: 4 });
  assert.deepEqual(projects().find(({ project }) => project === moved), { project: moved, n: 1 });
  const settled = await run("--project", `${folder}/lite`);
  assert.match(settled.stdout, /\n4 were there already\.\n/);
  const wrong = await run("--project", moved);
  assert.match(wrong.stderr, /^claude-mem has nothing of a project "moved"\n/);
});
