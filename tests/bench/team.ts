/**
 * `deno task bench:team [--machines N] [--rows N] [--behind N]`: machines of a team against a PostgreSQL of their own. The
 * rows are written beforehand; what is measured is `conclaude team sync`, whole processes with their memory.
 */
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { needsPostgres, postgres, type TeamDatabase } from "../support/postgres.ts";
import { machine, PROJECT_NAME, setUpTeam, type TeamMachine } from "../support/team_machine.ts";

const { values } = parseArgs({
  options: {
    machines: { type: "string", default: "50" },
    rows: { type: "string", default: "50000" },
    behind: { type: "string", default: "50000" },
    only: { type: "string" },
  },
});
const [machines, rows, behind] = [values.machines, values.rows, values.behind].map(Number) as [
  number,
  number,
  number,
];
/** So many machines sync at once. */
const AT_ONCE = 4;
const LOGINS = ["alice", "bob", "carol"];
const TEXT =
  "The checkout of a basket keeps its currency, since the ledger books in one alone; see ";

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  behind: catchUp,
  projects: manyProjects,
  machines: manyMachines,
};
const missing = needsPostgres();
if (missing !== null) {
  console.error(missing);
  Deno.exit(1);
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (values.only === undefined || values.only === name) await bench();
}
Deno.exit(0);

/** Two weeks offline: what others wrote meanwhile is taken in by one sync. */
async function catchUp(): Promise<void> {
  const team = await newTeam();
  using writer = machine("alice", team);
  using away = machine("bob", team);
  await writer.join();
  await away.join();
  await fill(writer, behind);
  tell(`${behind} rows pushed`, await sync(writer), behind);
  tell(`${behind} rows behind, caught up`, await sync(away), behind);
  tell("nothing new", await sync(away), 0);
}

/** Eight projects of eight machines, pushed and pulled at the same time. */
async function manyProjects(): Promise<void> {
  const each = Math.ceil(behind / 8);
  const team = await newTeam();
  const all: TeamMachine[][] = [];
  for (let i = 0; i < 8; i++) {
    const name = `project ${i}`;
    const pair = [machine("alice", team), machine("alice", team)];
    for (const one of pair) await one.join("--name", name);
    await fill(pair[0]!, each);
    all.push(pair);
  }
  for (const [at, doing] of [[0, "pushed"], [1, "pulled"]] as const) {
    const startMs = performance.now();
    const took = await Promise.all(all.map((pair) => sync(pair[at]!)));
    const peakMb = Math.max(...took.map((one) => one.peakMb));
    tell(
      `8 projects ${doing}`,
      { seconds: (performance.now() - startMs) / 1000, peakMb },
      8 * each,
    );
  }
  for (const one of all.flat()) one[Symbol.dispose]();
}

/** Every machine writes its share, and ends with what the server has. */
async function manyMachines(): Promise<void> {
  const team = await newTeam();
  const all = Array.from({ length: machines }, (_, i) => machine(LOGINS[i % LOGINS.length]!, team));
  await inTurns(all, async (one) => void await one.join());
  const each = Math.ceil(rows / machines);
  await inTurns(all, (one) => fill(one, each));
  const startMs = performance.now();
  let peakMb = 0;
  for (let pass = 0; pass < 2; pass++) {
    await inTurns(all, async (one) => {
      peakMb = Math.max(peakMb, (await sync(one)).peakMb);
    });
  }
  const seconds = (performance.now() - startMs) / 1000;
  tell(
    `${machines} machines, ${each * machines} rows at each`,
    { seconds, peakMb },
    each * machines * machines,
  );
  const [server] = await team.query(
    `SELECT h.seq::int AS head, count(*)::int AS rows, count(DISTINCT l.uid)::int AS uids
       FROM conclaude.head h JOIN conclaude.log l USING (project) WHERE h.project = $1 GROUP BY 1`,
    [PROJECT_NAME],
  );
  assert.deepEqual(server, { head: each * machines, rows: each * machines, uids: each * machines });
  await inTurns(all, async (one) => {
    const count = "SELECT count(*) AS n FROM observations WHERE kind = 'note'";
    assert.equal(await one.using((db) => db.prepare(count).get()!["n"]), each * machines);
    assert.equal((await one.json(["team", "verify"])).ok, true);
  });
  console.log("every machine has what the server has: dense, none twice, none lost");
  for (const one of all) one[Symbol.dispose]();
}

async function newTeam(): Promise<TeamDatabase> {
  const server = await postgres();
  const team = await server.database();
  await setUpTeam(team, LOGINS, server);
  return team;
}

async function fill(one: TeamMachine, count: number): Promise<void> {
  for (let from = 0; from < count; from += 10_000) {
    const length = Math.min(10_000, count - from);
    await one.notes(
      Array.from({ length }, (_, n) => `${TEXT}${one.home.slice(-6)}/${from + n}.ts`),
    );
  }
}

/** One sync as a process of its own, with the most memory that it had. */
async function sync(
  one: TeamMachine,
): Promise<{ readonly seconds: number; readonly peakMb: number }> {
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
  assert.equal(code, 0, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  return { seconds: (performance.now() - startMs) / 1000, peakMb };
}

async function inTurns(
  all: readonly TeamMachine[],
  work: (one: TeamMachine) => Promise<void>,
): Promise<void> {
  const left = [...all];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  }));
}

function tell(
  what: string,
  { seconds, peakMb }: { readonly seconds: number; readonly peakMb: number },
  count: number,
): void {
  const rate = count === 0 ? "" : `, ${Math.round(count / seconds)} rows a second`;
  console.log(`${what}: ${seconds.toFixed(1)} s${rate}, at most ${Math.round(peakMb)} MB`);
}
