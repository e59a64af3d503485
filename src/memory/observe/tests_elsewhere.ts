/** Tests of a failed run as another call would take them: of one crate of a workspace, or from a folder of the project. */
import { isInside } from "./package_echoes.ts";
import { folderIn } from "./script_words.ts";
import type { PrintedFailure } from "./test_places.ts";
import type { FailedTests, TestTarget } from "./test_target.ts";

/** How cargo says what to call to take the tests that failed once more: `-p core --lib`. */
const RERUN =
  /^(?:error: test failed, to rerun pass | {4})`(?:-p|--package) ([\w-]+)(?: --?[\w-]+| [\w-]+)*`/gm;
/** Nextest tells the crate before the name of a test, with the set of its tests where that is not its library. */
const NEXTEST = /^([\w-]+)(?:::\S+)? \S+$/;
const WHOLE: ReadonlySet<string> = new Set(["--workspace", "--all"]);

/**
 * The tests of a failure as those of the one crate that it says they are of, by its name and in a folder that is called so;
 * none where it tells of no crate, or of several.
 */
export function inCrate(tests: FailedTests, { text, facts }: PrintedFailure): FailedTests[] {
  const { target } = tests;
  if (!target.runner.startsWith("cargo ")) return [];
  const names = new Set(
    target.runner === "cargo test"
      ? Array.from(text.matchAll(RERUN), ([, name]) => name!)
      : facts.failing?.map((name) => NEXTEST.exec(name)?.[1] ?? ""),
  );
  const [crate = ""] = names;
  if (names.size !== 1 || crate === "" || /(?:^| )-p=/.test(target.other)) return [];
  const widening = target.widening.filter((flag) => !WHOLE.has(flag));
  const withCrate = (flags: string) =>
    [...flags.split(" "), `-p=${crate}`].filter((flag) => flag !== "").sort().join(" ");
  const named = { other: withCrate(target.other), places: withCrate(target.places) };
  return [
    { ...tests, target: { ...target, widening, ...named } },
    { ...tests, target: { ...target, widening, folder: folderIn(target.folder, crate) } },
  ];
}

/** Runners that take paths, and tell them, from the folder that they are called in. */
const FROM_FOLDER: ReadonlySet<string> = new Set(["pytest", "deno test", "node --test"]);

/** A run that passes in a folder as it would be called from one above; null where it is not below that, or not known. */
export function fromFolder(passed: TestTarget, folder: string): TestTarget | null {
  const start = folder === "" ? "" : `${folder}/`;
  const isBelow = passed.folder !== "" && passed.folder.startsWith(start) &&
    isInside(passed.folder.slice(start.length)) && isInside(folder);
  if (!FROM_FOLDER.has(passed.runner) || !isBelow) return null;
  const below = passed.folder.slice(start.length);
  const paths = passed.paths.length === 0
    ? [below]
    : passed.paths.map((path) => /^(?:\/|~)/.test(path) ? path : `${below}/${path}`);
  return paths.some((path) => /(?:^|\/)\.\.(?:\/|$)/.test(path))
    ? null
    : { ...passed, folder, paths };
}
