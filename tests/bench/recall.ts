/** Memory: how long it takes to find things, to tell a session of them, and to work captures in. */
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { answerMemory } from "../../src/memory/search/search.ts";
import { openDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { EVERYTHING } from "../../src/memory/search/memory_search_table.ts";
import { observed } from "../support/program.ts";
import { drainAt } from "../support/records.ts";
import { saveWork } from "../support/work_sessions.ts";
import type { Bench, BenchContext, Figure } from "./bench.ts";
import { emptyWorkplace, type Workplace } from "./fixture.ts";
import { againstEmpty, besideEmpty, captureSubject, hookSubject, verbSubject } from "./hooks.ts";
import { compare, median, startUnheard, timeOnce } from "./measure.ts";
import { findMeter, peakKilobytes } from "./memory.ts";
import { fillMemory, writeProject } from "./memory_fixture.ts";

const MILLION = 1_000_000;
const HUNDRED_THOUSAND = 100_000;
const CAPTURES = 20_000;

/** What a million observations come to; made once for both figures. */
interface SearchTimes {
  readonly ours: readonly number[];
  /** Of every tenth question: each takes about a second. */
  readonly bare: readonly number[];
}

const EVERY = 10;
let searchTimes: Promise<SearchTimes> | undefined;

/** A search, against what SQLite needs for the same words by itself. */
export const search: Bench = {
  name: "search",
  about: "search in 1,000,000 observations / plain bm25() top 20, p50",
  budget: 2,
  async measure(context) {
    const { ours, bare } = await timesOf(context);
    const [mine, theirs] = [median(ours), median(bare)];
    return { value: mine / theirs, detail: `${mine.toFixed(1)} ms / ${theirs.toFixed(1)} ms` };
  },
};

/** The slowest searches against the usual one. */
export const searchTail: Bench = {
  name: "search-tail",
  about: "the same, p99 / p50",
  budget: 8,
  async measure(context) {
    const { ours } = await timesOf(context);
    const slow = ours.toSorted((a, b) => a - b)[Math.floor(ours.length * 0.99)]!;
    return {
      value: slow / median(ours),
      detail: `${slow.toFixed(1)} ms / ${median(ours).toFixed(1)} ms`,
    };
  },
};

function timesOf({ folder }: BenchContext): Promise<SearchTimes> {
  return searchTimes ??= measureSearch(join(folder, "million.db"));
}

async function measureSearch(path: string): Promise<SearchTimes> {
  const questions = await fillMemory(path, MILLION, "/home/ana/work/tides/.git");
  const db = new DatabaseSync(path, { readOnly: true });
  const plain = db.prepare(
    `SELECT rowid FROM memory_index WHERE memory_index MATCH ? ORDER BY bm25(memory_index) LIMIT 20`,
  );
  const timed = (work: () => unknown) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  const ours = questions.map(({ text }) =>
    timed(() =>
      answerMemory(db, text, { filter: EVERYTHING, limit: 20, nowMs: Date.now() }).results
    )
  );
  const bare = questions.filter((_, at) => at % EVERY === 0).map(({ text }) => {
    const words = [...new Set(text.match(/[\p{L}\p{N}]+/gu) ?? [])];
    return timed(() => plain.all(words.map((word) => `"${word}"`).join(" OR ")));
  });
  db.close();
  return { ours, bare };
}

let remembered: Promise<Workplace> | undefined;

/** A project with 100,000 observations; made once, for all. */
function rememberedPlace({ root }: BenchContext): Promise<Workplace> {
  return remembered ??= (async () => {
    const place = await emptyWorkplace(join(root, "remembered"));
    await fillMemory(place.database, HUNDRED_THOUSAND, `${place.project}/.git`);
    await writeProject(place.project);
    return place;
  })();
}

/** The command, whole. */
export const searchCommand = besideEmpty({
  name: "memory-search",
  about: "memory search (100,000 observations) / empty program",
  budget: 2,
}, async (context) => {
  const words = ["memory", "search", ..."why did the invoice renderer crash".split(" ")];
  return verbSubject(context.program, await rememberedPlace(context), ...words);
});

/** A session that is told of what 100,000 observations come to; the one before it has ended, as sessions do. */
export const startContext: Bench = {
  name: "session-context",
  about: "SessionStart (context of 100,000 observations) / empty program",
  budget: 1.3,
  async measure(context) {
    const place = await rememberedPlace(context);
    const told = { HOME: place.home, PROJECT: place.project };
    const [start, end] = [
      observed("SessionStart.startup", told),
      observed("SessionEnd.other", told),
    ];
    let session_id = crypto.randomUUID();
    const last = hookSubject(context.program, place, () => ({ ...end, session_id }));
    const next = hookSubject(context.program, place, () => {
      session_id = crypto.randomUUID();
      return { ...start, session_id };
    });
    return await againstEmpty(context, next, last);
  },
};

/** The drain, against writing what it has made once more, row by row. */
export const drainRate: Bench = {
  name: "drain",
  about: "drain of 20,000 captures: its rate / that of bare inserts of its rows",
  budget: 0.3,
  isLeast: true,
  async measure({ folder }) {
    const rounds = 3;
    const ratios: number[] = [];
    let detail = "";
    for (let round = 0; round < rounds; round++) {
      const { drainMs, insertMs, rows } = await timeDrain(join(folder, `drain${round}`));
      ratios.push(insertMs / drainMs);
      detail = `${(CAPTURES / drainMs).toFixed(1)} captures a ms; ${
        (rows / insertMs).toFixed(1)
      } of ${rows} rows a ms bare`;
    }
    return { value: median(ratios), detail };
  },
};

async function timeDrain(base: string) {
  const db = await openDatabase(`${base}.db`, { busyTimeoutMs: 1_000 });
  saveWork(db, CAPTURES, { seed: 1 });
  let start = performance.now();
  drainAt(db);
  const drainMs = performance.now() - start;
  const rows = db.prepare("SELECT * FROM observations ORDER BY id").all();
  const files = db.prepare("SELECT * FROM observation_files").all();
  db.close();

  const bare = await openDatabase(`${base}-bare.db`, { busyTimeoutMs: 1_000 });
  const into = (table: string, row: Record<string, unknown>) =>
    bare.prepare(
      `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => "?")})`,
    );
  const inserts = [
    [into("observations", rows[0]!), rows],
    [into("observation_files", files[0]!), files],
  ] as const;
  start = performance.now();
  for (const [insert, all] of inserts) {
    for (let from = 0; from < all.length; from += 64) {
      transaction(bare, () => {
        for (const row of all.slice(from, from + 64)) insert.run(...Object.values(row));
      });
    }
  }
  const insertMs = performance.now() - start;
  bare.close();
  return { drainMs, insertMs, rows: rows.length };
}

/** The most memory that a drain ever holds. */
export const drainMemory: Bench = {
  name: "drain-memory",
  about: "peak memory of a drain of 20,000 captures, MiB",
  budget: 120,
  async measure(context): Promise<Figure> {
    const meter = await findMeter();
    if (meter === null) {
      return { value: null, detail: "needs GNU time (/usr/bin/time) or python3" };
    }
    const place = await waitingPlace(context, CAPTURES);
    const kilobytes = await peakKilobytes(meter, drainSubject(context, place));
    return {
      value: kilobytes / 1_024,
      detail: "queue drain, compression of the payloads included",
    };
  },
};

/** A capture while a drain works on the same database, against an empty program beside the same. */
export const captureBesideDrain: Bench = {
  name: "capture-beside-drain",
  about: "capture beside a drain at work / empty program beside it",
  budget: 1.08,
  async measure(context) {
    const place = await waitingPlace(context, 2 * HUNDRED_THOUSAND);
    const subject = captureSubject(context.program, place);
    const drain = drainSubject(context, place);
    let child: Deno.ChildProcess | null = null;
    let isOver = true;
    const keepDraining = () => {
      if (!isOver) return;
      isOver = false;
      child = startUnheard(drain);
      child.status.then(() => isOver = true);
    };
    const beside = (command: string, args: readonly string[]) => () => {
      keepDraining();
      return timeOnce({ ...subject, command, args });
    };
    try {
      const { ratio, subjectMs, baselineMs } = await compare(
        beside(subject.command, subject.args),
        beside(context.empty, []),
        context.runs,
      );
      return {
        value: ratio,
        detail: `${subjectMs.toFixed(1)} ms / ${baselineMs.toFixed(1)} ms`,
      };
    } finally {
      const last = child as Deno.ChildProcess | null;
      if (!isOver) last?.kill("SIGKILL");
      await last?.status;
    }
  },
};

const drainSubject = ({ program }: BenchContext, place: Workplace) =>
  verbSubject(program, place, "queue", "drain");

/** A home whose captures all wait. */
async function waitingPlace({ folder }: BenchContext, captures: number): Promise<Workplace> {
  const place = await emptyWorkplace(folder);
  using db = await openDatabase(place.database, { busyTimeoutMs: 1_000 });
  saveWork(db, captures, { seed: 2, project: place.project });
  return place;
}
