/**
 * Gives the rows of a table back whose upper pages are damaged. They lie in its leaves, and those are still there, but
 * nothing leads to them: the upper pages are written anew. Who refers to a page is told twice in a file with
 * `auto_vacuum`, so the table that a leaf belongs to is known without what is damaged.
 */
import { cellsOf, type LeafCells, longestRise, withCells } from "./leaf_cells.ts";
import { PageFile } from "./page_file.ts";
import {
  type FileLayout,
  headOf,
  INNER_HEAD,
  isServicePage,
  LEAF_HEAD,
  OWN_LAYOUT,
  PAGE_KIND,
  viewOf,
} from "./page_format.ts";

/** What was found. */
export interface Reattached {
  /** Leaves that nothing led to. */
  readonly leaves: number;
  /** At least so many rows are not there any more: those whose number cannot be, and one for a page that holds none. */
  readonly lost: number;
}

/** Pages that the map tells to belong to a tree, by the first byte of their entry. */
const ROOT = 1;
const IN_TREE = 5;
/** No tree is deeper: each level has a hundred times the pages. */
const MAX_DEPTH = 20;
/** An inner page's cell at its longest, with its place: a page number and a row number. */
const INNER_CELL_BYTES = 4 + 9 + 2;

interface Leaf {
  readonly page: number;
  /** Its smallest and its largest row number. */
  readonly first: number;
  readonly last: number;
}

/**
 * Writes the upper pages anew of each table with leaves that nothing leads to, or that lie in each other's place, and
 * takes rows out of the leaves whose numbers cannot be: SQLite misses their neighbours for them. The file is for reading
 * only after that: what belongs to the new pages and what was free is not told anywhere.
 *
 * @param path A copy of a database in one file. @param roots Where its tables have their roots.
 * @returns Nothing found, of a file without `auto_vacuum`. @throws {Error} What the file system says.
 */
export function reattachLeaves(path: string, roots: readonly number[]): Reattached {
  using file = Deno.openSync(path, { read: true, write: true });
  const pages = new PageFile(file);
  const result = { leaves: 0, lost: 0 };
  if (!pages.layout?.autoVacuum) return result;
  const treeOf = ownedPages(pages, new Set(roots));
  for (const root of roots) {
    const owned = treeOf.get(root) ?? [];
    const reached = leavesBelow(pages, root);
    const inner = new Set(owned.map((page) => pages.refersTo(page).by));
    const isEnd = (page: number) => !inner.has(page);
    const cut = owned.filter((page) => isEnd(page) && !reached.has(page));
    const ends = [...reached].filter(isEnd).concat(cut);
    const found = ends.map((page) => leafAt(pages, page)).filter((leaf) => leaf !== null);
    const { leaves, lost } = soundLeaves(pages, found);
    result.lost += lost;
    const isInOrder = found.every(({ page }, n) => page === leaves[n]?.page);
    if (cut.length === 0 && (isInOrder || reached.has(root))) continue;
    const known = new Set(leaves.map(({ page }) => page));
    writeTree(pages, root, leaves);
    result.leaves += cut.filter((page) => known.has(page)).length;
    result.lost += ends.length - found.length;
  }
  pages.end();
  return result;
}

/** Whether leaves of a table are there by what the map says, whatever its root says; also without the header of the file. */
export function hasLeaves(path: string, root: number): boolean {
  using file = Deno.openSync(path);
  const pages = new PageFile(file, OWN_LAYOUT);
  if (!pages.layout?.autoVacuum) return false;
  const owned = ownedPages(pages, new Set([root])).get(root) ?? [];
  return owned.some((page) => leafAt(pages, page) !== null);
}

/** The pages below each root, as the map tells them. */
function ownedPages(
  pages: PageFile,
  roots: ReadonlySet<number>,
): ReadonlyMap<number, readonly number[]> {
  const upper = new Map<number, number>();
  for (let page = 3; page <= pages.count; page++) {
    if (isServicePage(page, pages.layout!)) continue;
    const { kind, by } = pages.refersTo(page);
    if (kind === IN_TREE) upper.set(page, by);
    else if (kind === ROOT) upper.set(page, 0);
  }
  const owned = new Map<number, number[]>();
  for (const page of upper.keys()) {
    let root = page;
    for (let depth = 0; depth < MAX_DEPTH && !roots.has(root); depth++) root = upper.get(root) ?? 0;
    if (root === page || !roots.has(root)) continue;
    const others = owned.get(root);
    if (others === undefined) owned.set(root, [page]);
    else others.push(page);
  }
  return owned;
}

/** The leaves that the pages from a root down lead to. */
function leavesBelow(pages: PageFile, root: number): ReadonlySet<number> {
  const leaves = new Set<number>();
  let level = [root];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap((number) => {
      const page = pages.read(number);
      const head = headOf(number);
      if (page[head] !== PAGE_KIND.tableInner) {
        leaves.add(number);
        return [];
      }
      return childrenOf(page, head).filter((child) => isChild(pages, child, number));
    });
  }
  return leaves;
}

/** Whether a page is below another one, by what the map says; where that is damaged, by what the upper one says. */
function isChild(pages: PageFile, child: number, upper: number): boolean {
  if (child < 3 || child > pages.count || isServicePage(child, pages.layout!)) return false;
  const { kind, by } = pages.refersTo(child);
  return kind === IN_TREE ? by === upper : kind === 0 || kind > IN_TREE;
}

function childrenOf(page: Uint8Array, head: number): number[] {
  const view = viewOf(page);
  const most = (page.length - head - INNER_HEAD) / 2;
  const cells = Math.min(view.getUint16(head + 3), most);
  const children: number[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const at = view.getUint16(head + INNER_HEAD + 2 * cell);
    if (at <= page.length - 4) children.push(view.getUint32(at));
  }
  return [...children, view.getUint32(head + LEAF_HEAD)];
}

/** A leaf as it was found. */
interface FoundLeaf {
  readonly page: number;
  readonly cells: LeafCells;
  /** The number in the middle of its rows, which a few damaged ones do not change. */
  readonly middle: number;
}

/** Null when it is no leaf of a table, or holds none of its rows. */
function leafAt(pages: PageFile, page: number): FoundLeaf | null {
  const cells = cellsOf(pages.read(page), headOf(page));
  if (cells.rows.length === 0) return null;
  const isKept = longestRise(cells.rows);
  const rising = cells.rows.filter((_, cell) => isKept[cell]);
  return { page, cells, middle: rising[rising.length >> 1]! };
}

/** Leaves with nothing but rows that can be there: those that rise from the first to the last of all of them. */
function soundLeaves(
  pages: PageFile,
  found: readonly FoundLeaf[],
): { readonly leaves: readonly Leaf[]; readonly lost: number } {
  const sorted = found.toSorted((a, b) => a.middle - b.middle);
  const all = sorted.flatMap(({ cells }) => cells.rows);
  const isKept = longestRise(all);
  const kept = new Set(all.filter((_, n) => isKept[n]));
  const leaves: Leaf[] = [];
  let begin = 0;
  let lost = 0;
  for (const { page, cells } of sorted) {
    const isIn = cells.rows.map((_, cell) => isKept[begin + cell]!);
    begin += cells.rows.length;
    const rows = cells.rows.filter((_, cell) => isIn[cell]);
    if (rows.length > 0) leaves.push({ page, first: rows[0]!, last: rows.at(-1)! });
    if (rows.length === cells.rows.length) continue;
    const end = isIn.lastIndexOf(true);
    const between = cells.rows.filter((row, cell) => cell < end && !isIn[cell] && !kept.has(row));
    // Behind the last one there may be none, where the page says that it has more rows than it has.
    lost += between.length || 1;
    const places = cells.places.filter((_, cell) => isIn[cell]);
    pages.write(page, withCells(pages.read(page), headOf(page), places));
  }
  return { leaves, lost };
}

/** Writes what leads from a root to the leaves, in as many levels as it takes. */
function writeTree(pages: PageFile, root: number, leaves: readonly Leaf[]): void {
  const room = pages.layout!.usable - headOf(root) - INNER_HEAD;
  const most = Math.floor(room / INNER_CELL_BYTES);
  let level = leaves;
  while (level.length > most) {
    const upper: Leaf[] = [];
    for (let from = 0; from < level.length; from += most) {
      const below = level.slice(from, from + most);
      const page = pages.add();
      pages.write(page, innerPage(below, pages.layout!, new Uint8Array()));
      upper.push({ page, first: below[0]!.first, last: below.at(-1)!.last });
    }
    level = upper;
  }
  const begin = pages.read(root).subarray(0, headOf(root));
  const make = level.length === 0 ? emptyLeaf : innerPage;
  pages.write(root, make(level, pages.layout!, begin));
}

/** Leaves a tree without rows; its pages stay where they are. */
export function emptyTree(pages: PageFile, root: number): void {
  writeTree(pages, root, []);
}

/** Makes a page, with bytes before it that are not of the tree. */
type MakePage = (below: readonly Leaf[], layout: FileLayout, begin: Uint8Array) => Uint8Array;

/** A page that leads to others, each with its largest row number. */
const innerPage: MakePage = (below, { pageBytes, usable }, begin) => {
  const page = new Uint8Array(pageBytes);
  const view = viewOf(page);
  const head = begin.length;
  page.set(begin);
  let start = usable;
  below.slice(0, -1).forEach(({ page: child, last }, cell) => {
    const row = varintOf(last);
    start -= 4 + row.length;
    view.setUint32(start, child);
    page.set(row, start + 4);
    view.setUint16(head + INNER_HEAD + 2 * cell, start);
  });
  page[head] = PAGE_KIND.tableInner;
  view.setUint16(head + 3, below.length - 1);
  view.setUint16(head + 5, start % 65_536);
  view.setUint32(head + LEAF_HEAD, below.at(-1)!.page);
  return page;
};

const emptyLeaf: MakePage = (_below, { pageBytes, usable }, begin) => {
  const page = new Uint8Array(pageBytes);
  page.set(begin);
  page[begin.length] = PAGE_KIND.tableLeaf;
  viewOf(page).setUint16(begin.length + 5, usable % 65_536);
  return page;
};

/** @param value Below 2^53: in bytes of 7 bits, the highest first, all but the last with their top bit set. */
function varintOf(value: number): Uint8Array {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(rest % 128 + 128);
  }
  return Uint8Array.from(bytes);
}
