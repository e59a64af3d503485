/** Which files and branches are watched. The list of files is made of git's index, and kept until that changes. */
import { fingerprint } from "../../base/ids.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { settingsPaths } from "../../claude/settings/settings_place.ts";
import { gitFolders } from "../../system/git/repository.ts";
import { entriesOf, exists, namesIn } from "../../system/on_disk.ts";
import { fixedHead, forbidsFor, type GuardPolicy, isAboutAll } from "../guards/guard_policy.ts";
import { gitSettings } from "../files/own_files.ts";
import type { RequirementPolicy } from "../requirements/requirement_policy.ts";
import { readWatched, saveWatched } from "./effects_table.ts";
import { stateOf } from "./file_state.ts";
import type {
  EffectWork,
  Ground,
  PolicyKind,
  ProtectedBranches,
  WatchedRule,
  WatchList,
} from "./types.ts";

/** More files are not watched. */
const MAX_FILES = 2_000;
/** Of more files no digest is kept. */
const MAX_DIGESTS = 100;
/** More entries of a watched folder are not read. */
const MAX_ENTRIES = 500;

/** The rules about files that hold for every agent. */
export function watchedRules(
  { uneditable, tools, noAdditions, isStrict }: GuardPolicy,
): WatchedRule[] {
  const blocking = tools.filter((rule) =>
    rule.action === "block" && rule.about === "file" && !isAboutAll(rule) &&
    forbidsFor(rule, "Bash")
  );
  return [...uneditable, ...blocking, ...noAdditions].filter(({ agent }) => agent === null).map(
    (rule) => ({
      ...{ name: rule.name, glob: rule.glob, pattern: rule.pattern, needle: rule.needle },
      onlyNew: noAdditions.includes(rule),
      blocks: isStrict || rule.blocksAfter,
      writtenBy: rule.writtenBy,
    }),
  );
}

/** Makes a function that tells whether a rule means a file. */
function matcherOf({ pattern, needle }: WatchedRule, root: string): (path: string) => boolean {
  const regex = new RegExp(pattern, "s");
  const start = `${root}/`;
  return (path) =>
    path.includes(needle) &&
    ((path.startsWith(start) && regex.test(path.slice(start.length))) || regex.test(path));
}

/** Makes a function that finds the number of the rule by which a file is watched; -1 for none. */
function ruleFinder(rules: readonly WatchedRule[], root: string): (path: string) => number {
  const matchers = rules.map((rule) => rule.onlyNew ? () => false : matcherOf(rule, root));
  return (path) => matchers.findIndex((means) => means(path));
}

/** Adds the files that were on the list before: a command may have removed one from git's index, so that git no longer lists it. */
export function withFormer(
  list: WatchList,
  former: readonly string[],
  { rules, root }: Pick<Ground, "rules" | "root">,
): WatchList {
  const known = new Set(list.files.map(([path]) => path));
  const unlisted = former.filter((path) => !known.has(path));
  if (unlisted.length === 0) return list;
  const find = ruleFinder(rules, root);
  const more = unlisted.map((path) => [path, find(path)] as const).filter(([, rule]) => rule >= 0);
  return { ...list, files: [...list.files, ...more] };
}

/** Differs when git's index, what it ignores, or the rules have changed. */
export function stampOf(
  rules: readonly WatchedRule[],
  { root, repository }: Pick<Ground, "root" | "repository">,
): string {
  if (rules.length === 0) return "";
  const gitDir = repository === undefined ? null : gitFolders(repository).at(-1)!;
  const stamped = gitDir === null ? [root] : [
    joinPath(gitDir, "index"),
    joinPath(repository!.root, ".gitignore"),
    joinPath(repository!.commonDir, "info/exclude"),
  ];
  return [fingerprint(JSON.stringify(rules)), ...stamped.map(stateOf)].join(";");
}

/** The list as it is kept, or made anew under another stamp. */
export async function watchList(ground: Ground): Promise<WatchList> {
  const { db, root, rules, stamp } = ground;
  if (rules.length === 0) return { files: [], folders: [], left: 0, rules: "" };
  const kept = readWatched(db, root, stamp);
  if (kept !== null) return kept;
  const list = { ...await filesOfRules(ground), rules: stamp.slice(0, stamp.indexOf(";")) };
  saveWatched(db, root, { stamp, list });
  return list;
}

/** The files that rules mean: those that git knows, those in the folders of the rules, and those that a rule names. */
export async function filesOfRules(
  { rules, root, repository, environment }: Pick<
    Ground,
    "rules" | "root" | "repository" | "environment"
  >,
): Promise<Omit<WatchList, "rules">> {
  const { listFiles } = await import("../../system/git/brought_files.ts");
  const { tracked, others } = repository === undefined
    ? { tracked: [], others: [] }
    : await listFiles(repository, environment);
  const folders = rules.map((rule, i) => [folderOf(rule, root), i] as const);
  const files = new Map<string, number>();
  const find = ruleFinder(rules, root);
  const add = (path: string) => {
    const rule = find(path);
    if (rule >= 0) files.set(path, rule);
  };
  [...tracked, ...others].forEach(add);
  rules.forEach(({ glob, onlyNew }, i) => {
    if (!onlyNew && fixedHead(glob) === glob && !glob.endsWith("/")) {
      files.set(glob.startsWith("/") ? glob : joinPath(root, glob.replace(/^\.\//, "")), i);
    }
  });
  for (const [folder, i] of folders) filesIn(folder, rules[i]!, root).forEach(add);
  return {
    files: [...files].slice(0, MAX_FILES),
    untracked: others.filter((path) => files.has(path)).slice(0, MAX_DIGESTS),
    folders,
    left: Math.max(0, files.size - MAX_FILES),
  };
}

/** The folder in which all files of a rule lie. */
function folderOf({ glob }: WatchedRule, root: string): string {
  const head = fixedHead(glob.replace(/^\.\//, ""));
  const folder = head.slice(0, head.lastIndexOf("/") + 1);
  return folder.startsWith("/") ? parentOf(`${folder}x`) : parentOf(joinPath(root, `${folder}x`));
}

/** The files that a rule means in its folder, and below it unless that is the project's own. */
export function filesIn(folder: string, rule: WatchedRule, root: string): string[] {
  const folders = [folder];
  const found: string[] = [];
  let entries = 0;
  // The list grows during the loop.
  for (const at of folders) {
    for (const { name, isDirectory } of entriesOf(at) ?? []) {
      if (++entries > MAX_ENTRIES) return found;
      const path = joinPath(at, name);
      if (!isDirectory) found.push(path);
      else if (folder !== root && name !== ".git" && name !== "node_modules") folders.push(path);
    }
  }
  return found.filter(matcherOf(rule, root));
}

/** The policy files but for the configuration: the room `config/` compares that with its version in force. */
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
  ];
  const { executable, script } = environment.program;
  return [
    ...settings.map((path) => [path, "settings"] as const),
    // What git runs is not a list of settings.
    ...ofGit.map((path) =>
      [path, baseName(parentOf(path)) === "hooks" ? "other" : "git config"] as const
    ),
    ...folders.flatMap((folder) => ["workflows", "prompts"].map((name) => joinPath(folder, name)))
      .flatMap((folder) => (namesIn(folder) ?? []).map((name) => joinPath(folder, name)))
      .map((path) => [path, "other"] as const),
    ...script === null ? [[executable, "program"] as const] : [],
  ];
}

export function protectedBranches(policy: RequirementPolicy | null): ProtectedBranches {
  const names = (policy?.requirements ?? []).flatMap(({ condition }) =>
    condition.type === "protected_branch" ? condition.branches : []
  );
  return names.length > 0
    ? { names: [...new Set(names)], isNamed: true }
    : { names: ["main", "master"], isNamed: false };
}

/** The name by which a person knows a file: from the project's folder, else absolute. */
export function nameOf(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path || baseName(root);
}
