/** The daemon, on the real executable: how many claims it does, what many streams cost, and what it costs to do nothing. */
import { join } from "node:path";
import { compileFile } from "../support/executables.ts";
import type { Bench } from "./bench.ts";
import { BARE_SERVER, Client, makeTasks, serveBare, serveDaemon } from "./daemon_load.ts";
import { emptyWorkplace } from "./fixture.ts";
import { compare } from "./measure.ts";
import { cpuMs, peakMegabytes, residentMegabytes } from "./process_figures.ts";
import { pause } from "../support/wait.ts";

const CLIENTS = 8;

/** Pairs of a claim and a completion in one run. */
const PAIRS = 200;

/**
 * Requests in a second against requests in a second: a claim and a completion are two, a row in a transaction of its own
 * is one. Same runtime, same client, same number of connections, in turns.
 */
export const claimComplete: Bench = {
  name: "claim-complete",
  about: "claim and complete / one row, one transaction (requests/s)",
  budget: 0.35,
  isLeast: true,
  async measure({ folder, program, runs }) {
    const place = await emptyWorkplace(folder);
    const bareProgram = join(folder, "bare");
    await compileFile(BARE_SERVER, bareProgram);
    // Those of the warm-up too, which is shorter than the least number of runs.
    const tasks = await makeTasks(place, 2 * runs * PAIRS);
    await using daemon = await serveDaemon(program, place);
    await using bare = await serveBare(bareProgram, place);
    const [ours, theirs] = await Promise.all(
      [daemon, bare].map(({ socket }) =>
        Promise.all(Array.from({ length: CLIENTS }, () => Client.open(socket)))
      ),
    );
    const headers = { "x-agent-id": "ana" };
    const { ratio, subjectMs, baselineMs } = await compare(
      () =>
        timed(ours!, async (client) => {
          const id = tasks.pop()!;
          await client.ask({ method: "POST", path: `/tasks/${id}/claim`, headers });
          await client.ask({ method: "POST", path: `/tasks/${id}/complete`, headers });
        }),
      () =>
        timed(theirs!, async (client) => {
          await client.ask({ method: "POST", path: "/one", headers });
          await client.ask({ method: "POST", path: "/two", headers });
        }),
      runs,
    );
    for (const client of [...ours!, ...theirs!]) client.close();
    const perSecond = (ms: number) => Math.round(PAIRS / ms * 1000);
    return {
      value: 1 / ratio,
      detail: `${2 * perSecond(subjectMs)} requests/s (${perSecond(subjectMs)} pairs/s) / ${
        2 * perSecond(baselineMs)
      } requests/s, ${CLIENTS} connections`,
    };
  },
};

/** Has the connections do all pairs, each as many as it comes to. @returns Milliseconds. */
async function timed(
  clients: readonly Client[],
  pair: (client: Client) => Promise<void>,
): Promise<number> {
  let left = PAIRS;
  const started = performance.now();
  await Promise.all(clients.map(async (client) => {
    while (left-- > 0) await pair(client);
  }));
  return performance.now() - started;
}

const STREAMS = 200;
const EVENTS = 1_000;

/** How long the last event may take to reach the last stream, in milliseconds. */
const DELIVERY_MS = 60_000;

/** Whoever listens is told everything, once and in order, and the daemon stays small. */
export const sse: Bench = {
  name: "sse",
  about: `peak memory in MB, ${STREAMS} streams told ${EVENTS} events each`,
  budget: 150,
  async measure({ folder, program }) {
    const place = await emptyWorkplace(folder);
    const tasks = await makeTasks(place, EVENTS);
    await using daemon = await serveDaemon(program, place);
    const streams = await Promise.all(
      Array.from({ length: STREAMS }, () => Client.open(daemon.socket)),
    );
    const listening = streams.map(async (stream) => {
      await stream.send({ method: "GET", path: "/events?stream=1" });
      return stream.pieces();
    });
    const told = (await Promise.all(listening)).map(eventIds);
    // A stream that has begun says how things stand.
    await Promise.all(told.map((ids) => ids.next()));
    const started = performance.now();
    const clients = await Promise.all(
      Array.from({ length: CLIENTS }, () => Client.open(daemon.socket)),
    );
    const counted = Promise.all(told.map(countInOrder));
    const late = new Promise<number[]>((resolve) => setTimeout(() => resolve([]), DELIVERY_MS));
    await Promise.all(clients.map(async (client) => {
      for (let id = tasks.pop(); id !== undefined; id = tasks.pop()) {
        await client.ask({ method: "POST", path: `/tasks/${id}/claim` });
      }
    }));
    const counts = await Promise.race([counted, late]);
    const ms = performance.now() - started;
    const delivered = counts.filter((count) => count === EVENTS).length;
    const peak = peakMegabytes(daemon.pid);
    for (const client of [...clients, ...streams]) client.close();
    return {
      // Memory that is small because events are dropped does not count.
      value: delivered === STREAMS ? peak : Infinity,
      detail: `${delivered} of ${STREAMS} streams were told all, in ${(ms / 1000).toFixed(1)} s`,
    };
  },
};

/** The numbers of the events that a stream tells; 0 for what has none. */
async function* eventIds(pieces: AsyncGenerator<string>): AsyncGenerator<number> {
  let rest = "";
  for await (const piece of pieces) {
    const parts = (rest + piece).split("\n\n");
    rest = parts.pop()!;
    for (const part of parts) {
      if (part.includes("event: state.snapshot")) yield 0;
      else if (part.includes("event: ")) yield Number(/^id: (\d+)$/m.exec(part)?.[1] ?? 0);
    }
  }
}

/** How many events come one after the other, without a gap, until there are enough. */
async function countInOrder(ids: AsyncGenerator<number>): Promise<number> {
  let count = 0;
  let last = 0;
  for await (const id of ids) {
    if (id === 0) continue;
    if (last !== 0 && id !== last + 1) return count;
    last = id;
    if (++count === EVENTS) break;
  }
  return count;
}

const IDLE_MS = 20_000;

/** After so long it has begun, in milliseconds. */
const SETTLED_MS = 3_000;

/** What a daemon with nothing to do may take: part of a core, and memory in megabytes. */
const IDLE = { core: 0.005, megabytes: 90 };

/** A daemon that waits, with some tasks in its database. */
export const idleDaemon: Bench = {
  name: "idle-daemon",
  about: `idle for 20 s / ${IDLE.core * 100} % of a core, ${IDLE.megabytes} MB; the worse`,
  budget: 1,
  async measure({ folder, program }) {
    const place = await emptyWorkplace(folder);
    await makeTasks(place, 100);
    await using daemon = await serveDaemon(program, place);
    await pause(SETTLED_MS);
    const beforeMs = cpuMs(daemon.pid);
    const startedMs = performance.now();
    await pause(IDLE_MS);
    const afterMs = cpuMs(daemon.pid);
    const megabytes = residentMegabytes(daemon.pid);
    if (beforeMs === null || afterMs === null || megabytes === null) {
      return { value: null, detail: "needs /proc" };
    }
    const core = (afterMs - beforeMs) / (performance.now() - startedMs);
    return {
      value: Math.max(core / IDLE.core, megabytes / IDLE.megabytes),
      detail: `${(core * 100).toFixed(2)} % of a core, ${megabytes.toFixed(1)} MB`,
    };
  },
};
