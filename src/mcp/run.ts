/** The server's life: it answers on stdin and stdout until stdin is closed or a signal ends it. */
import process from "node:process";
import { Writable } from "node:stream";
// @ts-types="@modelcontextprotocol/sdk/server/stdio"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { type MessageId, withoutLong } from "./long_messages.ts";
import { createServer } from "./server.ts";
import type { Surroundings } from "./surroundings.ts";

const ENDING_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** A longer message is refused: nothing that our tools take comes near it. */
const MAX_MESSAGE_BYTES = 4_000_000;

/** The code of JSON-RPC for a request that is none. */
const INVALID_REQUEST = -32_600;

/** How long a client that has closed stdin is given to read its last answers, in milliseconds. */
const LAST_ANSWERS_MS = 1_000;

/**
 * Serves until it is told to end.
 *
 * @returns 0, also when the client is gone in the middle of an answer.
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
  // What was asked before stdin was closed is answered: `conclaude mcp < requests`.
  for (const over of ["end", "close"]) {
    messages.once(over, () => void leaveAfter(atWork, out).then(() => end(0)));
  }
  await server.connect(transport);
  return await ended;
}

/** The answer to a message that is too long, as JSON-RPC has it. */
function refusalOf(id: MessageId) {
  const message = `Cannot read the message: it is longer than ${MAX_MESSAGE_BYTES} bytes. ` +
    "Next: ask for less, or give a shorter text";
  return { jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } };
}

/** A call is over as soon as its answer is on its way; a client that does not read it any more is not waited for. */
async function leaveAfter(atWork: ReadonlySet<Promise<unknown>>, out: Writable): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, LAST_ANSWERS_MS));
  // Once more around, and what has ended is written; an empty text is written when all before it is.
  const next = () => new Promise((resolve) => setTimeout(resolve, 0));
  const answered = async () => {
    for (await next(); atWork.size > 0; await next()) await Promise.allSettled(atWork);
    await new Promise((resolve) => out.write("", resolve));
  };
  await Promise.race([answered(), late]);
}

/** Stdout as the library wants it. The runtime's own does not tell in every version that nobody reads it any more. */
function stdoutThat({ isGone }: { readonly isGone: () => void }): Writable {
  const writeAll = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  };
  const out = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void writeAll(chunk).then(() => done(), isGone),
  });
  // Every answer that waits for a slow reader listens; a hundred of them are no leak.
  out.setMaxListeners(0);
  return out;
}
