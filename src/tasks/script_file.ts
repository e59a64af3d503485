/** The form of a script in the bundle: how long its source is, the source, then the code that the engine made of it. */

/** A module as a file of its own. */
export interface Script {
  /** Gives a function and the names of what it requires: `[function(module,require,$import){…},["node:os"]]`. */
  readonly source: string;
  /** V8's code cache; empty when there is none. */
  readonly code: Uint8Array;
}

/** Bytes of the length of the source, the lowest first. */
const LENGTH_BYTES = 4;

/** Takes a file apart. */
export function readScript(bytes: Uint8Array): Script {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const end = LENGTH_BYTES + length;
  return {
    source: new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, end)),
    code: bytes.subarray(end),
  };
}

/** What {@linkcode readScript} takes apart. */
export function scriptFile({ source, code }: Script): Uint8Array {
  const text = new TextEncoder().encode(source);
  const bytes = new Uint8Array(LENGTH_BYTES + text.length + code.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, LENGTH_BYTES);
  bytes.set(code, LENGTH_BYTES + text.length);
  return bytes;
}
