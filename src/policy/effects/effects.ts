/** Looks for changes that nothing has allowed: between tool uses, after a command, and when Claude stops. */
import { headLogBytes } from "../../system/git/reflogs.ts";
import { readRef } from "../../system/git/repository.ts";
import { counterparts } from "../../system/git/working_trees.ts";
import { fromFolder, joinPath } from "../../base/paths.ts";
import { namesIn } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import { policiesIn } from "../policies.ts";
import { mayMeanMoves } from "../requirements/requirement_look.ts";
import { lookedAt, openViolations, readSnapshot, saveSnapshot } from "./effects_table.ts";
import { digestsOf, stateOf } from "./file_state.ts";
import type { EffectWork, Ground, Moment, Snapshot, Violation, WatchList } from "./types.ts";
import {
  fileLister,
  keepPolicy,
  policyFiles,
  protectedBranches,
  watchedRules,
  watchList,
  withFormer,
} from "./watched.ts";

export interface Effects {
  readonly found: readonly Violation[];
  /** The unsettled violations of this session, including `found`. */
  readonly open: readonly Violation[];
  /** How many protected files are not watched, because there are too many. */
  readonly unwatched: number;
}

/** For this time after a command, in milliseconds, the next tool use does not read the files again. */
const FRESH_MS = 1_000;

/**
 * Compares the present state with the session's last snapshot, and stores the violations and the new snapshot. Most
 * looks find nothing and only read.
 * @param isLifted Tells whether a person has lifted the rules.
 * @throws {Error} When there is no database to compare with, or what SQLite says.
 */
export async function lookForEffects(
  work: EffectWork,
  moment: Moment,
  isLifted: () => boolean,
): Promise<Effects> {
  const ground = await groundOf(work);
  if (ground === null) return { found: [], open: [], unwatched: 0 };
  const { db, rules, kinds, sessionId, atMs } = ground;
  const before = readSnapshot(db, sessionId);
  const listed = await watchList(ground);
  const list = withFormer(listed, Object.keys(before?.files ?? {}), ground);
  const open = openViolations(db, ground.project);
  // The look after the command finds changes since this one, by the times in the file system. A file that somebody
  // restores meanwhile must be seen before the command changes it again.
  const isFresh = moment.is === "before" && before !== null &&
    before.tree === ground.repository?.root &&
    !open.some(({ kind }) => kind === "file") &&
    atMs - (lookedAt(db, sessionId).atMs ?? 0) < FRESH_MS;
  const heads = ground.requirements.length === 0
    ? undefined
    : await (await import("../../system/git/heads.ts"))
      .readHeads(work.repository!, before?.heads ?? null, work);
  const kept = isFresh ? { files: before.files, folders: before.folders, cut: before.cut } : {};
  const seen = takeSnapshot(list, ground, { heads, ...kept });
  const now = { ...seen, digests: await digestsOf(list, { files: seen.files, before }) };
  // True if nothing but the time has changed.
  const isSame = before !== null &&
    JSON.stringify({ ...before, atMs: 0 }) === JSON.stringify({ ...now, atMs: 0 });
  if (isSame && open.length === 0) return { found: [], open: [], unwatched: list.left };
  if (before === null) {
    const texts = [...kinds].flatMap(([path, kind]) => kind === "program" ? [] : [path]);
    keepPolicy(db, texts, atMs);
  }
  const { found, left } = before === null && open.length === 0
    ? { found: [], left: [] }
    : await (await import("./judged.ts"))
      .judgeAndSettle({ ...ground, before, now, list, moment, isLifted: isLifted(), open });
  const isListed = new Set(listed.files.map(([path]) => path));
  const files = Object.entries(now.files).filter(([path]) => isListed.has(path));
  // The next list will contain the new files of watched folders, so the snapshot gets their states now.
  const made = list.folders.flatMap(([folder, i]) =>
    rules[i]!.onlyNew ? [] : now.folders[`${i} ${folder}`] ?? []
  ).filter((path) => !(path in now.files)).map((path) => [path, stateOf(path)] as const);
  // Writes nothing where nothing has changed, since `explain` may only read.
  if (!isSame) {
    saveSnapshot(db, sessionId, { ...now, files: Object.fromEntries([...files, ...made]) });
  }
  const own = left.filter((one) => one.sessionId === sessionId);
  return { found, open: [...own, ...found], unwatched: list.left };
}

async function groundOf(work: EffectWork): Promise<Ground | null> {
  const { db, config, repository, projectDir } = work;
  if (projectDir === null) return null;
  const { guards: policy, requirements: required } = policiesIn(config);
  const guards = policy?.looksAfter ? policy : null;
  const requirements =
    required === null || repository === undefined || !mayMeanMoves(config.requiredUses)
      ? []
      : (await import("../requirements/used_up.ts")).touchedByCommits(required.requirements);
  if (guards === null && requirements.length === 0) return null;
  if (db === null) throw new Error("without the database nothing is known of how it was before");
  const root = policy?.root ?? projectDir;
  const rules = guards === null ? [] : watchedRules(guards);
  return {
    ...work,
    db,
    projectDir,
    roots: rootsIn(repository, root),
    rules,
    requirements,
    kinds: new Map(guards?.protectsItself ? policyFiles({ ...work, projectDir }) : []),
    branches: guards === null ? { names: [], isNamed: false } : protectedBranches(required),
    project: repository?.commonDir ?? projectDir,
  };
}

/** Returns the folder of the rules, and where it lies in a working tree elsewhere; both as their paths are spelled. */
function rootsIn(repository: Ground["repository"], root: string): Ground["roots"] {
  if (repository === undefined || fromFolder(repository.root, root) !== null) return [root];
  const [real, top] = [realPath(root), realPath(repository.root)];
  const spelled = (folder: string) => {
    const name = fromFolder(top, folder);
    return name === null ? [] : [joinPath(repository.root, name).replace(/\/$/, "")];
  };
  const [own] = spelled(real);
  if (own !== undefined) return [own];
  return [root, ...counterparts(real, repository.commonDir).flatMap(spelled)];
}

/** Reads the states of everything that is watched. @param known The parts that need not be read again. */
function takeSnapshot(
  list: WatchList,
  { rules, roots, kinds, branches, repository, atMs, config: { held } }: Ground,
  known: Pick<Snapshot, "heads"> & Partial<Pick<Snapshot, "files" | "folders" | "cut">>,
): Snapshot {
  const statesOf = (paths: readonly string[]) =>
    Object.fromEntries(paths.map((path) => [path, stateOf(path)]));
  const refOf = (name: string) => repository === undefined ? "" : readRef(repository, name) ?? "";
  // Where only their remote may move branches, what is known of the remote matters as well.
  const remotes = repository === undefined || !branches.isNamed
    ? []
    : namesIn(joinPath(repository.commonDir, "refs/remotes")) ?? [];
  const places = ["heads", ...remotes.map((remote) => `remotes/${remote}`)];
  const watched = repository === undefined
    ? []
    : places.flatMap((at) => branches.names.map((name) => `${at}/${name}`));
  const refs = Object.fromEntries(watched.map((name) => [`refs/${name}`, refOf(name)]));
  const head = repository?.branch ?? "";
  const filesIn = fileLister(roots);
  const listed = (known.folders === undefined ? list.folders : [])
    .map(([folder, i]) => [`${i} ${folder}`, filesIn(folder, rules[i]!)] as const);
  const cut = listed.flatMap(([key, { isCut }]) => isCut ? [key] : []);
  return {
    atMs,
    held,
    tree: repository?.root,
    head,
    rules: list.rules,
    heads: known.heads,
    policy: statesOf([...kinds.keys()]),
    files: known.files ?? statesOf(list.files.map(([path]) => path)),
    folders: known.folders ?? Object.fromEntries(listed.map(([key, { files }]) => [key, files])),
    cut: cut.length > 0 ? cut : known.cut,
    refs,
    commit: head === "" ? "" : refs[`refs/heads/${head}`] ?? refOf(`heads/${head}`),
    stash: refOf("stash"),
    logBytes: repository === undefined ? 0 : headLogBytes(repository) ?? 0,
  };
}
