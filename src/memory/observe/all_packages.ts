/** Tests of all packages of a project (`pnpm -r test`), and of one of them (`pnpm --filter a test`). */
import type { TestTarget } from "./test_target.ts";

const OF_ALL = /^script .* of (?:-r|--recursive|-ws|--workspaces)$/;
const OF_ONE = /^script .* of ([\w@./-]*\w)$/;
/** The package of which a manager says that its script failed. */
const FAILED_PACKAGE =
  /^.{0,200}(?:ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL\s{1,9}|npm (?:ERR!|error) workspace )(@?[\w./-]{1,200})@\d/gm;

/**
 * Whether one run is of a package that another run took with all others: the one that failed there, as far as its output
 * tells.
 */
export function isOfPackageIn(one: TestTarget, all: TestTarget, output: string): boolean {
  const [, name] = OF_ONE.exec(one.runner) ?? [];
  if (name === undefined || name.startsWith("-") || !OF_ALL.test(all.runner)) return false;
  const failed = [...output.matchAll(FAILED_PACKAGE)].map(([, failed = ""]) => failed);
  return failed.every((other) => lastStep(other) === lastStep(name));
}

/** A package is called by its name or its folder. */
function lastStep(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
