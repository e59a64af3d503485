/** The packages of which a manager says that it runs a script: by their names they are the same, wherever it was called. */
import type { TestTarget } from "./test_target.ts";

/** `> @acme/a@1.0.0 test`: the package, and the script. */
const ECHO = /^> (@?[\w./-]{1,200})@\S{1,80} ([\w:.-]{1,100})(?: \/.*)?\r?$/gm;
const MAX_PACKAGES = 100;
const SCRIPT = /^script ([\w:.-]+)(?: of .*)?$/;

/** A script that ran in a package. */
export interface PackageScript {
  readonly name: string;
  readonly script: string;
}

/** The scripts of packages that an output says have run, each once; the first of many. */
export function packageScripts(output: string): readonly PackageScript[] {
  const found = new Map<string, PackageScript>();
  for (const [, name = "", script = ""] of output.matchAll(ECHO)) {
    found.set(`${name} ${script}`, { name, script });
    if (found.size >= MAX_PACKAGES) break;
  }
  return [...found.values()];
}

/** The place of a package by its name. */
export function placeOfPackage(name: string): string {
  return `package ${name}`;
}

/** The packages of some that ran such a script; none for one that was called in another checkout. */
export function packagesOf(
  { tool, folder }: { readonly tool: string; readonly folder: string },
  scripts: readonly PackageScript[],
): readonly string[] {
  const [, own] = SCRIPT.exec(tool) ?? [];
  if (own === undefined || !isInside(folder)) return [];
  return scripts.filter(({ script }) => script === own).map(({ name }) => name);
}

/** A run of tests as it were called in each of the packages whose script it ran. */
export function inPackages(
  target: TestTarget,
  scripts: readonly PackageScript[],
): readonly TestTarget[] {
  return packagesOf({ tool: target.runner, folder: target.folder }, scripts).map((name) => ({
    ...target,
    runner: target.runner.replace(/ of .*/, ""),
    folder: placeOfPackage(name),
  }));
}

/** Whether a folder is one of the project, as far as it says: elsewhere another checkout may have the same packages. */
export function isInside(folder: string): boolean {
  return !/^(?:\/|~|\.\.)/.test(folder);
}
