import type { Bench } from "./bench.ts";
import { captureSubject } from "./hooks.ts";
import { compare, type Subject } from "./measure.ts";
import { feed } from "../support/process.ts";

/** The most memory that a capture ever holds. */
export const memory: Bench = {
  name: "memory",
  about: "peak memory of a capture / of the empty program",
  budget: 1.10,
  async measure({ usedWorkplace, program, empty, runs }) {
    const meter = await findMeter();
    if (meter === null) {
      return { value: null, detail: "needs GNU time (/usr/bin/time) or python3" };
    }
    const subject = captureSubject(program, await usedWorkplace());
    const { ratio, subjectMs: ours, baselineMs: theirs } = await compare(
      () => peakKilobytes(meter, subject),
      () => peakKilobytes(meter, { ...subject, command: empty, args: [] }),
      runs,
    );
    const megabytes = (kilobytes: number) => (kilobytes / 1024).toFixed(1);
    return { value: ratio, detail: `${megabytes(ours)} MiB / ${megabytes(theirs)} MiB` };
  },
};

/** Words before a command that make it report its peak, in kilobytes, as the last line of stderr. */
type Meter = readonly [string, ...string[]];

const PYTHON_METER = `
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(peak // 1024 if sys.platform == "darwin" else peak, file=sys.stderr)
sys.exit(code)
`;

/** What tells the peak memory of a process here; null when nothing does. */
export async function findMeter(): Promise<Meter | null> {
  const candidates: readonly Meter[] = [
    ["/usr/bin/time", "-f", "%M"],
    ["python3", "-c", PYTHON_METER],
  ];
  for (const [command, ...args] of candidates) {
    try {
      const { success, stderr } = await new Deno.Command(command, {
        args: [...args, Deno.execPath(), "--version"],
      }).output();
      if (success && lastNumber(stderr) > 0) return [command, ...args];
    } catch {
      // Not on this machine; the next one.
    }
  }
  return null;
}

/** The most memory that a run ever held, in kilobytes. */
export async function peakKilobytes([command, ...first]: Meter, subject: Subject): Promise<number> {
  const child = new Deno.Command(command, {
    args: [...first, subject.command, ...subject.args],
    // The interpreter of the meter may need more of the environment than the program gets to see.
    env: { ...subject.env, PATH: Deno.env.get("PATH") ?? "" },
    cwd: subject.cwd,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  await feed(child, subject.stdin());
  const { success, stderr } = await child.output();
  const peak = lastNumber(stderr);
  if (!success || !(peak > 0)) throw new Error(new TextDecoder().decode(stderr));
  return peak;
}

function lastNumber(stderr: Uint8Array): number {
  return Number(new TextDecoder().decode(stderr).trim().split("\n").at(-1));
}
