/** Looks whether anything of what was forgotten is left in any byte. */
import { realDatabase } from "../process/daemon_files.ts";
import { type TextMatcher, textMatcher } from "../memory/forget_text.ts";
import { chooseForgotten, type ForgetFilter } from "../store/forget_choice.ts";
import { pageOwners, tellingTexts } from "../store/forget_look.ts";
import { identifyDatabase, openToLook } from "../store/identity.ts";
import { countPlaces } from "../store/forget_places.ts";
import type { DatabaseSync } from "node:sqlite";
import { placesIn } from "./byte_scan.ts";
import { copiesOf, type ForgetPlace, matchingSpool, writtenFiles } from "./forget_files.ts";
import { quoteWord } from "../settings/hooks.ts";

/** Places in one file that are looked at. */
const MAX_PLACES = 200;
/** Pieces of what was forgotten that are looked for. */
const MAX_PIECES = 24;
const PIECE_CHARS = 40;

/** Pieces of rows that are about to be removed, long enough to be theirs alone; null when they have none. */
export function piecesOf(
  db: DatabaseSync,
  chosen: Parameters<typeof tellingTexts>[1],
): Pick<TextMatcher, "inBytes" | "maxBytes"> | null {
  const pieces = tellingTexts(db, chosen, MAX_PIECES)
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => text.length >= PIECE_CHARS)
    .map((text) => {
      const start = (text.length - PIECE_CHARS) >> 1;
      return textMatcher(text.slice(start, start + PIECE_CHARS).toWellFormed());
    });
  if (pieces.length === 0) return null;
  return {
    inBytes: new RegExp(pieces.map(({ inBytes }) => inBytes.source).join("|"), "g"),
    maxBytes: Math.max(...pieces.map(({ maxBytes }) => maxBytes)),
  };
}

/** Tables and logs of the database in whose bytes something stands; empty when nothing does. */
export function bytesLeft(
  place: ForgetPlace,
  matcher: Pick<TextMatcher, "inBytes" | "maxBytes">,
  onStep?: () => void,
): { readonly tables: readonly string[]; readonly log: boolean } {
  const database = realDatabase(place.database);
  const options = { limit: MAX_PLACES, ...(onStep && { onStep }) };
  const found = placesIn(database, matcher, options);
  const log = placesIn(`${database}-wal`, matcher, options).length > 0;
  return {
    tables: found.length === 0 ? [] : pageOwners(database, found.map(({ at }) => at)),
    log,
  };
}

/** What is left of a text, each with the way out; empty when nothing is. */
export function textLeft(
  place: ForgetPlace,
  filter: ForgetFilter,
  { again, onStep }: { readonly again: string; readonly onStep?: () => void },
): string[] {
  const text = filter.text!;
  const { tables, log } = bytesLeft(place, text, onStep);
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
