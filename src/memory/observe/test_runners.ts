/** Which test runner a command calls, and what it is given. */

import { MANAGERS, nameOf, withoutLaunchers } from "./launchers.ts";
import { RUNNERS, type TestRunner } from "./runner_rows.ts";

/** A runner with the words behind it. */
export interface RunnerCall {
  readonly runner: TestRunner;
  readonly args: readonly string[];
}

const BY_NAME: ReadonlyMap<string, TestRunner> = new Map(RUNNERS.map((row) => [row.name, row]));

/** Other names of what runs the same. */
const SAME: Readonly<Record<string, string>> = {
  "py.test": "pytest",
  gradlew: "gradle",
  mvnw: "mvn",
  bazelisk: "bazel",
};
/** Programs whose verb makes them runners of tests. */
const BY_VERB: ReadonlySet<string> = new Set(
  ["cargo", "go", "deno", "bun", "dotnet", "swift", "mix", "playwright", "nx", "turbo", "bazel"],
);
/** What `make` is told to run tests, and nothing else; flags that change what it prints, or how fast it goes. */
const MAKE_TESTS = /^(?:test|check)s?(?:[-_:]\w+)*$/;
const MAKE_QUIET = /^-(?:s|k|j\d*|j\$\(\S+\)|-silent|-quiet|-keep-going|-no-print-directory)$/;
/** Flags of a manager before which package it runs a script in. */
const PLACE = /^(?:--(?:filter|workspace|prefix|dir|cwd|cd)|-[FwC])$/;
/** By these npm goes to all packages. */
const ALL_PLACES = /^(?:--workspaces|-ws)$/;
const PLACE_WITH_VALUE = /^--(?:filter|workspace|prefix|dir|cwd|cd)=/;

/** The test runner that a command calls, by whatever it is started; null when there is none that is known. */
export function runnerCall(words: readonly string[]): RunnerCall | null {
  const [program = "", ...args] = withoutLaunchers(words);
  const name = SAME[nameOf(program)] ?? nameOf(program);
  if (BY_VERB.has(name)) {
    const call = verbCall(name, args[0]?.startsWith("+") ? args.slice(1) : args);
    if (call !== null) return call;
  }
  if (name === "deno" && args[0] === "task" && /^test\b/.test(args[1] ?? "")) {
    return script(`deno task ${args[1]}`, args.slice(2));
  }
  if (/^g?make$/.test(name)) {
    const [goal = "", ...others] = args.filter((word) => !MAKE_QUIET.test(word));
    return others.length === 0 && MAKE_TESTS.test(goal) ? script(`make ${goal}`, []) : null;
  }
  if (name === "node" && args.includes("--test")) {
    return { runner: BY_NAME.get("node --test")!, args };
  }
  if (MANAGERS.has(name)) return managerCall(name, args);
  const runner = name === "script" ? undefined : BY_NAME.get(name);
  if (runner === undefined) return null;
  return { runner, args: name === "vitest" && args[0] === "run" ? args.slice(1) : args };
}

/** `cargo t`, `cargo nextest run`, `nx run app:test` */
function verbCall(name: string, [verb = "", ...rest]: readonly string[]): RunnerCall | null {
  const call = (runner: string, args: readonly string[]) => ({
    runner: BY_NAME.get(runner)!,
    args,
  });
  if (name === "cargo") {
    if (verb === "t") return call("cargo test", rest);
    if (verb === "nextest") {
      return rest[0] === "run" ? call("cargo nextest run", rest.slice(1)) : null;
    }
  }
  if (verb === "run") {
    const [what = "", ...behind] = rest;
    if (name === "turbo" && what === "test") return call("turbo test", behind);
    const [, project] = name === "nx" ? /^([^:]+):test(?::|$)/.exec(what) ?? [] : [];
    return project === undefined ? null : call("nx test", [project, ...behind]);
  }
  return verb === "test" ? call(`${name} test`, rest) : null;
}

/** `npm test`, `pnpm --filter a run test:unit`: which manager it is makes no difference. */
function managerCall(manager: string, args: readonly string[]): RunnerCall | null {
  const { place, rest } = placeOf(manager, args);
  const at = rest[0] === "run" || rest[0] === "run-script" ? 1 : 0;
  const name = rest[at] === "t" || rest[at] === "tst" ? "test" : rest[at];
  if (name === undefined || !/^test\b/.test(name)) return null;
  return script(place === "" ? name : `${name} of ${place}`, rest.slice(at + 1));
}

/** The package that a manager goes to, and what it is to do there. */
export function placeOf(manager: string, args: readonly string[]) {
  const places: string[] = [];
  const rest: string[] = [];
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  for (let at = 0; at < own.length; at++) {
    const word = own[at]!;
    // Behind the script's name they are the script's own, but for npm.
    const isOurs = manager === "npm" || rest.every((before) => /^run(?:-script)?$/.test(before));
    if (isOurs && PLACE_WITH_VALUE.test(word)) places.push(word.slice(word.indexOf("=") + 1));
    else if (isOurs && PLACE.test(word) && !(word === "-w" && manager === "pnpm")) {
      places.push(own[++at] ?? "");
    } else if (manager === "npm" && ALL_PLACES.test(word)) places.push("--workspaces");
    else if (word === "workspace" && rest.length === 0) places.push(own[++at] ?? "");
    else if (rest.length > 0 || !word.startsWith("-")) rest.push(word);
    else if (!/^(?:-s|--silent|--if-present)$/.test(word)) places.push(word);
  }
  return { place: places.sort().join(" "), rest: [...rest, ...args.slice(own.length)] };
}

function script(name: string, args: readonly string[]): RunnerCall {
  return { runner: { ...BY_NAME.get("script")!, name: `script ${name}` }, args };
}
