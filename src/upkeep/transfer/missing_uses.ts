/** Writes tool uses that only a transcript has, as hooks would have. Loaded only if some are missing. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { transcriptTexts } from "../../claude/transcript/find_transcripts.ts";
import {
  type TranscribedToolUse,
  transcriptReader,
} from "../../claude/transcript/transcript_reader.ts";
import { exclusionIn, isMemoryOff, type TranscriptProject } from "./capture_of.ts";
import { ComparedSession, foundItem } from "./compared_session.ts";

export interface RecordedSession {
  readonly sessionId: string;
  readonly transcript: string;
  /** Finds the session's project; called only if something is missing. */
  readonly project: () => Promise<TranscriptProject>;
  /** The time of the session's first hook, in epoch milliseconds; items that a fork repeats are older. */
  readonly startedAtMs: number;
}

export interface TakeLostOptions {
  readonly database: string;
  readonly nowMs: number;
  /** The deadline, in milliseconds of `performance.now()`. */
  readonly untilMs: number;
}

/** Writes the missing tool uses of a session that hooks should have kept. */
export async function takeMissing(
  db: DatabaseSync,
  session: RecordedSession & {
    /** The transcript to read, from this byte on. */
    readonly path: string;
    readonly from: number;
    readonly missing: ReadonlySet<string>;
    /** In epoch milliseconds; a fork repeats older items. */
    readonly sinceMs: number;
  },
  { database, nowMs }: TakeLostOptions,
): Promise<number> {
  const { sessionId, transcript, sinceMs, path, missing, from } = session;
  if (isMemoryOff(db, sessionId)) return 0;
  const project = await session.project();
  const place = { database, transcript, cwd: project.dir ?? "", mends: false };
  const compared = new ComparedSession(db, sessionId, project, place);
  if (compared.notHere !== null) return 0;
  const uses = usesIn(path, from, missing);
  // The last run may have stopped between a tool use and its result.
  if (from > 0 && uses.length < missing.size) uses.splice(0, Infinity, ...usesIn(path, 0, missing));
  const own = uses.filter((use) =>
    use.sessionId === sessionId && use.atMs >= sinceMs &&
    exclusionIn(project, use, false) === null
  );
  const found = await Promise.all(own.map((use) => foundItem(compared, use)));
  compared.count(found);
  compared.fill(found.filter(({ capture }) => capture !== null), nowMs);
  return compared.missing.length;
}

/** The ids in a line; only lines with a wanted id are parsed. */
const IDS = /"(?:tool_use_)?id":"([^"\\]+)"/g;
function usesIn(path: string, from: number, wanted: ReadonlySet<string>): TranscribedToolUse[] {
  const reader = transcriptReader();
  const uses: TranscribedToolUse[] = [];
  for (const { text } of transcriptTexts(path, from)) {
    const names = text?.includes('"tool_') ? text.matchAll(IDS) : [];
    if (text === null || !names.some(([, id]) => wanted.has(id!))) continue;
    for (const item of reader.take(quietly(() => JSON.parse(text))).items) {
      if (item.kind === "toolUse" && wanted.has(item.toolUseId)) uses.push(item);
    }
  }
  return uses;
}
