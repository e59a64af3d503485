/** Looks whether anything of what was forgotten is left in any byte. */
import { realDatabase } from "../process/daemon_files.ts";
import type { TextMatcher } from "../memory/forget_text.ts";
import { chooseForgotten, type ForgetFilter } from "../store/forget_choice.ts";
import { pageOwners } from "../store/forget_look.ts";
import { identifyDatabase, openToLook } from "../store/identity.ts";
import { countPlaces } from "../store/forget_places.ts";
import { placesIn } from "./byte_scan.ts";
import { copiesOf, type ForgetPlace, matchingSpool, writtenFiles } from "./forget_files.ts";
import { quoteWord } from "../settings/hooks.ts";
import { type IndexedWords, indexedWords, isOfWords, type WordForm } from "../store/index_forms.ts";
import { viewOf } from "../store/page_format.ts";
import { Buffer } from "node:buffer";

/** Places in one file that are looked at. */
const MAX_PLACES = 2000;
/** Bytes around a place that are looked at: a word of the index is not longer. */
const AROUND = 256;
/** How a log is laid out: its head, and the head of each of its pages. */
const LOG_HEAD = 32;
const FRAME_HEAD = 24;
/** Where the database keeps how its tables are made: words of this program alone. */
const DEFINITIONS = "sqlite_schema";

/** Where something stands in the bytes of a database. */
export interface BytesLeft {
  /** Tables and indexes of its file; empty when it is in none. */
  readonly tables: readonly string[];
  readonly log: boolean;
  /** What the search index alone has, as a form of words in rows that stay: nothing of it is left over. */
  readonly forms: readonly WordForm[];
}

/** Tables and logs of the database in whose bytes something stands; empty when nothing does. */
export function bytesLeft(
  place: ForgetPlace,
  matcher: Pick<TextMatcher, "inBytes" | "maxBytes"> & Partial<Pick<TextMatcher, "isIn">>,
  onStep?: () => void,
): BytesLeft {
  const database = realDatabase(place.database);
  const log = `${database}-wal`;
  const options = { limit: MAX_PLACES, ...(onStep && { onStep }) };
  const inFile = placesIn(database, matcher, options);
  const inLog = placesIn(log, matcher, options);
  const { forms, unexplained } = matcher.isIn === undefined
    ? NO_WORDS
    : wordsOf(database, { isIn: matcher.isIn });
  const ofIndex = unexplained > 0 ? ["memory_index_data"] : [];
  if (inFile.length + inLog.length === 0) return { tables: ofIndex, log: false, forms };
  const pages = { file: [] as number[], log: [] as number[] };
  const owners = pageOwners(database, (pageBytes) => {
    pages.file = inFile.map(({ at }) => Math.floor(at / pageBytes) + 1);
    pages.log = inLog.map(({ at }) => pageInLog(log, at, pageBytes));
    return [...pages.file, ...pages.log];
  });
  const left = (path: string, found: typeof inFile, of: readonly number[]) =>
    found.map((each, n) => ({ ...each, owner: owners.get(of[n]!)! }))
      .filter(({ owner, ...each }) =>
        owner !== DEFINITIONS && !isOfWords(owner, forms, around(path, each))
      );
  const tables = left(database, inFile, pages.file).map(({ owner }) => owner);
  return {
    tables: [...new Set([...ofIndex, ...tables])].sort(),
    log: left(log, inLog, pages.log).length > 0,
    forms,
  };
}

const NO_WORDS: IndexedWords = { forms: [], unexplained: 0 };

/** None where there is no index, or it cannot be read: then nothing is taken for a form of anything. */
function wordsOf(database: string, text: Pick<TextMatcher, "isIn">): IndexedWords {
  const { kind } = identifyDatabase(database);
  if (kind !== "ours" && kind !== "older") return NO_WORDS;
  try {
    return indexedWords(database, text);
  } catch {
    return NO_WORDS;
  }
}

/** The page that a place in a log belongs to. */
function pageInLog(path: string, at: number, pageBytes: number): number {
  const frame = Math.floor((at - LOG_HEAD) / (FRAME_HEAD + pageBytes));
  const head = bytesAt(path, LOG_HEAD + frame * (FRAME_HEAD + pageBytes), 4);
  return viewOf(head).getUint32(0);
}

/** Bytes with what stands around them. */
function around(
  path: string,
  { at, length }: { readonly at: number; readonly length: number },
): { readonly bytes: string; readonly from: number; readonly to: number } {
  const start = Math.max(0, at - AROUND);
  const bytes = bytesAt(path, start, at - start + length + AROUND);
  return {
    bytes: Buffer.from(bytes).toString("latin1"),
    from: at - start,
    to: at - start + length,
  };
}

/** Zeros where the file ends before. */
function bytesAt(path: string, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  using file = Deno.openSync(path);
  file.seekSync(at, Deno.SeekMode.Start);
  file.readSync(bytes);
  return bytes;
}

/** What is left of a text, each with the way out; empty when nothing is. */
export function textLeft(
  place: ForgetPlace,
  filter: ForgetFilter,
  { again, bytes = bytesLeft(place, filter.text!) }: {
    readonly again: string;
    readonly bytes?: BytesLeft;
  },
): string[] {
  const text = filter.text!;
  const { tables, log } = bytes;
  const { logs, agents } = writtenFiles(place);
  const isIn = (path: string) => placesIn(path, text, { limit: 1 }).length > 0;
  return [
    ...(tables.length === 0 ? [] : [
      `the database file holds it in ${
        tables.join(", ")
      }: written since then, or in an id, which is not changed: ` +
      `\`${again}\``,
    ]),
    ...(log ? [`the write-ahead log holds it: \`${again}\``] : []),
    ...matchingSpool(place, filter).map((path) => `the spool holds it: ${path}: \`${again}\``),
    ...[...logs, ...agents].filter(isIn).map((path) =>
      `${path} holds it: \`rm ${quoteWord(path)}\``
    ),
  ];
}

/** What is said while somebody reads from the write-ahead log. */
export function logHeld(database: string, again: string): string {
  return `the write-ahead log may still hold it, since another process reads from it: \`fuser -v ${
    quoteWord(`${database}-wal`)
  }\`, then \`${again}\``;
}

/** What is said where the search index stays damaged. */
export function indexHeld(fault: string, again: string): string {
  return `the search index may still hold words of it, since it is damaged (${fault}): \`conclaude doctor --fix\`, then \`${again}\``;
}

/** Backups and other copies in the data folder that hold a text, also in what is compressed there. */
export function copiesWith(place: ForgetPlace, filter: ForgetFilter): string[] {
  return copiesOf(place).filter((path) =>
    placesIn(path, filter.text!, { limit: 1 }).length > 0 || holdsRows(path, filter)
  );
}

function holdsRows(path: string, filter: ForgetFilter): boolean {
  const { kind } = identifyDatabase(path);
  if (kind !== "ours" && kind !== "older") return false;
  try {
    const db = openToLook(path);
    try {
      const { captures, observations } = chooseForgotten(db, filter);
      if (captures.length + observations.length > 0) return true;
      return Object.keys(countPlaces(db, { text: filter.text!, sessions: null })).length > 0;
    } finally {
      db.close();
    }
  } catch {
    // An older one without all the tables, or a damaged one: its letters have been looked through.
    return false;
  }
}
