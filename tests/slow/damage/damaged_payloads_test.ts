/** Payloads that flipped bits have damaged although every page is sound: who finds them, and what is said of them. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { jsonOf, tempHome } from "../../support/program.ts";
import { spoil } from "../../support/spoilt.ts";
import { ask, PAGE_BYTES, pagesOf, worked } from "../../support/worked_database.ts";
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

Deno.test("a rescue does not count damaged payloads among the rows that can be read", async () => {
  using home = tempHome();
  await worked(home);
  const ids = damagePayloads(home.database, 5);
  const page = pagesOf(home.database, "hook_executions", "leaf")[0]!;
  const [all] = ask(
    home.database,
    `SELECT (SELECT count(*) FROM observations) + (SELECT count(*) FROM pending_queue) +
            (SELECT count(*) FROM sessions) AS n`,
  );
  spoil(home.database, { at: (page - 1) * PAGE_BYTES, length: PAGE_BYTES });
  const { stdout } = await run(home, "doctor", "--fix");
  const [, rows, damaged] = /; (\d+) rows that can be read .+, with (\d+) captures whose payload/
    .exec(stdout) ?? [];
  assert.equal(Number(damaged), ids.length, stdout);
  const [others] = ask(home.database, "SELECT count(*) AS n FROM hook_executions");
  assert.equal(Number(rows), Number(all!["n"]) + Number(others!["n"]) - ids.length);
});

Deno.test("damaged payloads of captures that wait, or were given up for it, have the same way out", async () => {
  using home = tempHome();
  await worked(home);
  const [waiting, givenUp] = damagePayloads(home.database, 2);
  const put = (id: string, status: string) => {
    using db = new DatabaseSync(home.database);
    db.prepare("UPDATE pending_queue SET status = ?, observation_id = NULL WHERE id = ?")
      .run(status, id);
  };
  put(givenUp!, "error");
  const doctor = await run(home, "doctor");
  assert.match(
    doctor.stdout,
    /1 capture was given up [^]*next: conclaude queue prune --unreadable/,
  );
  put(waiting!, "raw");
  assert.equal(jsonOf(await run(home, "queue", "prune", "--unreadable", "--json")).pruned, 2);
  assert.equal((await run(home, "db", "check")).code, 0);
});
