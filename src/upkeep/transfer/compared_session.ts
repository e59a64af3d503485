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

/** Captures that one transaction writes: few, so that hooks wait only a short time. */
const BATCH_ROWS = 50;

/** Something in a transcript that the database lacks. */
interface Gap {
  readonly captureId: string;
  readonly kind: ItemKind;
  /** Of the tool, or of the event. */
  readonly name: string;
  /** Null for words. */
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
 * Why a session is not compared: its project has another database or none, or it was observed and retention removed its
 * captures.
 */
export type NotHere = "elsewhere" | "off" | "removed";

/** What a hook should have kept of an item in the transcripts of a session. */
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

/** The captures that hooks make of words. */
const WORDS_EVENTS = Object.values(WORDS).map(({ event }) => event);

/** One session as its transcripts tell it, beside what the database has of it. */
export class ComparedSession {
  /** The path of its first transcript. */
  readonly transcript: string;
  /** The folder that it worked in last. */
  cwd: string;
  title: string | null = null;
  branch: string | null = null;
  firstAtMs = Infinity;
  #lastAtMs = 0;
  /** How many items hooks should have kept. */
  found = 0;
  /** How many items are missing because they were forgotten: they stay away. */
  forgotten = 0;
  /** How many items are so new that a hook may still write them. */
  recent = 0;
  /** How many items the configuration excludes, by its keys. */
  readonly excluded: Record<string, number> = {};
  readonly missing: Gap[] = [];
  /** True when the database has nothing of it. */
  readonly isUnknown: boolean;
  /** True when its captures are there and its row is lost. */
  readonly lacksRow: boolean;
  readonly notHere: NotHere | null;
  /** Whether memory was off for it. */
  readonly isOff: boolean;
  /** The ids of captures: those in the queue, and those that were missing there. */
  readonly #captured = new Set<string>();
  /** The ids of tool uses, and of captures that observations were made of. */
  readonly #known: Set<string>;
  /** The keys of words that no item stands for yet: words have no lasting id. */
  readonly #words: string[] = [];
  /** The greatest row number that was read. */
  #place = 0;
  /** Whether this run has added it to the database. */
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
    this.notHere = project.database !== place.database
      ? project.database === null ? "off" : "elsewhere"
      : isObserved && !isCaptured && !isKnown && !place.mends
      ? "removed"
      : null;
  }

  /** How many captures its transcripts do not have. */
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

  /** Keeps what is missing of some items, and was not forgotten, among the gaps. */
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

  /** Compares items and writes what is missing. */
  fill(items: readonly FoundItem[], nowMs: number): void {
    for (let at = 0; at < items.length; at += BATCH_ROWS) {
      transaction(this.db, () => this.#fill(items.slice(at, at + BATCH_ROWS), nowMs));
    }
  }

  #fill(items: readonly FoundItem[], nowMs: number): void {
    // Hooks and another backfill may have written meanwhile.
    this.#look();
    const lacking = this.compare(items);
    if (lacking.length === 0) return;
    const { db, sessionId } = this;
    this.keepRow(nowMs);
    for (const { captureId: id, atMs, branch, capture } of lacking) {
      insertCapture(db, { id, atMs, sessionId, session: { branch } }, capture!);
    }
  }

  /** Adds the session, or brings the row up to date that this run has added. */
  keepRow(nowMs: number): void {
    const { db } = this;
    this.#isOurs = savePastSession(db, this.#row(nowMs), { isOurs: this.#isOurs }) || this.#isOurs;
  }

  /** Reads the captures that came since the last look. */
  #look(): void {
    const since = { after: this.#place, payloadsOf: WORDS_EVENTS };
    for (const row of capturesAfter(this.db, this.sessionId, since)) {
      this.#place = Math.max(this.#place, row.place);
      if (this.#captured.has(row.id)) continue;
      this.#add({ captureId: row.id, toolUseId: row.toolUseId });
      // A damaged payload tells no words.
      const payload = row.payload === null ? null : quietly(() => payloadText(row));
      if (payload) this.#words.push(...keysOfCapture(row.toolName, payload));
    }
  }

  #add({ captureId, toolUseId }: Pick<Gap, "captureId" | "toolUseId">): void {
    this.#captured.add(captureId);
    if (toolUseId !== null) this.#known.add(toolUseId);
  }

  /** Whether the database has an item. Each capture of words stands for one item. */
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
    const key = (toolUseId: string) => useKeyOfCapture({ toolUseId, toolName, payload });
    return away.has({
      ...{ sessionId, project: repository ?? dir, atMs, names: [captureId] },
      use: toolUseId === null ? undefined : { toolUseId, key: () => key(toolUseId) },
      keys: keysOfCapture(toolName, payload),
    });
  }

  /** Retention keeps even an old session for a day, so that the drain can observe it. */
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
