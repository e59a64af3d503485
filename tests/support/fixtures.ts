/** What tests are given: a fixture each, which is disposed of when they end, and rows of `testdata/`. */
import { sizedTest, slowTest } from "./lanes.ts";
import {
  needsExecutable,
  needsLinux,
  needsMounts,
  needsTools,
  needsUnix,
  needsUsers,
  testWhere,
} from "./requirements.ts";
import { needsTerminal } from "./terminal.ts";

type Register<Fixture> = (name: string, body: (fixture: Fixture) => void | Promise<void>) => void;

/** What a test may need of its machine. */
const NEEDS = {
  unix: needsUnix,
  linux: needsLinux,
  mounts: needsMounts,
  git: () => needsTools("git"),
  ps: () => needsTools("ps"),
  setsid: () => needsTools("setsid"),
  script: () => needsTools("script"),
  terminal: needsTerminal,
  users: needsUsers,
  executable: () => needsExecutable() ?? needsUnix(),
} as const satisfies Readonly<Record<string, () => string | null>>;

/** Registers tests; a named variant skips its tests where the machine lacks what the name says. */
export interface FixtureTest<Fixture>
  extends Register<Fixture>, Readonly<Record<keyof typeof NEEDS, Register<Fixture>>> {
  readonly slow: Register<Fixture>;
  readonly slowUnix: Register<Fixture>;
  /** In both lanes, by their sizes; see `sizedTest()`. */
  readonly sized: Register<Fixture>;
}

/**
 * `const test = testWith(tempHome)`: each test gets what `make` makes.
 * @param missing What this machine lacks; then all of them are skipped.
 */
export function testWith<Fixture extends Disposable | AsyncDisposable>(
  make: () => Fixture | Promise<Fixture>,
  missing: string | null = null,
): FixtureTest<Fixture> {
  const given = (body: Parameters<Register<Fixture>>[1]) => async () => {
    await using fixture = await make();
    await body(fixture);
  };
  const where = (need: () => string | null): Register<Fixture> => (name, body) =>
    testWhere(missing ?? need(), name, given(body));
  const needing = Object.fromEntries(
    Object.entries(NEEDS).map(([name, need]) => [name, where(need)]),
  ) as Record<keyof typeof NEEDS, Register<Fixture>>;
  return Object.assign(
    where(() => null),
    needing,
    {
      slow: (name, body) => slowTest(name, given(body), missing),
      slowUnix: (name, body) => slowTest(name, given(body), missing ?? needsUnix()),
      sized: (name, body) => sizedTest(name, given(body), missing),
    } satisfies Pick<FixtureTest<Fixture>, "slow" | "slowUnix" | "sized">,
  );
}

/** A test that makes what it needs by itself: `it.unix("…", () => …)`. */
export const it: FixtureTest<Disposable> = testWith(() => ({ [Symbol.dispose]() {} }));

/** Rows that lie in `testdata/`, as the test that goes through them says what they are. */
export function rowsOf<Row>(rows: unknown): readonly Row[] {
  return rows as readonly Row[];
}
