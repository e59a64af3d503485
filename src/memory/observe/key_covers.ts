/** Whether a command that passed has taken all that failed before it. */
import type { CommandKey } from "../observation.ts";

/** What has to be known of a failure to tell whether a pass has taken it. */
interface FailedRun extends Pick<CommandKey, "paths" | "chosen"> {
  /** Names of the tests that failed; empty where they are not all known. */
  readonly failing: readonly string[];
}

/** Whether a command that passed, known by the same program and place, has taken all that failed. */
export function covers(passed: Pick<CommandKey, "paths" | "chosen">, failed: FailedRun): boolean {
  const { failing } = failed;
  const isChosen = passed.chosen.length === 0 || areSame(passed.chosen, failed.chosen) ||
    failing.length > 0 && failing.every((name) => passed.chosen.some((one) => chooses(one, name)));
  const isThere = passed.paths.length === 0 ||
    failed.paths.length > 0 && failed.paths.every((path) => isWithin(path, passed.paths)) ||
    failing.length > 0 && failing.every((name) => isWithin(name, passed.paths));
  return isChosen && isThere;
}

/** Behind a path these go on to what is in it. */
const WITHIN = /^[/:[# ]/;

function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((one) =>
    path === one ||
    // Tests of Python are told by the names of modules as well: `tests.a.B`.
    path.startsWith(one) && (one.includes("/") ? WITHIN : /^\W/).test(path.slice(one.length))
  );
}

/** Whether an option that chooses tests by their names takes one: `^TestA$|TestB`, `a or b`. */
function chooses(option: string, name: string): boolean {
  const parts = option.split(/\||\bor\b/).map((part) => part.replace(/[\^$()\\]/g, "").trim());
  return parts.some((part) => part !== "" && name.includes(part));
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, n) => text === other[n]);
}
