/**
 * Where the pages of a database file hold nothing that counts: room between and behind cells, free pages, the ends of
 * overflow pages. Old versions of rows may still stand there (https://www.sqlite.org/fileformat2.html).
 */

/** From `start` up to, but not including, `end`, in bytes of a page. */
export type Range = readonly [start: number, end: number];

/** What the header of the file says. */
export interface FileLayout {
  readonly pageBytes: number;
  /** Without what is reserved at the end of each page. */
  readonly usable: number;
  readonly pages: number;
  readonly autoVacuum: boolean;
  /** The first page of the list of free pages; 0 when there is none. */
  readonly firstFree: number;
}

/** Content of a cell that goes on in other pages: the first of them, and how many bytes lie there. */
export interface Overflow {
  readonly page: number;
  readonly bytes: number;
}

/** What a b-tree page says of its room. */
export interface PageRoom {
  readonly slack: readonly Range[];
  readonly overflows: readonly Overflow[];
}

const HEADER_BYTES = 100;
const LOCK_BYTE = 0x40000000;
const INDEX_INNER = 2;
const TABLE_INNER = 5;
const INDEX_LEAF = 10;
const TABLE_LEAF = 13;

/** Reads the header. @returns Null when it is none that is known. */
export function layoutOf(header: Uint8Array): FileLayout | null {
  if (header.length < HEADER_BYTES) return null;
  if (new TextDecoder().decode(header.subarray(0, 15)) !== "SQLite format 3") return null;
  const view = viewOf(header);
  const size = view.getUint16(16);
  const pageBytes = size === 1 ? 65_536 : size;
  if (pageBytes < 512 || (pageBytes & (pageBytes - 1)) !== 0) return null;
  return {
    pageBytes,
    usable: pageBytes - header[20]!,
    pages: view.getUint32(28),
    firstFree: view.getUint32(32),
    autoVacuum: view.getUint32(52) !== 0,
  };
}

/** Whether a page is neither of a table nor free: the one with the lock byte, or one that tells who refers to a page. */
export function isServicePage(
  page: number,
  { pageBytes, usable, autoVacuum }: FileLayout,
): boolean {
  const lockPage = LOCK_BYTE / pageBytes + 1;
  if (page === lockPage) return true;
  if (!autoVacuum || page < 2) return false;
  const perMap = Math.floor(usable / 5) + 1;
  const map = Math.floor((page - 2) / perMap) * perMap + 2;
  return page === (map === lockPage ? map + 1 : map);
}

/**
 * The room in a b-tree page.
 *
 * @param number Of the page, from 1.
 * @returns Null when it is no such page, or anything in it is not as it must be: then it is to be left alone.
 */
export function roomOf(page: Uint8Array, number: number, layout: FileLayout): PageRoom | null {
  const start = number === 1 ? HEADER_BYTES : 0;
  const kind = page[start]!;
  if (![INDEX_INNER, TABLE_INNER, INDEX_LEAF, TABLE_LEAF].includes(kind)) return null;
  const isInner = kind === INDEX_INNER || kind === TABLE_INNER;
  const view = viewOf(page);
  const cells = view.getUint16(start + 3);
  const pointers = start + (isInner ? 12 : 8);
  const used: Range[] = [[0, pointers + 2 * cells]];
  const overflows: Overflow[] = [];
  if (pointers + 2 * cells > layout.usable) return null;
  for (let cell = 0; cell < cells; cell++) {
    const at = view.getUint16(pointers + 2 * cell);
    const found = at < pointers + 2 * cells || at > layout.usable - 4
      ? null
      : cellAt(page, at, { kind, layout });
    if (found === null) return null;
    used.push([at, found.end]);
    if (found.overflow !== null) overflows.push(found.overflow);
  }
  // Of a free block only its size and the place of the next one count.
  for (let at = view.getUint16(start + 1), last = 0; at !== 0; at = view.getUint16(at)) {
    if (at <= last || at > layout.usable - 4) return null;
    used.push([at, at + 4]);
    last = at;
  }
  const slack = between(used, layout.usable);
  return slack === null ? null : { slack, overflows };
}

function cellAt(
  page: Uint8Array,
  at: number,
  { kind, layout: { usable, pages } }: { readonly kind: number; readonly layout: FileLayout },
): { readonly end: number; readonly overflow: Overflow | null } | null {
  let from = at + (kind === INDEX_INNER || kind === TABLE_INNER ? 4 : 0);
  const [size, behindSize] = varint(page, from);
  from = behindSize;
  if (kind === TABLE_INNER) return from > usable ? null : { end: from, overflow: null };
  if (kind === TABLE_LEAF) from = varint(page, from)[1];
  const most = kind === TABLE_LEAF ? usable - 35 : Math.floor((usable - 12) * 64 / 255) - 23;
  // The smallest room that a cell ever gets is that of a free block.
  if (size <= most) {
    const end = Math.max(from + size, at + 4);
    return end > usable ? null : { end, overflow: null };
  }
  const least = Math.floor((usable - 12) * 32 / 255) - 23;
  const fitting = least + (size - least) % (usable - 4);
  const local = fitting <= most ? fitting : least;
  const end = from + local + 4;
  if (end > usable) return null;
  const next = viewOf(page).getUint32(from + local);
  if (next < 2 || next > pages) return null;
  return { end, overflow: { page: next, bytes: size - local } };
}

/** What lies between ranges; null when they overlap. */
function between(used: Range[], end: number): Range[] | null {
  used.sort((a, b) => a[0] - b[0]);
  const gaps: Range[] = [];
  let at = 0;
  for (const [start, stop] of used) {
    if (start < at) return null;
    if (start > at) gaps.push([at, start]);
    at = stop;
  }
  if (at > end) return null;
  if (at < end) gaps.push([at, end]);
  return gaps;
}

/** A number of up to 9 bytes, and where it ends. */
function varint(page: Uint8Array, at: number): readonly [value: number, end: number] {
  let value = 0;
  for (let byte = 0; byte < 8; byte++) {
    const bits = page[at + byte] ?? 0;
    value = value * 128 + (bits & 0x7f);
    if (bits < 0x80) return [value, at + byte + 1];
  }
  return [value * 256 + (page[at + 8] ?? 0), at + 9];
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
