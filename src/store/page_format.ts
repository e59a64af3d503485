/** How a database file is laid out in pages (https://www.sqlite.org/fileformat2.html). */

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

/** How this program's databases are laid out; their header tells the rest. */
export const OWN_LAYOUT: FileLayout = {
  pageBytes: 4096,
  usable: 4096,
  pages: 0,
  firstFree: 0,
  autoVacuum: true,
};

/** Of the file; the first page begins behind it. */
export const HEADER_BYTES = 100;
/** Where the header tells what, in bytes. */
export const HEADER_AT = {
  pageBytes: 16,
  reserved: 20,
  changes: 24,
  pages: 28,
  firstFree: 32,
  freePages: 36,
  autoVacuum: 52,
  changesOfPages: 92,
} as const;
const LOCK_BYTE = 0x40000000;

/** What the first byte of a page of a tree says. */
export const PAGE_KIND = { indexInner: 2, tableInner: 5, indexLeaf: 10, tableLeaf: 13 } as const;

/** The page where the table begins that names all others. */
export const SCHEMA_ROOT = 1;

/** Where a page of a tree begins. */
export function headOf(page: number): number {
  return page === SCHEMA_ROOT ? HEADER_BYTES : 0;
}

/** Bytes before the places of the cells: an inner page names its last child there. */
export const INNER_HEAD = 12;
/** The same of a leaf. */
export const LEAF_HEAD = 8;

/** Reads the header. @returns Null when it is none that is known. */
export function layoutOf(header: Uint8Array): FileLayout | null {
  if (header.length < HEADER_BYTES) return null;
  if (new TextDecoder().decode(header.subarray(0, 15)) !== "SQLite format 3") return null;
  const view = viewOf(header);
  const size = view.getUint16(HEADER_AT.pageBytes);
  const pageBytes = size === 1 ? 65_536 : size;
  if (pageBytes < 512 || (pageBytes & (pageBytes - 1)) !== 0) return null;
  return {
    pageBytes,
    usable: pageBytes - header[HEADER_AT.reserved]!,
    pages: view.getUint32(HEADER_AT.pages),
    firstFree: view.getUint32(HEADER_AT.firstFree),
    autoVacuum: view.getUint32(HEADER_AT.autoVacuum) !== 0,
  };
}

/** Whether a page is neither of a table nor free: the one with the lock byte, or one that tells who refers to a page. */
export function isServicePage(page: number, layout: FileLayout): boolean {
  return page === lockPage(layout) ||
    layout.autoVacuum && page >= 2 && page === mapPageOf(page, layout);
}

/** The page that tells who refers to a page, of a file with `auto_vacuum`: 5 bytes for each that follows it. */
export function mapPageOf(page: number, layout: FileLayout): number {
  const perMap = Math.floor(layout.usable / 5) + 1;
  const map = Math.floor((page - 2) / perMap) * perMap + 2;
  return map === lockPage(layout) ? map + 1 : map;
}

function lockPage({ pageBytes }: FileLayout): number {
  return LOCK_BYTE / pageBytes + 1;
}

/** A number of up to 9 bytes, and where it ends. */
export function varint(page: Uint8Array, at: number): readonly [value: number, end: number] {
  let value = 0;
  for (let byte = 0; byte < 8; byte++) {
    const bits = page[at + byte] ?? 0;
    value = value * 128 + (bits & 0x7f);
    if (bits < 0x80) return [value, at + byte + 1];
  }
  return [value * 256 + (page[at + 8] ?? 0), at + 9];
}

/** The numbers in bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
