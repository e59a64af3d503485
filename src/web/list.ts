/** Loads long lists: page by page behind a cursor if sorted by time, else whole up to a limit. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Refused, withQuery } from "./api.ts";
import { gaps, type Part, tell, useData } from "./store.ts";

const PAGE = 200;
/** The most rows in one request. */
const MOST_ROWS = 1_000;

export interface Listed<Row> {
  /** Undefined until the rows are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Refused | undefined;
  /** Loads the next page; null if there are no more rows. */
  readonly readOn: (() => void) | null;
  /** Whether there are more rows than the limit allows. */
  readonly isCut: boolean;
}

type Answer<Row> = Readonly<Record<string, readonly Row[]>>;

/** Loads a list that each request reads whole. @param options `first`: how many rows it has at first. */
export function useWhole<Row>(
  path: string | null,
  { name, parts, first = PAGE }: Pick<ListOf<Row>, "name" | "parts"> & { readonly first?: number },
): Listed<Row> {
  const [request, setRequest] = useState({ path, limit: first });
  const limit = request.path === path ? request.limit : first;
  const data = useData<Answer<Row>>(path === null ? null : withQuery(path, { limit }), parts);
  // The last rows stay while more rows of the same list are loaded.
  const last = useRef({ path, value: data.value });
  if (data.value !== undefined || last.current.path !== path) {
    last.current = { path, value: data.value };
  }
  const rows = last.current.value?.[name];
  const isFull = rows !== undefined && rows.length >= limit;
  const readOn = () => setRequest({ path, limit: Math.min(limit + PAGE, MOST_ROWS) });
  return {
    rows,
    error: data.error,
    readOn: isFull && limit < MOST_ROWS ? readOn : null,
    isCut: isFull && limit >= MOST_ROWS,
  };
}

/** How to read a list. */
interface ListOf<Row> {
  /** The field of the answer that holds the rows. */
  readonly name: string;
  readonly parts: readonly Part[];
  readonly keyOf: (row: Row) => string | number;
  /** Returns the time by which the rows are sorted, newest first, in epoch milliseconds. */
  readonly atOf: (row: Row) => number;
}

/**
 * Loads a list that is sorted by time: keeps the newest page fresh, and reads further pages behind a cursor.
 * @param path The path and filters of a route that takes `limit` and `until`; null loads nothing.
 */
export function useList<Row>(path: string | null, of: ListOf<Row>): Listed<Row> {
  const { name, parts, keyOf, atOf } = of;
  const { value, error } = useData<Answer<Row>>(
    path === null ? null : withQuery(path, { limit: PAGE }),
    parts,
  );
  const key = `${path} ${gaps.value}`;
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly rows: readonly Row[] }>();
  const [isWhole, setWhole] = useState(false);
  const current = useRef({ key, path, readOn: async () => {} });
  const rowsOf = (held: typeof loaded) => held?.key === key ? held.rows : [];
  const newest = value?.[name];
  useEffect(() => setWhole(false), [key]);
  useEffect(() => {
    if (newest === undefined) return;
    setLoaded((held) => ({ key, rows: joinRows(newest, rowsOf(held), of) }));
  }, [newest, key]);
  const rows = newest && joinRows(newest, rowsOf(loaded), of);
  const last = rows?.at(-1);
  const readOn = async () => {
    if (last === undefined) return;
    // Rows of the same moment may be split between this page and the next.
    const until = new Date(atOf(last) + 1).toISOString();
    try {
      const answer = await ask<Answer<Row>>("GET", withQuery(path!, { limit: PAGE, until }));
      // A gap came in between: the list has begun anew, and is read on from there.
      if (current.current.key !== key) {
        if (current.current.path === path) await current.current.readOn();
        return;
      }
      const keys = new Set(rows!.map(keyOf));
      const more = answer[name]!.filter((row) => !keys.has(keyOf(row)));
      setWhole(answer[name]!.length < PAGE || more.length === 0);
      // The newest page may have been loaded in between: the older rows follow what is held now.
      setLoaded((held) => {
        const before = held?.key === key ? held.rows : rows!;
        const keys = new Set(before.map(keyOf));
        const isNext = keys.has(keyOf(last));
        return {
          key,
          rows: isNext ? [...before, ...more.filter((row) => !keys.has(keyOf(row)))] : before,
        };
      });
    } catch (thrown) {
      tell((thrown as Refused).message, true);
    }
  };
  current.current = { key, path, readOn };
  const isMore = !isWhole && rows !== undefined && rows.length >= PAGE;
  return { rows, error, readOn: isMore ? () => void readOn() : null, isCut: false };
}

/** Joins the newest page with the known older rows; returns the page alone if rows between them may be missing. */
function joinRows<Row>(
  newest: readonly Row[],
  known: readonly Row[],
  { keyOf, atOf }: Pick<ListOf<Row>, "keyOf" | "atOf">,
): readonly Row[] {
  const last = newest.at(-1);
  const keys = new Set(newest.map(keyOf));
  if (last === undefined || newest.length < PAGE || !known.some((row) => keys.has(keyOf(row)))) {
    return newest;
  }
  return [
    ...newest,
    ...known.filter((row) => atOf(row) <= atOf(last) && !keys.has(keyOf(row))),
  ];
}
