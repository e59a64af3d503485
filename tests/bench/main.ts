/**
 * `deno task bench [--only NAME] [--runs N] [--sessions DIR] [--json]`: compiles the program and an empty one in the same way, and
 * compares whole processes of both in turns. Figures are ratios, since milliseconds belong to one machine and one hour.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { UserError } from "../../src/base/errors.ts";
import { runTask } from "../../src/build/run_deno.ts";
import { copyAnew, makeExecutables } from "../support/executables.ts";
import { type Bench, type Figure } from "./bench.ts";
import { claimComplete, idleDaemon, sse } from "./daemon.ts";
import { disk } from "./disk.ts";
import { usedWorkplace as makeUsedWorkplace, type Workplace } from "./fixture.ts";
import { gitAnswer } from "./git_answer.ts";
import { commandGate, deniedGate, evaluation, gate, stopGate } from "./guards.ts";
import { capture, continuedStop, parallel, sessionStart, version } from "./hooks.ts";
import { sessionLog, sessionStory, statusVerb, taskReady } from "./look.ts";
import { memory } from "./memory.ts";
import {
  captureBesideDrain,
  drainMemory,
  drainRate,
  search,
  searchCommand,
  searchTail,
  startContext,
} from "./recall.ts";
import { evalScores, oddSearch } from "./search.ts";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { tempFolder } from "../support/folders.ts";

const BENCHES: readonly Bench[] = [
  capture,
  sessionStart,
  continuedStop,
  version,
  gate,
  deniedGate,
  commandGate,
  stopGate,
  evaluation,
  taskReady,
  memory,
  oddSearch,
  evalScores,
  parallel,
  disk,
  claimComplete,
  sse,
  idleDaemon,
  search,
  searchTail,
  searchCommand,
  startContext,
  gitAnswer,
  drainRate,
  drainMemory,
  captureBesideDrain,
  statusVerb,
  sessionStory,
  sessionLog,
];
const LEAST_RUNS = 30;
/** Captures, and audit rows, in the database that most of the hooks are measured on. */
const ROWS = 100_000;

/** A measurement that has been made. */
interface Result extends Figure, Pick<Bench, "name" | "about" | "budget" | "isLeast"> {
  readonly verdict: "met" | "MISSED" | "not measured";
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      runs: { type: "string", default: "60" },
      sessions: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const runs = Math.max(LEAST_RUNS, Math.trunc(Number(values.runs)) || 0);
  const chosen = choose(values.only ?? []);
  const { sessions } = values;
  const say = values.json ? () => {} : console.log;

  using root = tempFolder();

  const executables = await makeExecutables(root.path);
  const machine = describeMachine(executables.runtime);
  say(`${machine.join("\n")}\n`);
  let used: Promise<Workplace> | undefined;
  const usedWorkplace = () => used ??= makeUsedWorkplace(join(root.path, "used"), ROWS);
  const results: Result[] = [];
  for (const bench of chosen) {
    const folder = join(root.path, bench.name);
    await Deno.mkdir(folder);
    await copyAnew([executables.program, executables.empty]);
    const figure = await bench.measure({
      ...executables,
      usedWorkplace,
      folder,
      root: root.path,
      sessions,
      runs,
    });
    await Deno.remove(folder, { recursive: true });
    const { measure: _measure, ...told } = bench;
    results.push({ ...told, ...figure, verdict: verdictOf(figure, bench) });
    say(row(results.at(-1)!));
  }
  if (values.json) console.log(JSON.stringify({ machine, runs, results }, null, 2));
  else say(`\n${summary(results, runs)}`);
}

function choose(names: readonly string[]): readonly Bench[] {
  const unknown = names.find((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown !== undefined) {
    throw new UserError(`Cannot measure "${unknown}"`, {
      why: "there is no such measurement",
      next: `choose among ${BENCHES.map(({ name }) => name).join(", ")}`,
    });
  }
  return names.length === 0 ? BENCHES : BENCHES.filter(({ name }) => names.includes(name));
}

function verdictOf({ value }: Figure, { budget, isLeast }: Bench): Result["verdict"] {
  if (value === null) return "not measured";
  return (isLeast ? value >= budget : value <= budget) ? "met" : "MISSED";
}

function row({ about, budget, isLeast, value, verdict, detail }: Result): string {
  const figure = value === null ? "-" : value.toFixed(value < 2 ? 3 : 2);
  return [
    about.padEnd(58),
    `${isLeast ? "≥" : "≤"} ${budget}`.padEnd(7),
    figure.padStart(6),
    verdict.padEnd(12),
    detail,
  ].join("  ");
}

function summary(results: readonly Result[], runs: number): string {
  const missed = results.filter(({ verdict }) => verdict === "MISSED");
  const how = `Medians of ${runs} runs in turns, after a warm-up; figures are ratios.`;
  if (missed.length === 0) return `${how} No budget is missed.`;
  return `${how} MISSED: ${missed.map(({ name }) => name).join(", ")}.`;
}

if (import.meta.main) await runTask(main);

/** What the figures belong to: processor, memory, system, load, runtime. */
function describeMachine(runtime: string): string[] {
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
