/** Files that can be started: what is in the way, where a shell finds them, and whether two paths lead to one. */
import { isAbsolutePath, joinPath } from "../paths.ts";

export const IS_WINDOWS = Deno.build.os === "windows";

/** Why a file cannot be started: `/opt/x is not there`; null when it can. */
export function whyNotRun(path: string): string | null {
  const why = whyNotRead(path);
  if (why !== null) return why;
  const { mode } = Deno.statSync(path);
  return mode !== null && (mode & 0o111) === 0 ? `${path} is not executable` : null;
}

/** Why a script cannot be read: `/opt/x is not a file`; null when it can. */
export function whyNotRead(path: string): string | null {
  try {
    return Deno.statSync(path).isFile ? null : `${path} is not a file`;
  } catch {
    return `${path} is not there`;
  }
}

/**
 * Where a shell finds a program, the place that it takes first. Folders that depend on the working directory are left
 * out: what they hold is another program in every project.
 *
 * @param searchPath The variable `PATH`. @returns Absolute paths of files that can be started, links not followed.
 */
export function findOnPath(name: string, searchPath: string | undefined): string[] {
  const names = IS_WINDOWS && !/\.exe$/i.test(name) ? [`${name}.exe`, name] : [name];
  return (searchPath ?? "").split(IS_WINDOWS ? ";" : ":")
    .filter(isAbsolutePath)
    .flatMap((folder) => names.map((file) => joinPath(folder, file)))
    .filter((path) => whyNotRun(path) === null);
}

/** True for a plain name without any folder, which only a shell's `PATH` can find: `conclaude`, `cc-state`. */
export function isBareName(command: string): boolean {
  return /^\w[\w.+-]*$/.test(command);
}

/** Whether two paths lead to one file, through all links; false when either is not there. */
export function isSameFile(one: string, other: string): boolean {
  try {
    return Deno.realPathSync(one) === Deno.realPathSync(other);
  } catch {
    return false;
  }
}
