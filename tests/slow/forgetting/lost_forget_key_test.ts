/** The page is lost that holds the key by which forgotten words are known: that is told, wherever they may come back. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { queryValue } from "../../support/look.ts";
import { change } from "../../support/on_home.ts";
import { jsonOf, type TempHome, tempHome } from "../../support/program.ts";
import { closeDatabase } from "../../support/spoilt.ts";
import { putTranscripts, tellHooks } from "../../support/transcripts.ts";
import { run } from "../../support/verb.ts";

const PAGE_BYTES = 4096;
const SAID = "Write a greeting.";

interface Row {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly next: string;
}

async function told(home: TempHome, ...flags: string[]) {
  const { checks, fixed } = jsonOf(await run(home, "doctor", "--json", ...flags));
  const rows: Row[] = checks.filter(({ name }: Row) => name === "forgetting");
  return { rows, fixed: (fixed ?? []).join("\n") as string };
}

/** A session with a prompt that was forgotten after it was exported; and the receipt. */
async function withForgotten(home: TempHome): Promise<string> {
  putTranscripts(home, ["tools"]);
  await tellHooks(home, "tools", () => false);
  assert.equal((await run(home, "queue", "drain")).code, 0);
  assert.equal((await run(home, "export", "--output", join(home.path, "before.jsonl"))).code, 0);
  const args = ["memory", "forget", "--text", SAID, "--yes", "--json"];
  const { receipt } = jsonOf(await run(home, ...args));
  closeDatabase(home.database);
  return receipt.id;
}

function zeroRootOfMeta(home: TempHome): void {
  const db = new DatabaseSync(home.database);
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'meta'").get()!;
  db.close();
  using file = Deno.openSync(home.database, { write: true });
  file.seekSync((Number(rootpage) - 1) * PAGE_BYTES, Deno.SeekMode.Start);
  file.writeSync(new Uint8Array(PAGE_BYTES));
}

const LOSSES = {
  "a zeroed page": zeroRootOfMeta,
  "a table that is gone": (home: TempHome) => change(home, "DROP TABLE meta"),
};

for (const [name, lose] of Object.entries(LOSSES)) {
  Deno.test(`${name} takes the key of what was forgotten: doctor and every import name the receipt until it is forgotten once more`, async () => {
    using home = tempHome();
    const receipt = await withForgotten(home);
    assert.deepEqual((await told(home)).rows, []);
    lose(home);

    const { rows, fixed } = await told(home, "--fix");
    assert.match(fixed, /the key of what was forgotten is lost|the rows of meta are lost/);
    assert.equal(rows.length, 1);
    assert.match(
      rows[0]!.message,
      /^the key that recognizes forgotten prompts, messages and names is lost/,
    );
    assert.ok(rows[0]!.message.includes(receipt));
    assert.equal(rows[0]!.next, `conclaude memory verify ${receipt}`);

    for (
      const [index, verb] of [["import", "before.jsonl"], ["reconcile", "--backfill"]].entries()
    ) {
      const { stderr } = await run(home, ...verb);
      assert.match(
        stderr,
        /^Prompts and messages that were forgotten may have come back\n/,
        stderr,
      );
      assert.ok(stderr.includes(`next: conclaude memory verify ${receipt}\n`), String(index));
    }
    assert.equal((await run(home, "queue", "drain")).code, 0);
    const found = await run(home, "memory", "verify", receipt, "--text", SAID);
    assert.equal(found.code, 1, found.stdout);

    // A key that is made for something else does not hide it.
    const other = jsonOf(await run(home, "memory", "remember", "A note of its own", "--json"));
    assert.ok(other);
    await run(home, "memory", "forget", "--text", "A note of its own", "--yes");
    assert.ok(queryValue(home, "SELECT value FROM meta WHERE key = 'forget_key'"));
    assert.equal((await told(home)).rows.length, 1);

    assert.equal((await run(home, "memory", "forget", "--text", SAID, "--yes")).code, 0);
    assert.deepEqual((await told(home)).rows, []);
    const { stderr } = await run(home, "import", "before.jsonl");
    assert.equal(stderr, "");
    assert.equal((await run(home, "memory", "verify", receipt, "--text", SAID)).code, 0);
  });
}

Deno.test("doctor names no lost key where the key is there, or where nothing was forgotten", async () => {
  using home = tempHome();
  await run(home, "memory", "remember", "A note of its own");
  change(home, "DROP TABLE meta");
  assert.deepEqual((await told(home, "--fix")).rows, []);
  await run(home, "export", "--output", join(home.path, "all.jsonl"));
  assert.equal((await run(home, "import", "all.jsonl")).stderr, "");
});
