/** Payloads that flipped bits have damaged although every page is sound: who finds them, and what is said of them. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { jsonOf, tempHome } from "../../support/program.ts";
import { ask, worked } from "../../support/worked_database.ts";
import { run } from "../../support/verb.ts";

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

Deno.test("db check counts damaged payloads and names their captures, and the way out gives them up", async () => {
  using home = tempHome();
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
  assert.deepEqual(
    faults.map((fault: string) => ids.find((id) => fault.includes(id))),
    ids,
  );
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
