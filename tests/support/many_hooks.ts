/**
 * Runs many hooks in one process, for tests that need thousands: the program's own code from `runHook()` on, with
 * stdin, stdout and the exit taken over.
 *
 * Input: one line of JSON an event, `["PostToolUse", <bytes of stdin in base64>]`. Output: one line of JSON each, the
 * text that went to stdout and the exit status.
 */
import { runHook } from "../../src/hook/run.ts";

/** How one hook ended. */
export interface HookRun {
  readonly stdout: string;
  readonly code: number | null;
}

async function run(event: string, stdin: Uint8Array): Promise<HookRun> {
  let at = 0;
  let stdout = "";
  let code: number | null = null;
  Deno.stdin.readSync = (buffer) => {
    const part = stdin.subarray(at, at + buffer.length);
    buffer.set(part);
    at += part.length;
    return part.length === 0 ? null : part.length;
  };
  Deno.stdout.writeSync = (bytes) => {
    if (code === null) stdout += new TextDecoder().decode(bytes);
    return bytes.length;
  };
  // What runs on after the exit is no longer the hook's.
  Deno.exit = ((status: number) => code ??= status) as typeof Deno.exit;
  await runHook([event]);
  return { stdout, code };
}

const readable = new Response(Deno.stdin.readable);
const lines = (await readable.text()).split("\n").filter((line) => line !== "");
const write = Deno.stdout.writeSync.bind(Deno.stdout);
const leave = Deno.exit;
const results: string[] = [];
for (const line of lines) {
  const [event, stdin] = JSON.parse(line) as [string, string];
  results.push(JSON.stringify(await run(event, Uint8Array.fromBase64(stdin))));
}
const bytes = new TextEncoder().encode(results.join("\n"));
for (let written = 0; written < bytes.length;) written += write(bytes.subarray(written));
leave(0);
