/** A database file page by page, without SQLite. */
import {
  type FileLayout,
  HEADER_AT,
  isServicePage,
  layoutOf,
  mapPageOf,
  viewOf,
} from "./page_format.ts";

/** The pages of a file, by their numbers from 1. */
export class PageFile {
  /** Null when it is no database. */
  readonly layout: FileLayout | null;
  readonly #file: Deno.FsFile;
  readonly #bytes: number;
  /** The map page that was read last: all pages are asked for in their order. */
  #map: { readonly number: number; readonly page: Uint8Array } | null = null;
  #count: number;

  /** @param like How it is laid out where its header does not tell. */
  constructor(file: Deno.FsFile, like: FileLayout | null = null) {
    this.#file = file;
    const header = new Uint8Array(512);
    file.readSync(header);
    this.layout = layoutOf(header) ?? like;
    this.#bytes = this.layout?.pageBytes ?? header.length;
    this.#count = Math.floor(file.statSync().size / this.#bytes);
  }

  /** How many pages there are. */
  get count(): number {
    return this.#count;
  }

  /** A page; zeros where the file ends before it. */
  read(number: number): Uint8Array {
    const page = new Uint8Array(this.#bytes);
    this.#file.seekSync((number - 1) * this.#bytes, Deno.SeekMode.Start);
    for (let at = 0; at < page.length;) {
      const read = this.#file.readSync(page.subarray(at));
      if (read === null) break;
      at += read;
    }
    return page;
  }

  /** Puts a page in the place of another one, or behind all. */
  write(number: number, page: Uint8Array): void {
    this.#file.seekSync((number - 1) * this.#bytes, Deno.SeekMode.Start);
    for (let at = 0; at < page.length;) at += this.#file.writeSync(page.subarray(at));
  }

  /** The number of a new page behind all others. */
  add(): number {
    do this.#count++; while (isServicePage(this.#count, this.layout!));
    return this.#count;
  }

  /** What the map says of a page: what it is, and which page refers to it. */
  refersTo(page: number): { readonly kind: number; readonly by: number } {
    const number = mapPageOf(page, this.layout!);
    if (this.#map?.number !== number) this.#map = { number, page: this.read(number) };
    const at = 5 * (page - number - 1);
    return { kind: this.#map.page[at]!, by: viewOf(this.#map.page).getUint32(at + 1) };
  }

  /** Tells in the header how many pages there are. */
  end(): void {
    const first = this.read(1);
    viewOf(first).setUint32(HEADER_AT.pages, this.#count);
    this.write(1, first);
  }
}
