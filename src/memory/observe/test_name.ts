/** Names of tests, as runners tell them: in one run with their suites, in another alone. */

/** A name that tells where its test stands: `a.py::test`, `a.spec.ts:3:1 › pays`, `Shop.CartTests.Adds`. */
const WITH_PLACE = /::|\.\w+:\d|^[\w+]+(?:\.[\w+]+){2,}/;
/** What a name of a test stands behind, in a longer one of the same. */
const BEFORE_NAME = /[ >›.:/]$/;

/** Whether names tell of each test where it stands, so that no other one has the same. */
export function tellPlaces(names: readonly string[]): boolean {
  return names.every((name) => WITH_PLACE.test(name));
}

/** Whether two names are of one test, as far as they tell. */
export function isSameTest(one: string, other: string): boolean {
  return one === other || isEndOf(one, other) || isEndOf(other, one);
}

/** Tells of a test whether it is one of those with these names. */
export function isOneOf(names: readonly string[]): (name: string) => boolean {
  return (name) => names.some((other) => isSameTest(name, other));
}

function isEndOf(end: string, whole: string): boolean {
  return whole.endsWith(end) && BEFORE_NAME.test(whole.slice(0, -end.length));
}
