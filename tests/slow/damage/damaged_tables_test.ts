/** Damaged pages of tables, and payloads whose bits have flipped: what the real program brings back of them, and how. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { jsonOf, runProgram, tempHome } from "../../support/program.ts";
import { closeDatabase } from "../../support/spoilt.ts";
import { ask, PAGE_BYTES, pagesOf, rowsIn, worked } from "../../support/worked_database.ts";
import { run } from "../../support/verb.ts";
import { testWith } from "../../support/fixtures.ts";

const test = testWith(tempHome);

test("doctor leaves a file of a few bytes as it is that somebody names as the database", async (home) => {
  const path = join(home.path, "notes.txt");
  Deno.writeTextFileSync(path, "x");
  const { code, stderr } = await run(home, "--db", path, "memory", "search", "a");
  assert.equal(code, 1);
  assert.match(stderr, /Cannot open the database[^]*file is not a database; nothing was changed/);
  assert.equal(Deno.readTextFileSync(path), "x");
});

/** Lets an index miss a change of its table, as a write that was lost does. */
function loseWrite(path: string, index: string, change: string): void {
  const pages = pagesOf(path, index, "leaf");
  const before = Deno.readFileSync(path);
  {
    using db = new DatabaseSync(path);
    db.exec(change);
  }
  closeDatabase(path);
  using file = Deno.openSync(path, { write: true });
  for (const page of pages) {
    const at = (page - 1) * PAGE_BYTES;
    file.seekSync(at, Deno.SeekMode.Start);
    file.writeSync(before.subarray(at, at + PAGE_BYTES));
  }
}

test("an index that lacks entries is found by doctor as by db check, and made anew without losing a row", async (home) => {
  await worked(home);
  loseWrite(
    home.database,
    "observations_by_age",
    "UPDATE observations SET created_at_ms = created_at_ms + 1, updated_at_ms = updated_at_ms + 1 WHERE id = 7",
  );
  const before = rowsIn(home.database, "observations NOT INDEXED", "*");
  assert.equal((await run(home, "db", "check")).code, 1);
  const found = await run(home, "doctor");
  assert.match(found.stdout, /is damaged: row \d+ missing from index observations_by_age/);
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /: \d+ tables came back whole \(\d+ rows\)\n|; \d+ tables came back whole/);
  assert.equal((await run(home, "db", "check")).code, 0);
  assert.deepEqual(rowsIn(home.database, "observations", "*"), before);
});

test("an observation with damaged facts keeps no other one from being told", async (home) => {
  await worked(home);
  const start = async (session: string) => {
    const event = {
      session_id: session,
      hook_event_name: "SessionStart",
      source: "startup",
      cwd: "/home/ana/app",
    };
    const { code, stdout } = await runProgram(["hook"], {
      env: { HOME: home.path, CLAUDE_PROJECT_DIR: "/home/ana/app" },
      stdin: JSON.stringify(event),
    });
    assert.equal(code, 0);
    return JSON.parse(stdout).hookSpecificOutput.additionalContext as string;
  };
  const sound = await start("c0de0000-0000-4000-8000-000000000001");
  {
    using db = new DatabaseSync(home.database);
    db.exec(
      "UPDATE observations SET facts = substr(facts, 1, length(facts) - 1) || char(0) WHERE id % 5 = 0",
    );
    db.exec("UPDATE observations SET files = '[' WHERE id % 7 = 0");
    db.exec("UPDATE observations SET facts = '{' WHERE kind = 'summary'");
  }
  const told = await start("c0de0000-0000-4000-8000-000000000002");
  assert.ok(told.length > sound.length / 2, told);
  for (const args of [["show", "5"], ["show", "7"], ["timeline", "5"], ["search", "auth"]]) {
    const { code, stderr } = await run(home, "memory", ...args);
    assert.equal(code, 0, args.join(" ") + stderr);
  }
});

/** Flips bits in the streams of some payloads. @returns The ids of the captures. */
function damagePayloads(path: string, count: number): string[] {
  using db = new DatabaseSync(path);
  const rows = db.prepare(
    "SELECT id, payload FROM pending_queue WHERE encoding = 'br' ORDER BY id LIMIT ?",
  ).all(count);
  const put = db.prepare("UPDATE pending_queue SET payload = ? WHERE id = ?");
  for (const { id, payload } of rows) {
    put.run(
      (payload as Uint8Array<ArrayBuffer>).map((byte, at) => at < 8 ? byte : byte ^ 0x55),
      id!,
    );
  }
  return rows.map(({ id }) => String(id));
}

test("db check counts damaged payloads and names their captures, and the way out gives them up", async (home) => {
  await worked(home);
  const ids = damagePayloads(home.database, 5);
  const exported = await run(home, "export");
  assert.equal(exported.code, 1);
  assert.match(exported.stderr, /5 payloads are damaged[^]*next: conclaude db check\n/);
  const checked = await run(home, "db", "check", "--json");
  assert.equal(checked.code, 1);
  const { status, message, faults, next } = jsonOf(checked).checks
    .find(({ name }: { name: string }) => name === "payloads");
  assert.equal(status, "fail");
  assert.match(message, new RegExp(`^5 payloads are damaged .+ of the captures ${ids[0]}, `));
  assert.deepEqual(faults.map((fault: string) => ids.find((id) => fault.includes(id))), ids);
  assert.equal(next, "conclaude queue prune --unreadable");
  const before = ask(home.database, "SELECT count(*) AS n FROM observations");
  const [would, did] = [
    jsonOf(await run(home, "queue", "prune", "--unreadable", "--dry-run", "--json")),
    jsonOf(await run(home, "queue", "prune", "--unreadable", "--json")),
  ];
  assert.deepEqual([would.pruned, did.pruned], [5, 5]);
  assert.equal((await run(home, "db", "check")).code, 0);
  assert.equal((await run(home, "export")).code, 0);
  assert.deepEqual(ask(home.database, "SELECT count(*) AS n FROM observations"), before);
  assert.match((await run(home, "queue", "show", ids[0]!)).stdout, /pruned/);
});
