/**
 * Where the pages of a database file hold nothing that counts: room between and behind cells, free pages, the ends of
 * overflow pages. Old versions of rows may still stand there.
 */
import {
  type FileLayout,
  HEADER_BYTES,
  INNER_HEAD,
  LEAF_HEAD,
  PAGE_KIND,
  varint,
  viewOf,
} from "./page_format.ts";

/** From `start` up to, but not including, `end`, in bytes of a page. */
export type Range = readonly [start: number, end: number];

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

const KINDS: ReadonlySet<number> = new Set(Object.values(PAGE_KIND));

/**
 * The room in a b-tree page.
 *
 * @param number Of the page, from 1.
 * @returns Null when it is no such page, or anything in it is not as it must be: then it is to be left alone.
 */
export function roomOf(page: Uint8Array, number: number, layout: FileLayout): PageRoom | null {
  const start = number === 1 ? HEADER_BYTES : 0;
  const kind = page[start]!;
  if (!KINDS.has(kind)) return null;
  const view = viewOf(page);
  const cells = view.getUint16(start + 3);
  const pointers = start + (isInner(kind) ? INNER_HEAD : LEAF_HEAD);
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

function isInner(kind: number): boolean {
  return kind === PAGE_KIND.indexInner || kind === PAGE_KIND.tableInner;
}

function cellAt(
  page: Uint8Array,
  at: number,
  { kind, layout: { usable, pages } }: { readonly kind: number; readonly layout: FileLayout },
): { readonly end: number; readonly overflow: Overflow | null } | null {
  let from = at + (isInner(kind) ? 4 : 0);
  const [size, behindSize] = varint(page, from);
  from = behindSize;
  if (kind === PAGE_KIND.tableInner) return from > usable ? null : { end: from, overflow: null };
  if (kind === PAGE_KIND.tableLeaf) from = varint(page, from)[1];
  const most = kind === PAGE_KIND.tableLeaf
    ? usable - 35
    : Math.floor((usable - 12) * 64 / 255) - 23;
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
