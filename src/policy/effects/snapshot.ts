/** Reads the states of watched files and branches. */
import { headLogBytes } from "../../system/git/reflogs.ts";
import { readRef, type Repository } from "../../system/git/repository.ts";
import { stateOf } from "./file_state.ts";
import { filesIn } from "./watched.ts";
import type { Snapshot, WatchedRule, WatchList } from "./types.ts";

export function takeSnapshot(
  { list, rules, root, policy, repository, branches }: {
    readonly list: WatchList;
    readonly rules: readonly WatchedRule[];
    readonly root: string;
    readonly policy: readonly string[];
    readonly repository: Repository | undefined;
    readonly branches: readonly string[];
  },
  seen:
    & Pick<Snapshot, "atMs" | "held" | "heads" | "stamp">
    & Partial<Pick<Snapshot, "files" | "folders">>,
): Snapshot {
  const statesOf = (paths: readonly string[]) =>
    Object.fromEntries(paths.map((path) => [path, stateOf(path)]));
  const refOf = (name: string) => repository === undefined ? "" : readRef(repository, name) ?? "";
  const head = repository?.branch ?? "";
  return {
    atMs: seen.atMs,
    held: seen.held,
    heads: seen.heads,
    rules: list.rules,
    stamp: seen.stamp,
    left: list.left,
    policy: statesOf(policy),
    files: seen.files ?? statesOf(list.files.map(([path]) => path)),
    folders: seen.folders ?? Object.fromEntries(
      list.folders.map(([folder, i]) => [`${i} ${folder}`, filesIn(folder, rules[i]!, root)]),
    ),
    refs: repository === undefined
      ? {}
      : Object.fromEntries(branches.map((name) => [`refs/heads/${name}`, refOf(`heads/${name}`)])),
    head,
    commit: head === "" ? "" : refOf(`heads/${head}`),
    stash: refOf("stash"),
    logBytes: repository === undefined ? 0 : headLogBytes(repository) ?? 0,
  };
}
