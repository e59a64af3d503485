/** What the tests of a run fail with, so that two runs can be compared: the errors that it prints, without what chance changes. */
import { digestOf } from "../fnv.ts";
import type { ObservedFacts } from "../observation.ts";
import { saysLittle } from "./summary_lines.ts";
import { withoutVarying } from "./varying.ts";

/** Where the error stands on the line behind the one that announces it; both are made one line. */
const ANNOUNCED: readonly (readonly [pattern: RegExp, line: string])[] = [
  [/^(thread '.{1,200}? panicked at) \S+:\d+:\d+:\r?\n/gm, "$1 "], // cargo
  [/^[ \t]{0,20}Error Message:\r?\n[ \t]{0,20}/gm, "error: "], // dotnet
  [/^([ \t]{0,20}error:) [|>][-+]?\r?\n[ \t]{0,40}/gm, "$1 "], // TAP
  [/^([ \t]{0,20}[\w:]{0,80}(?:Error|Exception)):\r?\n[ \t]{1,40}/gm, "$1: "], // rspec
];
/** Lines that hold an error for certain, as the first group; the first row that matches counts. */
const ERRORS: readonly RegExp[] = [
  /^(?:FAILED|ERROR) \S.*? - (.+)/, // pytest
  /^thread '.+? panicked at (.+)/, // cargo
  /^\s+\w+_test\.go:\d+: (.+)/, // go
  /^\s*\*\* (\([\w.]+\).*)/, // mix
  /^\s*(expect\(\S*\)\.\S.*)/, // jest
  /^\s*(Failed asserting that .+)/, // phpunit
  /^\s*Failure\/Error: (.+)/, // rspec
  /^\S+:\d+:(?:\d+:)? (?:fatal )?error: (.+)/, // swift
  /^\s*(?:E {2,}|error: )?((?:\w+\.)*\w*(?:Error|Exception|Panic)\b.*:.+)/,
  /^\s*(?:error|fatal|panic)\b\s*(?:\[[^\]]+\])?\s*:(.+)/i,
];
/** A message that its runner has cut short: of what kind it is stands before the colon. */
const CUT = /^([^:]*):?.*(?:\.\.\.|…)$/;
/** Words that hold a digit may be made by chance: numbers, ports, keys. */
const NUMBERED = /\w*\d\w*/g;

const MAX_CHARS = 100_000;
const LOOKED_AT_CHARS = 400;
/** Of more errors nobody knows all. */
const MAX_SIGNS = 40;

/** A digest of each error that a run of tests prints, the same whenever it is printed; none where none is told for certain. */
export function errorSigns(output: string): string[] {
  const signs = new Set<string>();
  const text = ANNOUNCED.reduce(
    (joined, [pattern, line]) => joined.replace(pattern, line),
    output.slice(-MAX_CHARS),
  );
  for (const line of text.split("\n")) {
    const message = messageIn(line.slice(0, LOOKED_AT_CHARS));
    if (message !== "") signs.add(digestOf(message));
  }
  return signs.size > MAX_SIGNS ? [] : [...signs].sort();
}

/**
 * Whether two runs fail with other errors: each prints some that the other one does not. One that prints only a part of
 * them, or none, may have been cut.
 */
export function haveOtherErrors(
  { errors: one = [] }: ObservedFacts,
  { errors: other = [] }: ObservedFacts,
): boolean {
  return !one.every((sign) => other.includes(sign)) && !other.every((sign) => one.includes(sign));
}

/** The words of an error, each once and in an order of their own: a set is printed in any. */
function messageIn(line: string): string {
  if (saysLittle(line)) return "";
  for (const pattern of ERRORS) {
    const [, message] = pattern.exec(line) ?? [];
    if (message === undefined) continue;
    const words = withoutVarying(withoutCut(message.trim())).replace(NUMBERED, "#").split(
      /[^\w#\u0080-\uffff]+/,
    );
    return [...new Set(words)].sort().join(" ").trim();
  }
  return "";
}

function withoutCut(message: string): string {
  const [, kind] = CUT.exec(message) ?? [];
  if (kind === undefined) return message;
  return message.includes(":") ? `${kind} …` : "";
}
