import assert from "node:assert/strict";
import type { CliContext } from "../../src/operations/context.ts";
import { intoFile } from "../../src/operations/verbs/export_verbs.ts";
import { noCounts } from "../../src/upkeep/transfer/exported_tables.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempDatabase);

test("export writes JSON Lines to stdout, with --json nothing besides", async (temp) => {
  saveEvent(temp.db, { capture: {} });

  for (const args of [["export"], ["export", "--json"]]) {
    const { code, stdout, stderr } = await runVerb(args, temp);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    const types = stdout.trimEnd().split("\n").map((line) => JSON.parse(line).type);
    assert.deepEqual(types, ["meta", "session", "execution", "capture", "end"]);
  }
});

test("export --output writes a private file, and replaces an old one as a whole", async (temp) => {
  saveEvent(temp.db, { capture: {}, counters: ["edits"] });

  const path = `${temp.folder}/out.jsonl`;
  Deno.writeTextFileSync(path, "old", { mode: 0o644 });
  Deno.symlinkSync(path, `${temp.folder}/link.jsonl`);
  const report = await runVerbJson(["export", "--output", "link.jsonl"], temp);
  assert.deepEqual(report, {
    ...noCounts(),
    ...{ output: "link.jsonl", sessions: 1, executions: 1, captures: 1, counters: 1 },
    ...{ damaged: 0, unreadable: 0, waiting: 0 },
  });
  assert.ok(Deno.lstatSync(`${temp.folder}/link.jsonl`).isSymlink);
  assert.equal(Deno.readTextFileSync(path).trimEnd().split("\n").length, 6);
  if (Deno.build.os !== "windows") assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
  Deno.removeSync(path);
  await runVerbJson(["export", "--output", "link.jsonl"], temp);
  assert.ok(Deno.statSync(path).isFile && Deno.lstatSync(`${temp.folder}/link.jsonl`).isSymlink);
  assert.deepEqual(namesOfDrafts(temp.folder), []);
});

test("export --output removes the drafts that a killed export of the same name left", async (temp) => {
  saveEvent(temp.db, { capture: {} });

  const draft = (name: string) => `${name}.${crypto.randomUUID()}.tmp`;
  const [left, atWork, other] = [draft("out.jsonl"), draft("out.jsonl"), draft("more.jsonl")];
  const kept = [atWork, other, "out.jsonl.my.tmp"];
  for (const name of [left, ...kept]) {
    Deno.writeTextFileSync(`${temp.folder}/${name}`, "{}\n", { mode: 0o600 });
  }
  Deno.utimeSync(`${temp.folder}/${left}`, new Date(0), new Date(0));
  await runVerbJson(["export", "--output", "out.jsonl"], temp);
  assert.deepEqual(namesOfDrafts(temp.folder).sort(), [...kept].sort());
});

test("of two exports into one file at once, the last one stays", async (temp) => {
  const context = { cwd: temp.folder, locations: { home: temp.folder } } as unknown as CliContext;
  const [first, second] = ["1", "2"].map((text) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const written = intoFile("out.jsonl", context, temp.path, (write) => {
      write(text);
      return promise;
    });
    return { end: () => (resolve(), written) };
  });
  assert.equal(namesOfDrafts(temp.folder).length, 2);
  await second!.end();
  await first!.end();
  assert.equal(Deno.readTextFileSync(`${temp.folder}/out.jsonl`), "1");
  assert.deepEqual(namesOfDrafts(temp.folder), []);
});

test("export --output does not overwrite a database or its companion files", async (temp) => {
  saveEvent(temp.db, { capture: {} });

  Deno.symlinkSync(temp.path, `${temp.folder}/link.jsonl`);
  const other = `${temp.folder}/other.db`;
  temp.db.exec(`VACUUM INTO '${other}'`);
  const before = Deno.readFileSync(temp.path);
  const ofDatabase = ["", "-wal", "-shm"].map((ending) => temp.path + ending);
  for (const path of [...ofDatabase, `${temp.folder}/link.jsonl`, other]) {
    const { code, stderr } = await runVerb(["export", "--output", path], temp);
    assert.equal(code, 1, path);
    assert.match(
      stderr,
      /why: {2}it is a file of a database; nothing was changed\n {2}next: Name another/,
    );
  }
  const linked = { home: temp.folder, database: `${temp.folder}/link.jsonl` };
  const { stderr } = await runVerb(["export", "--output", `${temp.path}-wal`], linked);
  assert.match(stderr, /it is a file of a database/, "beside what a link leads to");
  assert.deepEqual(Deno.readFileSync(temp.path), before);
  assert.deepEqual(namesOfDrafts(temp.folder), []);
});

test("export --output into a missing folder says so and leaves nothing behind", async (temp) => {
  const cases = [["no/such/out.jsonl", "mkdir -p \\S+/no/such"], [".", "ls -ld \\S+"]] as const;
  for (const [name, next] of cases) {
    const { code, stderr } = await runVerb(["export", "--output", name], temp);
    assert.equal(code, 1);
    assert.match(stderr, /^Cannot write ".*"\n {2}why: .*\n {2}next: .*\n$/);
    assert.match(stderr, new RegExp(`next: ${next}\n$`));
    assert.match(stderr, /why: .*; nothing was changed\n/);
  }
  assert.deepEqual(namesOfDrafts(temp.folder), []);
});

Deno.test("export --output writes into a pipe and does not replace it", async () => {
  if (Deno.build.os === "windows") return;
  using temp = await tempDatabase();
  saveEvent(temp.db);
  // A pipe of our own: code that fails here must not be able to replace a device of the machine.
  const pipe = `${temp.folder}/pipe`;
  assert.ok((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
  const reader = new Deno.Command("cat", { args: [pipe], stdout: "piped" }).spawn();

  const { code } = await runVerb(["export", "--output", pipe], temp);
  const stillThere = Deno.statSync(pipe).isFifo;
  if (!stillThere) reader.kill("SIGKILL");
  const { stdout } = await reader.output();
  assert.ok(stillThere);
  assert.equal(code, 0);
  assert.equal(new TextDecoder().decode(stdout).trimEnd().split("\n").length, 4);
});

test("export with a damaged payload writes the rest and exits with 1", async (temp) => {
  saveEvent(temp.db, { atMs: 1, capture: {} });
  saveEvent(temp.db, { atMs: 2, capture: {} });
  temp.db.exec("UPDATE pending_queue SET payload = '{broken' WHERE created_at_ms = 1");
  const { code, stdout, stderr } = await runVerb(["export"], {
    home: temp.folder,
    database: temp.path,
  });
  assert.equal(code, 1);
  assert.match(stderr, /^1 payload is damaged/);
  assert.equal(JSON.parse(stdout.trimEnd().split("\n").at(-1)!).captures, 2);
});

test("export names the observation that it cannot read, and what to do next", async (temp) => {
  const insert = temp.db.prepare(
    "INSERT INTO observations (uid, session_id, kind, title, text, terms, created_at_ms, updated_at_ms) " +
      "VALUES (?, 's', 'note', 'a title', '', '', 1000000000000000000 * ?, 1)",
  );
  for (const [uid, times] of [["a", 0], ["b", 1], ["c", 0]] as const) insert.run(uid, times);

  const { code, stdout, stderr } = await runVerb(["export"], temp);
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout.trimEnd().split("\n").at(-1)!).observations, 2);
  assert.match(
    stderr,
    /^At least 1 row cannot be read\n {2}why: {2}observation 2 \(.*1000000000000000000.*\); all the others/,
  );
  assert.match(stderr, /\n {2}next: conclaude doctor\n$/);
});

function namesOfDrafts(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    name.endsWith(".tmp")
  );
}

test("half of a surrogate pair is exported as U+FFFD, which strict readers accept", async (from) => {
  using to = await tempDatabase();
  const halves = String.raw`"\ud83d\"","\uDC00 x","\ud800\ud83d\ude00\udfff"`;
  const others = String.raw`"\\ud800","\ud83d\uDE00","\\\\ud83d","\u2028 😀"`;
  const mended = String.raw`"\ufffd\"","\ufffd x","\ufffd\ud83d\ude00\ufffd"`;
  const payload = (texts: string) => `{"tool_response":[${texts},${others}]}`;
  saveEvent(from.db, {
    execution: { metadata: { note: "cut \ud83d" } },
    capture: { payload: payload(halves) },
  });
  const file = `${from.folder}/out.jsonl`;
  await runVerbJson(["export", "--output", file], { home: from.folder, database: from.path });
  const lines = Deno.readTextFileSync(file).trimEnd().split("\n");
  for (const line of lines) JSON.parse(line, (_, value) => assert.ok(isWellFormed(value), line));
  assert.ok(lines.some((line) => line.endsWith(`,"payload":${payload(mended)}}`)));

  assert.equal((await runVerb(["import", file], to)).code, 0);
  const again = (await runVerb(["export"], to)).stdout.trimEnd().split("\n");
  const rows = (all: readonly string[]) => all.slice(1).map((line) => JSON.parse(line));
  assert.deepEqual(rows(again), rows(lines));
});

function isWellFormed(value: unknown): boolean {
  return typeof value !== "string" || value.isWellFormed();
}
