import { join } from "node:path";
import { newId } from "../../src/base/ids.ts";
import { type HookRecord, saveRecords } from "../../src/db/captures.ts";
import { checkpoint, openDatabase } from "../../src/db/database.ts";
import { surroundings } from "../../src/build/program.ts";
import { REPOSITORY } from "../support/process.ts";
import { drainAt } from "../support/records.ts";
import { seededRandom, sourceFiles, toolUseRecords } from "../support/tool_uses.ts";

/** A home with a history, and a project in it. */
export interface Workplace {
  readonly home: string;
  readonly project: string;
  readonly database: string;
  /** The environment that Claude Code gives a hook here. */
  readonly env: Readonly<Record<string, string>>;
}

const ROWS_AT_ONCE = 2_000;

/** Larger payloads would only make the file larger: 100,000 of these are 300 MB. */
const MAX_PAYLOAD_BYTES = 4_000;

/** An empty home and a project on its main branch, below `folder`. */
export async function emptyWorkplace(folder: string): Promise<Workplace> {
  const home = join(folder, "home");
  const project = join(home, "work", "tides");
  await Deno.mkdir(join(project, ".git"), { recursive: true });
  await Deno.writeTextFile(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
  return {
    home,
    project,
    database: join(home, ".conclaude", "conclaude.db"),
    env: {
      ...surroundings(join(folder, "runtime-cache")),
      HOME: home,
      CLAUDE_PROJECT_DIR: project,
      CLAUDE_CODE_SESSION_ID: crypto.randomUUID(),
      CLAUDE_PID: String(Deno.pid),
    },
  };
}

/**
 * A workplace after months of use: so many captures and audit rows, 200 to a session; every tenth session was in this
 * project, all have ended but the last, which runs in another window. All captures are worked into memory.
 */
export async function usedWorkplace(folder: string, rows: number): Promise<Workplace> {
  const place = await emptyWorkplace(folder);
  using db = await openDatabase(place.database, { busyTimeoutMs: 1_000 });
  const patterns = patternRecords();
  const startMs = Date.now() - rows * 20_000;
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - from);
    saveRecords(
      db,
      Array.from(
        { length: count },
        (_, i) => recordAt(from + i, { patterns, startMs, rows, place }),
      ),
    );
  }
  drainAt(db);
  checkpoint(db, "TRUNCATE");
  return place;
}

function patternRecords(): HookRecord[] {
  const files = sourceFiles(join(REPOSITORY, "src"));
  return toolUseRecords(2_000, { random: seededRandom(1), files, startMs: 0 })
    .filter(({ capture }) => (capture?.payload.length ?? 0) < MAX_PAYLOAD_BYTES);
}

function recordAt(
  index: number,
  about: {
    readonly patterns: readonly HookRecord[];
    readonly startMs: number;
    readonly rows: number;
    readonly place: Workplace;
  },
): HookRecord {
  const { patterns, startMs, rows, place } = about;
  const pattern = patterns[index % patterns.length]!;
  const session = Math.floor(index / 200);
  const isLastOfSession = index % 200 === 199 && index < rows - 1;
  const isHere = session % 10 === 0;
  const projectDir = isHere ? place.project : `/home/ana/work/project-${session % 10}`;
  const atMs = startMs + index * 20_000;
  return {
    ...pattern,
    id: newId(atMs),
    atMs,
    sessionId: `5e55107e-0000-4000-8000-${String(session).padStart(12, "0")}`,
    session: {
      ...pattern.session!,
      effect: isLastOfSession ? "end" : "touch",
      endReason: isLastOfSession ? "prompt_input_exit" : null,
      title: `Correct the tide table, part ${session}`,
      projectDir,
      repository: join(projectDir, ".git"),
      claudePid: 1,
    },
  };
}
