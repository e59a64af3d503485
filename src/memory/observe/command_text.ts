/** How commands are told: their texts, facts, and titles of tests that fail. */
import type { ObservedFacts } from "../observation.ts";
import { headAndTail, MAX_TITLE_CHARS, shortened, titleLine } from "../text.ts";
import { MAX_COMMAND_CHARS } from "./shown_command.ts";

/** The part of an output that is kept in words: what went wrong stands at the end. */
export const KEPT_OUTPUT = { head: 600, tail: 1_400 };
const KEPT_COMMAND = { head: 1_500, tail: 500 };

/** The facts of every command. */
export function factsOf(
  command: string,
  exitCode: number | null,
  error: string | null,
): ObservedFacts {
  return {
    command: shortened(command, MAX_COMMAND_CHARS),
    ...(exitCode === null ? {} : { exitCode }),
    ...(error === null ? {} : { error }),
  };
}

/** A command with what it printed. */
export function textOf(command: string, output: string, about = ""): string {
  return [about, `$ ${headAndTail(command, KEPT_COMMAND)}`, output]
    .filter((part) => part !== "").join("\n");
}

/** A failure of tests in one line: the run, its counts, and which fail, as many as there is room for. */
export function failingTitle(name: string, facts: ObservedFacts): string {
  const { failed = 0, failing = [], error } = facts;
  const head = `Tests fail: ${name}${countsText(facts)}`;
  const many = Math.max(failing.length, failed);
  const why = failing.length === 0
    ? error
    : namesText(failing, { many, room: MAX_TITLE_CHARS - head.length - ": ".length });
  return titleLine(why === undefined ? head : `${head}: ${why}`);
}

/** How many passed and failed, behind the name of a run. */
export function countsText({ passed, failed = 0 }: ObservedFacts): string {
  const parts = [
    ...passed === undefined ? [] : [`${passed} passed`],
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
