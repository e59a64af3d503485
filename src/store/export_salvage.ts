import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Filter } from "./filter.ts";

/**
 * Finds what can still be reached in a table some pages of which are damaged. Every look is a search from the root of a
 * tree to one row, so that a damaged page stops the looks that lead over it and no others.
 */

/** Codes of SQLite: the disk does not give a page, the page contradicts itself, the value is impossible, no database. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([10, 11, 18, 26]);

/** Parts of a table between damaged pages that are looked into at most, so that no damage takes for ever: a second. */
const MAX_PARTS = 20_000;

/** Behind every text that a hook writes. */
const LAST_TEXT = "\u{10ffff}";

const ORDER = { ">": "ASC", "<": "DESC" } as const;

/** There is no further row. */
const END = "end";
/** The row was seen before, or lies behind: a walk that meets damaged pages could go round for ever. */
const KNOWN = "known";

type Row = Record<string, SQLOutputValue>;

/** The values that a walk goes on from. */
type Key = readonly (string | number)[];

/** Whether a damaged page is what a statement failed at. */
export function isDamage(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  // Bytes that mean nothing may be an integer that no number can hold.
  return thrown instanceof RangeError ||
    (typeof errcode === "number" && DAMAGE_CODES.has(errcode & 0xff));
}

/** What `look` finds, or `otherwise` when a damaged page is in its way. */
export function orDamaged<Found, Other>(
  look: () => Found,
  otherwise: (thrown: unknown) => Other,
): Found | Other {
  try {
    return look();
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return otherwise(thrown);
  }
}

/** Whether there is any sense in an export: preparing a statement reads the schema, which leads to every row. */
export function canReachRows(db: DatabaseSync): boolean {
  try {
    db.prepare("SELECT * FROM pending_queue");
    return true;
  } catch {
    return false;
  }
}

/**
 * The row numbers of a table that may be worth reading: those that the table itself still gives, and those that the
 * index over its key names, though their rows may be lost.
 *
 * @returns `isWhole` is true when no page was in the way of any row: then at most long values are damaged.
 */
export function reachablePlaces(
  db: DatabaseSync,
  of: { readonly table: string; readonly key: string | null },
): { readonly places: readonly number[]; readonly isWhole: boolean } {
  const { table, key } = of;
  // A number that is the key is in no index of its own.
  const named = key === null
    ? []
    : namedRows(db, { table, key }).map((row) => Number(row["place"]));
  const { found, isWhole } = walkTable(db, table, named);
  const places = Float64Array.from(new Set([...named, ...found])).sort();
  return { places: Array.from(places), isWhole };
}

/**
 * The counters that can be reached: from either end of their table, and by the sessions that are known.
 *
 * @returns `isWhole` is true when no page was in the way.
 */
export function reachableCounters(
  db: DatabaseSync,
  filter: Filter,
): { readonly rows: readonly Row[]; readonly isWhole: boolean } {
  const rows = new Map<string, Row>();
  const take = (row: Row): Key | typeof KNOWN => {
    const key = [String(row["session_id"]), String(row["type"])];
    const name = JSON.stringify(key);
    if (rows.has(name)) return KNOWN;
    rows.set(name, row);
    return key;
  };
  const walkFrom = (sign: ">" | "<", start: Key) => {
    const statement = db.prepare(
      `SELECT *
         FROM counters
         ${withCondition(filter, `(session_id, type) ${sign} (?, ?)`)}
        ORDER BY session_id ${ORDER[sign]}, type ${ORDER[sign]}
        LIMIT 1`,
    );
    return walk(start, (after) => {
      const row = statement.get(...filter.values, ...after);
      return row === undefined ? END : take(row);
    });
  };
  const isWhole = walkFrom(">", ["", ""]);
  if (!isWhole) {
    walkFrom("<", [LAST_TEXT, LAST_TEXT]);
    for (const row of namedRows(db, { table: "sessions", key: "session_id" })) {
      // What comes behind its last one is a counter of the next session, which does no harm.
      walkFrom(">", [String(row["key"]), ""]);
    }
  }
  return { rows: [...rows.values()], isWhole };
}

/** The key and the row number of the rows that the index over the key names, from either end. */
function namedRows(
  db: DatabaseSync,
  { table, key }: { readonly table: string; readonly key: string },
): Row[] {
  const rows = new Map<unknown, Row>();
  const walkFrom = (sign: ">" | "<", start: string) => {
    // Only what the index holds is asked for, so that the table is left alone.
    const statement = db.prepare(
      `SELECT ${key} AS key, rowid AS place
         FROM ${table}
        WHERE ${key} ${sign} ?
        ORDER BY ${key} ${ORDER[sign]}
        LIMIT 1`,
    );
    return walk([start], (after) => {
      const row = statement.get(...after);
      if (row === undefined) return END;
      if (rows.has(row["place"])) return KNOWN;
      rows.set(row["place"], row);
      return [String(row["key"])];
    });
  };
  if (!walkFrom(">", "")) walkFrom("<", LAST_TEXT);
  return [...rows.values()];
}

/**
 * The row numbers that the table gives. What lies between two damaged pages is looked for in halves, the widest first,
 * until the halves are single rows.
 *
 * @param named Row numbers that something else knows of: behind the greatest one nothing is looked for in halves.
 */
function walkTable(
  db: DatabaseSync,
  table: string,
  named: readonly number[],
): { readonly found: readonly number[]; readonly isWhole: boolean } {
  const found: number[] = [];
  let greatest = named.reduce((most, place) => Math.max(most, place), 0);
  const walkFrom = (sign: ">" | "<", [from, to]: Bounds) => {
    const statement = statements[sign];
    let last = from;
    const isWhole = walk([from], ([after]) => {
      const place = statement.get(after!, to)?.["place"];
      if (place === undefined) return END;
      // A damaged page may name any number.
      if (sign === ">" ? Number(place) <= last : Number(place) >= last) return KNOWN;
      last = Number(place);
      greatest = Math.max(greatest, last);
      found.push(last);
      return [last];
    });
    return { last, isWhole };
  };
  const statements = { ">": placeBehind(db, table, ">"), "<": placeBehind(db, table, "<") };
  const parts: Bounds[] = [[0, Number.MAX_SAFE_INTEGER]];
  let isWhole = true;
  for (let i = 0; i < Math.min(parts.length, MAX_PARTS); i++) {
    const [from, to] = parts[i]!;
    const up = walkFrom(">", [from, to]);
    if (up.isWhole) continue;
    isWhole = false;
    const down = walkFrom("<", [to, up.last]);
    const [low, high] = [up.last, Math.min(down.last, greatest + 1)];
    // A row that is alone between damaged pages is found by its number only.
    if (high - low === 2 && isReachable(db, table, low + 1)) found.push(low + 1);
    if (high - low <= 2) continue;
    const middle = low + Math.floor((high - low) / 2);
    parts.push([low, middle + 1], [middle, high]);
  }
  return { found, isWhole };
}

/** Where a walk begins and where it ends; neither belongs to it. */
type Bounds = readonly [from: number, to: number];

/** Finds the row number next to one, above or below it, up to another one. */
function placeBehind(db: DatabaseSync, table: string, sign: ">" | "<") {
  return db.prepare(
    `SELECT rowid AS place
       FROM ${table} NOT INDEXED
      WHERE rowid ${sign} ?
        AND rowid ${sign === ">" ? "<" : ">"} ?
      ORDER BY rowid ${ORDER[sign]}
      LIMIT 1`,
  );
}

function isReachable(db: DatabaseSync, table: string, place: number): boolean {
  try {
    return db.prepare(`SELECT 1 FROM ${table} NOT INDEXED WHERE rowid = ?`).get(place) !==
      undefined;
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return false;
  }
}

/**
 * Goes from one row to the next until there is none.
 *
 * @param next Takes the row behind a key and gives its key. @returns False when something was in the way.
 */
function walk(start: Key, next: (after: Key) => Key | typeof END | typeof KNOWN): boolean {
  try {
    for (let at: Key = start;;) {
      const reached = next(at);
      if (reached === END || reached === KNOWN) return reached === END;
      at = reached;
    }
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return false;
  }
}

/** A filter with one more condition behind its own. */
export function withCondition({ sql }: Filter, condition: string): string {
  return sql === "" ? `WHERE ${condition}` : `${sql} AND ${condition}`;
}
