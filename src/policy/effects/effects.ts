/** Looks for what was changed without being allowed: between tool uses, after a command, and when Claude stops. */
import type { GuardPolicy } from "../guards/guard_policy.ts";
import type { RequirementPolicy } from "../requirements/requirement_policy.ts";
import { lastUseAtMs, openViolations, readSnapshot, saveSnapshot } from "./effects_table.ts";
import type { EffectWork, Ground, Moment } from "./ground_of_effects.ts";
import { stateOf } from "./file_state.ts";
import { takeSnapshot } from "./snapshot.ts";
import { ofCommit, type Snapshot, type Violation } from "./types.ts";
import {
  policyFiles,
  protectedBranches,
  watchedRules,
  watchList,
  type WatchPlace,
  withFormer,
} from "./watched.ts";

export interface Effects {
  /** The violations that were found now. */
  readonly found: readonly Violation[];
  /** Those of this session that are not settled, these included. */
  readonly open: readonly Violation[];
  /** How many protected files there are beyond those that are watched. */
  readonly unwatched: number;
}

const NOTHING: Effects = { found: [], open: [], unwatched: 0 };

/** How long protected files count as looked at, in milliseconds. */
const FRESH_MS = 1_000;

/** Compares with the last look of the session, keeps what was found, and looks anew. @param isLifted Whether a person has lifted the rules. */
export async function lookForEffects(
  work: EffectWork,
  moment: Moment,
  isLifted: boolean,
): Promise<Effects> {
  const ground = await groundOf(work);
  if (ground === null) return NOTHING;
  const { db, rules, place, kinds, branches, project } = ground;
  const { sessionId, atMs, config } = work;
  const before = readSnapshot(db, sessionId);
  const list = withFormer(ground.list, Object.keys(before?.files ?? {}), { rules, ...place });
  // Files that were looked at a moment ago are looked at again after the command: their entries tell when they changed.
  const isFresh = moment.is === "before" && before !== null &&
    atMs - (lastUseAtMs(db, sessionId) ?? 0) < FRESH_MS;
  const heads = ground.requirements.length === 0
    ? undefined
    : await (await import("../../system/git/heads.ts"))
      .readHeads(work.repository!, before?.heads ?? null, work);
  const now = takeSnapshot(
    {
      ...{ list, rules, root: place.root, repository: work.repository },
      policy: [...kinds.keys()],
      branches: branches.names,
    },
    {
      atMs,
      held: config.held,
      heads,
      ...isFresh ? { files: before.files, folders: before.folders } : {},
    },
  );
  const open = openViolations(db, project);
  const isSame = before !== null && isSameSnapshot(before, now);
  if (isSame && open.length === 0) {
    return { ...NOTHING, unwatched: list.left };
  }
  const { judge, settle } = await import("./judged.ts");
  if (before === null) {
    const { keepPolicy } = await import("./facts.ts");
    keepPolicy(db, [...kinds].flatMap(([path, kind]) => kind === "program" ? [] : [path]), atMs);
  }
  const commits = open.filter(ofCommit);
  const others = open.filter((one) => !ofCommit(one));
  const { judgeCommits, settleCommits } = heads === undefined && commits.length === 0
    ? NO_COMMITS
    : await import("./unreviewed.ts");
  const left = [
    ...others.length === 0 ? others : await settle(others, now, ground),
    ...await settleCommits(commits, now, ground),
  ];
  const found = before === null ? [] : [
    ...await judge({ before, now, list, moment, isLifted, open }, ground),
    ...await judgeCommits({ before, now, moment }, ground),
  ];
  const isListed = new Set(ground.list.files.map(([path]) => path));
  const files = Object.entries(now.files).filter(([path]) => isListed.has(path));
  // Files that are new in a folder are on the next list: they are known from now on.
  const made = list.folders.flatMap(([folder, i]) =>
    rules[i]!.onlyNew ? [] : now.folders[`${i} ${folder}`] ?? []
  ).filter((path) => !(path in now.files)).map((path) => [path, stateOf(path)] as const);
  // Where nothing has changed nothing is written: `explain` may only read.
  if (!isSame) {
    saveSnapshot(db, sessionId, { ...now, files: Object.fromEntries([...files, ...made]) });
  }
  const own = left.filter((one) => one.sessionId === sessionId);
  return { found, open: [...own, ...found], unwatched: list.left };
}

const NO_COMMITS = { judgeCommits: () => [], settleCommits: (open: readonly Violation[]) => open };

/** Whether nothing has changed but the time. */
function isSameSnapshot(before: Snapshot, now: Snapshot): boolean {
  return JSON.stringify({ ...before, atMs: 0 }) === JSON.stringify({ ...now, atMs: 0 });
}

async function groundOf(work: EffectWork): Promise<Ground | null> {
  const { db, config, repository, projectDir } = work;
  if (db === null || projectDir === null) return null;
  const policy: GuardPolicy | null = config.guards === "" ? null : JSON.parse(config.guards);
  const guards = policy?.looksAfter ? policy : null;
  const required: RequirementPolicy | null = config.requirements === "" || repository === undefined
    ? null
    : JSON.parse(config.requirements);
  const requirements = required === null
    ? []
    : (await import("../requirements/commits.ts")).countingCommits(required.requirements);
  if (guards === null && requirements.length === 0) return null;
  const place: WatchPlace = { ...work, projectDir, root: policy?.root ?? projectDir };
  const rules = guards === null ? [] : watchedRules(guards);
  return {
    ...{ db, work, place, rules },
    list: await watchList(db, rules, place),
    kinds: new Map(guards?.protectsItself ? policyFiles(place) : []),
    branches: guards === null
      ? { names: [], isNamed: false }
      : protectedBranches(config.requirements),
    requirements,
    project: repository?.commonDir ?? projectDir,
  };
}
