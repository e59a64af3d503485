/** Tests that get a fixture each, which is disposed of when they end. */
import { sizedTest, slowTest } from "./lanes.ts";
import { needsMounts, needsTools, needsUnix, testWhere } from "./requirements.ts";

type Register<Fixture> = (
  name: string,
  body: (fixture: Fixture) => void | Promise<void>,
) => void;

/** Registers tests; a named variant skips its tests where the machine lacks what the name says. */
export interface FixtureTest<Fixture> extends Register<Fixture> {
  readonly slow: Register<Fixture>;
  readonly slowUnix: Register<Fixture>;
  readonly unix: Register<Fixture>;
  readonly mounts: Register<Fixture>;
  readonly git: Register<Fixture>;
  readonly ps: Register<Fixture>;
  readonly setsid: Register<Fixture>;
  readonly script: Register<Fixture>;
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
  return Object.assign(
    where(() => null),
    {
      slow: (name, body) => slowTest(name, given(body), missing),
      slowUnix: (name, body) => slowTest(name, given(body), missing ?? needsUnix()),
      unix: where(needsUnix),
      mounts: where(needsMounts),
      git: where(() => needsTools("git")),
      ps: where(() => needsTools("ps")),
      setsid: where(() => needsTools("setsid")),
      script: where(() => needsTools("script")),
      sized: (name, body) => sizedTest(name, given(body), missing),
    } satisfies Pick<FixtureTest<Fixture>, keyof FixtureTest<Fixture>>,
  );
}
