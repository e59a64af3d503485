/** Tables of programs that test, build, lint or check types, and of programs that run the tasks of a project. */
import TABLE from "./check_tools.json" with { type: "json" };
import type { Check } from "./observation.ts";

export interface CheckTool {
  /** Matches the program with its subcommand, without its folder and its launcher (`npx`). */
  readonly call: RegExp;
  readonly check: Check;
  /** Options whose value selects tests by their names. */
  readonly chooses: string;
  /** Options whose value names a package or a configuration. Calls with different values are different runs. */
  readonly places: string;
  /** Other options that take a value, which is not a path. */
  readonly values: string;
  /** Whether paths are relative to the folder of the call, so that `cd a && x b` is `x a/b`. */
  readonly takesPaths: boolean;
  /** Whether its plain words are names of tests, not paths. */
  readonly wordsChoose: boolean;
  /** Matches the lines of output that count tests, global. Maven's lines of classes, which have a time, do not. */
  readonly totals: RegExp | null;
  /** Whether the tool prints such lines for several modules, each with its own tests. */
  readonly addsUp: boolean;
  /** Match lines that name a failed test; the name is the first group. Go prints no totals beside them. */
  readonly failing: readonly RegExp[];
  /** Matches the line that the tool prints when nothing is wrong. */
  readonly passed: RegExp | null;
  /** A call; for a tool that counts tests an output, whose numbers `says` holds: passed (null if not told), failed. */
  readonly example: string;
  readonly says: readonly (number | null)[] | null;
}

/** A row of the table. It takes values that it lacks from its `family`. */
type Row = Partial<Omit<CheckTool, "call" | "check" | "totals" | "failing" | "passed">> & {
  readonly call: string;
  readonly check: string;
  readonly family?: string;
  readonly totals?: string;
  readonly failing?: readonly string[];
  readonly passed?: string;
  readonly example: string;
};

/** The tools. The first row counts that matches a call, or whose totals an output holds. */
export const CHECK_TOOLS: readonly CheckTool[] = TABLE.tools.map((own: Row) => {
  const families: Readonly<Record<string, Partial<Row>>> = TABLE.families;
  const { family: _, call, check, totals, failing = [], passed, ...rest } = {
    ...families[own.family ?? ""],
    ...own,
  };
  return {
    chooses: "",
    places: "",
    values: "",
    says: null,
    takesPaths: false,
    wordsChoose: false,
    addsUp: false,
    ...rest,
    call: new RegExp(call),
    check: check as Check,
    totals: totals === undefined ? null : new RegExp(totals, "gm"),
    failing: failing.map((pattern) => new RegExp(pattern, "gm")),
    passed: passed === undefined ? null : new RegExp(passed),
  };
});

/** Programs that run the tasks of a project, with the subcommands that do so. A task's name tells what it does. */
const TASK_PROGRAMS: readonly (readonly [program: RegExp, verb: RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun|turbo|nx|lerna|composer)$/, /^run(?:-script)?$/],
  [/^deno$/, /^task$/],
  [/^(?:g?make|just|task|rake|invoke|tox|nox|gradlew?|mvnw?|sbt|ant)$/, /^$/],
];

/** Returns the subcommands with which a program runs a task, `/^$/` when none is needed; null for other programs. */
export function taskVerbOf(program: string): RegExp | null {
  return TASK_PROGRAMS.find(([of]) => of.test(program))?.[1] ?? null;
}

/** Task programs that build, unless the name of a task says what else it checks. */
export const BUILDERS: ReadonlySet<string> = new Set(["make", "mvn", "gradle", "sbt", "ant"]);

/** Matches the last line of task programs when the tasks passed. */
export const TASKS_PASSED = /^(?:BUILD SUCCESSFUL\b|(?:\[INFO\] )?BUILD SUCCESS$)/;

/** What tasks check, by their names. The first row that matches counts. */
export const TASK_CHECKS: readonly (readonly [name: RegExp, check: Check])[] = [
  [/lint|(?:^|[:_-])(?:fmt|format|style|prettier|eslint)/, "lint"],
  [/(?:^|[:_-])(?:types?|type-?check|tsc|mypy|check-types)(?![a-z])/, "type"],
  [/^(?:tests?|spec|e2e|check|verify|validate|ci)(?![a-z])|[:_-]tests?(?![a-z])|Test$/, "test"],
  [/(?:^|[:_-])(?:build|bundle|compile|assemble|dist|package|all)(?![a-z])/, "build"],
];
