/** What people and programs ask of memory, on the real program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { saveRecords } from "../../src/db/captures.ts";
import { openDatabase } from "../../src/db/database.ts";
import { makeCorpus } from "../support/memory_corpus.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { workRecords } from "../support/work_sessions.ts";
import { testWith } from "../support/fixtures.ts";
import { makeTask } from "../support/tasks.ts";
import { type Stage, stage } from "./support.ts";

const test = testWith(remembered);

const START_MS = Date.UTC(2026, 0, 1);

/** A home whose captures are worked into memory, and its project. */
async function remembered(): Promise<TempHome & { readonly project: string }> {
  const home = tempHome();
  const project = join(home.path, "app");
  await Deno.mkdir(join(home.path, ".conclaude"), { mode: 0o700 });
  await Deno.mkdir(project);
  const db = await openDatabase(home.database, { busyTimeoutMs: 5_000 });
  saveRecords(db, workRecords(240, { seed: 5, project, startMs: START_MS }));
  db.close();
  const place = Object.assign(home, { project });
  await ask(place, ["queue", "drain"]);
  return place;
}

type Place = Pick<TempHome, "path"> & { readonly project: string };

async function run({ path, project }: Place, args: readonly string[]) {
  return await runProgram(args, { env: { HOME: path }, cwd: project });
}

// deno-lint-ignore no-explicit-any -- what a verb prints
async function ask(place: Place, args: readonly string[]): Promise<any> {
  const { code, stdout, stderr } = await run(place, [...args, "--json"]);
  assert.equal(code, 0, stderr + stdout);
  return JSON.parse(stdout);
}

test("a file is found by its whole path and from a folder of the project, as by its end", async (place) => {
  const folder = join(place.project, "src", "deep");
  await Deno.mkdir(folder, { recursive: true });
  const whole = join(place.project, "src", "auth.ts");
  const ids = (found: readonly { readonly id: number }[]) => found.map(({ id }) => id);
  const expected = ids((await ask(place, ["memory", "timeline", "src/auth.ts"])).observations);
  assert.ok(expected.length > 0);
  const search = ["memory", "search", "auth", "--file"];
  const found = ids((await ask(place, [...search, "src/auth.ts"])).results);
  assert.ok(found.length > 0);
  for (const [cwd, file] of [[place.project, whole], [place.path, whole], [folder, "../auth.ts"]]) {
    const from = { path: place.path, project: cwd! };
    const { observations } = await ask(from, ["memory", "timeline", file!]);
    assert.deepEqual(ids(observations), expected, `${file} in ${cwd}`);
    assert.deepEqual(ids((await ask(from, [...search, file!])).results), found, file);
  }
  const elsewhere = join(place.path, "other", "src", "auth.ts");
  assert.deepEqual((await ask(place, ["memory", "timeline", elsewhere])).observations, []);
});

test("memory search without words says how to ask", async (place) => {
  for (const words of [[""], ["  ", ""]]) {
    const { code, stdout, stderr } = await run(place, ["memory", "search", ...words]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(
      stdout,
      /^Nothing was asked: .*`conclaude memory search WORDS`\.\n$/,
    );
  }
  assert.deepEqual((await ask(place, ["memory", "search", ""])).results, []);
});

test("memory search --json has the documented fields, the best result first, and each filter narrows it", async (place) => {
  const { results } = await ask(place, ["memory", "search", "mismatched", "types"]);
  assert.ok(results.length > 3);
  for (const result of results) {
    const { id, kind, title, snippet, score, sessionId, files, createdAtMs, tokens } = result;
    assert.deepEqual(
      [id, kind, title, snippet, score, sessionId, files, createdAtMs, tokens].map((value) =>
        Array.isArray(value) ? "list" : typeof value
      ),
      ["number", "string", "string", "string", "number", "string", "list", "number", "number"],
    );
  }
  const scores = results.map(({ score }: { score: number }) => score);
  assert.deepEqual(scores, scores.toSorted((a: number, b: number) => b - a));
  assert.match(results[0].title, /mismatched types/);
  const [first] = results;
  const all = async (...flags: string[]) =>
    (await ask(place, ["memory", "search", "mismatched types auth", ...flags])).results;
  for (const { kind } of await all("--kind", "fix")) assert.equal(kind, "fix");
  for (const { sessionId } of await all("--session", first.sessionId)) {
    assert.equal(sessionId, first.sessionId);
  }
  const ofFile = await all("--file", "auth.ts");
  assert.ok(ofFile.length > 0);
  for (const { files } of ofFile) assert.ok(files.includes("src/auth.ts"));
  for (const { branch } of await all("--branch", "main")) assert.equal(branch, "main");
  assert.deepEqual(await all("--branch", "other"), []);
  assert.deepEqual(await all("--project", "/elsewhere"), []);
  assert.ok((await all("--here")).length > 0);
  assert.ok((await all("--limit", "2")).length === 2);
  assert.deepEqual(await all("--since", "2026-06-01"), []);
  assert.deepEqual(await all("--until", "2025-06-01"), []);
  assert.equal((await run(place, ["memory", "search", "x", "--limit", "50"])).code, 2);
  assert.equal((await run(place, ["memory", "search"])).code, 2);
});

test("memory show opens an observation by its number, with the capture behind it", async (place) => {
  const { results: [fix] } = await ask(place, ["memory", "search", "mismatched", "--kind", "fix"]);
  const shown = await ask(place, ["memory", "show", String(fix.id)]);
  const told = (await run(place, ["memory", "show", String(fix.id)])).stdout;
  assert.match(told, /\bseen\b.*, \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  assert.equal(shown.kind, "fix");
  assert.match(shown.text, /^Failed: /);
  const failure = await ask(place, ["memory", "show", `#${shown.facts.mended}`]);
  assert.deepEqual([failure.outcome, failure.resolvedBy], ["failure", fix.id]);
  assert.ok(failure.captures.length >= 1);
  const capture = await ask(place, ["queue", "show", failure.captures[0]]);
  assert.match(capture.payload.error, /^Exit code 1/);
  for (const limit of [1, 2, 6]) {
    const around = ["memory", "timeline", String(fix.id), "--limit", String(limit)];
    const { observations } = await ask(place, around);
    assert.equal(observations.length, limit);
    assert.ok(observations.some(({ id }: { id: number }) => id === fix.id));
  }
  const ofFile = await ask(place, ["memory", "timeline", "src/auth.ts"]);
  assert.ok(ofFile.observations.length > 0);
  const wrong = await run(place, ["memory", "show", "999999"]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^Cannot find the observation "999999"\n {2}why: .*\n {2}next: /);
});

test("memory show tells why a text names no observation, and what to type instead", async (place) => {
  const show = async (id: string) => (await run(place, ["memory", "show", id])).stderr;
  const db = await openDatabase(place.database, { busyTimeoutMs: 5_000 });
  db.exec("DELETE FROM observations WHERE id = 1");
  db.close();
  const why = "no observation has this number, and no uid begins like this";
  for (const [id, next] of [["1", "1"], ["99999999", "99999999"], ["no such", "'no such'"]]) {
    assert.equal(
      await show(id!),
      `Cannot find the observation "${id}"\n  why:  ${why}\n  next: conclaude memory search ${next}\n`,
    );
  }
  assert.match(await show("01"), /^Cannot tell which observation "01" is\n/);
  using empty = tempHome();
  const one = await run({ path: empty.path, project: empty.path }, ["memory", "show", "1"]);
  assert.match(one.stderr, /next: conclaude status\n$/);
});

test("a note is read from standard input where it is called -, and only there", async (place) => {
  const options = { env: { HOME: place.path }, cwd: place.project };
  const kept = await runProgram(["memory", "remember", "-", "--json"], {
    ...options,
    stdin: "Deploys need the vpn,\nand a token.\n",
  });
  assert.equal(kept.code, 0, kept.stderr);
  const shown = await run(place, ["memory", "show", String(JSON.parse(kept.stdout).id)]);
  assert.match(shown.stdout, /Deploys need the vpn,\s+and a token\./);
  const empty = await runProgram(["memory", "remember", "-"], { ...options, stdin: " \n" });
  assert.match(empty.stderr, /^Cannot remember this\n {2}why: {2}there is no text/);
  const typed = await run(place, ["memory", "remember", "a", "-", "b"]);
  assert.equal(typed.code, 0, typed.stderr);
});

test("a note is kept once, counted, and found from its project", async (place) => {
  const { sessions } = await ask(place, ["memory", "stats"]);
  const note = ["memory", "remember", "Deploys need the", "vpn", "--file", "src/auth.ts"];
  const { id, isNew } = await ask(place, note);
  assert.equal(isNew, true);
  assert.deepEqual(await ask(place, note), { id, isNew: false });
  const { results } = await ask(place, ["memory", "search", "vpn", "--here"]);
  assert.deepEqual([results[0].id, results[0].kind, results[0].files], [id, "note", [
    "src/auth.ts",
  ]]);
  const corrected = ["memory", "remember", "Deploys go without the vpn", "--replaces", `#${id}`];
  assert.deepEqual(await ask(place, corrected), { id: id + 1, isNew: true, replaces: id });
  const shown = await run(place, ["memory", "show", String(id)]);
  assert.ok(shown.stdout.includes(`superseded by #${id + 1}`), shown.stdout);
  const edit = await run(place, ["memory", "remember", "It", "--replaces", "nowhere"]);
  assert.match(edit.stderr, /^Cannot find the observation "nowhere"/);
  const blank = await run(place, ["memory", "remember", "<private>all of it</private>"]);
  assert.equal(blank.code, 1);
  const long = await run(place, ["memory", "remember", "tide ".repeat(12_801)]);
  assert.match(
    long.stderr,
    /^Cannot remember this\n {2}why: {2}it has 6400\d characters, and a note/,
  );
  const stats = await ask(place, ["memory", "stats"]);
  assert.equal(stats.byKind.find(({ kind }: { kind: string }) => kind === "note").count, 2);
  assert.equal(stats.sessions, sessions, "it is of none");
});

test("results of several projects show the names of the projects", async (place) => {
  const other = join(place.path, "harbour");
  await Deno.mkdir(join(other, ".git"), { recursive: true });
  await Deno.writeTextFile(join(other, ".git", "HEAD"), "ref: refs/heads/main\n");
  for (const project of [other, place.project]) {
    await ask({ ...place, project }, [
      "memory",
      "remember",
      "The pier is closed",
      "--file",
      "a.md",
    ]);
  }
  const told = async (...args: string[]) => (await run(place, ["memory", ...args])).stdout;
  assert.match(await told("search", "pier"), / · harbour · /);
  assert.doesNotMatch(await told("search", "pier", "--here"), /harbour/);
  assert.match(await told("timeline", "a.md"), /The pier is closed {2}\[harbour\]/);
  assert.doesNotMatch(await told("timeline", "a.md", "--here"), /\[/);
});

const it = testWith(tempHome);

it("results of one other project show its name", async (home) => {
  const project = join(home.path, "harbour");
  await Deno.mkdir(project);
  const there = { path: home.path, project };
  await ask(there, ["memory", "remember", "The pier is closed", "--file", "a.md"]);
  const told = async (place: Place, ...args: string[]) =>
    (await run(place, ["memory", ...args])).stdout;
  const elsewhere = { path: home.path, project: home.path };
  assert.match(await told(elsewhere, "search", "pier"), / · harbour · /);
  assert.match(await told(elsewhere, "timeline", "a.md"), /The pier is closed {2}\[harbour\]/);
  assert.doesNotMatch(await told(there, "search", "pier"), /harbour/);
  assert.doesNotMatch(await told(there, "timeline", "a.md"), /harbour/);
});

it("memory of a moved repository is found by its former folder", async (home) => {
  const old = join(home.path, "old");
  await Deno.mkdir(join(old, ".git"), { recursive: true });
  await Deno.writeTextFile(join(old, ".git", "HEAD"), "ref: refs/heads/main\n");
  const place = { path: home.path, project: old };
  await ask(place, ["memory", "remember", "Tests need the service", "--file", "src/a.ts"]);
  const moved = { path: home.path, project: join(home.path, "new") };
  await Deno.rename(old, moved.project);
  const found = async (...args: string[]) =>
    (await ask(moved, ["memory", "search", "service", ...args])).results.length;
  assert.deepEqual([await found(), await found("--here")], [1, 0]);
  for (const folder of [old, "../old"]) {
    assert.equal(await found("--project", folder), 1, folder);
    const { observations } = await ask(
      moved,
      ["memory", "timeline", "src/a.ts", "--project", folder],
    );
    assert.equal(observations.length, 1, folder);
  }
  const { wouldRemove } = await ask(moved, ["memory", "forget", "--project", old, "--dry-run"]);
  assert.deepEqual(wouldRemove, { observations: 1 });
});

it("memory forget --dry-run names the newest ten observations that would go, and how many more", async (home) => {
  const { pier } = await harbours(home, ["pier"]);
  for (let n = 1; n <= 11; n++) await ask(pier, ["memory", "remember", `Buoy number ${n} is red`]);
  const { stdout } = await run(pier, ["memory", "forget", "--project", "pier", "--dry-run"]);
  const named = stdout.split("\n").filter((line) => /^ {2}#\d+ /.test(line));
  assert.equal(named.length, 10);
  assert.match(named[0]!, /Buoy number 11 is red/);
  assert.match(stdout, /\n {2}… and 2 more\n?/);
});

it("memory forget of one observation says which others go with it, and why", async (home) => {
  const { pier } = await harbours(home, ["pier"]);
  const session = { session_id: "pier", cwd: pier.project };
  await hook("UserPromptSubmit", { ...session, prompt: "Mend the pier" }, home);
  await hook("SessionEnd", { ...session, reason: "logout" }, home);
  await run(pier, ["queue", "drain"]);
  const { observations } = await ask(pier, ["memory", "list"]);
  const idOf = (kind: string) => observations.find((one: { kind: string }) => one.kind === kind).id;
  const forget = ["memory", "forget", String(idOf("prompt")), "--dry-run"];
  const { stdout } = await run(pier, forget);
  const too = `^ {2}Fixes and summaries that tell of them go too: #${idOf("summary")}\\.$`;
  assert.match(stdout, new RegExp(too, "m"));
});

/** Repositories below a home, each with a note. */
async function harbours<Name extends string>(
  home: TempHome,
  paths: readonly Name[],
): Promise<Record<Name, Place>> {
  const places = await Promise.all(paths.map(async (path) => {
    const project = join(home.path, path);
    await Deno.mkdir(join(project, ".git"), { recursive: true });
    await Deno.writeTextFile(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
    return [path, { path: home.path, project }] as const;
  }));
  for (const [path, place] of places) {
    await ask(place, ["memory", "remember", `The tide of ${path} is high`]);
  }
  return Object.fromEntries(places) as Record<Name, Place>;
}

it("memory forget --project forgets the named project from any folder, and never the project around that folder", async (home) => {
  const { pier } = await harbours(home, ["pier", "quay"]);
  const forget = ["memory", "forget", "--project"];
  const kept = async () =>
    (await ask(pier, ["memory", "search", "tide"])).results
      .map(({ title }: { title: string }) => title).toSorted();
  const none = await run(pier, [...forget, "nosuch", "--yes", "--json"]);
  assert.deepEqual([none.code, JSON.parse(none.stdout).receipt], [1, null]);
  assert.equal((await kept()).length, 2);
  const would = await run(pier, [...forget, "quay", "--dry-run"]);
  assert.match(would.stdout, /^Would remove, of the project \/.*\/quay: 1 observation\.$/m);
  await ask(pier, [...forget, "quay", "--yes"]);
  assert.deepEqual(await kept(), ["The tide of pier is high"]);
  // A folder of a project is not the project, unless that is said with a path.
  await Deno.mkdir(join(pier.project, "quay"));
  const { code, stderr } = await run(pier, [...forget, "quay", "--yes"]);
  assert.equal(code, 1);
  assert.match(stderr, /it is a folder of the project \/.*\/pier; nothing was changed/);
  assert.match(stderr, /next: Use `--project \/.*\/pier`/);
  const { wouldRemove } = await ask(pier, [...forget, "./quay", "--dry-run"]);
  assert.deepEqual(wouldRemove, { observations: 1 });
});

it("an unknown project has no results, and a name that several projects share is an error", async (home) => {
  const { pier } = await harbours(home, ["pier", "north/quay", "south/quay"]);
  const none = await run(pier, ["memory", "search", "tide", "--project", "nosuch"]);
  assert.match(none.stdout, /Nothing at all is known of the project "nosuch"; known: /);
  for (const yes of ["--yes", "--dry-run"]) {
    const forget = ["memory", "forget", "--since", "2026-01-02T00:00Z", "--project", "nosuch", yes];
    const { code, stdout } = await run(pier, forget);
    assert.equal(code, 1, yes);
    assert.match(stdout, /project "nosuch"; known: \/.*\/pier.*\n {2}next: conclaude memory for/);
    assert.match(stdout, /forget --dry-run .*--project \/.* --since 2026-01-02T00:00:00\.000Z$/m);
  }
  for (const verb of [["search", "tide"], ["timeline", "a.ts"], ["forget", "--yes"]]) {
    const { code, stderr } = await run(pier, ["memory", ...verb, "--project", "quay"]);
    assert.equal(code, 1, verb.join(" "));
    assert.match(stderr, /2 have this name: \/.*quay, \/.*quay\n +next: Use `--project \/.*quay`/);
  }
  const { results } = await ask(pier, ["memory", "search", "tide", "--project", "../north/quay"]);
  assert.equal(results.length, 1);
});

test("memory of a removed session is found and forgotten by its id", async (place) => {
  const { results: [{ sessionId }] } = await ask(place, ["memory", "search", "mismatched"]);
  const db = await openDatabase(place.database, { busyTimeoutMs: 5_000 });
  for (const table of ["hook_executions", "pending_queue", "counters", "sessions"]) {
    db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
  }
  db.close();
  for (const id of [sessionId, sessionId.replaceAll("-", "")]) {
    const { results } = await ask(place, ["memory", "search", "mismatched", "--session", id]);
    assert.ok(results.length > 0, id);
  }
  const { receipt } = await ask(place, ["memory", "forget", "--session", sessionId, "--yes"]);
  assert.ok(receipt.removed.observations > 0);
});

test("memory eval tells recall, the mean reciprocal rank and the time, and leaves nothing behind", async (place) => {
  const { documents, questions } = makeCorpus(9, { documents: 600, questions: 40 });
  const set = join(place.path, "set.jsonl");
  await Deno.writeTextFile(
    set,
    [
      ...documents.map((document) => ({ type: "document", ...document })),
      ...questions.map((question) => ({ type: "question", ...question })),
    ].map((line) => JSON.stringify(line)).join("\n"),
  );
  const before = await ask(place, ["memory", "stats"]);
  const scores = await ask(place, ["memory", "eval", set, "--baseline", "--per-question"]);
  assert.equal(scores.documents, documents.length);
  assert.equal(scores.questions, questions.length);
  for (const measure of [scores.recall.any, scores.recall.fraction]) {
    assert.deepEqual(Object.keys(measure), ["1", "5", "10", "20"]);
    for (const part of Object.values(measure)) {
      assert.ok((part as number) > 0 && (part as number) <= 1);
    }
  }
  assert.ok(
    scores.mrr > 0 && scores.latencyMs.p50 > 0 && scores.latencyMs.p99 >= scores.latencyMs.p50,
  );
  assert.ok(scores.recall.any["10"] >= scores.baseline.recall.any["10"]);
  assert.equal(scores.perQuestion.length, questions.length);
  assert.deepEqual(await ask(place, ["memory", "stats"]), before);
  await Deno.writeTextFile(set, '{"type":"document","id":1}\n');
  const wrong = await run(place, ["memory", "eval", set]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /line 1: its `sessionId` is not right/);
  const own = await ask(place, ["memory", "eval", "--self"]);
  assert.ok(own.questions > 0 && own.recall.any["20"] > 0);
});

it("memory eval takes a set with a byte order mark, and names the line that does not fit", async (home) => {
  const place = { path: home.path, project: home.path };
  const set = join(home.path, "set.jsonl");
  const document = {
    type: "document",
    id: "d1",
    sessionId: "s",
    projectDir: "/p",
    text: "zebra crossing",
    createdAtMs: START_MS,
  };
  const question = { type: "question", id: "q1", text: "zebra", relevant: ["d1"] };
  const write = (...lines: object[]) =>
    Deno.writeTextFile(set, `\uFEFF${lines.map((line) => JSON.stringify(line)).join("\r\n")}\n`);
  // A document may come behind the question that names it.
  await write(question, document);
  assert.equal((await ask(place, ["memory", "eval", set])).recall.any["1"], 1);
  // A document and a question may have the same id.
  await write({ ...document, role: null }, { ...question, id: "d1" });
  assert.equal((await ask(place, ["memory", "eval", set])).questions, 1);
  // A set may be put together of parts that share lines, and hold what others than people said.
  await write({ ...document, role: "tool" }, question, { ...document, role: "tool" }, question);
  const shared = await ask(place, ["memory", "eval", set]);
  assert.deepEqual([shared.documents, shared.questions], [1, 1]);
  const wrong: readonly (readonly [lines: object[], why: string])[] = [
    [
      [document, question, { ...document, text: "x" }],
      'line 3: the document "d1" is on line 1 already',
    ],
    [
      [question, document, { ...question, text: "x" }],
      'line 3: the question "q1" is on line 1 already',
    ],
    [
      [document, { ...question, relevant: ["d1", "d2"] }],
      'line 2: `relevant` names "d2", and no document has that id',
    ],
    [
      [{ ...document, createdAtMs: 1e18 }, question],
      "line 1: its `createdAtMs` is not right",
    ],
    [
      [document, { ...question, asOfMs: -1 }],
      "line 2: its `asOfMs` is not right",
    ],
    [[document, { ...question, asOfMs: "now" }], "line 2: its `asOfMs` is not right"],
  ];
  for (const [lines, why] of wrong) {
    await write(...lines);
    const { code, stderr } = await run(place, ["memory", "eval", set]);
    assert.deepEqual([code, stderr], [
      1,
      `Cannot read the set "${set}"\n  why:  ${why}\n  next: conclaude memory eval --help\n`,
    ]);
  }
});

/** A note of a folder that is gone, and a task of it. @returns The folder. */
async function gone(place: Stage): Promise<string> {
  const old = join(place.home, "old");
  Deno.mkdirSync(old);
  const note = ["memory", "remember", "The tests need port 5433"];
  assert.equal((await place.run(note, { cwd: old })).code, 0);
  Deno.removeSync(old, { recursive: true });
  using db = await openDatabase(place.database, { busyTimeoutMs: 1000 });
  makeTask(db, { projectDir: old });
  return old;
}

Deno.test("memory move gives what is known of a folder to another one, and --dry-run only says so", async () => {
  using place = stage();
  const old = await gone(place);
  const found = async () =>
    (await place.run(["memory", "search", "port", "--here"])).stdout.includes("5433");
  const dry = await place.json(["memory", "move", old, place.project, "--dry-run"]);
  assert.deepEqual([dry.code, dry.body.moved["observations"], dry.body.moved["tasks"]], [
    0,
    1,
    1,
  ]);
  assert.equal(await found(), false);
  const { code, stdout } = await place.run(["memory", "move", old, place.project]);
  assert.equal(code, 0);
  assert.match(stdout, /^Moved 1 observation, 1 task, .*from .*old to /s);
  assert.equal(await found(), true);
  assert.match((await place.run(["task", "list"])).stdout, /A task/);
});

Deno.test("memory move refuses a folder of which nothing is known, one that is not there, and one below the old one", async () => {
  using place = stage();
  const old = await gone(place);
  const why = async (...folders: string[]) => {
    const { code, body } = await place.json(["memory", "move", ...folders]);
    assert.equal(code, 1);
    assert.match(body.error.next, /./);
    return body.error.why;
  };
  assert.match(await why("/nowhere", place.project), /^nothing is known of \/nowhere; nothing/);
  assert.match(await why(old, join(place.home, "none")), /^there is no folder /);
  Deno.mkdirSync(join(old, "below"), { recursive: true });
  assert.match(await why(old, join(old, "below")), /is below .*old; nothing was changed$/);
  assert.match(await why(old, old), /^both are the same folder/);
});
