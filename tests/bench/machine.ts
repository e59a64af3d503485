import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";

/** What the figures belong to: processor, memory, system, load, runtime. */
export function describeMachine(runtime: string): string[] {
  const cores = availableParallelism();
  const [load = 0] = loadavg();
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return [
    `machine:  ${cpus()[0]?.model.trim() || "unknown processor"}, ${cores} cores, ${gibibytes} GiB`,
    `system:   ${Deno.build.os} ${release()} (${Deno.build.arch})`,
    `load:     ${load.toFixed(1)} before the first run${
      load > cores / 2 ? ": the machine is BUSY, do not trust these figures" : ""
    }`,
    `runtime:  ${runtime}, in both executables`,
  ];
}
