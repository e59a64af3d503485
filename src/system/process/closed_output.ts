import type { Environment } from "../environment.ts";
import { runTool } from "./run_program.ts";

const TIMEOUT_MS = 2_000;

/** Prints how the output was opened when it is the null device. The runtime may not look there itself. */
const SCRIPT = '[ "/proc/$1/fd/1" -ef /dev/null ] && cat "/proc/$1/fdinfo/1"';

/** The octal flags of a file that is open for reading and writing. */
const READ_WRITE = /^flags:\s+\d*2$/m;

/**
 * Whether this process was started without an output (`>&-`), so that nothing it writes arrives. The runtime then opens
 * the null device for reading and writing; a shell opens it for writing only (`>/dev/null`).
 *
 * @returns False where that cannot be told: only Linux tells it.
 */
export async function isOutputClosed(environment: Environment): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  const words = ["/bin/sh", "-c", SCRIPT, "sh", String(Deno.pid)];
  const told = await runTool(words, { folder: "/", timeoutMs: TIMEOUT_MS, environment });
  return told !== null && READ_WRITE.test(told.stdout);
}
