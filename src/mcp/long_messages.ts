/** Keeps messages away that are too long to be read, so that they cost their own answer and not the connection. */
import { Buffer } from "node:buffer";
import { Transform } from "node:stream";

/** What calls a message: its id, or null where that cannot be told. */
export type MessageId = string | number | null;

/** Bytes of the beginning and of the end of a message that its id is looked for in. */
const EDGE_BYTES = 512;
const NEWLINE = 10;

const VALUE = String.raw`(\d+|"(?:[^"\\]|\\.)*")`;
const FIRST = new RegExp(
  String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*${VALUE}\s*,`,
);
const LAST = new RegExp(
  String.raw`"id"\s*:\s*${VALUE}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`,
);

/**
 * Lets messages through, a line each, and takes out those that are too long.
 *
 * @param options `maxBytes`: of a message; `onLong`: is told of each that is longer, when it has ended.
 */
export function withoutLong(
  { maxBytes, onLong }: {
    readonly maxBytes: number;
    readonly onLong: (id: MessageId) => void;
  },
): Transform {
  let message: Buffer[] = [];
  let bytes = 0;
  let edges: { readonly head: Buffer; tail: Buffer } | null = null;
  const take = (part: Buffer) => {
    bytes += part.length;
    if (edges !== null) {
      edges.tail = Buffer.concat([edges.tail, part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
      return;
    }
    message.push(part);
    if (bytes <= maxBytes) return;
    const whole = Buffer.concat(message);
    edges = { head: whole.subarray(0, EDGE_BYTES), tail: whole.subarray(-EDGE_BYTES) };
    message = [];
  };
  const end = (out: Transform) => {
    if (edges === null) out.push(Buffer.concat(message));
    else onLong(idOf(edges));
    [message, bytes, edges] = [[], 0, null];
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at + 1));
        end(this);
        from = at + 1;
      }
      take(chunk.subarray(from));
      done();
    },
    flush(done) {
      end(this);
      done();
    },
  });
}

/** It stands first or last: anywhere else it may be a part of what is asked for. */
function idOf({ head, tail }: { readonly head: Buffer; readonly tail: Buffer }): MessageId {
  const [, id] = FIRST.exec(head.toString("latin1")) ?? LAST.exec(tail.toString("latin1")) ?? [];
  return id === undefined ? null : JSON.parse(id);
}
