/** The server's life: it answers on stdin and stdout until stdin is closed or a signal ends it. */
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { Writable } from "node:stream";
// @ts-types="@modelcontextprotocol/sdk/server/stdio"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ENDING_SIGNALS } from "../system/process/start.ts";
import { createServer } from "./server.ts";
import type { Surroundings } from "./tool_call.ts";

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
  const transport = new StdioServerTransport(process.stdin, out);
  for (const signal of ENDING_SIGNALS) Deno.addSignalListener(signal, () => end(0));
  // Calls that came before stdin was closed are answered first: `conclaude mcp < requests`.
  for (const over of ["end", "close"]) {
    process.stdin.once(over, () => void leaveAfter(atWork, out).then(() => end(0)));
  }
  await server.connect(transport);
  return await ended;
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
