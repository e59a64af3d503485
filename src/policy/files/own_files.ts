/** Finds the files that the guards depend on, including links to them. */
import type { ConfigFile } from "../../config/discover.ts";
import type { Environment } from "../../system/environment.ts";
import { gitFolders, type Repository } from "../../system/git/repository.ts";
import { treesOf } from "../../system/git/working_trees.ts";
import type { OwnFile, OwnKind } from "../guards/types.ts";
import { baseName, joinPath, parentOf, resolvePath, withParents } from "../../base/paths.ts";
import { findOnPath, isBareName, isSameFile } from "../../system/process/executable.ts";
import { linkAt, namesIn } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import { settingsPaths } from "../../claude/settings/settings_place.ts";

export interface OwnPlaces {
  readonly configFiles: readonly Pick<ConfigFile, "path">[];
  readonly database: string;
  readonly repository: Repository | undefined;
  readonly environment: Environment;
}

export type KnownPlaces = OwnPlaces & { readonly configFiles: readonly ConfigFile[] };

const MAX_WAYS = 16;

/**
 * Lists the files that count now: configuration, database, Claude Code's settings, the folders of code that runs
 * inside it, the executable, and the files that tell the branch. For a file behind links, lists every link on the way,
 * too.
 */
export function ownFiles(
  { configFiles, database, repository, environment }: OwnPlaces,
  at: {
    readonly projectDir: string | null;
    readonly home: string | null;
    readonly protectsOtherTrees: boolean;
  },
): OwnFile[] {
  const home = at.home ?? undefined;
  const configDir = environment.variable("CLAUDE_CONFIG_DIR");
  const settings = settingsPaths({ projectDir: at.projectDir ?? "/", home, configDir });
  const clientFolders = new Set([
    ...(home === undefined ? [] : [joinPath(home, ".claude")]),
    ...(configDir ? [parentOf(settings.at(-1)!)] : []),
  ]);
  const inClient = (names: readonly string[]) =>
    [...clientFolders].flatMap((folder) => names.map((name) => joinPath(folder, name)));
  const databases = database === ":memory:" ? [] : waysTo(database);
  const gitDirs = repository === undefined ? [] : gitFolders(repository);
  const files: readonly (readonly [kind: OwnKind, paths: readonly string[]])[] = [
    ["guards", configFiles.flatMap(({ path }) => waysTo(path))],
    ["guards", databases.flatMap((path) => ["", "-wal", "-shm"].map((ending) => path + ending))],
    ["settings", waysInFolders(settings)],
    ["mods", waysInFolders(inClient(["plugins", "dev-mods"]))],
    ["skills", waysInFolders(inClient(["skills"]))],
    // A program that runs from source lies in a checkout that people work on.
    ["program", environment.program.script === null ? ownPaths(environment).flatMap(waysTo) : []],
    ["git", gitDirs.flatMap((folder) => [folder, joinPath(folder, "HEAD")])],
    ["trees", treesBeside(repository, at)],
    [
      "search",
      foldersBelow(configFiles, at.projectDir)
        .flatMap((folder) => ["", "/HEAD", "/config"].map((name) => `${folder}/.git${name}`)),
    ],
  ];
  return files.flatMap(([kind, paths]) => paths.map((path) => ({ kind, path })));
}

/** Lists the settings of a repository, and the hooks that git runs. */
export function gitSettings(repository: Repository): string[] {
  const hooks = joinPath(repository.commonDir, "hooks");
  const programs = (namesIn(hooks) ?? []).filter((name) => !name.endsWith(".sample"));
  return [
    joinPath(repository.commonDir, "config"),
    joinPath(gitFolders(repository).at(-1)!, "config.worktree"),
    ...programs.map((name) => joinPath(hooks, name)),
  ];
}

/** Lists the other working trees of the repository, including the main one; none where no rule protects them. */
function treesBeside(
  repository: Repository | undefined,
  { protectsOtherTrees }: { readonly protectsOtherTrees: boolean },
): readonly string[] {
  if (!protectsOtherTrees || repository === undefined) return [];
  const { root, commonDir } = repository;
  const here = realPath(root);
  // A tree that contains this one also contains its files.
  return treesOf(commonDir).map((tree) => realPath(tree.root))
    .filter((tree) => !`${here}/`.startsWith(`${tree}/`));
}

/** Lists the folders from the project's folder up to the folder of the configuration file. */
function foldersBelow(
  files: OwnPlaces["configFiles"],
  projectDir: string | null,
): readonly string[] {
  const folders = projectDir === null ? [] : withParents(projectDir);
  const holders = files.map(({ path }) => parentOf(path));
  return folders.slice(0, Math.max(0, folders.findLastIndex((folder) => holders.includes(folder))))
    .filter((folder) => !holders.includes(folder));
}

/** Lists the executable, and the link by which it was started, without which the hooks do not run. */
function ownPaths({ program, variable, cwd }: Environment): string[] {
  const { executable, startedAs } = program;
  const started = isBareName(startedAs)
    ? findOnPath(startedAs, variable("PATH"))
    : [resolvePath(startedAs, { folder: cwd() })];
  const isLink = (path: string) => path !== executable && isSameFile(path, executable);
  return [executable, ...started.filter(isLink)];
}

/** Finds the ways to several paths. Lists their folders, since most of the files are missing, and each try is slow. */
function waysInFolders(paths: readonly string[]): string[] {
  return [...Map.groupBy(paths, parentOf)].flatMap(([folder, files]) => {
    const names = namesIn(folder);
    if (names === null) return files;
    const real = realPath(folder);
    return files.flatMap((path) =>
      names.includes(baseName(path)) ? waysTo(path) : [path, joinPath(real, baseName(path))]
    );
  });
}

/** Lists a path, its target, and every link in between, since to remove any of them removes the file. */
function waysTo(path: string): string[] {
  const ways = [path];
  const real = realPath(path);
  for (let at = path; at !== real && ways.length < MAX_WAYS;) {
    const target = linkAt(at);
    // This path is no link; only a folder above it is one.
    if (target === null) break;
    at = resolvePath(target, { folder: realPath(parentOf(at)) });
    ways.push(at, joinPath(realPath(parentOf(at)), baseName(at)));
  }
  return [...new Set([...ways, real])];
}
