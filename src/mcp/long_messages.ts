/** Takes messages that are too long out of stdin: each gets an error as its answer, and the connection stays. */
import { Buffer } from "node:buffer";
import { Transform } from "node:stream";

/** The id of a message; null where it cannot be read. */
export type MessageId = string | number | null;

/** The id is looked for in so many bytes at the beginning and at the end of a message. */
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
 * Passes messages on, one a line, but for those that are too long.
 *
 * @param options `maxBytes`: the longest message that passes; `onLong` is called at the end of each longer one.
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

/** Clients write the id first or last. Anywhere else `"id"` may be part of an argument. */
function idOf({ head, tail }: { readonly head: Buffer; readonly tail: Buffer }): MessageId {
  const [, id] = FIRST.exec(head.toString("latin1")) ?? LAST.exec(tail.toString("latin1")) ?? [];
  return id === undefined ? null : JSON.parse(id);
}
