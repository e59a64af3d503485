/** Tests that are given something of their own, which is disposed of when they end. */
import { slowTest } from "./lanes.ts";
import { needsMounts, needsTools, needsUnix, testWhere } from "./requirements.ts";

type Register<Fixture> = (
  name: string,
  body: (fixture: Fixture) => void | Promise<void>,
) => void;

/** Tests of one kind; those with a name are skipped where the machine has not what they need. */
export interface FixtureTest<Fixture> extends Register<Fixture> {
  readonly slow: Register<Fixture>;
  readonly unix: Register<Fixture>;
  readonly mounts: Register<Fixture>;
  readonly git: Register<Fixture>;
  readonly ps: Register<Fixture>;
}

/**
 * `const test = testWith(tempHome)`: each test gets what `make` makes.
 * @param missing What this machine has not, so that all of them are skipped.
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
      unix: where(needsUnix),
      mounts: where(needsMounts),
      git: where(() => needsTools("git")),
      ps: where(() => needsTools("ps")),
    } satisfies Pick<FixtureTest<Fixture>, "slow" | "unix" | "mounts" | "git" | "ps">,
  );
}
