/** Checks that no byte of forgotten content is left, and that nothing has come back. */
import type { DatabaseSync } from "node:sqlite";
import { count, sumOf } from "../../base/counts.ts";
import { quietly, UserError } from "../../base/errors.ts";
import { type TextMatcher, textMatcher } from "../../memory/forget_text.ts";
import { realPath } from "../../system/real_paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { openDatabase } from "../../db/database.ts";
import { changePlaces, newRun, textPlaces } from "./forget_places_table.ts";
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
  indexedWords,
  NO_FILTER,
  pageOwners,
} from "../../memory/store.ts";
import { keysBack } from "./stay_away_table.ts";
import { copiesOf, type ForgetPlace, holdsText, placesIn, writtenFiles } from "./forget_files.ts";

const MAX_PLACES = 2000;

type BytesLeft = ReturnType<typeof bytesLeft>;

/**
 * Finds the tables and indexes whose bytes contain a text, and whether the log contains it. `forms`: words of staying
 * rows whose form in the search index contains the text; they do not count as remains.
 */
export function bytesLeft(place: ForgetPlace, text: TextMatcher) {
  const database = realPath(place.database);
  const known = openIfOurs(database);
  known?.close();
  // The bytes are searched even if the words of the index are unknown.
  const { forms, unexplained } = known && quietly(() => indexedWords(database, text)) ||
    { forms: [], unexplained: 0 };
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

/** Lists the remains of a text as sentences, each with the way out. */
export function textLeft(
  place: ForgetPlace,
  text: TextMatcher,
  { again, bytes: { tables, log } }: { readonly again: string; readonly bytes: BytesLeft },
): string[] {
  return [
    ...(tables.length === 0 ? [] : [
      `the database file holds it in ${
        tables.join(", ")
      }: written since then, or in an id, which is not changed: \`${again}\``,
    ]),
    ...(log ? [`the write-ahead log holds it: \`${again}\``] : []),
    ...Object.values(writtenFiles(place)).flat().filter((path) => holdsText(path, text))
      .map((path) => `${path} holds it: \`rm ${quoteWord(path)}\``),
  ];
}

/** Lists files that hold a text, even in compressed payloads, apart from the copies in which it is forgotten. */
export function copiesWith(
  place: ForgetPlace,
  text: TextMatcher,
  written: readonly string[],
): string[] {
  return copiesOf(place, written)
    .filter((path) => holdsText(path, text) || holdsRows(path, text));
}

function holdsRows(path: string, text: TextMatcher): boolean {
  using db = openIfOurs(path);
  // In an older or damaged database the search of the bytes must do.
  return db !== null && (quietly(() => rowsWith(db, text)) ?? 0) > 0;
}

function rowsWith(db: DatabaseSync, text: TextMatcher): number {
  const { observations, captures } = chooseForgotten(db, { ...NO_FILTER, text });
  const changed = changePlaces(db, textPlaces(db, text, null), newRun(null));
  return observations.length + captures.length + sumOf(changed);
}

const NAMED_IDS = 20;

/**
 * Checks whether the content of a receipt is still gone; with a text, every byte is searched for it. Returns problems,
 * each with the way out, and changes nothing. @throws {UserError} When the receipt is about another text.
 */
export async function verifyReceipt(
  place: ForgetPlace,
  receipt: Receipt,
  text: string | null,
): Promise<{ readonly message: string; readonly next: string }[]> {
  const { id, salt, textDigest } = receipt;
  if (text !== null && (textDigest === null || forgottenDigest(salt, text) !== textDigest)) {
    throw new UserError(`Cannot verify "${id}" with this text`, {
      why: textDigest === null
        ? "the receipt is not about a text"
        : "it is not the text that was forgotten: letters of either case count as the same, all else must be equal",
      next: `conclaude memory verify ${id}`,
    });
  }
  const again = commandAgain(receipt.chosen);
  const problems: Awaited<ReturnType<typeof verifyReceipt>> = [];
  const add = (message: string, next: string) => problems.push({ message, next });
  using db = await openDatabase(place.database, place);
  const { observations: back, captures } = namedIn(db, receipt.id);
  const observations = new Set([...back, ...sameAgain(db, receipt).map(({ id }) => id)]);
  const ids = [...observations, ...captures];
  if (ids.length > 0) {
    const counted = [[observations.size, "observation"], [captures.length, "capture"]] as const;
    const named = counted.filter(([n]) => n > 0).map(([n, noun]) => count(n, noun));
    add(
      `${named.join(" and ")} ${ids.length === 1 ? "is" : "are"} there again`,
      `conclaude memory forget ${ids.slice(0, NAMED_IDS).join(" ")} --yes`,
    );
  }
  for (const fault of checkIndex(db)) {
    add(`the search index is damaged: ${fault}`, "conclaude doctor --fix");
  }
  if (text === null) {
    const keys = Object.entries(keysBack(db, receipt.id)).map(([table, n]) => `${n} of ${table}`);
    if (keys.length > 0) add(`rows are there again: ${keys.join(", ")}`, again);
    for (const message of receipt.remains) add(message, TEXT_AGAIN);
  } else {
    const matcher = textMatcher(text);
    const rows = rowsWith(db, matcher);
    if (rows > 0) add(`${count(rows, "row holds", "rows hold")} the text again`, TEXT_AGAIN);
    db.close();
    const bytes = bytesLeft(place, matcher);
    for (const message of textLeft(place, matcher, { again: TEXT_AGAIN, bytes })) {
      add(message, TEXT_AGAIN);
    }
  }
  if (receipt.finishedAtMs === null) add("it was stopped before it was done", again);
  return problems;
}
