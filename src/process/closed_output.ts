import type { Environment } from "../environment.ts";
import { runTool } from "./run.ts";

/** How long to wait for the shell, in milliseconds. */
const TIMEOUT_MS = 2_000;

/** Prints how the output of a process was opened where it is the null device. The runtime may not look there itself. */
const SCRIPT = '[ "/proc/$1/fd/1" -ef /dev/null ] && cat "/proc/$1/fdinfo/1"';

/** Open for reading and writing, of the flags that a file was opened with, in octal. */
const READ_WRITE = /^flags:\s+\d*2$/m;

/**
 * Whether this process was started without an output (`>&-`), so that nothing of what it writes there arrives: the runtime
 * then opens the null device in its place, for reading and writing, where a shell opens it for writing only (`>/dev/null`).
 *
 * @returns False also where that cannot be told: it is known on Linux alone.
 */
export async function isOutputClosed(environment: Environment): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  const words = ["/bin/sh", "-c", SCRIPT, "sh", String(Deno.pid)];
  const told = await runTool(words, { folder: "/", timeoutMs: TIMEOUT_MS, environment });
  return told !== null && READ_WRITE.test(told.stdout);
}
