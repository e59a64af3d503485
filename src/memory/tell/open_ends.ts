/** Decides which failures are open ends: work that a later session should know of. */
import type { Observation } from "../drain/observations_table.ts";

type MaybeOpen = Pick<Observation, "kind" | "outcome" | "facts" | "resolvedBy">;
type OpenFailure = MaybeOpen & Pick<Observation, "id" | "branch" | "repeats" | "updatedAtMs">;

/** The ranks of failures: tests first, then builds and other checks, then other commands. */
export const OPEN_RANKS = { tests: 0, checks: 1, others: 2 } as const;
/** The age, in milliseconds, above which only a search finds an open failure. */
export const OPEN_FOR_MS = 14 * 86_400_000;
/** The number of failures from which on a command that is neither a test nor a check is told. */
const MIN_TRIES = 2;

/** Tells whether an observation is a failure that nothing has mended. */
export function isUnmended({ kind, outcome, resolvedBy }: Omit<MaybeOpen, "facts">): boolean {
  return (kind === "failure" || kind === "test") && outcome === "failure" && resolvedBy === null;
}

/** Returns the rank of an open failure; null for an observation that is not an open end. */
export function openEndRank(one: MaybeOpen): number | null {
  if (!isUnmended(one)) return null;
  const { kind, facts } = one;
  // Failures that older versions stored have no rank; they count as open.
  if (facts.openRank === undefined) return kind === "test" ? OPEN_RANKS.tests : OPEN_RANKS.others;
  return facts.openRank;
}

/**
 * Returns the open failures of the last fourteen days, the last one of each command on each branch. Tests and checks
 * count always, other commands only when they failed more than once. The result is sorted by rank, then newest first.
 */
export function openFailures<Failure extends OpenFailure>(
  rows: readonly Failure[],
  nowMs: number,
): Failure[] {
  const open = rows.flatMap((one) => {
    const rank = openEndRank(one);
    return rank === null || nowMs - one.updatedAtMs > OPEN_FOR_MS ? [] : [{ one, rank }];
  }).sort((a, b) => b.one.updatedAtMs - a.one.updatedAtMs || b.one.id - a.one.id);
  const ofEach = Map.groupBy(
    open,
    ({ one: { id, branch, facts } }) => JSON.stringify([branch, facts.of ?? id]),
  );
  return [...ofEach.values()]
    .filter((all) =>
      all[0]!.rank < OPEN_RANKS.others ||
      all.reduce((tries, { one }) => tries + one.repeats, 0) >= MIN_TRIES
    )
    .map(([last]) => last!)
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

/** Patterns of the separator of commands, of the rest of a pipe, and of variables before a program. */
const COMMAND_ENDS = /&&|\|\||[;\n]/;
const PIPED = /\|.*/;
const BEFORE_PROGRAM = /^(?:[A-Za-z_]\w*=\S*\s+)*/;
/** Subcommands after which the name of a script follows. */
const RUNS: ReadonlySet<string> = new Set(["run", "exec", "run-script"]);

/** Returns the programs of a script, each with its subcommand: `go build`, `npm run lint`. */
export function programsOf(command: string): string[] {
  return command.split(COMMAND_ENDS)
    .map((part) => part.replace(PIPED, "").trim().replace(BEFORE_PROGRAM, "").split(/\s+/))
    .filter(([program = ""]) => program !== "" && program !== "cd")
    .map(([program, next = "", name = ""]) => {
      if (!/^[a-z][\w:-]*$/i.test(next)) return program!;
      return RUNS.has(next) ? `${program} ${next} ${name}` : `${program} ${next}`;
    });
}

/** Tells whether a failure names no failed test: a build, a check, or tests that could not run. */
export function isWhole({ facts: { failing = [] } }: Pick<MaybeOpen, "facts">): boolean {
  return failing.every((test) => /:\d+(?::\d+)?\b/.test(test));
}

/** Matches a word of a command, or a quoted part. */
const WORDS = /"([^"]+)"|'([^']+)'|[^\s"']+/g;
/** Matches the anchors around a name in a pattern. */
const ANCHORS = /^\^|\$$/g;
/** The least length of a word that may name a test, in characters. */
const MIN_NAME = 8;

/** Tells whether a command names a test or its file, whole or by a beginning: `go test -run TestCart`. */
export function namesTest(command: string, test: string): boolean {
  return command.matchAll(WORDS).some(([word, double, single]) => {
    const name = (double ?? single ?? word).replace(ANCHORS, "");
    return name.length >= MIN_NAME && test.startsWith(name);
  });
}
