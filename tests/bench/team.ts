/**
 * `deno task bench:team [--only NAME] [--machines N] [--rows N] [--behind N]`: machines of a team against a PostgreSQL of
 * their own. The rows are written beforehand; what is measured is `conclaude team sync`, whole processes with their memory.
 */
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { indexTogether } from "../../src/memory/store.ts";
import { observed } from "../support/program.ts";
import { needsPostgres, postgres, type TeamDatabase } from "../team/support/postgres.ts";
import { campaign, measuredSync } from "../team/support/team_campaign.ts";
import { machine, setUpTeam, type TeamMachine } from "../team/support/team_machine.ts";
import { median } from "./measure.ts";

const { values } = parseArgs({
  options: {
    machines: { type: "string" },
    rows: { type: "string" },
    behind: { type: "string", default: "50000" },
    only: { type: "string" },
  },
});
const behind = Number(values.behind);
/** So many machines sync at once. */
const AT_ONCE = 3;
const ROUNDS = 3;
const LOGINS = ["alice", "bob", "carol"];
const TEXT =
  "The checkout of a basket keeps its currency, since the ledger books in one alone; see ";

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  behind: catchUp,
  hooks: hooksMeanwhile,
  projects: manyProjects,
  machines: () => manyMachines({ machines: 50, rows: 50_000 }),
  million: () => manyMachines({ machines: 3, rows: 1_000_000 }),
};
const missing = needsPostgres();
if (missing !== null) {
  console.error(missing);
  Deno.exit(1);
}
await postgres({ logs: false });
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
  tell("bare inserts of the same rows", { seconds: await insertBare(away), peakMb: 0 }, behind);
}

/** How long SQLite alone takes for what was taken in: the same rows with their index, in transactions as large. */
async function insertBare(from: TeamMachine): Promise<number> {
  const rows = await from.using((db) =>
    db.prepare("SELECT * FROM observations ORDER BY id").all().map(({ id: _, ...row }) => row)
  );
  using bare = machine("alice", await newTeam());
  return await bare.using((db) => {
    const names = Object.keys(rows[0]!);
    const insert = db.prepare(
      `INSERT INTO observations (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    const startMs = performance.now();
    for (let at = 0; at < rows.length; at += 250) {
      indexTogether(
        db,
        () => rows.slice(at, at + 250).forEach((row) => insert.run(...Object.values(row))),
      );
    }
    return (performance.now() - startMs) / 1000;
  });
}

/** Hooks of a machine while it catches up, in turns with those of one that has caught up. */
async function hooksMeanwhile(): Promise<void> {
  const team = await newTeam();
  using writer = machine("alice", team);
  using away = machine("bob", team);
  using still = machine("carol", team);
  for (const one of [writer, away, still]) await one.join();
  await fill(writer, behind);
  for (const one of [writer, still]) await sync(one);
  let uses = 0;
  const hook = async (one: TeamMachine) => {
    const payload = observed("PostToolUse.Edit", { HOME: one.home, PROJECT: one.clone });
    const startMs = performance.now();
    const { code, stderr } = await one.run(["hook", "PostToolUse"], {
      stdin: { ...payload, tool_use_id: `toolu_${String(++uses).padStart(24, "0")}` },
    });
    assert.deepEqual([code, stderr], [0, ""]);
    return performance.now() - startMs;
  };
  const pairs = async (goesOn: (pair: number) => boolean) => {
    const took: (readonly [busy: number, still: number])[] = [];
    for (let pair = 0; goesOn(pair); pair++) {
      // In turns, A B B A, so that whatever slows the machine down meets both alike.
      const order = pair % 2 === 0 ? [away, still] : [still, away];
      const [first, second] = [await hook(order[0]!), await hook(order[1]!)];
      took.push(pair % 2 === 0 ? [first, second] : [second, first]);
    }
    return took;
  };
  const say = (what: string, took: Awaited<ReturnType<typeof pairs>>) =>
    console.log(
      `PostToolUse ${what}: ${
        median(took.map(([busy]) => busy)).toFixed(1)
      } ms, beside it at rest ${median(took.map(([, still]) => still)).toFixed(1)} ms, ratio ${
        median(took.map(([busy, still]) => busy / still)).toFixed(3)
      }, ${took.length} pairs`,
    );
  await pairs((pair) => pair < 5);
  let isSyncing = true;
  const syncing = sync(away).finally(() => isSyncing = false);
  say(`while ${behind} rows are taken in`, await pairs(() => isSyncing));
  tell(`${behind} rows behind, with hooks all the time`, await syncing, behind);
  say("afterwards", await pairs((pair) => pair < 40));
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

/** Every machine writes its share while all goes wrong that can, and ends with what the server has. */
async function manyMachines(
  usual: { readonly machines: number; readonly rows: number },
): Promise<void> {
  const size = {
    machines: Number(values.machines ?? usual.machines),
    rows: Number(values.rows ?? usual.rows),
    ...{ rounds: ROUNDS, atOnce: AT_ONCE },
  };
  console.log(`${size.machines} machines, ${size.rows} rows in all`);
  const startMs = performance.now();
  const seconds = () => (performance.now() - startMs) / 1000;
  const { rows, connections, cut, peakMb } = await campaign(
    size,
    (what) => console.log(`  ${seconds().toFixed(0)} s: ${what}`),
  );
  console.log(`  ${cut} of ${connections} connections were cut`);
  tell(`  ${rows} rows at each`, { seconds: seconds(), peakMb }, rows * size.machines);
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

async function sync(one: TeamMachine) {
  const synced = await measuredSync(one);
  assert.equal(synced.code, 0, synced.said);
  return synced;
}

function tell(
  what: string,
  { seconds, peakMb }: { readonly seconds: number; readonly peakMb: number },
  count: number,
): void {
  const rate = count === 0 ? "" : `, ${Math.round(count / seconds)} rows a second`;
  console.log(`${what}: ${seconds.toFixed(1)} s${rate}, at most ${Math.round(peakMb)} MB`);
}
