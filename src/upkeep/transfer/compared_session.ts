/** Compares a session in its transcripts with the database, and lists what the database lacks. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { daysMs } from "../../base/time.ts";
import type { ItemKind, TranscriptItem } from "../../claude/transcript/transcript_reader.ts";
import { type Capture, insertCapture } from "../../db/captures.ts";
import { capturesAfter, isKnownSession, savePastSession } from "../../db/past_sessions.ts";
import { payloadText } from "../../db/payloads.ts";
import { transaction } from "../../db/transaction.ts";
import {
  keysOfCapture,
  titleKey,
  useKeyOfCapture,
  WORDS,
} from "../../memory/observe/capture_keys.ts";
import { observationUids } from "../../memory/store.ts";
import { type StayAway, stayAway } from "../forget/stay_away_table.ts";
import {
  captureIdOf,
  captureOf,
  isMemoryOff,
  nameOf,
  type TranscriptProject,
} from "./capture_of.ts";

/** The number of captures that one transaction writes; small, so that hooks wait only a short time. */
const BATCH_ROWS = 50;

/** An item of a transcript that the database lacks. */
interface Gap {
  readonly captureId: string;
  readonly kind: ItemKind;
  /** The name of the tool or of the event. */
  readonly name: string;
  /** Null for prompts and messages. */
  readonly toolUseId: string | null;
  readonly atMs: number;
}

/** An item of a transcript that hooks should have kept. */
export interface FoundItem extends Gap {
  readonly session: ComparedSession;
  readonly branch: string | null;
  /** The capture that a hook would have made; null for a tool use that the database is known to have. */
  readonly capture: Capture | null;
}

/**
 * Why a session is not compared: its project has another database (`elsewhere`) or none (`off`), or retention removed
 * its captures after they were observed (`removed`).
 */
export type NotHere = "elsewhere" | "off" | "removed";

/** Makes from an item of a transcript what a hook should have kept. */
export async function foundItem(
  session: ComparedSession,
  item: TranscriptItem,
): Promise<FoundItem> {
  const { kind, atMs } = item;
  const toolUseId = kind === "toolUse" ? item.toolUseId : null;
  const gap = { captureId: captureIdOf(item), kind, name: nameOf(item), toolUseId, atMs };
  const isKnown = toolUseId !== null && session.has(gap);
  const capture = isKnown ? null : await captureOf(item, session.project);
  return { ...gap, session, branch: session.project.hide(item.branch), capture };
}

/** The events of captures of prompts and messages. */
const WORDS_EVENTS = Object.values(WORDS).map(({ event }) => event);
export class ComparedSession {
  readonly transcript: string;
  /** The folder in which the session worked last. */
  cwd: string;
  title: string | null = null;
  branch: string | null = null;
  firstAtMs = Infinity;
  #lastAtMs = 0;
  /** How many items hooks should have kept. */
  found = 0;
  /** How many items are missing because they were forgotten. */
  forgotten = 0;
  /** How many items are so new that a hook may still write them. */
  recent = 0;
  /** How many items the configuration excludes, by its keys. */
  readonly excluded: Record<string, number> = {};
  readonly missing: Gap[] = [];
  /** Whether the database has nothing of the session. */
  readonly isUnknown: boolean;
  /** Whether the session's captures exist but its row is lost. */
  readonly lacksRow: boolean;
  readonly notHere: NotHere | null;
  /** Whether memory was off for the session. */
  readonly isOff: boolean;
  /** The ids of captures in the queue, and of gaps. */
  readonly #captured = new Set<string>();
  /** The ids of tool uses, and of captures from which observations were made. */
  readonly #known: Set<string>;
  /** Keys of captured words that no item has matched yet; words have no lasting id. */
  readonly #words: string[] = [];
  /** The greatest row number read so far. */
  #place = 0;
  /** Whether this run has added the session's row. */
  #isOurs = false;

  /** @param place `database`: the path of `db`. */
  constructor(
    readonly db: DatabaseSync,
    readonly sessionId: string,
    readonly project: TranscriptProject,
    place: {
      readonly database: string;
      readonly transcript: string;
      readonly cwd: string;
      readonly mends: boolean;
    },
  ) {
    this.transcript = place.transcript;
    this.cwd = place.cwd;
    this.isOff = isMemoryOff(db, sessionId);
    this.#known = new Set(observationUids(db, sessionId));
    const isObserved = this.#known.size > 0;
    this.#look();
    const isCaptured = this.#captured.size > 0;
    const isKnown = isKnownSession(db, sessionId);
    this.isUnknown = !isCaptured && !isObserved;
    this.lacksRow = isCaptured && !isKnown;
    const isRemoved = isObserved && !isCaptured && !isKnown && !place.mends;
    if (project.database === place.database) this.notHere = isRemoved ? "removed" : null;
    else this.notHere = project.database === null ? "off" : "elsewhere";
  }

  /** The number of captures that the transcripts lack. */
  get extra(): number {
    const here = this.found - this.forgotten + this.recent;
    return this.notHere === null ? Math.max(0, this.#captured.size - here) : 0;
  }

  has({ captureId, toolUseId }: Pick<Gap, "captureId" | "toolUseId">): boolean {
    return this.#captured.has(captureId) || this.#known.has(captureId) ||
      toolUseId !== null && this.#known.has(toolUseId);
  }

  count(items: readonly FoundItem[]): void {
    this.found += items.length;
    for (const { atMs } of items) {
      this.firstAtMs = Math.min(this.firstAtMs, atMs);
      this.#lastAtMs = Math.max(this.#lastAtMs, atMs);
    }
  }

  /** Adds items that are missing and were not forgotten to the gaps. @returns These items. */
  compare(items: readonly FoundItem[]): FoundItem[] {
    const away = stayAway(this.db);
    const lacking = items.filter((item) => {
      if (this.#takes(item)) return false;
      const isForgotten = this.#isForgotten(item, away);
      if (isForgotten) this.forgotten++;
      else this.#add(item);
      return !isForgotten;
    });
    for (const { captureId, kind, name, toolUseId, atMs } of lacking) {
      this.missing.push({ captureId, kind, name, toolUseId, atMs });
    }
    return lacking;
  }

  fill(items: readonly FoundItem[], nowMs: number): void {
    const { db, sessionId } = this;
    for (let at = 0; at < items.length; at += BATCH_ROWS) {
      transaction(db, () => {
        // Hooks or another backfill may have written meanwhile.
        this.#look();
        const lacking = this.compare(items.slice(at, at + BATCH_ROWS));
        if (lacking.length > 0) this.keepRow(nowMs);
        for (const { captureId: id, atMs, branch, capture } of lacking) {
          insertCapture(db, { id, atMs, sessionId, session: { branch } }, capture!);
        }
      });
    }
  }

  /** Adds the session's row, or updates it if this run has added it. */
  keepRow(nowMs: number): void {
    const { db } = this;
    this.#isOurs = savePastSession(db, this.#row(nowMs), { isOurs: this.#isOurs }) || this.#isOurs;
  }

  /** Reads the captures that came since the last call. */
  #look(): void {
    const since = { after: this.#place, payloadsOf: WORDS_EVENTS };
    for (const row of capturesAfter(this.db, this.sessionId, since)) {
      this.#place = Math.max(this.#place, row.place);
      if (this.#captured.has(row.id)) continue;
      this.#add({ captureId: row.id, toolUseId: row.toolUseId });
      // A damaged payload has no words to compare.
      const payload = row.payload === null ? null : quietly(() => payloadText(row));
      if (payload) this.#words.push(...keysOfCapture(row.toolName, payload));
    }
  }

  #add({ captureId, toolUseId }: Pick<Gap, "captureId" | "toolUseId">): void {
    this.#captured.add(captureId);
    if (toolUseId !== null) this.#known.add(toolUseId);
  }

  /** Whether the database has an item. Each capture of words matches one item only. */
  #takes(item: FoundItem): boolean {
    const [key] = keysOfCapture(item.name, item.capture!.payload);
    const at = key === undefined ? -1 : this.#words.indexOf(key);
    if (at >= 0) this.#words.splice(at, 1);
    return at >= 0 || this.has(item);
  }

  /** Whether an item was forgotten, by itself or with its session, project or time. */
  #isForgotten({ captureId, atMs, toolUseId, capture }: FoundItem, away: StayAway): boolean {
    const { sessionId, project: { repository, dir } } = this;
    const { toolName, payload } = capture!;
    const use = toolUseId === null
      ? undefined
      : { toolUseId, key: () => useKeyOfCapture({ toolUseId, toolName, payload }) };
    const keys = keysOfCapture(toolName, payload);
    const project = repository ?? dir;
    return away.has({ sessionId, project, atMs, names: [captureId], use, keys });
  }

  /** Makes the session's row. It ends late enough that retention keeps it for a day, in which the drain observes it. */
  #row(nowMs: number) {
    const { project, sessionId, title, firstAtMs } = this;
    const { sessionRetentionDays: days } = project.config;
    const keptFromMs = days === 0 ? 0 : nowMs - daysMs(days) + daysMs(1);
    // The title is the first prompt, which may have been forgotten.
    const isTitleForgotten = title !== null &&
      stayAway(this.db).has({ sessionId, atMs: firstAtMs, names: [], keys: [titleKey(title)] });
    return {
      sessionId,
      title: isTitleForgotten ? null : title,
      projectDir: project.hide(project.dir),
      repository: project.hide(project.repository),
      branch: project.hide(this.branch),
      cwd: project.hide(this.cwd),
      transcriptPath: project.hide(this.transcript),
      startedAtMs: firstAtMs,
      updatedAtMs: this.#lastAtMs,
      endedAtMs: Math.max(this.#lastAtMs, Math.min(nowMs, keptFromMs)),
    };
  }
}
