import type { DatabaseSync } from "node:sqlite";
import { joinPath, resolvePath } from "../paths.ts";
import { isKnownProject } from "../store/known_project.ts";
import type { CliContext } from "./context.ts";
import { projectHere } from "./session_lookup.ts";

/**
 * The project that `--project DIR` or `--here` mean: the common git directory, or the folder where there is none; null
 * without either.
 */
export function projectFilterOf(
  db: DatabaseSync,
  { cwd, locations }: CliContext,
  flags: { readonly project?: string; readonly here: boolean },
): string | null {
  if (flags.project === undefined) return flags.here ? projectHere(cwd) : null;
  const folder = resolvePath(flags.project, { folder: cwd, home: locations.home ?? undefined });
  return projectAt(db, folder);
}

/**
 * The project of a folder. One that was moved or removed is known by what is remembered of it: nothing on the disk tells
 * whether it was a repository.
 *
 * @param folder Absolute.
 */
export function projectAt(db: DatabaseSync, folder: string): string {
  const known = isThere(folder)
    ? undefined
    : [joinPath(folder, ".git"), folder].find((project) => isKnownProject(db, project));
  return known ?? projectHere(folder);
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
