/** Numbers that flipped bits have made larger than any can be: who names them, and what becomes of them. */
import assert from "node:assert/strict";
import { change } from "../../support/on_home.ts";
import { jsonOf, tempHome } from "../../support/program.ts";
import { ask, copyOf, worked } from "../../support/worked_database.ts";
import { run } from "../../support/verb.ts";

/** 2^60; farther than a date can be, but no larger than a number can be; a negative one. */
const IMPOSSIBLE = ["1152921504606846976", "8700000000000000", "-9223372036854775807"];

Deno.test("a number that cannot be is named by doctor and db check, and doctor --fix puts a likely one there", async () => {
  using sound = tempHome();
  await worked(sound);
  const places: readonly (readonly [place: string, command: string[]])[] = [
    ["observations SET created_at_ms = N, updated_at_ms = N WHERE id = 7", ["memory", "show", "7"]],
    ["observations SET repeats = N WHERE id = 7", ["memory", "stats"]],
    ["sessions SET started_at_ms = N", ["session", "list"]],
    [
      "pending_queue SET created_at_ms = N WHERE rowid = (SELECT max(rowid) FROM pending_queue)",
      ["queue", "list", "--limit", "1000"],
    ],
    ["sqlite_sequence SET seq = N", ["memory", "remember", "one more"]],
  ];
  for (const [place, command] of places) {
    for (const number of place.startsWith("sessions") ? IMPOSSIBLE : [IMPOSSIBLE[0]!]) {
      using home = copyOf(sound);
      change(home, `UPDATE ${place.replaceAll("N", number)}`);
      const says = `${place}: ${number}`;
      const checked = await run(home, "db", "check", "--json");
      assert.equal(checked.code, 1, says);
      const { message, next } = jsonOf(checked).checks
        .find(({ name }: { name: string }) => name === "numbers");
      assert.match(message, new RegExp(` of the row .+ of ${place.split(" ")[0]} is ${number}`));
      assert.equal(next, "conclaude doctor --fix");
      const looked = await run(home, "doctor");
      assert.equal(looked.code, 1, says);
      assert.ok(looked.stdout.includes(`is ${number}, which cannot be`), looked.stdout);
      const { stdout } = await run(home, "doctor", "--fix");
      assert.match(stdout, /fixed: put a likely value in the place of \d+ numbers? that cannot be/);
      const after = await run(home, "db", "check");
      assert.equal(after.code, 0, says + after.stdout);
      const { code, stderr } = await run(home, ...command);
      assert.equal(code, 0, says + stderr);
    }
  }
});

Deno.test("a time that cannot be becomes another one of its row", async () => {
  using home = tempHome();
  await worked(home);
  const [before] = ask(home.database, "SELECT updated_at_ms FROM observations WHERE id = 9");
  change(
    home.database,
    `UPDATE observations SET created_at_ms = ${IMPOSSIBLE[0]} WHERE id = 9`,
  );
  await run(home, "doctor", "--fix");
  const [row] = ask(home.database, "SELECT created_at_ms FROM observations WHERE id = 9");
  assert.equal(row!["created_at_ms"], before!["updated_at_ms"]);
});

Deno.test("a row whose own number cannot be is found again under the next free one", async () => {
  using home = tempHome();
  await worked(home);
  const [last] = ask(home.database, "SELECT max(id) AS id FROM observations");
  change(
    home.database,
    `PRAGMA foreign_keys = OFF;
     UPDATE observations SET id = ${IMPOSSIBLE[0]}, title = 'moved away' WHERE id = ${last!["id"]}`,
  );
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /put a likely value in the place of/);
  const { code, stdout: shown } = await run(home, "memory", "search", "moved", "away");
  assert.equal(code, 0);
  assert.match(shown, new RegExp(`^#${last!["id"]}  moved away`));
  assert.equal((await run(home, "db", "check")).code, 0);
});
