/** Asks git for the versions of files in commits, and for branches that have a commit. */
import type { Environment } from "../environment.ts";
import { fromFolder, joinPath } from "../../base/paths.ts";
import { exists, kindAt } from "../on_disk.ts";
import type { Repository } from "./repository.ts";
import { askGit } from "./run_git.ts";

/** The most commits in which a version is looked for. */
const MAX_COMMITS = 20;

/** Whether the id of a commit stands for none: before a first commit, or as the parent of one. */
export const isNone = (commit: string) => /^0*$/.test(commit);

/** The working tree in which git is asked, what it is asked about, and the environment. */
export type Question<About> = [
  at: Pick<Repository, "root">,
  about: About,
  environment: Pick<Environment, "variable">,
];

/** Returns what git prints; null where it fails or does not answer in time. */
export function answer(
  ...[{ root }, words, environment]: Question<readonly string[]>
): Promise<string | null> {
  return askGit(root, words, { environment });
}

/** Returns the names that git prints with a NUL after each. */
export async function namesFrom(
  ...question: Question<readonly string[]>
): Promise<string[] | null> {
  return (await answer(...question))?.split("\0").filter((name) => name !== "") ?? null;
}

/** The remote-tracking branches that have a commit, with their own; none where git does not answer. */
export async function remotesWith(
  ...[at, commit, environment]: Question<string>
): Promise<{ readonly ref: string; readonly commit: string }[]> {
  const format = "--format=%(objectname) %(symref) %(refname)";
  const words = ["for-each-ref", format, "--contains", commit, "refs/remotes"];
  return (await answer(at, words, environment) ?? "").split("\n").flatMap((line) => {
    const [commit = "", symbolic, ref] = line.split(" ");
    return symbolic === "" && ref !== undefined ? [{ ref, commit }] : [];
  });
}

/** Tells whether a branch has a commit; false where git does not answer. */
export async function isInBranch(...[at, commit, environment]: Question<string>): Promise<boolean> {
  const words = ["for-each-ref", "--count=1", "--contains", commit, "refs/heads"];
  return (await answer(at, words, environment) ?? "").trim() !== "";
}

/** Tells whether one commit is an ancestor of another; false where git does not answer. */
export async function isBefore(
  ...[at, { earlier, later }, environment]: Question<
    { readonly earlier: string; readonly later: string }
  >
): Promise<boolean> {
  return await answer(at, ["merge-base", "--is-ancestor", earlier, later], environment) !== null;
}

/** Files in a commit, by their absolute paths; those outside of the working tree do not count. */
interface InCommit {
  readonly commit: string;
  readonly paths: readonly string[];
}

export function namesOf({ root }: Pick<Repository, "root">, paths: readonly string[]): string[] {
  return paths.flatMap((path) => fromFolder(root, path) || []);
}

export function pathsOf({ root }: Pick<Repository, "root">, names: Iterable<string>): Set<string> {
  return new Set(Array.from(names, (name) => joinPath(root, name)));
}

/** Returns the files that a commit has; none where git does not answer. */
export async function filesIn(
  ...[at, { commit, paths }, environment]: Question<InCommit>
): Promise<ReadonlySet<string>> {
  const entries = await entriesIn(at, { commit, names: namesOf(at, paths) }, environment);
  return pathsOf(at, entries?.keys() ?? []);
}

/**
 * Returns the files that are as in a commit, present or missing; none where git does not answer.
 * @param about `where`: whether the working tree has them like that (`disk`), `HEAD`, or both. In the working tree alone
 * a missing file counts only if the commit has removed it.
 */
export async function filesAsIn(
  ...[at, { commit, paths, where }, environment]: Question<
    InCommit & { readonly where: "disk" | "HEAD" | "both" }
  >
): Promise<ReadonlySet<string>> {
  const names = namesOf(at, paths);
  const idsIn = async (one: string) => {
    const entries = await entriesIn(at, { commit: one, names }, environment);
    return entries && new Map(Array.from(entries, ([name, { id }]) => [name, id]));
  };
  const [then, ...now] = await Promise.all([
    idsIn(commit),
    ...where === "disk" ? [] : [idsIn("HEAD")],
    ...where === "HEAD" ? [] : [idsOnDisk(at, names, environment)],
  ]);
  if (!then || now.includes(null)) return new Set();
  const same = pathsOf(
    at,
    names.filter((name) => now.every((ids) => ids!.get(name) === then.get(name))),
  );
  if (where !== "disk") return same;
  const missing = [...same.difference(pathsOf(at, then.keys()))];
  const removed = await filesIn(at, { commit: `${commit}^`, paths: missing }, environment);
  for (const path of missing) if (exists(path) || !removed.has(path)) same.delete(path);
  return same;
}

/**
 * Returns the files that `HEAD` does not have, but of which a branch or a stash has a version of the size that they had;
 * none without an answer.
 * @param sizes In bytes, by path.
 */
export async function keptApart(
  ...[at, sizes, environment]: Question<ReadonlyMap<string, string>>
): Promise<ReadonlySet<string>> {
  const paths = [...sizes.keys()];
  const inHead = await filesIn(at, { commit: "HEAD", paths }, environment);
  const names = namesOf(at, paths.filter((path) => !inHead.has(path)));
  if (names.length === 0) return new Set();
  const words =
    `log --all --max-count=${MAX_COMMITS} --diff-filter=AM --format= --raw --no-abbrev --no-renames -z`;
  const text = await answer(at, [...words.split(" "), "--", ...names], environment) ?? "";
  const versions = [...text.matchAll(/:\d+ \d+ \S+ (\S+) [AM]\0([^\0]+)\0/g)];
  const input = versions.map(([, id]) => `${id}\n`).join("");
  const asked = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
  const lines = await askGit(at.root, asked, { environment, input }) ?? "";
  const sizeOf = new Map(lines.split("\n").map((line) => line.split(" ") as [string, string]));
  const found = versions.filter(([, id, name]) =>
    sizeOf.get(id!) === sizes.get(joinPath(at.root, name!))
  );
  return pathsOf(at, found.map(([, , name]) => name!));
}

/**
 * Tells which files a commit has (`kept`), which of them are changed although git takes them for unchanged (`hidden`), by
 * its index, and whether objects replace others.
 */
export async function versionsIn(...[at, { commit, paths }, environment]: Question<InCommit>) {
  const differing = ["diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", commit, "--"];
  const names = namesOf(at, paths);
  const [kept, same, changed, replaced] = await Promise.all([
    filesIn(at, { commit, paths }, environment),
    filesAsIn(at, { commit, paths, where: "disk" }, environment),
    namesFrom(at, [...differing, ...names], environment),
    answer(at, ["for-each-ref", "--count=1", "refs/replace"], environment),
  ]);
  const hidden = kept.difference(same).difference(pathsOf(at, changed ?? names));
  return { kept, hidden, byObjects: Boolean(replaced) };
}

/** Returns the content of a file in a commit; null where the commit has none, and outside of the working tree. */
export async function textIn(
  ...[at, { commit, path }, environment]: Question<
    { readonly commit: string; readonly path: string }
  >
): Promise<string | null> {
  const name = fromFolder(at.root, path);
  return name === null
    ? null
    : await answer(at, ["cat-file", "blob", `${commit}:${name}`], environment);
}

/** Returns the sizes of files in a commit, in bytes, by absolute path; none where git does not answer. */
export async function sizesIn(
  ...[at, { commit, paths }, environment]: Question<InCommit>
): Promise<ReadonlyMap<string, string>> {
  const entries = await entriesIn(at, { commit, names: namesOf(at, paths) }, environment);
  return new Map(
    Array.from(entries ?? [], ([name, { size }]) => [joinPath(at.root, name), size]),
  );
}

/** The ids and sizes (in bytes) of files in a commit, by name; null where git does not answer. */
export async function entriesIn(
  ...[at, { commit, names }, environment]: Question<
    { readonly commit: string; readonly names: readonly string[] }
  >
): Promise<ReadonlyMap<string, { readonly id: string; readonly size: string }> | null> {
  if (names.length === 0 || isNone(commit)) return new Map();
  const lines = await namesFrom(at, ["ls-tree", "-l", "-z", commit, "--", ...names], environment);
  return lines && new Map(
    lines.map((line) => {
      const [, id = "", size = "", name = ""] = /^\d+ \w+ (\S+) +(\S+)\t(.*)$/s.exec(line) ?? [];
      return [name, { id, size }];
    }),
  );
}

/** The ids that git would give the contents of files, by name; null where it does not answer. */
export async function idsOnDisk(
  ...[at, names, environment]: Question<readonly string[]>
): Promise<ReadonlyMap<string, string> | null> {
  const files = names.filter((name) => kindAt(joinPath(at.root, name)) === "file");
  if (files.length === 0) return new Map();
  const ids = (await answer(at, ["hash-object", "--", ...files], environment))?.split("\n");
  return ids === undefined ? null : new Map(files.map((name, i) => [name, ids[i]!]));
}

/** Returns the files of a working tree, absolute: tracked, new and ignored ones, but none in ignored folders. */
export async function listFiles(
  { root }: Pick<Repository, "root">,
  environment: Pick<Environment, "variable">,
): Promise<{ readonly tracked: readonly string[]; readonly others: readonly string[] }> {
  const ask = async (...which: readonly string[]) => {
    const words = ["ls-files", "-z", "--exclude-standard", ...which];
    const names = await namesFrom({ root }, words, environment) ?? [];
    return names.flatMap((name) => name.endsWith("/") ? [] : joinPath(root, name));
  };
  const [tracked, fresh, ignored] = await Promise.all([
    ask("--cached"),
    ask("--others"),
    ask("--others", "--ignored", "--directory"),
  ]);
  return { tracked, others: [...fresh, ...ignored] };
}
