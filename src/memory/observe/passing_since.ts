/** Tests that failed and do not any more, in a run in which others fail. */
import { type FailedTests, hasTaken, type TookTests } from "./test_target.ts";
import { isOneOf } from "./test_name.ts";

/**
 * Whether tests that failed are known to pass in a run in which others fail: it has taken all that there are where they
 * stand, and names them no more. Lines shift; of a test that is told by its line the file counts.
 */
export function passesSince(took: FailedTests, failed: FailedTests): boolean {
  if (failed.failedIn === null || failed.failedIn.length === 0 || took.failedIn === null) {
    return false;
  }
  const withoutLine = (path: string) => path.replace(/:\d+$/, "");
  const fails = new Set(took.failedIn.map(withoutLine));
  return hasTaken(took.target, failed) &&
    !failed.failedIn.some((path) => fails.has(withoutLine(path)));
}

/**
 * The tests of a failure that are known to pass in a run in which the others of it fail, and nothing else: it has taken all
 * that there are where they stand, and names all that fail.
 *
 * @param failing The names of all tests that failed.
 */
export function passingSince(
  took: TookTests,
  failed: FailedTests & { readonly failing: readonly string[] },
): readonly string[] {
  const { failing, failed: many } = took.run;
  if (took.failedIn === null || failing.length < many || !hasTaken(took.target, failed)) return [];
  if (!failing.every(isOneOf(failed.failing))) return [];
  const isFailing = isOneOf(failing);
  return failed.failing.filter((name) => !isFailing(name));
}

/** Whether a test fails in the same file that did not before: it may be one that failed already, by another name. */
export function failsBeside(took: FailedTests, { failedIn }: FailedTests): boolean {
  const files = new Set((failedIn ?? []).map(fileOf));
  return (took.failedIn ?? []).some((test) =>
    files.has(fileOf(test)) && failedIn?.includes(test) === false
  );
}

/** pytest's `a.py::test`; a name without a file, as Go has it, is no file. */
function fileOf(test: string): string {
  const end = test.indexOf("::");
  return end < 0 ? test : test.slice(0, end);
}
