/** Reads what SQLite can still read of a table of which some pages are damaged. */
import type { DatabaseSync } from "node:sqlite";
import type { Filter } from "./filter.ts";

/** SQLite's codes for: the disk gives no page, a page contradicts itself, an impossible value, no database. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([10, 11, 18, 26]);

/** Rows that one statement reads, as long as nothing is in the way. */
const BATCH_ROWS = 500;

/** So many row numbers behind a damaged page are tried one by one: one upper page leads to so many rows. */
const TRIED_ONE_BY_ONE = 20_000;

/** Whether a statement failed because of damage. */
export function isDamage(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  // The runtime throws a RangeError for an integer that no number can hold: flipped bits make one.
  return thrown instanceof RangeError ||
    (typeof errcode === "number" && DAMAGE_CODES.has(errcode & 0xff));
}

/** What `look` finds, or `otherwise` when damage is in its way. */
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

/**
 * The row numbers of a table that may be worth reading, in order: those that the table gives, and those that an index
 * names, though their rows may be lost: the one over the key, or any.
 *
 * @returns `isWhole` is true when no page was in the way of a number.
 */
export function reachablePlaces(
  db: DatabaseSync,
  { table, key }: { readonly table: string; readonly key: string | null },
): { readonly places: readonly number[]; readonly isWhole: boolean } {
  const named = namedPlaces(db, table, key === null ? indexesOf(db, table) : [null], key);
  const { found, isWhole } = walkTable(db, table);
  return { places: [...new Set([...named, ...found])].sort((a, b) => a - b), isWhole };
}

/** What the first of these indexes names that can be read; null is the one that serves the order of the key. */
function namedPlaces(
  db: DatabaseSync,
  table: string,
  indexes: readonly (string | null)[],
  key: string | null,
): number[] {
  for (const index of indexes) {
    const by = index === null ? `ORDER BY ${key}` : `INDEXED BY ${index}`;
    const rows = orDamaged(
      () => db.prepare(`SELECT rowid AS place FROM ${table} ${by}`).all(),
      () => null,
    );
    if (rows !== null) return rows.map(({ place }) => Number(place));
  }
  return [];
}

/** The indexes that have every row of a table. */
function indexesOf(db: DatabaseSync, table: string): string[] {
  return orDamaged(
    () =>
      db.prepare("SELECT name FROM pragma_index_list(?) WHERE NOT partial")
        .all(table.replaceAll('"', "")).map(({ name }) => `"${name}"`),
    () => [],
  );
}

/** Goes through the row numbers upwards; at a damaged page it tries the numbers behind until one can be reached. */
function walkTable(
  db: DatabaseSync,
  table: string,
): { readonly found: readonly number[]; readonly isWhole: boolean } {
  const next = db.prepare(
    `SELECT rowid AS place
       FROM ${table} NOT INDEXED
      WHERE rowid >= ?
      ORDER BY rowid
      LIMIT ?`,
  );
  const found: number[] = [];
  let isWhole = true;
  let [limit, step, failures] = [BATCH_ROWS, 1, 0];
  for (let from = 0; from <= Number.MAX_SAFE_INTEGER;) {
    const rows = orDamaged(
      () => next.all(from, limit).map(({ place }) => Number(place)),
      () => null,
    );
    if (rows?.length === 0) break;
    // A damaged page may name any number.
    if (rows !== null && rows.every((place, n) => place >= from && place > (rows[n - 1] ?? -1))) {
      found.push(...rows);
      from = rows.at(-1)! + 1;
      [limit, step, failures] = [Math.min(2 * limit, BATCH_ROWS), 1, 0];
      continue;
    }
    isWhole = false;
    if (limit > 1) {
      limit = 1;
      continue;
    }
    if (++failures > TRIED_ONE_BY_ONE) step *= 2;
    from += step;
  }
  return { found, isWhole };
}

/** A filter with one more condition behind its own. */
export function withCondition({ sql }: Filter, condition: string): string {
  return sql === "" ? `WHERE ${condition}` : `${sql} AND ${condition}`;
}
