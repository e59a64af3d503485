/** The server's life: it answers on stdin and stdout until stdin is closed or a signal ends it. */
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { Transform, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ENDING_SIGNALS } from "../system/process/start.ts";
import { createServer } from "./server.ts";
import type { Surroundings } from "./tool_call.ts";
import { Buffer } from "node:buffer";
// @ts-types="@modelcontextprotocol/sdk/server/stdio"

/** The server refuses a longer message. What our tools take is far shorter. */
const MAX_MESSAGE_BYTES = 4_000_000;

/** JSON-RPC's code for an invalid request. */
const INVALID_REQUEST = -32_600;

/** So many milliseconds a client has to read its last answers after it closed stdin. */
const LAST_ANSWERS_MS = 1_000;

/**
 * Serves until stdin closes or a signal comes.
 *
 * @returns 0, also when the client goes away in the middle of an answer.
 */
export async function runMcp(surroundings: Surroundings): Promise<number> {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const atWork = new Set<Promise<unknown>>();
  const server = createServer(surroundings, {
    onCall: (work) => {
      atWork.add(work);
      work.finally(() => atWork.delete(work));
    },
  });
  const out = stdoutThat({ isGone: () => end(0) });
  const messages = withoutLong({
    maxBytes: MAX_MESSAGE_BYTES,
    onLong: (id) => out.write(`${JSON.stringify(refusalOf(id))}\n`),
  });
  const transport = new StdioServerTransport(process.stdin.pipe(messages), out);
  for (const signal of ENDING_SIGNALS) Deno.addSignalListener(signal, () => end(0));
  // Calls that came before stdin was closed are answered first: `conclaude mcp < requests`.
  for (const over of ["end", "close"]) {
    messages.once(over, () => void leaveAfter(atWork, out).then(() => end(0)));
  }
  await server.connect(transport);
  return await ended;
}

/** JSON-RPC's answer to a message that is too long. */
function refusalOf(id: MessageId) {
  const message = `Cannot read the message: it is longer than ${MAX_MESSAGE_BYTES} bytes. ` +
    "Next: ask for less, or give a shorter text";
  return { jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } };
}

/** Waits until all calls are answered, but no longer than a client has to read the answers. */
async function leaveAfter(atWork: ReadonlySet<Promise<unknown>>, out: Writable): Promise<void> {
  // One turn of the event loop writes the answers that are ready. An empty write ends after all earlier ones.
  const answered = async () => {
    for (await pause(0); atWork.size > 0; await pause(0)) await Promise.allSettled(atWork);
    await new Promise((resolve) => out.write("", resolve));
  };
  await Promise.race([answered(), pause(LAST_ANSWERS_MS)]);
}

/** Stdout as the library wants it. The runtime's own stream does not report in every version that its reader is gone. */
function stdoutThat({ isGone }: { readonly isGone: () => void }): Writable {
  const writeAll = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  };
  const out = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void writeAll(chunk).then(() => done(), isGone),
  });
  // Each answer that waits for a slow reader adds a listener: a hundred are no leak.
  out.setMaxListeners(0);
  return out;
}

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
