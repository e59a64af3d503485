import assert from "node:assert/strict";
import { IS_SLOW_LANE, sizeOf, slowTest } from "../support/lanes.ts";
import { needsPostgres, postgres } from "./support/postgres.ts";
import {
  machine,
  PROJECT_NAME,
  setUpTeam,
  type TeamMachine,
  teamTest,
} from "./support/team_machine.ts";

const BATCHES = IS_SLOW_LANE ? 6 : 2;
const BATCH_ROWS = 500;

teamTest(
  "a batch costs at most four statements, and a project without news one",
  async ({ server, alice, bob }) => {
    await alice.join();
    await bob.join();
    const said = async (one: TeamMachine) => {
      const before = Deno.readTextFileSync(server.logFile).length;
      const { projects: [report] } = await one.json(["team", "sync"]);
      const log = Deno.readTextFileSync(server.logFile).slice(before);
      const statements = [...log.matchAll(/ LOG: {2}(?:statement|execute [^:]*): (.*)/g)]
        .map(([, sql]) => sql!);
      return { ...report, statements };
    };
    await alice.notes(Array.from({ length: BATCHES * BATCH_ROWS }, (_, n) => `Fact ${n}.`));
    const sending = await said(alice);
    assert.equal(sending.sent, BATCHES * BATCH_ROWS);
    assert.ok(sending.statements.length <= 4 * BATCHES, sending.statements.join("\n"));
    assert.equal(
      sending.statements.filter((sql: string) => sql.includes("conclaude.push")).length,
      BATCHES,
    );
    const receiving = await said(bob);
    assert.equal(receiving.received, BATCHES * BATCH_ROWS);
    assert.ok(receiving.statements.length <= BATCHES + 2, receiving.statements.join("\n"));
    await said(alice);
    for (const one of [alice, bob]) assert.equal((await said(one)).statements.length, 1);
  },
);

/** The server's log: a million rows in the whole lane. */
const LOG_ROWS = sizeOf({ fast: 0, slow: 200_000, whole: 1_000_000 });

slowTest("neither a push nor a pull reads through a large log", async () => {
  const server = await postgres();
  const team = await server.database();
  await setUpTeam(team, ["alice", "bob"], server);
  using alice = machine("alice", team);
  using bob = machine("bob", team);
  await alice.join();
  await bob.join();
  await alice.json(["team", "sync"]);
  await team.query("ALTER TABLE conclaude.log DISABLE TRIGGER ALL");
  await team.query(
    `INSERT INTO conclaude.log (project, seq, origin, origin_seq, author, kind, uid, op, digest, body)
     SELECT $1, n, 'filler', n, 'alice', 'note', 'filler ' || n, 'put', md5(n::text), NULL
       FROM generate_series(1, $2::int) AS n`,
    [PROJECT_NAME, LOG_ROWS],
  );
  await team.query("UPDATE conclaude.head SET seq = $1", [LOG_ROWS]);
  for (const one of [alice, bob]) {
    await one.using((db) =>
      db.exec(
        `UPDATE team_projects SET pulled_seq = ${LOG_ROWS}, told_seq = ${LOG_ROWS};
         INSERT INTO team_origins (project, origin, author, rows, digest, last_seq)
         SELECT project, 'filler', 'alice', ${LOG_ROWS}, '0', ${LOG_ROWS} FROM team_projects`,
      )
    );
  }
  const scans = async () => {
    await team.query("SELECT pg_stat_clear_snapshot()");
    const [row] = await team.query(
      "SELECT seq_scan::int AS n, idx_tup_fetch::int AS fetched FROM pg_stat_user_tables WHERE relname = 'log'",
    );
    return row;
  };
  // Before the server has looked at the table, and afterwards.
  for (const look of ["SELECT 1", "ANALYZE conclaude.log"]) {
    await team.query(look);
    const before = await scans();
    await alice.notes(Array.from({ length: 8 * BATCH_ROWS }, (_, n) => `${look}: fact ${n}.`));
    assert.equal((await alice.json(["team", "sync"])).projects[0].sent, 8 * BATCH_ROWS);
    assert.equal((await bob.json(["team", "sync"])).projects[0].received, 8 * BATCH_ROWS);
    await alice.json(["team", "sync"]);
    const after = await scans();
    assert.equal(after.n, before.n, look);
    // Each row is looked up a few times, and the statistics are written when a connection ends.
    const fetched = after.fetched - before.fetched;
    assert.ok(fetched > 4_000 && fetched < 100_000, `${look}: ${fetched}`);
  }
}, needsPostgres());
