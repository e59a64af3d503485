/** Finds what the flags and arguments of memory's verbs mean, and proposes known values for what matches nothing. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../base/errors.ts";
import { nearestWords } from "../base/likeness.ts";
import { baseName, isAbsolutePath, joinPath, parentOf, withoutLine } from "../base/paths.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { folderOfProject, pathInProject } from "../memory/project_paths.ts";
import { projectName } from "../memory/search/observation_view.ts";
import {
  findObservations,
  isKnownBranch,
  isKnownFile,
  isKnownProject,
  knownBranches,
  knownProjects,
  lastObservation,
  newestOfPaths,
  type Observation,
  observedPaths,
} from "../memory/store.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { isThere } from "../system/on_disk.ts";
import { type CliContext, typedPath } from "./context.ts";
import { flagsAgain } from "./next_command.ts";
import { NAMED_IDS, onlyNamed, projectHere } from "./session_lookup.ts";
import { usageError } from "./usage.ts";

/** Returns the project of `--project DIR` or `--here`; null without either. @throws {UserError} If it is not clear. */
export function projectFilterOf(
  db: DatabaseSync,
  context: CliContext,
  flags: { readonly project?: string; readonly here: boolean },
): string | null {
  if (flags.project === undefined) return flags.here ? projectHere(context.cwd) : null;
  if (!flags.here) return projectNamed(db, context, flags.project);
  const why = "--here is this project, and --project names one";
  throw usageError("Cannot narrow to two projects", { why, next: "Use one of the two" });
}

/** Returns a folder's project, or the only project of that name, or the folder. @throws {UserError} If several fit. */
export function projectNamed(db: DatabaseSync, context: CliContext, typed: string): string {
  const folder = typedPath(context, typed);
  if (isThere(folder)) return projectHere(folder);
  // A folder that is gone does not show whether it was a repository, so both keys are tried.
  const known = [joinPath(folder, ".git"), folder].find((project) => isKnownProject(db, project));
  if (known !== undefined) return known;
  const named = isBareName(typed)
    ? knownProjects(db).filter((project) => isCalled(project, typed))
    : [];
  if (named.length > 1) {
    const folders = named.map(folderOfProject);
    throw new UserError(`Cannot tell which project "${typed}" is`, {
      why: `${named.length} have this name: ${folders.join(", ")}`,
      next: `Use \`--project ${quoteWord(folders[0]!)}\``,
    });
  }
  return named[0] ?? folder;
}

/** {@linkcode projectNamed} for changes that cannot be undone: a bare word must be a project's name. */
export function projectMeant(db: DatabaseSync, context: CliContext, typed: string): string {
  const project = projectNamed(db, context, typed);
  if (!isBareName(typed) || isCalled(project, typed)) return project;
  const folder = folderOfProject(project);
  throw new UserError(`Cannot tell whether "${typed}" is a project`, {
    why: `it is a folder of the project ${folder}; nothing was changed`,
    next: `Use \`--project ${quoteWord(folder)}\` if you mean all of it`,
  });
}

/** Tells whether a word is no path: it has no slash and is not `.`, `..` or `~`. */
export function isBareName(typed: string): boolean {
  return !/[\\/]|^\.{1,2}$|^~$/.test(typed);
}

export function isCalled(project: string, name: string): boolean {
  return projectName(project).toLowerCase() === name.toLowerCase();
}

/** Returns the file that a person means: a whole path, or a part of one in any project. It drops a line number. */
export function fileFilterOf(db: DatabaseSync, context: CliContext, file: string): string {
  const typed = pathFilterOf(db, context, file);
  const tidy = withoutLine(file.replaceAll("\\", "/"));
  return tidy === file || isKnownFile(db, typed) ? typed : pathFilterOf(db, context, tidy);
}

function pathFilterOf(db: DatabaseSync, context: CliContext, file: string): string {
  const isFolderHere = /^(?:\.?[\\/])*\.?$/.test(file);
  const leadsOut = /^~\/|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(file);
  if (!isAbsolutePath(file) && !leadsOut && !isFolderHere) return file;
  const path = typedPath(context, file);
  const whole = wholePathOf(db, path);
  // A person may write a path from the top of its project: `/src/a.ts`.
  return whole ?? (isKnownFile(db, path) ? path : path.slice(1));
}

/** Returns the path below the folder that all working trees share; null outside repositories and known projects. */
export function wholePathOf(db: DatabaseSync, path: string): string | null {
  const repository = findRepository(lookUpwards(path));
  if (repository !== undefined) {
    const top = folderOfProject(repository.commonDir);
    return path === repository.root ? top : joinPath(top, pathInProject(path, repository.root));
  }
  for (let at = path; parentOf(at) !== at; at = parentOf(at)) {
    if (isKnownProject(db, joinPath(at, ".git")) || isKnownProject(db, at)) return path;
  }
  return null;
}

/** Returns the former names of an existing file, as whole paths like those of {@linkcode wholePathOf}. */
export async function formerNamesOf(context: CliContext, file: string): Promise<readonly string[]> {
  const path = [file, withoutLine(file)].map((typed) => typedPath(context, typed)).find(isThere);
  const repository = path === undefined ? undefined : findRepository(lookUpwards(path));
  if (path === undefined || repository === undefined) return [];
  const { formerNames } = await import("../system/git/file_status.ts");
  const { root, commonDir } = repository;
  const names = await formerNames(pathInProject(path, root), root);
  return names.map((name) => joinPath(folderOfProject(commonDir), name));
}

/** Returns the observation with this number or beginning of its `uid`. @throws {UserError} If not exactly one fits. */
export function observationNamed(db: DatabaseSync, text: string): Observation {
  const id = text.trim();
  const found = findObservations(db, id, NAMED_IDS + 1);
  return found.find(({ uid }) => uid === id) ??
    onlyNamed(found, ({ id, uid }) => `${uid} (#${id})`, {
      noun: "observation",
      text,
      why: "no observation has this number, and no uid begins like this",
      next: lastObservation(db) === 0
        ? "conclaude status"
        : `conclaude memory search ${quoteWord(id)}`,
      show: ({ id }) => `memory show ${id}`,
    });
}

export interface UnknownFilter {
  readonly flag: "project" | "branch" | "file";
  readonly value: string;
  /** Known values, the likeliest first; empty if there are none. */
  readonly known: readonly string[];
}

const MAX_KNOWN = 3;
const MAX_FILES = 20_000;
const MAX_NEAR = 50;

/** Returns the filters whose value occurs nowhere in memory. `project` and `file` are what the `typed` flags mean. */
export function unknownFilters(
  db: DatabaseSync,
  typed: Readonly<Partial<Record<UnknownFilter["flag"], string | undefined>>>,
  { project, file }: { readonly project: string | null; readonly file: string | null },
): UnknownFilter[] {
  const nearOrNewest = (value: string, all: readonly string[], nameOf = (name: string) => name) => {
    const near = nearOf(value, all, nameOf);
    return (near.length > 0 ? near : all).slice(0, MAX_KNOWN);
  };
  if (typed.project !== undefined && project !== null && !isKnownProject(db, project)) {
    const folders = knownProjects(db).map(folderOfProject);
    const known = nearOrNewest(baseName(typed.project), folders, projectName);
    return [{ flag: "project", value: typed.project, known }];
  }
  const within = typed.project === undefined ? null : project;
  const unknown: UnknownFilter[] = [];
  if (typed.branch !== undefined && !isKnownBranch(db, typed.branch, within)) {
    const known = nearOrNewest(typed.branch, knownBranches(db, within));
    unknown.push({ flag: "branch", value: typed.branch, known });
  }
  if (typed.file !== undefined && file !== null && !isKnownFile(db, file)) {
    const near = nearOf(baseName(file), observedPaths(db, MAX_FILES), baseName).slice(0, MAX_NEAR);
    const how = { project: within, areWhole: isAbsolutePath(file), limit: MAX_KNOWN };
    unknown.push({ flag: "file", value: typed.file, known: newestOfPaths(db, near, how) });
  }
  return unknown;
}

/** Returns the items whose names resemble the typed text; case does not matter. */
function nearOf(typed: string, all: readonly string[], nameOf: (one: string) => string): string[] {
  const lower = (one: string) => nameOf(one).toLowerCase();
  const near = new Set(nearestWords(typed, [...new Set(all.map(lower))]));
  return all.filter((one) => near.has(lower(one)));
}

/**
 * Words unknown filters for people.
 *
 * @param command The command before its flags: `conclaude memory search uploads`.
 * @param flags All flags that were given; the hint repeats them, with known values for the unknown ones.
 */
export function unknownText(
  unknown: readonly UnknownFilter[],
  command: string,
  flags: Readonly<Record<string, unknown>>,
): string[] {
  const likely = Object.fromEntries(
    unknown.map(({ flag, value, known }) => [flag, known[0] ?? value]),
  );
  return unknown.flatMap(({ flag, value, known }) => {
    const none = `Nothing at all is known of the ${flag} "${value}"`;
    return known.length === 0 ? [`${none}.`] : [
      `${none}; known: ${known.join(", ")}.`,
      `  next: ${command}${flagsAgain({ ...flags, ...likely })}`,
    ];
  });
}
