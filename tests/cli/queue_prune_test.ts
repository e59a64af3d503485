import assert from "node:assert/strict";
import { compactPayloads } from "../../src/db/payloads.ts";
import { saveEvent, type TempDatabase, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";

const DAY_MS = 86_400_000;
const PAYLOAD = JSON.stringify({
  tool_name: "Write",
  tool_input: { file_path: "/p/a.ts", content: "export const tries = 3;\n".repeat(40) },
});

const placeOf = ({ folder, path }: TempDatabase) => ({ home: folder, database: path });

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
  await runVerb(["queue", "drain"], placeOf(temp));
  const waits = saveEvent(temp.db, { atMs: old, capture });
  const givenUp = saveEvent(temp.db, { atMs: old, capture });
  temp.db.prepare("UPDATE pending_queue SET status = 'error' WHERE id = ?").run(givenUp);
  return { done, today, waits, givenUp };
}

const test = testWith(tempDatabase);

test("queue prune removes the payloads of old captures that are worked in, except the newest", async (temp) => {
  const { done } = await filled(temp);
  const before = payloads(temp);
  const observations = () => temp.db.prepare("SELECT * FROM observations ORDER BY id").all();
  const remembered = observations();
  const prune = ["queue", "prune", "--older-than", "2w", "--keep-raw", "1"];
  const planned = await runVerbJson([...prune, "--dry-run"], placeOf(temp));
  assert.equal(planned.pruned, 2);
  assert.deepEqual(payloads(temp), before, "--dry-run changes nothing");

  const { pruned, storedBytes } = await runVerbJson(prune, placeOf(temp));
  assert.deepEqual([pruned, storedBytes], [2, planned.storedBytes]);
  const after = payloads(temp);
  const changed = Object.keys(before).filter((id) => before[id] !== after[id]);
  assert.deepEqual(changed.sort(), done.slice(0, 2).sort());
  assert.deepEqual(observations(), remembered);
  assert.equal((await runVerbJson(prune, placeOf(temp))).pruned, 0, "again there is nothing to do");
});

test("a pruned payload is shown as pruned everywhere, and survives an export and import", async (temp) => {
  const { done: [first = ""] } = await filled(temp);
  await runVerb(["queue", "prune", "--older-than", "2w", "--keep-raw", "0"], placeOf(temp));
  const shown = await runVerbJson(["queue", "show", first], placeOf(temp));
  assert.deepEqual(shown.payload, { pruned: true, bytes: PAYLOAD.length });
  assert.equal(shown.rawBytes, JSON.stringify(shown.payload).length);
  const { stdout } = await runVerb(["queue", "show", first], placeOf(temp));
  assert.match(stdout, /Its payload of 1\.\d kB was pruned; what memory made of it stays\./);
  const { results } = await runVerbJson(
    ["memory", "search", "tries", "--kind", "edit"],
    placeOf(temp),
  );
  const memory = await runVerb(["memory", "show", String(results[0].id)], placeOf(temp));
  assert.match(memory.stdout, /capture +\S+ \(its payload was pruned\)/);
  assert.equal(compactPayloads(temp.db).compressed, 2, "only those that hold something");

  const file = `${temp.folder}/all.jsonl`;
  await runVerb(["export", "--output", file], placeOf(temp));
  const lines = Deno.readTextFileSync(file).split("\n").filter((line) => line.includes(first));
  assert.ok(
    lines.some((line) => line.includes(`"payload":{"pruned":true,"bytes":${PAYLOAD.length}}`)),
  );
  using other = await tempDatabase();
  const imported = await runVerb(["import", file], placeOf(other));
  assert.equal(imported.code, 0, imported.stderr);
  assert.deepEqual(
    (await runVerbJson(["queue", "show", first], placeOf(other))).payload,
    shown.payload,
  );
});

test("queue prune refuses text that is no age or no number", async (temp) => {
  await filled(temp);
  const before = payloads(temp);
  const wrongs = [["--older-than", "30x"], ["--older-than", "d"], ["--keep-raw", "-1"], [
    "--keep-raw",
    "x",
  ]];
  for (const wrong of wrongs) {
    assert.equal(
      (await runVerb(["queue", "prune", ...wrong], placeOf(temp))).code,
      2,
      wrong.join(" "),
    );
  }
  assert.deepEqual(payloads(temp), before);
  assert.equal(
    (await runVerbJson(["queue", "prune", "--older-than", "1m", "--keep-raw", "0"], placeOf(temp)))
      .pruned,
    0,
  );
});
