/** Lists that are longer than a page: behind a cursor where they are in the order of time, else at once up to a bound. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Refused, withQuery } from "./api.ts";
import { gaps, type Part, tell, useData } from "./store.ts";

const PAGE = 200;
/** The most rows in one request. */
const MOST_ROWS = 1_000;

export interface Listed<Row> {
  /** Undefined before they are known. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Refused | undefined;
  /** Reads the next page; null where that gives no more. */
  readonly readOn: (() => void) | null;
  /** Whether there are rows that cannot be read. */
  readonly isCut: boolean;
}

type Answer<Row> = Readonly<Record<string, readonly Row[]>>;

/** A list that is asked for anew whole. @param of `first`: how many rows it has before a person asks for more. */
export function useWhole<Row>(
  path: string | null,
  { name, parts, first = PAGE }: Pick<ListOf<Row>, "name" | "parts"> & { readonly first?: number },
): Listed<Row> {
  const [asked, ask] = useState({ path, limit: first });
  const limit = asked.path === path ? asked.limit : first;
  const data = useData<Answer<Row>>(path === null ? null : withQuery(path, { limit }), parts);
  // What was loaded last stays while more of the same is loaded.
  const kept = useRef({ path, value: data.value });
  if (data.value !== undefined || kept.current.path !== path) {
    kept.current = { path, value: data.value };
  }
  const rows = kept.current.value?.[name];
  const isFull = rows !== undefined && rows.length >= limit;
  const readOn = () => ask({ path, limit: Math.min(limit + PAGE, MOST_ROWS) });
  return {
    rows,
    error: data.error,
    readOn: isFull && limit < MOST_ROWS ? readOn : null,
    isCut: isFull && limit >= MOST_ROWS,
  };
}

/** What a list is of. */
interface ListOf<Row> {
  /** What the answer calls the rows. */
  readonly name: string;
  readonly parts: readonly Part[];
  readonly keyOf: (row: Row) => string | number;
  /** By which the rows are sorted, the newest first; in epoch milliseconds. */
  readonly atOf: (row: Row) => number;
}

/**
 * A list in the order of time: the newest page is kept fresh, and further ones are read behind a cursor.
 * @param path Of a route that takes `limit` and `until`, with its filters; null asks for nothing.
 */
export function useList<Row>(path: string | null, of: ListOf<Row>): Listed<Row> {
  const { name, parts, keyOf, atOf } = of;
  const { value, error } = useData<Answer<Row>>(
    path === null ? null : withQuery(path, { limit: PAGE }),
    parts,
  );
  const key = `${path} ${gaps.value}`;
  const [kept, keep] = useState<{ readonly key: string; readonly rows: readonly Row[] }>();
  const [isWhole, setWhole] = useState(false);
  const current = useRef(key);
  current.current = key;
  const known = kept?.key === key ? kept.rows : [];
  const newest = value?.[name];
  useEffect(() => setWhole(false), [key]);
  useEffect(() => {
    if (newest !== undefined) keep({ key, rows: joined(newest, known, of) });
  }, [newest, key]);
  const rows = newest && joined(newest, known, of);
  const last = rows?.at(-1);
  const readOn = async () => {
    // Rows of the same moment may be divided between this page and the next.
    const until = new Date(atOf(last!) + 1).toISOString();
    try {
      const answer = await ask<Answer<Row>>("GET", withQuery(path!, { limit: PAGE, until }));
      if (current.current !== key) return;
      const keys = new Set(rows!.map(keyOf));
      const more = answer[name]!.filter((row) => !keys.has(keyOf(row)));
      setWhole(answer[name]!.length < PAGE || more.length === 0);
      keep({ key, rows: [...rows!, ...more] });
    } catch (thrown) {
      tell((thrown as Refused).message, true);
    }
  };
  const isMore = !isWhole && rows !== undefined && rows.length >= PAGE;
  return { rows, error, readOn: isMore ? () => void readOn() : null, isCut: false };
}

/** The newest page, and behind it the rows that are known already; the page alone where rows between may be missing. */
function joined<Row>(
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
