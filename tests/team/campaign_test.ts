import assert from "node:assert/strict";
import { IS_SLOW_LANE, sizedTest } from "../support/lanes.ts";
import { needsPostgres, postgres, type TeamDatabase } from "../support/postgres.ts";
import { killNow } from "../support/processes.ts";
import { makeTask } from "../support/tasks.ts";
import { proxyTo, type TcpProxy } from "../support/tcp_proxy.ts";
import { machine, PROJECT_NAME, setUpTeam, type TeamMachine } from "../support/team_machine.ts";
import { seededRandom } from "../support/tool_uses.ts";

const SIZE = IS_SLOW_LANE
  ? { machines: 6, rows: 6_000, rounds: 8 }
  : { machines: 3, rows: 90, rounds: 3 };
const LOGINS = ["alice", "bob", "carol"];
const TEN_MINUTES_MS = 600_000;
/** One row in so many is a task. */
const TASK_EVERY = 20;

/** A machine with a proxy of its own before the server. */
interface Way {
  readonly one: TeamMachine;
  readonly proxy: TcpProxy;
  readonly clockMs: number;
}

sizedTest(
  "through kills, restarts and cut connections every machine ends with what the server has, each row once",
  async () => {
    const server = await postgres();
    const team = await server.database();
    await setUpTeam(team, LOGINS, server);
    using stack = new DisposableStack();
    const ways = Array.from({ length: SIZE.machines }, (_, i): Way => {
      const proxy = stack.use(proxyTo(server.port));
      const one = stack.use(machine(LOGINS[i % LOGINS.length]!, team, { port: proxy.port }));
      return { one, proxy, clockMs: (i % 3 - 1) * TEN_MINUTES_MS };
    });
    await ways[0]!.one.join();
    await Promise.all(ways.slice(1).map(({ one }) => one.join()));

    const random = seededRandom(7);
    // A tenth of the connections ends somewhere in the middle.
    const cutting = () => random() < 0.1 ? { cutAfter: Math.floor(random() * 40_000) } : {};
    const written = new Set<string>();
    const perRound = Math.ceil(SIZE.rows / SIZE.machines / SIZE.rounds);
    for (let round = 0; round < SIZE.rounds; round++) {
      for (const { proxy } of ways) proxy.fateOf = cutting;
      const restart = round === 1 ? server.restart({ kill: true }) : null;
      const work = ways.map(async ({ one, clockMs }, i) => {
        for (const uid of await writeRows(one, { round, machine: i, count: perRound, clockMs })) {
          written.add(uid);
        }
        const synced = await one.run(["team", "sync"]);
        assert.ok([0, 1].includes(synced.code), synced.stderr);
      });
      await Promise.all([...work, restart]);
      if (round === 0) await killBeforeTheAnswer(ways[0]!, written);
      if (round === 1) await poison(team, ways[1]!.one);
      if (round === 2) await outgrow(team, ways[2]!, written);
    }
    for (const { proxy } of ways) proxy.fateOf = () => ({});
    // The first pass sends what is left, the second takes in what that was.
    for (let pass = 0; pass < 2; pass++) {
      await Promise.all(ways.map(({ one }) => one.json(["team", "sync"])));
    }

    const [{ head, rows, uids, first }] = await team.query(
      `SELECT h.seq::int AS head, count(*)::int AS rows, count(DISTINCT l.uid)::int AS uids, min(l.seq)::int AS first
         FROM conclaude.head h JOIN conclaude.log l USING (project) GROUP BY 1`,
    );
    assert.deepEqual(
      { head, uids, first },
      { head: rows, uids: rows, first: 1 },
      "dense, none twice",
    );
    const there = await team.query("SELECT uid, body FROM conclaude.log WHERE uid <> 'poison'");
    const bodies = new Map<string, string>(there.map(({ uid, body }) => [uid, titleOf(body)]));
    assert.deepEqual(new Set(bodies.keys()), written, "none lost");
    for (const { one } of ways) {
      assert.deepEqual(await rowsOf(one), new Map([...bodies].sort()), one.login);
      const { ok } = await one.json(["team", "verify"]);
      assert.equal(ok, true);
      const { held } = await one.json(["team", "held"]);
      assert.deepEqual(held.map(({ uid, reason }: Record<string, string>) => [uid, reason]), [
        ["poison", "unreadable"],
      ]);
    }
    assert.ok(ways.some(({ proxy }) => proxy.counts.cut > 0) || !IS_SLOW_LANE, "some were cut");
  },
  needsPostgres(),
);

async function writeRows(
  one: TeamMachine,
  { round, machine, count, clockMs }: {
    readonly round: number;
    readonly machine: number;
    readonly count: number;
    readonly clockMs: number;
  },
): Promise<string[]> {
  const texts = Array.from({ length: count }, (_, n) => `Fact ${round}/${machine}/${n} holds.`);
  const notes = await one.notes(texts.filter((_, n) => n % TASK_EVERY > 0), clockMs);
  const tasks = await one.using((db) =>
    texts.filter((_, n) => n % TASK_EVERY === 0).map((title) =>
      makeTask(db, { title, repository: one.project, atMs: Date.now() + clockMs }).id
    )
  );
  return [...notes, ...tasks];
}

/** The server has committed, and the machine dies before it hears so. */
async function killBeforeTheAnswer({ one, proxy }: Way, written: Set<string>): Promise<void> {
  proxy.fateOf = () => ({ mute: "conclaude.push" });
  for (const uid of await one.notes(["Sent by one that was killed."])) written.add(uid);
  const muted = proxy.muted();
  const child = one.spawn(["team", "sync"]);
  await muted;
  await killNow(child);
  await Promise.all([child.stdout.cancel(), child.stderr.cancel()]);
  // It is sent again before the machine can see that it arrived.
  proxy.fateOf = () => ({ cut: "FROM conclaude.head" });
  assert.equal((await one.run(["team", "sync"])).code, 1);
}

/** A member writes a row that nobody can read. */
async function poison(team: TeamDatabase, { login }: TeamMachine): Promise<void> {
  await team.query(
    "INSERT INTO conclaude.seen (project, origin) VALUES ($1, 'poisoner')",
    [PROJECT_NAME],
    login,
  );
  const row = {
    n: 1,
    kind: "note",
    uid: "poison",
    op: "put",
    digest: "0".repeat(32),
    body: "{bro",
  };
  await team.query(
    "SELECT * FROM conclaude.push($1, 'poisoner', $2)",
    [PROJECT_NAME, JSON.stringify([row])],
    login,
  );
}

/** The server is set up for a newer program: an older one reads, and keeps what it would send. */
async function outgrow(
  team: TeamDatabase,
  { one, proxy, clockMs }: Way,
  written: Set<string>,
): Promise<void> {
  proxy.fateOf = () => ({});
  const version = (n: number) =>
    team.query(
      `CREATE OR REPLACE FUNCTION conclaude.version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ${n}'`,
      [],
      team.owner,
    );
  await version(2);
  for (const uid of await one.notes(["Waits for an upgrade."], clockMs)) written.add(uid);
  const { projects: [report] } = await one.json(["team", "sync"]);
  assert.match(report.notSent, /newer conclaude/);
  assert.equal(report.sent, 0);
  await version(1);
}

/** What is shared on a machine: titles by uid. */
async function rowsOf({ using, project }: TeamMachine): Promise<Map<string, string>> {
  return await using((db) =>
    new Map(
      db.prepare(
        `SELECT uid, title FROM observations WHERE project = ?1 AND kind = 'note'
          UNION ALL
         SELECT id, title FROM tasks WHERE repository = ?1
          ORDER BY 1`,
      ).all(project).map(({ uid, title }) => [String(uid), String(title)]),
    )
  );
}

function titleOf(body: string): string {
  const { title, columns } = JSON.parse(body);
  return title ?? columns.title;
}
