/** Reads what SQLite can still read of a table with damaged pages. */
import type { DatabaseSync } from "node:sqlite";

/** SQLite's codes IOERR, CORRUPT, TOOBIG and NOTADB. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([10, 11, 18, 26]);

/** Rows that one statement reads as long as there is no damage. */
const BATCH_ROWS = 500;

/** So many row numbers after a damaged page are tried one by one: an inner page leads to so many rows. */
const TRIED_ONE_BY_ONE = 20_000;

/** Whether a statement failed because of damage. */
export function isDamage(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  // The runtime throws a RangeError for an integer that is too large for a number, as flipped bits can make it.
  return thrown instanceof RangeError ||
    (typeof errcode === "number" && DAMAGE_CODES.has(errcode & 0xff));
}

/** Returns what `look` finds, or `otherwise` when it meets damage. */
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
 * The row numbers of a damaged table, in order: those that the table gives, and those that an index gives, whose rows may
 * be lost. The index is that of the key; without a key it is any.
 *
 * @returns `isWhole`: whether the table gave all of its numbers.
 */
export function reachablePlaces(
  db: DatabaseSync,
  { table, key }: { readonly table: string; readonly key: string | null },
): { readonly places: readonly number[]; readonly isWhole: boolean } {
  const named = namedPlaces(db, table, key === null ? indexesOf(db, table) : [null], key);
  const { found, isWhole } = walkTable(db, table);
  return { places: [...new Set([...named, ...found])].sort((a, b) => a - b), isWhole };
}

/** The row numbers in the first index that can be read. Null stands for the index that the order of the key uses. */
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

/** The indexes that hold every row of a table. */
function indexesOf(db: DatabaseSync, table: string): string[] {
  return orDamaged(
    () =>
      db.prepare("SELECT name FROM pragma_index_list(?) WHERE NOT partial")
        .all(table.replaceAll('"', "")).map(({ name }) => `"${name}"`),
    () => [],
  );
}

/** Goes up through the row numbers. At a damaged page it tries the next numbers until it can read one. */
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
    // A damaged page may give any number.
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
