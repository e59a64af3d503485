/** What a process has used, as Linux tells it; null on other systems. */
import { textOf } from "../support/look.ts";

/** The most memory that it ever held, in megabytes of 1024 × 1024. */
export function peakMegabytes(pid: number): number | null {
  return statusMegabytes(pid, "VmHWM");
}

/** The memory that it holds now. */
export function residentMegabytes(pid: number): number | null {
  return statusMegabytes(pid, "VmRSS");
}

/** Of that, what it does not share with others through files, such as its program. */
export function privateMegabytes(pid: number): number | null {
  return statusMegabytes(pid, "RssAnon");
}

function statusMegabytes(pid: number, field: string): number | null {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(textOf(`/proc/${pid}/status`))
    ?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** How long all its threads have been running on a processor, in milliseconds. */
export function cpuMs(pid: number): number | null {
  try {
    const threads = Array.from(Deno.readDirSync(`/proc/${pid}/task`), ({ name }) => name);
    const nanoseconds = threads.map((thread) =>
      Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0])
    );
    return nanoseconds.reduce((sum, ns) => sum + ns, 0) / 1e6;
  } catch {
    return null;
  }
}
