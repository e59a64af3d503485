/** Looks whether anything of what was forgotten is left in any byte. */
import { realDatabase } from "../process/daemon_files.ts";
import type { TextMatcher } from "../memory/forget_text.ts";
import { chooseForgotten, type ForgetFilter } from "../store/forget_choice.ts";
import { pageOwners } from "../store/forget_look.ts";
import { identifyDatabase, openToLook } from "../store/identity.ts";
import { countPlaces } from "../store/forget_places.ts";
import { placesIn } from "./byte_scan.ts";
import { isOfCopies, ownCopies } from "./forget_copies.ts";
import { copiesOf, type ForgetPlace, matchingSpool, writtenFiles } from "./forget_files.ts";
import { quoteWord } from "../settings/hooks.ts";
import { type IndexedWords, indexedWords, type WordForm } from "../store/index_forms.ts";

/** Places in one file that are looked at. */
const MAX_PLACES = 2000;
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

/** Tables of the database in whose bytes something stands, and whether it stands in its log. */
export function bytesLeft(
  place: ForgetPlace,
  matcher: Pick<TextMatcher, "inBytes" | "maxBytes"> & Partial<Pick<TextMatcher, "isIn">>,
  onStep?: () => void,
): BytesLeft {
  const database = realDatabase(place.database);
  const options = { limit: MAX_PLACES, ...(onStep && { onStep }) };
  const places = placesIn(database, matcher, options);
  const { forms, unexplained } = matcher.isIn === undefined
    ? NO_WORDS
    : wordsOf(database, { isIn: matcher.isIn });
  const owners = places.length === 0 ? [] : pageOwners(
    database,
    (pageBytes) => places.map(({ at }) => Math.floor(at / pageBytes) + 1),
  ).values();
  const tables = new Set(owners);
  tables.delete(DEFINITIONS);
  // The index is made of rows: where each of its words with the text comes from a row that stays, nothing is left over.
  if (forms.length > 0) {
    for (const table of tables) if (table.startsWith("memory_index")) tables.delete(table);
  }
  if (unexplained > 0) tables.add("memory_index_data");
  return {
    tables: [...tables].sort(),
    log: placesIn(`${database}-wal`, matcher, { ...options, limit: 1 }).length > 0,
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

/** Files that hold a text, also in what is compressed there, and are no copies that this program makes anew. */
export function copiesWith(place: ForgetPlace, filter: ForgetFilter): string[] {
  const own = ownCopies(place);
  return copiesOf(place).filter((path) => !isOfCopies(own, path)).filter((path) =>
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
