/** Reads the states of watched files and branches. */
import { headLogBytes } from "../../system/git/reflogs.ts";
import { readRef } from "../../system/git/repository.ts";
import { stateOf } from "./file_state.ts";
import type { Ground } from "./ground_of_effects.ts";
import type { Snapshot, WatchList } from "./types.ts";
import { filesIn } from "./watched.ts";

/** @param known What need not be read again. */
export function takeSnapshot(
  list: WatchList,
  { rules, place, kinds, branches, stamp, work: { repository, atMs, config: { held } } }: Ground,
  known: Pick<Snapshot, "heads"> & Partial<Pick<Snapshot, "files" | "folders">>,
): Snapshot {
  const statesOf = (paths: readonly string[]) =>
    Object.fromEntries(paths.map((path) => [path, stateOf(path)]));
  const refOf = (name: string) => repository === undefined ? "" : readRef(repository, name) ?? "";
  const names = repository === undefined ? [] : branches.names;
  const head = repository?.branch ?? "";
  return {
    ...{ atMs, held, stamp, head, rules: list.rules, left: list.left },
    heads: known.heads,
    policy: statesOf([...kinds.keys()]),
    files: known.files ?? statesOf(list.files.map(([path]) => path)),
    folders: known.folders ?? Object.fromEntries(
      list.folders.map(([folder, i]) => [`${i} ${folder}`, filesIn(folder, rules[i]!, place.root)]),
    ),
    refs: Object.fromEntries(names.map((name) => [`refs/heads/${name}`, refOf(`heads/${name}`)])),
    commit: head === "" ? "" : refOf(`heads/${head}`),
    stash: refOf("stash"),
    logBytes: repository === undefined ? 0 : headLogBytes(repository) ?? 0,
  };
}
