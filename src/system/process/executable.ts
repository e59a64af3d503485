/** Tells whether a file can be started, where a shell finds a program, and whether two paths lead to one file. */
import { quietly } from "../../base/errors.ts";
import { isAbsolutePath, joinPath } from "../../base/paths.ts";

export const IS_WINDOWS = Deno.build.os === "windows";

/** Returns why a file cannot be started, as in `/opt/x is not there`; null when it can. */
export function whyNotRun(path: string): string | null {
  const why = whyNotRead(path);
  if (why !== null) return why;
  const { mode } = Deno.statSync(path);
  return mode !== null && (mode & 0o111) === 0 ? `${path} is not executable` : null;
}

/** Returns why a script cannot be read, as in `/opt/x is not a file`; null when it can. */
export function whyNotRead(path: string): string | null {
  try {
    return Deno.statSync(path).isFile ? null : `${path} is not a file`;
  } catch {
    return `${path} is not there`;
  }
}

/**
 * Returns the places where a shell finds a program, the first place first. It leaves out folders that depend on the
 * working directory: they hold another program in every project.
 */
export function findOnPath(name: string, searchPath: string | undefined): string[] {
  const names = IS_WINDOWS && !/\.exe$/i.test(name) ? [`${name}.exe`, name] : [name];
  return (searchPath ?? "").split(IS_WINDOWS ? ";" : ":")
    .filter(isAbsolutePath)
    .flatMap((folder) => names.map((file) => joinPath(folder, file)))
    .filter((path) => whyNotRun(path) === null);
}

/** Tells whether a command is a name without a folder, which a shell looks up in `PATH`: `conclaude`, `cc-state`. */
export function isBareName(command: string): boolean {
  return /^\w[\w.+-]*$/.test(command);
}

/** Tells whether two paths lead to the same file through all links; false when either does not exist. */
export function isSameFile(one: string, other: string): boolean {
  return quietly(() => Deno.realPathSync(one) === Deno.realPathSync(other)) === true;
}
