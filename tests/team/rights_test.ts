import assert from "node:assert/strict";
import type { Server } from "../../src/team/server.ts";
import { needsPostgres, postgres, type TeamDatabase } from "./support/postgres.ts";
import { testWhere } from "../support/requirements.ts";
import { setUpTeam } from "./support/team_machine.ts";

const TABLES = ["head", "member", "seen", "log", "claim", "forgotten"];
const DIGEST = "'00000000000000000000000000000000'";
const ROW = `[{"n":1,"kind":"note","uid":"u1","op":"put","digest":${
  DIGEST.replaceAll("'", '"')
},"body":"{}"}]`;

testWhere(needsPostgres(), "an outsider sees no row of a team and writes none", async () => {
  await using set = await twoProjects();
  for (const outsider of [set.eve, set.mallory]) {
    for (const table of TABLES) {
      assert.equal(await countOr(outsider, table), 0, table);
    }
    for (const sql of WRITES) assert.equal(await failsOrNone(outsider, sql), true, sql);
  }
  assert.deepEqual(await set.everything(), set.before);
});

testWhere(needsPostgres(), "a member reads and writes in no project but their own", async () => {
  await using set = await twoProjects();
  const { rows } = await set.carol.query("SELECT DISTINCT project FROM conclaude.log");
  assert.deepEqual(rows, [{ project: "other" }]);
  for (const table of TABLES) {
    const sql = `SELECT 1 FROM conclaude.${table} WHERE project = 'shop'`;
    assert.deepEqual((await set.carol.query(sql)).rows, [], table);
  }
  for (const sql of WRITES) assert.equal(await failsOrNone(set.carol, sql), true, sql);
  assert.deepEqual((await set.carol.query("SELECT * FROM conclaude.members_of('shop')")).rows, []);
  assert.deepEqual(await set.everything(), set.before);
});

testWhere(
  needsPostgres(),
  "a member writes as nobody else, and changes no row that is there",
  async () => {
    await using set = await twoProjects();
    const refused = [
      // As somebody else, by the column and by the machine.
      "INSERT INTO conclaude.seen (project, origin, author) VALUES ('shop', 'o9', 'alice')",
      `INSERT INTO conclaude.log (project, seq, origin, origin_seq, kind, uid, op, digest, author)
     VALUES ('shop', 2, 'of bob', 9, 'note', 'u9', 'put', ${DIGEST}, 'alice')`,
      `SELECT * FROM conclaude.push('shop', 'of alice', '${ROW.replace('"n":1', '"n":7')}')`,
      // Rows that are there.
      "UPDATE conclaude.log SET body = 'another'",
      "UPDATE conclaude.log SET author = 'bob'",
      "UPDATE conclaude.log SET uid = 'u2'",
      "UPDATE conclaude.seen SET seq = 99 WHERE author = 'alice'",
      "UPDATE conclaude.seen SET author = 'bob'",
      "DELETE FROM conclaude.log",
      "DELETE FROM conclaude.forgotten",
      "TRUNCATE conclaude.log",
      // Who belongs to it, and what it is made of.
      "INSERT INTO conclaude.member (project, login) VALUES ('shop', 'eve')",
      "UPDATE conclaude.member SET is_owner = true",
      "CREATE TABLE conclaude.mine (x int)",
      "ALTER TABLE conclaude.log DISABLE ROW LEVEL SECURITY",
      "CREATE OR REPLACE FUNCTION conclaude.version() RETURNS int LANGUAGE sql AS 'SELECT 9'",
      "DROP SCHEMA conclaude CASCADE",
      `SET ROLE alice`,
      `SET SESSION AUTHORIZATION alice`,
    ];
    for (const sql of refused) assert.equal(await failsOrNone(set.bob, sql), true, sql);
    const { rows: [added] } = await set.bob.query(
      "SELECT conclaude.add_member('shop', 'eve') AS ok",
    );
    assert.equal(added.ok, false);
    assert.deepEqual(await set.everything(), set.before);
  },
);

testWhere(
  needsPostgres(),
  "what a member names like a function of the server is not called by it",
  async () => {
    await using set = await twoProjects();
    await set.bob.query("CREATE TEMP TABLE log AS SELECT 1 AS x");
    await set.bob.query("CREATE TEMP TABLE head (project text, seq bigint)");
    await set.bob.query("INSERT INTO head VALUES ('shop', 500)");
    await set.bob.query("SET search_path = pg_temp, conclaude");
    const { rows: [pushed] } = await set.bob.query(
      `SELECT * FROM conclaude.push('shop', 'of bob', '${ROW.replaceAll("u1", "u5")}')`,
    );
    assert.equal(Number(pushed.number), 2);
    await set.mallory.query(
      "CREATE TEMP TABLE member (project text, login name, is_owner boolean)",
    );
    await set.mallory.query("INSERT INTO member VALUES ('shop', 'mallory', true)");
    const { rows: [added] } = await set.mallory.query(
      "SELECT conclaude.add_member('shop', 'mallory') AS ok",
    );
    assert.equal(added.ok, false);
  },
);

/** What must fail in the project `shop`, or change nothing. */
const WRITES = [
  `SELECT * FROM conclaude.push('shop', 'of alice', '${ROW}')`,
  `SELECT * FROM conclaude.claim_first('shop', 'of alice', '[{"task":"t1","round":0}]', 'who', 1000, false)`,
  "SELECT conclaude.add_member('shop', 'eve')",
  "INSERT INTO conclaude.seen (project, origin) VALUES ('shop', 'of eve')",
  `INSERT INTO conclaude.log (project, seq, origin, origin_seq, kind, uid, op, digest)
   VALUES ('shop', 2, 'of alice', 2, 'note', 'u2', 'put', ${DIGEST})`,
  "INSERT INTO conclaude.claim (project, task) VALUES ('shop', 't1')",
  "INSERT INTO conclaude.forgotten (project, uid, seq) VALUES ('shop', 'u1', 1)",
  "UPDATE conclaude.head SET seq = 500 WHERE project = 'shop'",
  "UPDATE conclaude.log SET body = NULL WHERE project = 'shop'",
  "DELETE FROM conclaude.log",
];

/** Two projects: alice and bob share one, carol has the other. Mallory may use the schema, and belongs to none; eve may not. */
async function twoProjects() {
  const server = await postgres();
  const team = await server.database();
  await setUpTeam(team, ["alice", "bob"], { ...server, name: "shop" });
  await setUpTeam(team, ["carol"], { ...server, name: "other" });
  await setUpTeam(team, ["mallory"], { ...server, name: "third" });
  await server.login("eve");
  const [alice, bob, carol, mallory, eve] = await Promise.all(
    ["alice", "bob", "carol", "mallory", "eve"].map((login) => team.connect(login)),
  ) as [Server, Server, Server, Server, Server];
  for (
    const [one, project, origin] of [
      [alice, "shop", "of alice"],
      [bob, "shop", "of bob"],
      [carol, "other", "of carol"],
    ] as const
  ) {
    await one.query("INSERT INTO conclaude.seen (project, origin) VALUES ($1, $2)", [
      project,
      origin,
    ]);
  }
  for (
    const [one, project, origin] of [[alice, "shop", "of alice"], [
      carol,
      "other",
      "of carol",
    ]] as const
  ) {
    await one.query("SELECT * FROM conclaude.push($1, $2, $3)", [project, origin, ROW]);
  }
  return {
    ...{ alice, bob, carol, mallory, eve },
    before: await everything(team),
    everything: () => everything(team),
    async [Symbol.asyncDispose]() {
      for (const one of [alice, bob, carol, mallory, eve]) await one.end();
    },
  };
}

/** All rows, as the superuser sees them. */
async function everything(team: TeamDatabase) {
  const all = [];
  for (const table of TABLES) {
    all.push(await team.query(`SELECT * FROM conclaude.${table} ORDER BY 1, 2, 3`));
  }
  return all;
}

async function countOr(server: Server, table: string): Promise<number> {
  try {
    const where = table === "member" ? "WHERE login <> current_user" : "WHERE project <> 'third'";
    const { rows } = await server.query(
      `SELECT count(*)::int AS n FROM conclaude.${table} ${where}`,
    );
    return rows[0].n;
  } catch (thrown) {
    assert.equal((thrown as { readonly code: string }).code, "42501");
    return 0;
  }
}

/** Whether a statement is refused, or changes and returns nothing. */
async function failsOrNone(server: Server, sql: string): Promise<boolean> {
  try {
    const { rows, rowCount } = await server.query(sql) as {
      readonly rows: object[];
      readonly rowCount: number;
    };
    return rowCount === 0 ||
      rows.every((row) => Object.values(row).every((value) => value === false));
  } catch {
    return true;
  }
}
