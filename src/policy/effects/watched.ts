/** Lists the files and branches to watch. The list of files comes from git's index, and is stored until it changes. */
import type { DatabaseSync } from "node:sqlite";
import { fingerprint } from "../../base/ids.ts";
import { baseName, fromFolder, joinPath, parentOf } from "../../base/paths.ts";
import { settingsPaths } from "../../claude/settings/settings_place.ts";
import { keepFile, keptText } from "../../config/store.ts";
import { gitFolders } from "../../system/git/repository.ts";
import { entriesOf, exists, namesIn, readText, sharedFile } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import { fixedHead, forbidsFor, type GuardPolicy, isAboutAll } from "../guards/guard_policy.ts";
import { gitSettings } from "../files/own_files.ts";
import type { OwnFile } from "../guards/types.ts";
import type { RequirementPolicy } from "../requirements/requirement_policy.ts";
import { readWatched, saveWatched } from "./effects_table.ts";
import { MAX_DIGESTS, stateOf } from "./file_state.ts";
import type {
  EffectWork,
  Ground,
  PolicyKind,
  ProtectedBranches,
  WatchedRule,
  WatchList,
} from "./types.ts";

/** How many files are watched at most. */
const MAX_FILES = 2_000;
/** How many entries of a watched folder, and of the folders below it, are read at most; further ones are not watched. */
const MAX_ENTRIES = 500;

/** Returns the rules about files that hold for every agent. */
export function watchedRules({ rules, isStrict }: GuardPolicy): WatchedRule[] {
  return rules.filter((rule) =>
    rule.agent === null && rule.action === "block" && rule.about !== "command" &&
    (rule.about !== "file" || (!isAboutAll(rule) && forbidsFor(rule, "Bash")))
  ).map(({ name, glob, pattern, needle, about, blocksAfter, writtenBy }) => ({
    name,
    glob,
    pattern,
    needle,
    writtenBy,
    onlyNew: about === "addition",
    blocks: isStrict || blocksAfter,
  }));
}

/** Makes a function that tells whether a rule matches a file. */
function matcherOf(
  { pattern, needle }: WatchedRule,
  roots: readonly string[],
): (path: string) => boolean {
  const regex = new RegExp(pattern, "s");
  const isBelow = (path: string, start: string) =>
    path.startsWith(start) && regex.test(path.slice(start.length));
  return (path) =>
    path.includes(needle) &&
    (roots.some((root) => isBelow(path, `${root}/`)) || regex.test(path));
}

type RulesAndRoots = Pick<Ground, "rules" | "roots">;

/** Makes a function that finds the number of the rule by which a file is watched, or a new file; -1 for none. */
export function ruleFinder(
  { rules, roots }: RulesAndRoots,
): (path: string, isNew?: boolean) => number {
  const matchers = rules.map((rule) => matcherOf(rule, roots));
  return (path, isNew = false) =>
    matchers.findIndex((means, i) => (isNew || !rules[i]!.onlyNew) && means(path));
}

/**
 * Adds the files that only the last list has: a command may have removed them from git's index. Files elsewhere whose
 * folder is gone belonged to a working tree that was removed.
 */
export function withFormer(
  list: WatchList,
  former: readonly string[],
  { rules, roots }: RulesAndRoots,
): WatchList {
  const known = new Set(list.files.map(([path]) => path));
  const unlisted = former.filter((path) =>
    !known.has(path) && (path.startsWith(`${roots[0]}/`) || exists(parentOf(path)))
  );
  if (unlisted.length === 0) return list;
  const find = ruleFinder({ rules, roots });
  const added = unlisted.map((path) => [path, find(path)] as const).filter(([, rule]) => rule >= 0);
  return { ...list, files: [...list.files, ...added] };
}

/** Returns the stored list of files to watch; a new one once git's index, the ignore files or the rules have changed. */
export async function watchList(ground: Ground): Promise<WatchList> {
  const { db, roots: [root], rules, repository } = ground;
  if (rules.length === 0) return { files: [], folders: [], left: 0, rules: "" };
  const stamped = repository === undefined ? [root] : [
    joinPath(gitFolders(repository).at(-1)!, "index"),
    joinPath(repository.root, ".gitignore"),
    joinPath(repository.commonDir, "info/exclude"),
  ];
  const print = fingerprint(JSON.stringify(rules));
  const stamp = [print, ...stamped.map(stateOf)].join(";");
  const stored = readWatched(db, root, stamp);
  if (stored !== null) return stored;
  const list = { ...await filesOfRules(ground), rules: print };
  saveWatched(db, root, { stamp, list });
  return list;
}

/**
 * Maps each file with several names to the names that the policy or a rule about files protects. Called only where a
 * tool use changes a file with several names.
 */
export async function protectedLinks(
  policy: GuardPolicy,
  own: readonly OwnFile[],
  place: Pick<Ground, "roots" | "repository" | "environment">,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rules = watchedRules(policy);
  const watched = rules.length === 0 ? [] : (await filesOfRules({ ...place, rules })).files;
  const names = [
    ...own.map(({ path }) => path),
    ...policy.protectsItself && place.repository !== undefined ? gitSettings(place.repository) : [],
    ...watched.map(([path]) => path),
  ];
  const links = Map.groupBy(new Set(names.map(realPath)), sharedFile);
  return new Map([...links].flatMap(([file, paths]) => file === null ? [] : [[file, paths]]));
}

/** Finds the files that rules match: files that git knows, files in the rules' folders, and files that a rule names. */
async function filesOfRules(
  given: RulesAndRoots & Pick<Ground, "repository" | "environment">,
): Promise<Omit<WatchList, "rules">> {
  const { rules, roots, repository, environment } = given;
  const { listFiles } = await import("../../system/git/versions.ts");
  const { tracked, others } = repository === undefined
    ? { tracked: [], others: [] }
    : await listFiles(repository, environment);
  const folders = roots.flatMap((root) =>
    rules.map((rule, i) => [folderOf(rule, root), i] as const)
  );
  const files = new Map<string, number>();
  const find = ruleFinder(given);
  const add = (path: string) => {
    const rule = find(path);
    if (rule >= 0) files.set(path, rule);
  };
  [...tracked, ...others].forEach(add);
  rules.forEach(({ glob, onlyNew }, i) => {
    if (!onlyNew && fixedHead(glob) === glob && !glob.endsWith("/")) {
      const named = glob.replace(/^\.\//, "");
      for (const root of roots) files.set(glob.startsWith("/") ? glob : joinPath(root, named), i);
    }
  });
  const list = fileLister(roots);
  for (const [folder, i] of folders) list(folder, rules[i]!).files.forEach(add);
  return {
    files: [...files].slice(0, MAX_FILES),
    untracked: others.filter((path) => files.has(path)).slice(0, MAX_DIGESTS),
    folders,
    left: Math.max(0, files.size - MAX_FILES),
  };
}

/** Returns the folder in which all files of a rule lie. */
function folderOf({ glob }: WatchedRule, root: string): string {
  const head = fixedHead(glob.replace(/^\.\//, ""));
  const folder = head.slice(0, head.lastIndexOf("/") + 1);
  return folder.startsWith("/") ? parentOf(`${folder}x`) : parentOf(joinPath(root, `${folder}x`));
}

/** How many folders in one folder are asked for in vain before its names are read. */
const MAX_IN_VAIN = 3;

/**
 * Makes a function that lists the files that a rule matches in its folder, and below it unless it is the project's
 * folder. It asks for no folder whose first name the project's folder does not have, and for few missing ones of the
 * same parent: each question about a missing folder costs 50 µs.
 */
export function fileLister(
  roots: readonly string[],
): (folder: string, rule: WatchedRule) => Listed {
  // Some file systems do not distinguish upper and lower case, or how an accented letter is composed.
  const plain = (name: string) => name.normalize("NFC").toLowerCase();
  const known = new Map<string, readonly string[] | "unknown">();
  const inVain = new Map<string, number>();
  return (folder, rule) => {
    const root = roots.findLast((root) => folder.startsWith(`${root}/`));
    const parent = parentOf(folder);
    const asked = inVain.get(parent) ?? 0;
    const isMissing = root !== undefined &&
      (lacks(root, folder.slice(root.length + 1).split("/", 1)[0]!) ||
        (asked >= MAX_IN_VAIN && lacks(parent, baseName(folder))));
    if (isMissing) return { files: [], isCut: false };
    const listed = matchingIn(folder, rule, roots);
    if (listed.files.length === 0) inVain.set(parent, asked + 1);
    return listed;
  };

  function lacks(folder: string, name: string): boolean {
    const names = known.get(folder) ?? namesIn(folder)?.map(plain) ?? "unknown";
    known.set(folder, names);
    return names !== "unknown" && name !== ".." && !names.includes(plain(name));
  }
}

interface Listed {
  readonly files: readonly string[];
  /** Whether there are too many entries to read all. */
  readonly isCut: boolean;
}

function matchingIn(folder: string, rule: WatchedRule, roots: readonly string[]): Listed {
  const entries = entriesBelow(folder, !roots.includes(folder)).take(MAX_ENTRIES + 1).toArray();
  const isCut = entries.length > MAX_ENTRIES;
  const files = entries.slice(0, MAX_ENTRIES)
    .flatMap(({ path, isDirectory }) => isDirectory ? [] : [path]);
  return { files: files.length === 0 ? [] : files.filter(matcherOf(rule, roots)), isCut };
}

function* entriesBelow(folder: string, isDeep: boolean) {
  const folders = [folder];
  // The list grows during the loop.
  for (const at of folders) {
    for (const { name, isDirectory } of entriesOf(at) ?? []) {
      const path = joinPath(at, name);
      const isSearched = isDirectory && isDeep && name !== ".git" && name !== "node_modules";
      if (isSearched) folders.push(path);
      yield { path, isDirectory };
    }
  }
}

/** Lists the policy files except the configuration, which the room `config/` compares with its version in force. */
export function policyFiles(
  { projectDir, home, repository, environment, locations }: EffectWork & Pick<Ground, "projectDir">,
): readonly (readonly [path: string, PolicyKind])[] {
  const configDir = environment.variable("CLAUDE_CONFIG_DIR");
  const settings = settingsPaths({ projectDir, home: home ?? undefined, configDir });
  const ofGit = repository === undefined ? [] : gitSettings(repository);
  const ours = joinPath(projectDir, ".conclaude");
  const folders = [
    ...exists(ours) ? [ours] : [],
    ...locations.dataNames.includes("workflows") ? [locations.dataFolder] : [],
  ].flatMap((folder) => ["workflows", "prompts"].map((name) => joinPath(folder, name)));
  const inFolder = (folder: string) => namesIn(folder)?.map((name) => joinPath(folder, name)) ?? [];
  // A hook of git is a program, not a list of settings.
  const kindOf = (path: string) => baseName(parentOf(path)) === "hooks" ? "other" : "git config";
  const { executable, script } = environment.program;
  return [
    ...settings.map((path) => [path, "settings"] as const),
    ...ofGit.map((path) => [path, kindOf(path)] as const),
    ...folders.flatMap(inFolder).map((path) => [path, "other"] as const),
    ...script === null ? [[executable, "program"] as const] : [],
  ];
}

/** The size up to which policy files are stored, in bytes. */
const MAX_TEXT_BYTES = 262_144;

/** Reads a policy file; null where it is missing, unreadable or too large to be stored. */
export function policyText(path: string): string | null {
  return readText(path, MAX_TEXT_BYTES);
}

/** Stores the present texts of policy files. A missing file is stored only if its earlier text is. */
export function keepPolicy(db: DatabaseSync, paths: readonly string[], atMs: number): void {
  for (const path of paths) {
    const text = policyText(path);
    if (text !== null || keptText(db, path) !== undefined) keepFile(db, path, { text, atMs });
  }
}

export function protectedBranches(policy: RequirementPolicy | null): ProtectedBranches {
  const names = (policy?.requirements ?? []).flatMap(({ condition }) =>
    condition.type === "protected_branch" ? condition.branches : []
  );
  return names.length > 0
    ? { names: [...new Set(names)], isNamed: true }
    : { names: ["main", "master"], isNamed: false };
}

/** Returns the name by which a person knows a file: relative to the project's folder, else absolute. */
export function nameOf(path: string, root: string): string {
  return fromFolder(root, path) || path || baseName(root);
}
