/** Finds a project's policy files that do not count: others can write them, or another file outranks them. */
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { joinPath } from "../base/paths.ts";
import { exists, namesIn } from "../system/on_disk.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import {
  type ConfigFile,
  type Distrust,
  isLeftOut,
  searchedFolders,
  trustHere,
  type TrustPlace,
  whyDistrusted,
} from "./discover.ts";

/** The folder with a project's workflows, prompts and matchers. */
export const OWN_FOLDER = ".conclaude";
export const MATCHERS = "workflow-matchers.yaml";

const MAX_NAMED = 3;

export interface LeftOut {
  readonly path: string;
  readonly why: string;
  /** The command after which the file counts. */
  readonly next: string;
}

/** Returns the folders that are searched for a project: its own, then the top of its repository. */
export function foldersOf(projectDir: string): string[] {
  const root = findRepository(lookUpwards(projectDir))?.root;
  const folders = root === undefined || root === projectDir ? [projectDir] : [projectDir, root];
  return folders.map((folder) => joinPath(folder, OWN_FOLDER));
}

/** Returns why a file in a project's `.conclaude` folder does not count; null when it counts. */
export function whyNotOf(projectDir: string, path: string, trust = trustHere()): LeftOut | null {
  const { top } = searchedFolders(lookUpwards(projectDir), trust.home);
  const folder = path.slice(0, path.lastIndexOf(`/${OWN_FOLDER}/`));
  const distrust = whyDistrusted(path, { top, folder, by: trust });
  return distrust === null ? null : leftOut(path, distrust);
}

/** Returns the reason and the way out, as a part of a sentence. */
export function leftOutText({ why, next }: Pick<LeftOut, "why" | "next">): string {
  return `it is left out: ${why}. So that it counts: \`${next}\``;
}

/** Returns all files that are left out for a project. @param files As `readConfigFiles()` found them. */
export function listLeftOut(
  files: readonly ConfigFile[],
  projectDir: string | null,
  trust: TrustPlace,
): LeftOut[] {
  const ofConfig = files.filter(isLeftOut).map(({ path, distrust }) => leftOut(path, distrust));
  const others = projectDir === null ? [] : foldersOf(projectDir).flatMap((folder) => [
    ...namedIn(folder, (name) => name === MATCHERS),
    ...namedIn(joinPath(folder, "workflows"), (name) => /\.ya?ml$/.test(name)),
    ...namedIn(joinPath(folder, "prompts"), (name) => name.endsWith(".md")),
  ]).flatMap((path) => whyNotOf(projectDir!, path, trust) ?? []);
  return [...ofConfig, ...others];
}

export function leftOutNotice(
  files: readonly ConfigFile[],
  projectDir: string | null,
  trust: TrustPlace,
): string | null {
  const all = listLeftOut(files, projectDir, trust);
  if (all.length === 0) return null;
  const named = all.slice(0, MAX_NAMED)
    .map(({ path, why, next }) => `${path}: ${why} (so that it counts: \`${next}\`)`);
  const more = all.length > MAX_NAMED ? `; and ${all.length - MAX_NAMED} more` : "";
  return "conclaude: files that others could have written do not count. Left out: " +
    `${named.join("; ")}${more}. See \`conclaude config path\`.`;
}

function leftOut(path: string, { why, next }: Distrust): LeftOut {
  return { path, why, next: next.map(quoteWord).join(" ") };
}

function namedIn(folder: string, matches: (name: string) => boolean): string[] {
  return (namesIn(folder) ?? []).filter(matches).sort().map((name) => joinPath(folder, name));
}

/** Returns the `.yml` files beside a `.yaml` that counts. @param files As `readConfigFiles()` found them. */
export function passedOver(
  files: readonly ConfigFile[],
): { readonly path: string; readonly counts: string }[] {
  return files.flatMap(({ layer, path: counts }) => {
    const path = counts.replace(/\.yaml$/, ".yml");
    return layer !== "local" && path !== counts && exists(path) ? [{ path, counts }] : [];
  });
}
