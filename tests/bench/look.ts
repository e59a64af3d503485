/** Measures `status`, `session show`, `session log` and `task ready` in a home after months of use. */
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Bench, BenchContext } from "./bench.ts";
import { emptyWorkplace, type Workplace } from "./fixture.ts";
import { besideEmpty, verbSubject } from "./hooks.ts";
import { median, timeOnce } from "./measure.ts";
import { fillMemory, writeProject } from "./memory_fixture.ts";
import { openDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { makeTask } from "../support/tasks.ts";

const OBSERVATIONS = 100_000;
const SESSIONS = 1_000;
let lived: Promise<Workplace> | undefined;

export const statusVerb = besideEmpty({
  name: "status",
  about: "status (1,000 sessions, 100,000 observations) / empty program",
  budget: 1.6,
}, async (context) => verbSubject(context.program, await livedPlace(context), "status"));

export const sessionStory = besideEmpty(
  { name: "session-show", about: "session show (the same) / empty program", budget: 1.6 },
  async (context) => {
    const words = ["session", "show", sessionId(SESSIONS - 1)];
    return verbSubject(context.program, await livedPlace(context), ...words);
  },
);

export const sessionLog: Bench = {
  name: "session-log",
  about: "session log of the longest session of --sessions DIR, seconds",
  budget: 0.5,
  async measure(context) {
    if (context.sessions === undefined) {
      return { value: null, detail: "needs --sessions DIR, a folder of transcripts" };
    }
    const place = await importedPlace(context, context.sessions);
    const [longest] = rowsOf<{ session_id: string; uses: number }>(
      place,
      `SELECT session_id, count(*) AS uses
         FROM pending_queue
        GROUP BY session_id
        ORDER BY uses DESC
        LIMIT 1`,
    );
    if (longest === undefined) return { value: null, detail: "no session was read" };
    const subject = verbSubject(context.program, place, "session", "log", longest.session_id);
    const times: number[] = [];
    for (let run = 0; run < context.runs; run++) times.push(await timeOnce(subject));
    return { value: median(times) / 1_000, detail: `${longest.uses} tool uses` };
  },
};

/** A home after months of use; made once for both figures. */
function livedPlace({ root }: BenchContext): Promise<Workplace> {
  return lived ??= (async () => {
    const place = await emptyWorkplace(join(root, "lived"));
    await fillMemory(place.database, OBSERVATIONS, `${place.project}/.git`);
    await writeProject(place.project);
    using db = new DatabaseSync(place.database);
    const insert = db.prepare(
      `INSERT INTO sessions (session_id, short_id, status, title, project_dir, repository, branch,
                             started_at_ms, updated_at_ms, ended_at_ms)
       VALUES (?, ?, 'ended', ?, ?, ?, 'main', ?, ?, ?)`,
    );
    const assign = db.prepare("UPDATE observations SET session_id = ? WHERE id > ? AND id <= ?");
    db.exec("BEGIN");
    for (let number = 0; number < SESSIONS; number++) {
      const session = sessionId(number);
      const atMs = Date.now() - (SESSIONS - number) * 3_600_000;
      const { project } = place;
      const title = `Correct the tide table, part ${number}`;
      insert.run(session, session.slice(0, 8), title, project, `${project}/.git`, atMs, atMs, atMs);
      const [from, to] = [number, number + 1].map((it) => it * OBSERVATIONS / SESSIONS);
      assign.run(session, from!, to!);
    }
    db.exec("COMMIT");
    return place;
  })();
}

/** A home that has taken in the transcripts of a folder (`.jsonl`, or `.jsonl.gz`). */
async function importedPlace(
  { folder, program }: BenchContext,
  sessions: string,
): Promise<Workplace> {
  const place = await emptyWorkplace(folder);
  const transcripts = join(folder, "transcripts");
  await Deno.mkdir(transcripts);
  for (const { name, isFile } of Deno.readDirSync(sessions)) {
    if (!isFile || !/\.jsonl(\.gz)?$/.test(name)) continue;
    const bytes = await Deno.readFile(join(sessions, name));
    const text = name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
    await Deno.writeFile(join(transcripts, name.replace(/\.gz$/, "")), text);
  }
  await timeOnce(verbSubject(program, place, "import", "transcripts", transcripts));
  await timeOnce(verbSubject(program, place, "queue", "drain"));
  return place;
}

function rowsOf<Row>({ database }: Workplace, sql: string): Row[] {
  using db = new DatabaseSync(database, { readOnly: true });
  return db.prepare(sql).all() as Row[];
}

/** Ids that begin differently, as those of real sessions do. */
function sessionId(number: number): string {
  const beginning = (Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return `${beginning}-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

const TASKS = 10_000;

/** Agents ask in a loop for the next task. */
export const taskReady = besideEmpty(
  { name: "task-ready", about: "task ready (10,000 tasks) / empty program", budget: 1.3 },
  async ({ folder, program }) => {
    const place = await emptyWorkplace(folder);
    const db = await openDatabase(place.database, { busyTimeoutMs: 1_000 });
    transaction(db, () => {
      for (let i = 0; i < TASKS; i++) {
        makeTask(db, {
          title: `Task ${i}`,
          priority: i % 5,
          tags: ["auth", `area/${i % 7}`],
          projectDir: place.project,
          repository: `${place.project}/.git`,
          atMs: Date.now() - TASKS + i,
        });
      }
    });
    db.close();
    return verbSubject(program, place, "task", "ready");
  },
);
