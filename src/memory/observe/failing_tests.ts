/** Tests that fail, as a title tells them; and what is left of them where some pass since. */
import type { ObservedFacts } from "../observation.ts";
import { MAX_TITLE_CHARS, shortened, titleLine } from "../text.ts";
import { scriptCommands } from "./shell_words.ts";
import { placesOf, type PrintedFailure } from "./test_places.ts";
import { nameOfRun } from "./told_command.ts";

/** Of a longer name of a run its beginning. */
export const MAX_RUN_CHARS = 70;

/** A failure of tests in one line: the run, its counts, and which fail, as many as there is room for. */
export function failingTitle(
  run: string,
  { passed, failed, failing = [], error }: ObservedFacts,
): string {
  const counts = countsText({ passed: passed ?? null, failed: failed ?? 0 });
  const head = `Tests fail: ${shortened(run, MAX_RUN_CHARS)}${counts}`;
  const many = Math.max(failing.length, failed ?? 0);
  const why = failing.length === 0
    ? error
    : namesText(failing, { many, room: MAX_TITLE_CHARS - head.length - ": ".length });
  return titleLine(why === undefined ? head : `${head}: ${why}`);
}

/** What is left of a failure where some of its tests pass. */
export function withoutPassing(
  failure: PrintedFailure,
  passing: readonly string[],
): { readonly title: string; readonly facts: ObservedFacts } {
  const { failing = [], failed = 0 } = failure.facts;
  const left = failing.filter((name) => !passing.includes(name));
  return onlyThese(failure, left, failed - passing.length);
}

/** A failure as it were if only some of its tests had failed. */
export function onlyThese(
  failure: PrintedFailure,
  failing: readonly string[],
  failed = failing.length,
): { readonly title: string; readonly facts: ObservedFacts } {
  const { error, failedIn, failedAt, ...facts } = failure.facts;
  const { command = "", passed, failing: all = [] } = facts;
  const isOver = (name: string) => all.includes(name) && !failing.includes(name);
  const places = failing.length < failed ? {} : placesOf(failure, failing);
  const told: ObservedFacts = {
    ...facts,
    // It may be of one of the others.
    ...(error === undefined || failing.length === 0 ? {} : { error }),
    ...(passed === undefined ? {} : { passed: passed + (facts.failed ?? 0) - failed }),
    ...(failedIn === undefined ? {} : { failedIn: failedIn.filter((test) => !isOver(test)) }),
    ...(failedAt === undefined ? {} : { failedAt }),
    ...places,
    failing,
    failed,
  };
  return {
    title: failingTitle(nameOfRun({ command, commands: scriptCommands(command) }), told),
    facts: told,
  };
}

/** How many passed and failed, behind the name of a run. */
export function countsText(
  { passed, failed }: { readonly passed: number | null; readonly failed: number },
): string {
  const parts = [
    ...passed === null ? [] : [`${passed} passed`],
    ...failed === 0 ? [] : [`${failed} failed`],
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** Names of tests, the first for certain, and how many there are beside. */
function namesText(
  names: readonly string[],
  { many, room }: { readonly many: number; readonly room: number },
): string {
  const more = (told: number) => told < many ? ` +${many - told} more` : "";
  for (let told = names.length; told > 1; told--) {
    const text = `${names.slice(0, told).join(", ")}${more(told)}`;
    if (text.length <= room) return text;
  }
  return `${shortened(names[0]!, Math.max(1, room - more(1).length))}${more(1)}`;
}
