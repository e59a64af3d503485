/** Where each of several tests stands that failed together, as far as their run tells. */
import type { ObservedFacts } from "../observation.ts";
import { isSameTest } from "./test_name.ts";

/** A run that failed: its facts, and what is kept of what it printed. */
export interface PrintedFailure {
  readonly text: string;
  readonly facts: ObservedFacts;
}

/** How a runner tells the place of a test beside its name: each pattern has both as groups. */
const TELLS_PLACE: readonly RegExp[] = [
  /^rspec (?<place>\.\/\S+) # (?<name>.+)$/gm,
  /^(?<name>\S.*) => (?<place>\.\/\S+:\d+):\d+$/gm, // deno
  /^[ \t]+\d+\) (?<name>test .+)\n[ \t]+(?<place>\S+\.exs:\d+)$/gm, // mix
  /^test at (?<place>\S+:\d+):\d+\n✖ (?<name>.+?)(?: \([\d.]+ms\))?$/gm, // node
  /^[ \t]*FAIL[ \t]+(?<place>\S+\.[cm]?[jt]sx?) > (?<name>.+)$/gm, // vitest
];
/** Runners that tell a file above its tests: jest, bun. */
const FILE = /^(?:[ \t]*(?:FAIL|PASS)[ \t]+(\S+\.[cm]?[jt]sx?)(?=[ \t]|$)|(\S+\.[cm]?[jt]sx?):$)/;
const TEST_IN_FILE = /^[ \t]*(?:●|✕|\(fail\))[ \t]+(.+?)(?: [([][\d.]+ ?m?s[)\]])?$/;
/** Behind this another file may be told of which nothing is seen. */
const CUT = /^\[… \d+ characters …\]$/m;

/** Names that are the place: `a.py::test`, `[chromium] › a.spec.ts:3:1 › pays`, `a.test.ts > adds`. */
const IS_PLACE = /^\S+::\S+$/;
const HOLDS_PLACE = /(?:^| )(\S+\.\w+:\d+):\d+ › |^(\S+\.[cm]?[jt]sx?) > /;
/** unittest's; before Python 3.11 the class alone stands in the brackets. */
const UNITTEST = /^(\w+) \((\S+)\)$/;

/** The facts that tell where some of the tests of a failure stand, and no others; without them where nobody knows. */
export function placesOf(
  failure: PrintedFailure,
  names: readonly string[],
): Pick<ObservedFacts, "failedIn" | "failedAt"> {
  const { text, facts: { failedAt } } = failure;
  if (failedAt !== undefined) {
    const packages = goPackages(text);
    const among = names.map((name) => packages.get(name) ?? []);
    const isKnown = among.every((one) => one.length > 0) && !CUT.test(text);
    const at = isKnown ? [...new Set(among.flat())] : failedAt.length === 1 ? failedAt : [];
    return at.length === 0 ? {} : { failedIn: names, failedAt: at };
  }
  const told = toldPlaces(text);
  const places = names.map((name) => placesIn(name, failure, told));
  if (places.some((one) => one.length === 0)) return {};
  return { failedIn: [...new Set(places.flat())] };
}

type ToldPlace = readonly [name: string, place: string];

function placesIn(
  name: string,
  { facts: { failedIn = [] } }: PrintedFailure,
  told: readonly ToldPlace[],
): readonly string[] {
  if (IS_PLACE.test(name)) return [name];
  const [, test, where = ""] = UNITTEST.exec(name) ?? [];
  if (test !== undefined) return [where.endsWith(`.${test}`) ? where : `${where}.${test}`];
  const [, line, file] = HOLDS_PLACE.exec(name) ?? [];
  const held = line ?? file;
  if (held !== undefined) return [held];
  const plain = name.replace(/:\d+$/, "");
  if (failedIn.includes(plain)) return [plain];
  return told.filter(([other]) => isSameTest(name, other)).map(([, place]) => place);
}

/** The tests of a text with their places. */
function toldPlaces(text: string): readonly ToldPlace[] {
  const told: ToldPlace[] = [];
  for (const pattern of TELLS_PLACE) {
    for (const { groups } of text.matchAll(pattern)) {
      told.push([groups!["name"]!.trim(), groups!["place"]!]);
    }
  }
  let file: string | undefined;
  for (const line of text.split("\n")) {
    const [isFile, jest, bun] = FILE.exec(line) ?? [];
    if (isFile !== undefined) file = jest ?? bun;
    else if (CUT.test(line)) file = undefined;
    const [, name] = TEST_IN_FILE.exec(line) ?? [];
    if (name !== undefined && file !== undefined) told.push([name, file]);
  }
  return told;
}

/** The packages in which tests of Go failed: each is told behind its tests. */
export function goPackages(text: string): ReadonlyMap<string, readonly string[]> {
  const packages = new Map<string, string[]>();
  let names: string[] = [];
  for (const [, test, name = ""] of text.matchAll(/^(--- )?FAIL(?:: |\t)(\S+)/gm)) {
    if (test !== undefined) names.push(name);
    else {
      for (const one of names) packages.set(one, [...packages.get(one) ?? [], name]);
      names = [];
    }
  }
  return packages;
}
