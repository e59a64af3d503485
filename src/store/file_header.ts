/** The first hundred bytes of a database file, and what becomes of a file that has lost them. */
import {
  HEADER_AT,
  HEADER_BYTES,
  layoutOf,
  PAGE_KIND,
  SCHEMA_ROOT,
  viewOf,
} from "./page_format.ts";
import { hasLeaves } from "./reattach_leaves.ts";

const PAGE_BYTES = 4096;

/** Whether a file has no header, but goes on behind it, or behind its first page, as one of ours does. */
export function lacksHeader(path: string): boolean {
  try {
    using file = Deno.openSync(path);
    const { size } = file.statSync();
    const begin = new Uint8Array(HEADER_BYTES + 1);
    if (file.readSync(begin) !== begin.length || size % PAGE_BYTES !== 0) return false;
    const kind = begin[HEADER_BYTES]!;
    return layoutOf(begin) === null &&
      (kind === PAGE_KIND.tableInner || kind === PAGE_KIND.tableLeaf ||
        hasLeaves(path, SCHEMA_ROOT));
  } catch {
    return false;
  }
}

/** Whether what tells of the tables can be found without the first page, which leads to it. */
export function hasSchema(path: string): boolean {
  try {
    return hasLeaves(path, SCHEMA_ROOT);
  } catch {
    return false;
  }
}

/**
 * Gives such a file the header of another database. It is for reading only after that: what is free in it is not told.
 *
 * @throws {Error} What the file system says.
 */
export function writeHeader(path: string, like: string): void {
  const header = headerOf(like);
  using file = Deno.openSync(path, { write: true });
  const view = viewOf(header);
  view.setUint32(HEADER_AT.pages, file.statSync().size / PAGE_BYTES);
  view.setUint32(HEADER_AT.firstFree, 0);
  view.setUint32(HEADER_AT.freePages, 0);
  view.setUint32(HEADER_AT.changesOfPages, view.getUint32(HEADER_AT.changes));
  file.writeSync(header);
}

/** The bytes that a database whose end is missing had; null for any other file. */
export function bytesBeforeCut(path: string): number | null {
  try {
    const layout = layoutOf(headerOf(path));
    const bytes = layout === null ? 0 : layout.pages * layout.pageBytes;
    return bytes > Deno.statSync(path).size ? bytes : null;
  } catch {
    return null;
  }
}

/** The header of a file; zeros where the file ends before it. */
function headerOf(path: string): Uint8Array {
  using file = Deno.openSync(path);
  const header = new Uint8Array(HEADER_BYTES);
  file.readSync(header);
  return header;
}
