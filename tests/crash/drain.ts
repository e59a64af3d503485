/** Kills the drain at random moments, again and again, and compares what it leaves with an undisturbed one. */
import { join } from "node:path";
import { openDatabase } from "../../src/db/database.ts";
import { countRows, query } from "../support/look.ts";
import { spawnProgram, startProgram } from "../support/process.ts";
import { seededRandom } from "../support/tool_uses.ts";
import { saveWork } from "../support/work_sessions.ts";

/** What a campaign came to. */
export interface DrainFindings {
  /** Kills that hit a drain which had confirmed captures and was not done. */
  readonly kills: number;
  /** Drains that were done before they were killed. */
  readonly finished: number;
  readonly observations: number;
  /** What is not as an undisturbed drain leaves it; empty when all is well. */
  readonly differences: readonly string[];
}

/**
 * Drains the same captures twice: once undisturbed, once killed with SIGKILL so many times. How long a drain may live
 * follows the machine: longer after a drain that confirmed nothing, shorter after one that did.
 */
export async function killDrains(
  options: {
    readonly folder: string;
    readonly captures: number;
    readonly kills: number;
    readonly seed: number;
    readonly onProgress?: (text: string) => void;
  },
): Promise<DrainFindings> {
  const { folder, captures, seed, onProgress = () => {} } = options;
  const calm = join(folder, "calm.db");
  const killed = join(folder, "killed.db");
  for (const path of [calm, killed]) {
    using db = await openDatabase(path, { busyTimeoutMs: 5_000 });
    saveWork(db, captures, { seed });
  }
  const env = { HOME: folder };
  const drain = (path: string) => ["--db", path, "queue", "drain", "--json"];
  const whole = await startProgram(drain(calm), { env });
  if (whole.code !== 0) throw new Error(whole.stderr + whole.stdout);

  const random = seededRandom(seed + 1);
  let kills = 0;
  let finished = 0;
  let lifeMs = 100;
  for (let left = waiting(killed); kills < options.kills && left > 0;) {
    const child = spawnProgram(drain(killed), { env });
    const output = child.output();
    await child.stdin.close();
    const timer = setTimeout(() => {
      try {
        child.kill("SIGKILL");
      } catch {
        // It was done.
      }
    }, (0.5 + random()) * lifeMs);
    const { signal } = await output;
    clearTimeout(timer);
    const before = left;
    left = waiting(killed);
    lifeMs *= left < before ? 0.95 : 1.05;
    if (signal !== "SIGKILL") finished++;
    else if (left < before && ++kills % 20 === 0) {
      onProgress(`${kills} kills, ${left} captures wait`);
    }
  }
  const last = await startProgram(drain(killed), { env });
  if (last.code !== 0) throw new Error(last.stderr + last.stdout);
  return {
    kills,
    finished,
    observations: countRows(calm, "observations"),
    differences: differences(calm, killed),
  };
}

function waiting(path: string): number {
  return countRows(path, "pending_queue WHERE status <> 'done'");
}

/** Everything that a drain writes, but for when it did. Numbers of rows may differ: what refers to one is told by its uid. */
const WRITTEN: readonly (readonly [name: string, sql: string])[] = [
  [
    "observations",
    `SELECT o.uid, o.session_id, o.project, o.branch, o.kind, o.outcome, o.title, o.text, o.terms, o.files, o.same_as,
            o.repeats, o.created_at_ms, o.updated_at_ms, r.uid AS resolved_by,
            json_remove(o.facts, '$.mended', '$.by') AS facts,
            (SELECT m.uid FROM observations AS m WHERE m.id = json_extract(o.facts, '$.mended')) AS mended
       FROM observations AS o
       LEFT JOIN observations AS r ON r.id = o.resolved_by
      ORDER BY o.uid`,
  ],
  [
    "observation_files",
    `SELECT f.path, o.uid, f.digest
       FROM observation_files AS f
       JOIN observations AS o ON o.id = f.observation_id
      ORDER BY o.uid, f.path`,
  ],
  [
    "pending_queue",
    `SELECT q.id, q.status, q.error_message, o.uid
       FROM pending_queue AS q
       LEFT JOIN observations AS o ON o.id = q.observation_id
      ORDER BY q.id`,
  ],
  ["sessions_to_summarize", "SELECT session_id FROM sessions_to_summarize ORDER BY session_id"],
];

function differences(calm: string, killed: string): string[] {
  return WRITTEN.flatMap(([name, sql]) => {
    const wanted = query(calm, sql).map((row) => JSON.stringify(row));
    const found = query(killed, sql).map((row) => JSON.stringify(row));
    const both = new Set(wanted).intersection(new Set(found));
    const missing = wanted.filter((row) => !both.has(row));
    const surplus = found.filter((row) => !both.has(row));
    return [
      ...missing.slice(0, 3).map((row) => `${name}: missing ${row}`),
      ...surplus.slice(0, 3).map((row) => `${name}: surplus ${row}`),
      ...wanted.length === found.length
        ? []
        : [`${name}: ${found.length} rows, not ${wanted.length}`],
    ];
  });
}
