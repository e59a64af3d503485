/**
 * Machines of a team write and sync, while all goes wrong that can: kills between a commit and its answer, a server that
 * crashes, cut connections, clocks that are off, a row that nobody can read, a server for a newer program.
 */
import assert from "node:assert/strict";
import { postgres, type TeamDatabase } from "./postgres.ts";
import { killNow } from "../../support/processes.ts";
import { makeTask } from "../../support/tasks.ts";
import { proxyTo, type TcpProxy } from "./tcp_proxy.ts";
import { machine, PROJECT_NAME, setUpTeam, type TeamMachine } from "./team_machine.ts";
import { seededRandom } from "../../support/tool_uses.ts";

const LOGINS = ["alice", "bob", "carol"];
const TEN_MINUTES_MS = 600_000;
/** One row in so many is a task. */
const TASK_EVERY = 20;
/** So many rows are written in one transaction. */
const WRITTEN_AT_ONCE = 5_000;
/** One connection in so many is to be cut. */
const CUT_EVERY = 4;

export interface CampaignSize {
  readonly machines: number;
  /** Of all machines together. */
  readonly rows: number;
  /** How often each machine writes some of its rows and syncs: at least three. */
  readonly rounds: number;
  /** So many machines are at work at the same time. */
  readonly atOnce: number;
}

/** A machine with a proxy of its own before the server. */
interface Way {
  readonly one: TeamMachine;
  readonly proxy: TcpProxy;
  readonly clockMs: number;
}

/** What a campaign came to. */
export interface CampaignReport {
  /** Rows that the server has. */
  readonly rows: number;
  /** Of the syncs between which rows are written, and how many of them were cut. */
  readonly connections: number;
  readonly cut: number;
  /** The most memory of any sync, in MB. */
  readonly peakMb: number;
}

/**
 * Runs a campaign. At its end every machine has what the server has, each row once, and none is lost.
 *
 * @param onStep Is told what has been done. @throws {AssertionError}
 */
export async function campaign(
  { machines, rows, rounds, atOnce }: CampaignSize,
  onStep: (what: string) => void = () => {},
): Promise<CampaignReport> {
  const server = await postgres();
  const team = await server.database();
  await setUpTeam(team, LOGINS, server);
  using stack = new DisposableStack();
  const ways = Array.from({ length: machines }, (_, i): Way => {
    const proxy = stack.use(proxyTo(server.port, { records: false }));
    const one = stack.use(machine(LOGINS[i % LOGINS.length]!, team, { port: proxy.port }));
    return { one, proxy, clockMs: (i % 3 - 1) * TEN_MINUTES_MS };
  });
  const each = (work: (way: Way, i: number) => Promise<unknown>) => inTurns(ways, atOnce, work);
  await ways[0]!.one.join();
  await each(async ({ one }, i) => i > 0 && await one.join());
  onStep("joined");

  const random = seededRandom(7);
  const perRound = Math.ceil(rows / machines / rounds);
  let connections = 0;
  // More than a tenth, since some end before: anywhere from the greeting to the middle of many pages.
  const cutting = () =>
    ++connections % CUT_EVERY === 0 ? { cutAfter: Math.floor(10 ** (2.5 + 3 * random())) } : {};
  const written = new Set<string>();
  let peakMb = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { proxy } of ways) proxy.fateOf = cutting;
    let restart: Promise<void> | null = null;
    await each(async ({ one, clockMs }, i) => {
      await writeRows(one, { round, machine: i, count: perRound, clockMs, written });
      if (round === 1) restart ??= server.restart({ kill: true });
      const synced = await measuredSync(one);
      assert.ok([0, 1].includes(synced.code), synced.said);
      peakMb = Math.max(peakMb, synced.peakMb);
    });
    await restart;
    onStep(`round ${round + 1} of ${rounds}`);
    if (round === 0) await killBeforeTheAnswer(ways[0]!, written);
    if (round === 1) await poison(team, ways[1]!.one);
    if (round === 2) await outgrow(team, ways[2]!, written);
  }
  for (const { proxy } of ways) proxy.fateOf = () => ({});
  // The first pass sends what is left, the second takes in what that was.
  for (let pass = 0; pass < 2; pass++) {
    await each(async ({ one }) => {
      const synced = await measuredSync(one);
      assert.equal(synced.code, 0, synced.said);
      peakMb = Math.max(peakMb, synced.peakMb);
    });
    onStep(`pass ${pass + 1} of 2`);
  }
  const titles = await requireWhole(team, written);
  await each(({ one }) => requireSame(one, titles));
  onStep("every machine has what the server has: dense, none twice, none lost");
  const cut = ways.reduce((sum, { proxy: { counts } }) => sum + counts.cut, 0);
  return { rows: titles.size + 1, connections, cut, peakMb };
}

/** Works with one after the other, and with so many at the same time. */
export async function inTurns<One>(
  all: readonly One[],
  atOnce: number,
  work: (one: One, i: number) => Promise<unknown>,
): Promise<void> {
  const left = all.entries();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (const [i, one] of left) await work(one, i);
  }));
}

/** One sync as a process of its own, with what it printed and the most memory that it had. */
export async function measuredSync(one: TeamMachine): Promise<
  {
    readonly code: number;
    readonly said: string;
    readonly seconds: number;
    readonly peakMb: number;
  }
> {
  const startMs = performance.now();
  let peakMb = 0;
  const child = one.spawn(["--json", "team", "sync"]);
  const look = setInterval(() => {
    try {
      const text = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  }, 50);
  await child.stdin.close();
  const { code, stdout, stderr } = await child.output();
  clearInterval(look);
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return { code, said, seconds: (performance.now() - startMs) / 1000, peakMb };
}

async function writeRows(
  one: TeamMachine,
  { round, machine, count, clockMs, written }: {
    readonly round: number;
    readonly machine: number;
    readonly count: number;
    readonly clockMs: number;
    readonly written: Set<string>;
  },
): Promise<void> {
  for (let from = 0; from < count; from += WRITTEN_AT_ONCE) {
    const length = Math.min(WRITTEN_AT_ONCE, count - from);
    const texts = Array.from({ length }, (_, n) => `Fact ${round}/${machine}/${from + n} holds.`);
    const notes = await one.notes(texts.filter((_, n) => n % TASK_EVERY > 0), clockMs);
    const tasks = await one.using((db) =>
      texts.filter((_, n) => n % TASK_EVERY === 0).map((title) =>
        makeTask(db, { title, repository: one.project, atMs: Date.now() + clockMs }).id
      )
    );
    for (const uid of [...notes, ...tasks]) written.add(uid);
  }
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

/** The server's numbers are dense, and no row is lost or there twice. @returns Titles by uid. */
async function requireWhole(
  team: TeamDatabase,
  written: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const [{ head, rows, uids, first }] = await team.query(
    `SELECT h.seq::int AS head, count(*)::int AS rows, count(DISTINCT l.uid)::int AS uids, min(l.seq)::int AS first
       FROM conclaude.head h JOIN conclaude.log l USING (project) GROUP BY 1`,
  );
  assert.deepEqual(
    { head, uids, first },
    { head: rows, uids: rows, first: 1 },
    "dense, none twice",
  );
  const there = await team.query(
    `SELECT uid, coalesce(body::json ->> 'title', body::json -> 'columns' ->> 'title') AS title
       FROM conclaude.log WHERE uid <> 'poison'`,
  );
  const titles = new Map<string, string>(there.map(({ uid, title }) => [uid, title]));
  assert.equal(titles.size, written.size, "none lost");
  for (const uid of written) assert.ok(titles.has(uid), "none lost");
  return titles;
}

/** A machine has what the server has, and says so; it tells of the row that nobody can read. */
async function requireSame(one: TeamMachine, titles: ReadonlyMap<string, string>): Promise<void> {
  await one.using((db) => {
    const rows = db.prepare(
      `SELECT uid, title FROM observations WHERE project = ?1 AND kind = 'note'
        UNION ALL
       SELECT id, title FROM tasks WHERE repository = ?1`,
    ).iterate(one.project);
    let count = 0;
    for (const { uid, title } of rows) {
      count++;
      if (titles.get(String(uid)) !== title) assert.fail(`${one.login}: ${uid} is "${title}"`);
    }
    // Uids are unique here.
    assert.equal(count, titles.size, one.login);
  });
  const { ok } = await one.json(["team", "verify"]);
  assert.equal(ok, true);
  const { held } = await one.json(["team", "held"]);
  assert.deepEqual(
    held.map(({ uid, reason }: Record<string, string>) => [uid, reason]),
    [["poison", "unreadable"]],
  );
}
