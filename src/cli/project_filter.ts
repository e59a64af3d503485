import type { DatabaseSync } from "node:sqlite";
import { findRepository } from "../git/repository.ts";
import { projectName } from "../recall/view.ts";
import { pathInProject } from "../memory/paths.ts";
import { isAbsolutePath, joinPath, parentOf, resolvePath, withoutLine } from "../paths.ts";
import { lookUpwards } from "../project/look.ts";
import { isKnownFile, isKnownProject, knownProjects } from "../store/known_project.ts";
import type { CliContext } from "./context.ts";
import { projectHere } from "./session_lookup.ts";

/**
 * The project that `--project DIR` or `--here` mean: the common git directory, or the folder where there is none; null
 * without either. A name stands for the only project that is called so, where there is no such folder.
 */
export function projectFilterOf(
  db: DatabaseSync,
  { cwd, locations }: CliContext,
  flags: { readonly project?: string; readonly here: boolean },
): string | null {
  if (flags.project === undefined) return flags.here ? projectHere(cwd) : null;
  const folder = resolvePath(flags.project, { folder: cwd, home: locations.home ?? undefined });
  const isName = !/[\\/]/.test(flags.project) && !isThere(folder);
  const named = isName ? projectsNamed(db, flags.project) : [];
  return named.length === 1 ? named[0]! : projectAt(db, folder);
}

/** The projects whose folder has a name, in letters of either case. */
function projectsNamed(db: DatabaseSync, name: string): string[] {
  return knownProjects(db).filter((project) =>
    projectName(project).toLowerCase() === name.toLowerCase()
  );
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

/**
 * A file that a person names, as memory tells it: one with its whole path, or from a folder above (`../auth.ts`), is told
 * from the folder of its project; any other is the end of such a path already. What stands behind a path where it is
 * copied from, `:12` and `:12:3`, is left out, and `\\` is taken for `/`, unless a file is called so.
 */
export function fileFilterOf(db: DatabaseSync, context: CliContext, file: string): string {
  const typed = pathFilterOf(db, context, file);
  const tidy = withoutLine(file.replaceAll("\\", "/"));
  return tidy === file || isKnownFile(db, typed) ? typed : pathFilterOf(db, context, tidy);
}

function pathFilterOf(
  db: DatabaseSync,
  { cwd, locations }: CliContext,
  file: string,
): string {
  if (!isAbsolutePath(file) && !/^~\/|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(file)) return file;
  const path = resolvePath(file, { folder: cwd, home: locations.home ?? undefined });
  return pathInProject(path, rootOf(db, parentOf(path)));
}

/** The folder that paths of a project are told from: the repository's, else the one above that memory knows. */
function rootOf(db: DatabaseSync, folder: string): string | null {
  const repository = findRepository(lookUpwards(folder));
  if (repository !== undefined) return repository.root;
  for (let at = folder; parentOf(at) !== at; at = parentOf(at)) {
    if (isKnownProject(db, joinPath(at, ".git")) || isKnownProject(db, at)) return at;
  }
  return null;
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
