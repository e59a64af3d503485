/** Checks that no byte of forgotten content is left, and that nothing has come back. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { quietly, UserError } from "../../base/errors.ts";
import type { TextMatcher } from "../../memory/forget_text.ts";
import { realPath } from "../../system/real_paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { openDatabase } from "../../db/database.ts";
import { changePlaces, textPlaces } from "./forget_places_table.ts";
import {
  commandAgain,
  forgottenDigest,
  namedIn,
  type Receipt,
  sameAgain,
  TEXT_AGAIN,
} from "./forget_receipts_table.ts";
import { openIfOurs } from "../../db/database_identity.ts";
import {
  checkIndex,
  chooseForgotten,
  type ForgetFilter,
  type IndexedWords,
  indexedWords,
  pageOwners,
} from "../../memory/store.ts";
import { keysBack } from "./stay_away_table.ts";
import { holdsText, placesIn } from "./byte_scan.ts";
import { copiesOf, type ForgetPlace, writtenFiles } from "./forget_files.ts";

/** The most places in one file that are checked. */
const MAX_PLACES = 2000;

type BytesLeft = ReturnType<typeof bytesLeft>;

/**
 * Finds the tables and indexes whose bytes contain a text, and whether the log contains it. `forms`: words of staying
 * rows whose form in the search index contains the text; they do not count as remains.
 */
export function bytesLeft(place: ForgetPlace, text: TextMatcher) {
  const database = realPath(place.database);
  const { forms, unexplained } = wordsOf(database, text);
  const places = placesIn(database, text, { limit: MAX_PLACES });
  const tables = new Set(places.length === 0 ? [] : pageOwners(database, places));
  // This table holds the definitions of tables, which are text of this program alone.
  tables.delete("sqlite_schema");
  // Index words of staying rows do not count as remains.
  if (forms.length > 0) {
    for (const table of tables) if (table.startsWith("memory_index")) tables.delete(table);
  }
  if (unexplained > 0) tables.add("memory_index_data");
  return { tables: [...tables].sort(), log: holdsText(`${database}-wal`, text), forms };
}

/** Returns the index words that contain a text; none if the index is missing or unreadable. */
function wordsOf(database: string, text: TextMatcher): IndexedWords {
  const known = openIfOurs(database);
  known?.close();
  // The bytes are searched even if the words are unknown.
  return known && quietly(() => indexedWords(database, text)) || { forms: [], unexplained: 0 };
}

/** Lists the remains of a text as sentences, each with the way out. */
export function textLeft(
  place: ForgetPlace,
  filter: ForgetFilter,
  { again, bytes: { tables, log } }: { readonly again: string; readonly bytes: BytesLeft },
): string[] {
  return [
    ...(tables.length === 0 ? [] : [
      `the database file holds it in ${
        tables.join(", ")
      }: written since then, or in an id, which is not changed: \`${again}\``,
    ]),
    ...(log ? [`the write-ahead log holds it: \`${again}\``] : []),
    ...Object.values(writtenFiles(place)).flat().filter((path) => holdsText(path, filter.text!))
      .map((path) => `${path} holds it: \`rm ${quoteWord(path)}\``),
  ];
}

/** Returns the message for a log that cannot be emptied, since another process reads from it. */
export function logHeld(database: string, again: string): string {
  return `the write-ahead log may still hold it, since another process reads from it: \`fuser -v ${
    quoteWord(`${database}-wal`)
  }\`, then \`${again}\``;
}

/** Lists files that hold a text, even in compressed payloads, apart from the copies in which it is forgotten. */
export function copiesWith(
  place: ForgetPlace,
  filter: ForgetFilter,
  written: readonly string[],
): string[] {
  return copiesOf(place, written)
    .filter((path) => holdsText(path, filter.text!) || holdsRows(path, filter));
}

function holdsRows(path: string, filter: ForgetFilter): boolean {
  using db = openIfOurs(path);
  // In an older or damaged database the search of the bytes must do.
  return db !== null && (quietly(() => rowsWith(db, filter)) ?? 0) > 0;
}

/** Counts the rows that hold a text. */
function rowsWith(db: DatabaseSync, filter: ForgetFilter): number {
  const { observations, captures } = chooseForgotten(db, filter);
  const how = { mode: "look", changed: new Map(), receiptId: null } as const;
  return Object.values(changePlaces(db, textPlaces(db, filter.text!, null), how))
    .reduce((sum, n) => sum + n, observations.length + captures.length);
}

/** The most ids that one command names. */
const NAMED_IDS = 20;

/**
 * Checks whether the content of a receipt is still gone. Returns problems, each with the way out. Changes nothing.
 *
 * @param options `text`: the forgotten text, and `filter` for it; with them every byte is searched again.
 * @throws {UserError} When the receipt is about another text.
 */
export async function verifyReceipt(
  place: ForgetPlace,
  receipt: Receipt,
  { text, filter }: { readonly text: string | null; readonly filter: ForgetFilter | null },
): Promise<{ readonly message: string; readonly next: string }[]> {
  if (text !== null) requireSameText(receipt, text);
  const again = commandAgain(receipt.chosen);
  const problems: Awaited<ReturnType<typeof verifyReceipt>> = [];
  const add = (message: string, next: string) => problems.push({ message, next });
  using db = await openDatabase(place.database, place);
  const { observations: back, captures } = namedIn(db, receipt.id);
  const observations = [...new Set([...back, ...sameAgain(db, receipt).map(({ id }) => id)])];
  const ids = [...observations, ...captures];
  if (ids.length > 0) {
    const named = [
      ...observations.length === 0 ? [] : [count(observations.length, "observation")],
      ...captures.length === 0 ? [] : [count(captures.length, "capture")],
    ];
    add(
      `${named.join(" and ")} ${ids.length === 1 ? "is" : "are"} there again`,
      `conclaude memory forget ${ids.slice(0, NAMED_IDS).join(" ")} --yes`,
    );
  }
  for (const fault of checkIndex(db)) {
    add(`the search index is damaged: ${fault}`, "conclaude doctor --fix");
  }
  if (filter === null) {
    const keys = Object.entries(keysBack(db, receipt.id)).map(([table, n]) => `${n} of ${table}`);
    if (keys.length > 0) add(`rows are there again: ${keys.join(", ")}`, again);
    for (const message of receipt.remains) add(message, TEXT_AGAIN);
  } else {
    const rows = rowsWith(db, filter);
    if (rows > 0) add(`${count(rows, "row holds", "rows hold")} the text again`, TEXT_AGAIN);
    db.close();
    const bytes = bytesLeft(place, filter.text!);
    for (const message of textLeft(place, filter, { again: TEXT_AGAIN, bytes })) {
      add(message, TEXT_AGAIN);
    }
  }
  if (receipt.finishedAtMs === null) add("it was stopped before it was done", again);
  return problems;
}

function requireSameText({ id, salt, textDigest }: Receipt, text: string): void {
  if (textDigest !== null && forgottenDigest(salt, text) === textDigest) return;
  throw new UserError(`Cannot verify "${id}" with this text`, {
    why: textDigest === null
      ? "the receipt is not about a text"
      : "it is not the text that was forgotten: letters of either case count as the same, all else must be equal",
    next: `conclaude memory verify ${id}`,
  });
}
