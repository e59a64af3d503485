import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { compactPayloads } from "../../src/db/payloads.ts";
import { spoolRecord } from "../../src/db/spool.ts";
import { hookRecord, saveEvent, type TempDatabase, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";

const LONG = { tool_name: "Write", text: "conclaude ".repeat(500) };

function giveUp(db: DatabaseSync, id: string): void {
  db.prepare("UPDATE pending_queue SET status = 'error', attempts = 3 WHERE id = ?").run(id);
}

const test = testWith(tempDatabase);

test("queue list --json has the documented fields", async (temp) => {
  const id = saveEvent(temp.db, { atMs: 5, capture: { payload: '{"a":1}' } });
  const { items } = await runVerbJson(["queue", "list"], temp);
  assert.deepEqual(items, [{
    id,
    sessionId: "cad0ac4d-3933-45ad-9a1c-14aec05bb940",
    toolName: "Write",
    toolUseId: "toolu_1",
    outcome: "success",
    priority: "high",
    status: "raw",
    attempts: 0,
    filesTouched: ["/p/a.ts"],
    rawBytes: 7,
    cutBytes: 0,
    errorMessage: null,
    retryAtMs: null,
    createdAtMs: 5,
    updatedAtMs: 5,
  }]);
});

test("queue show tells no size that a damaged page has made up", async (temp) => {
  const id = saveEvent(temp.db, { capture: { payload: '{"a":1}' } });
  saveEvent(temp.db, { capture: { payload: '{"a":12}' } });
  temp.db.prepare("UPDATE pending_queue SET raw_bytes = -7798 WHERE id = ?").run(id);
  const { items } = await runVerbJson(["queue", "list"], temp);
  // The order of two that were made in the same millisecond says nothing.
  assert.deepEqual(
    items.map((item: { id: string; rawBytes: unknown }) => [item.id === id, item.rawBytes]).sort(),
    [[false, 8], [true, null]],
  );
  assert.equal((await runVerbJson(["queue", "stats"], temp)).rawBytes, 8);
  assert.doesNotMatch((await runVerb(["queue", "show", id], temp)).stdout, /^size/m);
});

test("queue show gives the payload back, compressed or not, by the beginning of the id", async (temp) => {
  const id = saveEvent(temp.db, { capture: { payload: JSON.stringify(LONG) } });
  const before = await runVerbJson(["queue", "show", id], temp);
  assert.equal(compactPayloads(temp.db).compressed, 1);
  const after = await runVerbJson(["queue", "show", id.slice(0, 9).toUpperCase()], temp);
  assert.deepEqual(before.payload, LONG);
  assert.deepEqual(after, before);
  assert.equal(after.id, id);
});

test("queue show names the ids that begin alike, and says when no id does", async (temp) => {
  const ids = [1, 2].map((atMs) => saveEvent(temp.db, { atMs, capture: {} }));
  const several = await runVerb(["queue", "show", "0000"], temp);
  assert.equal(several.code, 1);
  for (const id of ids) assert.ok(several.stderr.includes(id));
  const none = await runVerb(["queue", "show", "f00d"], temp);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /why: .*\n {2}next: conclaude queue list\n$/);
});

test("queue show reports a damaged payload as what, why and next", async (temp) => {
  const id = saveEvent(temp.db, { capture: { payload: JSON.stringify(LONG) } });
  compactPayloads(temp.db);
  temp.db.exec("UPDATE pending_queue SET payload = x'00'");
  const { code, stderr, stdout } = await runVerb(["queue", "show", id], temp);
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /^Cannot read the payload .*\n {2}why: .*damaged.*\n {2}next: .*\n$/);
});

test("queue show lets no stored text take over the terminal", async (temp) => {
  const payload = JSON.stringify({ stdout: "\x1b[2J\u009b31m\x7f\u2028" });
  const id = saveEvent(temp.db, { capture: { payload, filesTouched: ["/p/\x1b]0;x\x07"] } });
  const { stdout } = await runVerb(["queue", "show", id], temp);
  // deno-lint-ignore no-control-regex
  assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/.test(stdout));
});

test("queue retry takes ids or --all, and nothing else", async (temp) => {
  const ids = [1, 2, 3].map((n) =>
    saveEvent(temp.db, { atMs: n * 1_000_000_000_000, capture: {} })
  );
  ids.slice(0, 2).forEach((id) => giveUp(temp.db, id));
  const place = temp;
  assert.equal((await runVerb(["queue", "retry"], place)).code, 2);
  assert.equal((await runVerb(["queue", "retry", "--all", ids[0]!], place)).code, 2);
  assert.equal((await runVerb(["queue", "retry", ids[0]!, "nonsense"], place)).code, 1);
  const some = await runVerbJson(["queue", "retry", ids[0]!, ids[2]!, ids[2]!], place);
  assert.deepEqual(some, { retried: 1, unchanged: 1 });
  assert.deepEqual(await runVerbJson(["queue", "retry", "--all"], place), {
    retried: 1,
    unchanged: 0,
  });
  giveUp(temp.db, ids[0]!);
  const told = await runVerb(["queue", "retry", ids[0]!, ids[2]!], place);
  assert.equal(told.stdout, "1 capture waits again; 1 had no error and was left alone.\n");
});

test("queue drain takes in the spool, works all captures into memory, and compresses", async (temp) => {
  const { db, folder, path } = temp;
  const stuck = saveEvent(db, { capture: { payload: JSON.stringify(LONG) } });
  saveEvent(db, { capture: { payload: JSON.stringify(LONG) } });
  // Of a drain that died over it, whenever that was.
  db.prepare("UPDATE pending_queue SET status = 'processing' WHERE id = ?").run(stuck);
  spool(folder, path);
  const waits = /^in the spool {2}1 waiting: run `conclaude queue drain`$/m;
  for (const verb of ["stats", "list"]) {
    assert.equal((await runVerbJson(["queue", verb], temp)).spooled, 1, verb);
    assert.match((await runVerb(["queue", verb], temp)).stdout, waits, verb);
  }
  const { savedBytes, freedBytes, ...report } = await runVerbJson(["queue", "drain"], temp);
  assert.deepEqual(report, {
    saved: 1,
    known: 0,
    damaged: [],
    worked: 3,
    failed: 0,
    forgotten: 0,
    summaries: 0,
    isBusy: false,
    isOff: false,
    compressed: 3,
    left: 0,
  });
  assert.ok(savedBytes > 12_000);
  assert.ok(freedBytes >= 0);
  const stats = await runVerbJson(["queue", "stats"], temp);
  assert.deepEqual(stats.byStatus, { raw: 0, processing: 0, done: 3, error: 0 });
  assert.equal(stats.spooled, 0);
  assert.doesNotMatch((await runVerb(["queue", "list"], temp)).stdout, /spool/);
  assert.ok(stats.storedBytes < stats.rawBytes / 10);
});

test("queue drain says when memory is switched off, and works nothing into it", async (temp) => {
  const { db, folder } = temp;
  saveEvent(db, { capture: { payload: JSON.stringify(LONG) } });
  Deno.mkdirSync(`${folder}/.conclaude`, { recursive: true });
  const config = `${folder}/.conclaude/config.yaml`;
  Deno.writeTextFileSync(config, "memory: {enabled: false}\n");
  const { worked, isOff, isBusy } = await runVerbJson(["queue", "drain"], temp);
  assert.deepEqual({ worked, isOff, isBusy }, { worked: 0, isOff: true, isBusy: false });
  const { stdout } = await runVerb(["queue", "drain"], temp);
  assert.match(stdout, /^captures +left as they are, since `memory\.enabled` is false here$/m);
  Deno.removeSync(config);
  assert.equal((await runVerbJson(["queue", "drain"], temp)).worked, 1);
});

function spool(home: string, database: string): void {
  const capture = { filesTouched: [], payload: JSON.stringify(LONG) };
  spoolRecord(hookRecord({ capture }), { database, folders: [`${home}/.conclaude/spool`] });
}

const DAY_MS = 86_400_000;
const PAYLOAD = JSON.stringify({
  tool_name: "Write",
  tool_input: { file_path: "/p/a.ts", content: "export const tries = 3;\n".repeat(40) },
});

function payloads({ db }: TempDatabase): Record<string, string> {
  const rows = db.prepare("SELECT id, encoding, CAST(payload AS BLOB) AS bytes FROM pending_queue")
    .all();
  return Object.fromEntries(
    rows.map(({ id, encoding, bytes }) => [id, `${encoding} ${(bytes as Uint8Array).toHex()}`]),
  );
}

/** Three captures of 20 days ago that are worked in, one of today, and of 20 days ago one that waits and one given up. */
async function filled(temp: TempDatabase) {
  const old = Date.now() - 20 * DAY_MS;
  const capture = { payload: PAYLOAD };
  const done = [0, 1, 2].map((n) => saveEvent(temp.db, { atMs: old + n, capture }));
  const today = saveEvent(temp.db, { capture });
  await runVerb(["queue", "drain"], temp);
  const waits = saveEvent(temp.db, { atMs: old, capture });
  const givenUp = saveEvent(temp.db, { atMs: old, capture });
  temp.db.prepare("UPDATE pending_queue SET status = 'error' WHERE id = ?").run(givenUp);
  return { done, today, waits, givenUp };
}

test("queue prune removes the payloads of old captures that are worked in, except the newest", async (temp) => {
  const { done } = await filled(temp);
  const before = payloads(temp);
  const observations = () => temp.db.prepare("SELECT * FROM observations ORDER BY id").all();
  const remembered = observations();
  const prune = ["queue", "prune", "--older-than", "2w", "--keep-raw", "1"];
  const planned = await runVerbJson([...prune, "--dry-run"], temp);
  assert.equal(planned.pruned, 2);
  assert.deepEqual(payloads(temp), before, "--dry-run changes nothing");

  const { pruned, storedBytes } = await runVerbJson(prune, temp);
  assert.deepEqual([pruned, storedBytes], [2, planned.storedBytes]);
  const after = payloads(temp);
  const changed = Object.keys(before).filter((id) => before[id] !== after[id]);
  assert.deepEqual(changed.sort(), done.slice(0, 2).sort());
  assert.deepEqual(observations(), remembered);
  assert.equal((await runVerbJson(prune, temp)).pruned, 0, "again there is nothing to do");
});

test("a pruned payload is shown as pruned everywhere, and survives an export and import", async (temp) => {
  const { done: [first = ""] } = await filled(temp);
  await runVerb(["queue", "prune", "--older-than", "2w", "--keep-raw", "0"], temp);
  const shown = await runVerbJson(["queue", "show", first], temp);
  assert.deepEqual(shown.payload, { pruned: true, bytes: PAYLOAD.length });
  assert.equal(shown.rawBytes, JSON.stringify(shown.payload).length);
  const { stdout } = await runVerb(["queue", "show", first], temp);
  assert.match(stdout, /Its payload of 1\.\d kB was pruned; what memory made of it stays\./);
  const { results } = await runVerbJson(["memory", "search", "tries", "--kind", "edit"], temp);
  const memory = await runVerb(["memory", "show", String(results[0].id)], temp);
  assert.match(memory.stdout, /capture +\S+ \(its payload was pruned\)/);
  assert.equal(compactPayloads(temp.db).compressed, 2, "only those that hold something");

  const file = `${temp.folder}/all.jsonl`;
  await runVerb(["export", "--output", file], temp);
  const lines = Deno.readTextFileSync(file).split("\n").filter((line) => line.includes(first));
  assert.ok(
    lines.some((line) => line.includes(`"payload":{"pruned":true,"bytes":${PAYLOAD.length}}`)),
  );
  using other = await tempDatabase();
  const imported = await runVerb(["import", file], other);
  assert.equal(imported.code, 0, imported.stderr);
  assert.deepEqual((await runVerbJson(["queue", "show", first], other)).payload, shown.payload);
});

test("queue prune refuses text that is no age or no number", async (temp) => {
  await filled(temp);
  const before = payloads(temp);
  const wrongs = [["--older-than", "30x"], ["--older-than", "d"], ["--keep-raw", "-1"], [
    "--keep-raw",
    "x",
  ]];
  for (const wrong of wrongs) {
    assert.equal((await runVerb(["queue", "prune", ...wrong], temp)).code, 2, wrong.join(" "));
  }
  assert.deepEqual(payloads(temp), before);
  assert.equal(
    (await runVerbJson(["queue", "prune", "--older-than", "1m", "--keep-raw", "0"], temp))
      .pruned,
    0,
  );
});
