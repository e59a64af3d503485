import { DatabaseSync } from "node:sqlite";
import { type Bench } from "./bench.ts";
import { emptyWorkplace, type Workplace } from "./fixture.ts";
import { hookSubject } from "./hooks.ts";
import { timeOnce } from "./measure.ts";
import { REPOSITORY } from "../support/process.ts";
import { seededRandom, sourceFiles, toolUseRecords } from "../support/tool_uses.ts";

const PAYLOADS = 600;

/** What a captured tool use costs on disk once the queue is drained: everything, its audit row and indexes too. */
export const disk: Bench = {
  name: "disk",
  about: `growth of the database / JSON of ${PAYLOADS} payloads, drained`,
  budget: 0.5,
  async measure({ folder, program }) {
    const place = await emptyWorkplace(folder);
    const run = (...args: string[]) => timeOnce({ ...place, command: program, args, ...QUIET });
    const mix = payloadMix(PAYLOADS, { seed: 7, home: place.home, project: place.project });
    const [first, ...rest] = mix;
    await timeOnce(hookSubject(program, place, () => first!));
    await run("db", "checkpoint");
    const emptyBytes = await bytesOnDisk(place);
    let jsonBytes = 0;
    for (const payload of rest) {
      jsonBytes += new TextEncoder().encode(JSON.stringify(payload)).length;
      await timeOnce(hookSubject(program, place, () => payload));
    }
    await run("queue", "drain");
    await run("db", "checkpoint");
    const grownBytes = await bytesOnDisk(place) - emptyBytes;
    return {
      value: grownBytes / jsonBytes,
      detail: `${perPayload(grownBytes)} / ${perPayload(jsonBytes)} a payload, ` +
        `${perPayload(freeBytes(place))} of it empty pages`,
    };
  },
};

const QUIET = { cwd: "/", stdin: () => "" };

/** The database and what SQLite keeps beside it. */
async function bytesOnDisk({ database }: Workplace): Promise<number> {
  const sizes = ["", "-wal"].map((ending) =>
    Deno.stat(database + ending).then(({ size }) => size, () => 0)
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Pages that the file keeps for later rows. */
function freeBytes({ database }: Workplace): number {
  using db = new DatabaseSync(database, { readOnly: true });
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
  return pragma("freelist_count") * pragma("page_size");
}

function perPayload(bytes: number): string {
  return `${(bytes / (PAYLOADS - 1) / 1000).toFixed(2)} kB`;
}

/** Where the sessions of a mix take place. */
interface MixOptions {
  /** The same number gives the same tool uses; ids and times differ. */
  readonly seed: number;
  readonly home: string;
  readonly project: string;
}

/**
 * What Claude Code would send for a day of ordinary work: PostToolUse payloads of 0.3 to 40 kB (shell output, reads, edits
 * with the original file, searches, writes, MCP answers), their texts taken from the sources of this program.
 */
function payloadMix(count: number, options: MixOptions): Record<string, unknown>[] {
  const random = seededRandom(options.seed);
  const files = sourceFiles(`${REPOSITORY}/src`);
  return toolUseRecords(count, { random, files, startMs: Date.now() }).map((record) => {
    const { project_dir: _dir, ...toolUse } = JSON.parse(record.capture?.payload ?? "{}");
    return {
      session_id: record.sessionId,
      transcript_path: `${options.home}/.claude/projects/mix/${record.sessionId}.jsonl`,
      cwd: options.project,
      permission_mode: "default",
      hook_event_name: "PostToolUse",
      ...toolUse,
    };
  });
}
