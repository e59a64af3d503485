/**
 * The overlay of an executable: what lies in its file between the runtime's image and what the compiler embeds. On Linux the
 * runtime copies all that is embedded twice at every start, 0.08 ms for 100 kB; of the overlay only what is wanted is read.
 * A part of the program, inside its `main.js`.
 */

/** What `main.js` knows of the overlay that it belongs to. */
export interface Overlay {
  /** What its last {@linkcode ID_BYTES} bytes say: nothing else has the same. */
  readonly id: string;
  /** Its length in bytes. */
  readonly bytes: number;
  /** Where each file of the bundle's folder lies, from its first byte on, and how long it is. */
  readonly files: Readonly<Record<string, readonly [start: number, bytes: number]>>;
}

/** The name by which `main.js` has it; not there where the bundle's files lie beside it, or are embedded. */
export const OVERLAY = "$overlay";

/** Bytes of an overlay's id, a SHA-256 in hexadecimal digits. */
export const ID_BYTES = 64;

/** The executable ends with the length of what is embedded, this number of bytes of it included: 64 bits, the lowest first. */
const LENGTH_BYTES = 8;

/** Bytes of the executable's file from one place to another. */
type Read = (start: number, bytes: number) => Uint8Array;

let own: Read | undefined;

/**
 * A file of the overlay, of the very program that runs.
 *
 * @returns Undefined when it is not there.
 * @throws {Error} When the executable's file is not there any more, or damaged.
 */
export function readOverlay(overlay: Overlay, path: string): Uint8Array | undefined {
  const place = overlay.files[path];
  if (place === undefined) return undefined;
  own ??= openOverlay(overlay);
  return own(...place);
}

/** Where in an executable's file begins what is embedded; any number in a file that is none. */
export function embeddedStart(read: Read, size: number): number {
  const length = read(size - LENGTH_BYTES, LENGTH_BYTES);
  return size - Number(new DataView(length.buffer, length.byteOffset).getBigUint64(0, true));
}

function openOverlay(overlay: Overlay): Read {
  const read = findIn(openExecutable, overlay) ?? findIn(openReplaced, overlay);
  if (read !== undefined) return read;
  throw new Error(
    `${Deno.execPath()} was replaced while it started, or is damaged: start it again, else install it anew`,
  );
}

/** Undefined when a file cannot be read, or is another program's. */
function findIn(open: () => OpenFile, { id, bytes }: Overlay): Read | undefined {
  try {
    const { read, size } = open();
    const end = embeddedStart(read, size);
    const isOurs = new TextDecoder().decode(read(end - ID_BYTES, ID_BYTES)) === id;
    return isOurs ? (start, length) => read(end - bytes + start, length) : undefined;
  } catch {
    return undefined;
  }
}

interface OpenFile {
  readonly read: Read;
  readonly size: number;
}

/** It stays open: what is read later is of the same file, even when another has taken its place. */
function openExecutable(): OpenFile {
  const file = Deno.openSync(Deno.execPath());
  const read: Read = (start, bytes) => {
    file.seekSync(start, Deno.SeekMode.Start);
    const all = new Uint8Array(bytes);
    for (let at = 0; at < bytes;) {
      const count = file.readSync(all.subarray(at));
      if (count === null) throw new Error("the file ends too early");
      at += count;
    }
    return all;
  };
  return { read, size: file.seekSync(0, Deno.SeekMode.End) };
}

/** When another program has taken the place of this one since it was started, the system still has the whole file. */
function openReplaced(): OpenFile {
  const { stdout } = new Deno.Command("/bin/cat", { args: [`/proc/${Deno.pid}/exe`] }).outputSync();
  return { read: (start, bytes) => stdout.slice(start, start + bytes), size: stdout.length };
}
