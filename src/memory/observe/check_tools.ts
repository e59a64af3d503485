/** A table of the programs that test, build, lint or check types, and of those that run the tasks of a project. */
import TABLE from "./check_tools.json" with { type: "json" };
import type { Check } from "./observation.ts";

export interface CheckTool {
  /** The program with its subcommand, without its folder and without what only starts it (`npx`). */
  readonly call: RegExp;
  readonly check: Check;
  /** Options whose value chooses tests by their names. */
  readonly chooses: string;
  /** Options whose value names a package or a configuration: with another value it is another run. */
  readonly places: string;
  /** Other options that take a value, so that this is not taken for a path. */
  readonly values: string;
  /** Whether its paths are relative to the folder in which it runs, so that `cd a && x b` is `x a/b`. */
  readonly takesPaths: boolean;
  /** Whether its plain words are names of tests, and no paths. */
  readonly wordsChoose: boolean;
  /** The lines of its output that count tests, global. Maven's lines of classes, which have a time, do not count. */
  readonly totals: RegExp | null;
  /** Whether it prints such lines for several modules, each with tests of its own. */
  readonly addsUp: boolean;
  /** Lines that name a failed test; the name is the first group. Go's tests print nothing else. */
  readonly failing: readonly RegExp[];
  /** The line that it prints when nothing is wrong. */
  readonly passed: RegExp | null;
  /** A call; of a tool that counts tests an output, with its numbers: passed (null where it does not say), failed. */
  readonly example: string;
  readonly says: readonly (number | null)[] | null;
}

/** A row of the table. `family`: what it says nothing of is as that family has it. */
type Row = Partial<Omit<CheckTool, "call" | "check" | "totals" | "failing" | "passed">> & {
  readonly call: string;
  readonly check: string;
  readonly family?: string;
  readonly totals?: string;
  readonly failing?: readonly string[];
  readonly passed?: string;
  readonly example: string;
};

/** The first row that matches a call, or whose totals an output has, counts. */
export const CHECK_TOOLS: readonly CheckTool[] = TABLE.tools.map((own: Row) => {
  const families: Readonly<Record<string, Partial<Row>>> = TABLE.families;
  const { family: _, call, check, totals, failing = [], passed, ...rest } = {
    ...families[own.family ?? ""],
    ...own,
  };
  return {
    ...{ chooses: "", places: "", values: "", says: null },
    ...{ takesPaths: false, wordsChoose: false, addsUp: false },
    ...rest,
    call: new RegExp(call),
    check: check as Check,
    totals: totals === undefined ? null : new RegExp(totals, "gm"),
    failing: failing.map((pattern) => new RegExp(pattern, "gm")),
    passed: passed === undefined ? null : new RegExp(passed),
  };
});

/** Programs that run the tasks of a project, with the subcommands that do so. The task's name says what it does. */
const TASK_PROGRAMS: readonly (readonly [program: RegExp, verb: RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun|turbo|nx|lerna|composer)$/, /^run(?:-script)?$/],
  [/^deno$/, /^task$/],
  [/^(?:g?make|just|task|rake|invoke|tox|nox|gradlew?|mvnw?|sbt|ant)$/, /^$/],
];

/** The subcommands with which a program runs a task; empty ones where its first word is a task; null for other programs. */
export function taskVerbOf(program: string): RegExp | null {
  return TASK_PROGRAMS.find(([of]) => of.test(program))?.[1] ?? null;
}

/** Task programs that build, whatever their tasks are called. */
export const BUILDERS: ReadonlySet<string> = new Set(["make", "mvn", "gradle", "sbt", "ant"]);

/** The last line of such programs when the tasks passed. */
export const TASKS_PASSED = /^(?:BUILD SUCCESSFUL\b|(?:\[INFO\] )?BUILD SUCCESS$)/;

/** What a task checks, by its name; the first row that matches counts. */
export const TASK_CHECKS: readonly (readonly [name: RegExp, check: Check])[] = [
  [/lint|(?:^|[:_-])(?:fmt|format|style|prettier|eslint)/, "lint"],
  [/(?:^|[:_-])(?:types?|type-?check|tsc|mypy|check-types)(?![a-z])/, "type"],
  [/^(?:tests?|spec|e2e|check|verify|validate|ci)(?![a-z])|[:_-]tests?(?![a-z])|Test$/, "test"],
  [/(?:^|[:_-])(?:build|bundle|compile|assemble|dist|package|all)(?![a-z])/, "build"],
];
