import { baseName, isAbsolutePath, resolvePath } from "../paths.ts";
import { findOnPath, isBareName, isSameFile } from "../process/executable.ts";

/** How an executable was started, and where a shell looks for it. */
export interface StartHints {
  /** The first word of the command line, as it was typed; empty when it is not known. */
  readonly started: string;
  /** Where a relative path starts. */
  readonly cwd: string;
  /** `PATH`. */
  readonly searchPath: string | undefined;
}

/**
 * The path by which a person finds an executable. The system names the file behind all links
 * (`/opt/conclaude-0.1.0/conclaude`), and a hook that names it breaks with the next upgrade; a link stays.
 *
 * @param executable What the system says. @returns The path it was started by, or one that the `PATH` finds, or
 * `executable`: the first of them that names no version.
 */
export function findOwnPath(executable: string, hints: StartHints): string {
  const { started, cwd, searchPath } = hints;
  const typed = started === "" || isBareName(started)
    ? []
    : [isAbsolutePath(started) ? started : resolvePath(started, { folder: cwd })];
  const names = new Set([baseName(started), "conclaude", baseName(executable)]);
  names.delete("");
  const found = [...names].flatMap((name) => findOnPath(name, searchPath));
  const paths = [...typed, ...found].filter((path) => isSameFile(path, executable));
  return [...paths, executable].find((path) => !namesVersion(path)) ?? paths[0] ?? executable;
}

/** `/opt/conclaude-0.1.0/conclaude`, `/opt/Cellar/conclaude/0.1/bin/conclaude`. */
function namesVersion(path: string): boolean {
  return /\d+\.\d+/.test(path);
}
