/** Looks for what was changed without being allowed: between tool uses, after a command, and when Claude stops. */
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../../base/ids.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import { keptText } from "../../config/store.ts";
import { isInCommit } from "../../system/git/brought_files.ts";
import type { GuardPolicy } from "../guards/guard_policy.ts";
import { PROTECT_RULE } from "../guards/protected.ts";
import { changesBetween, mentions, violated } from "./compare.ts";
import {
  addViolation,
  openViolations,
  readSnapshot,
  saveSnapshot,
  saveWatched,
  settleViolations,
} from "./effects_table.ts";
import { takeSnapshot } from "./snapshot.ts";
import type { Change, Snapshot, Violation, WatchedRule, WatchList } from "./types.ts";
import {
  nameOf,
  policyFiles,
  type PolicyKind,
  type ProtectedBranches,
  protectedBranches,
  watchedRules,
  watchList,
  type WatchPlace,
  withFormer,
} from "./watched.ts";

export interface EffectWork extends Omit<WatchPlace, "root" | "projectDir"> {
  readonly db: DatabaseSync | null;
  readonly config: Pick<HookConfig, "guards" | "requirements" | "held">;
  readonly projectDir: string | null;
  readonly sessionId: string;
  readonly atMs: number;
}

/** When is looked: before a tool use, after it, or at a stop; with its command. */
export type Moment =
  | { readonly is: "before" | "after"; readonly toolUseId: string | null; readonly command: string }
  | { readonly is: "stop" };

export interface Effects {
  /** The violations that were found now. */
  readonly found: readonly Violation[];
  /** Those of this session that are not settled, these included. */
  readonly open: readonly Violation[];
  /** How many protected files there are beyond those that are watched. */
  readonly unwatched: number;
}

const NOTHING: Effects = { found: [], open: [], unwatched: 0 };

interface Ground {
  readonly db: DatabaseSync;
  readonly work: EffectWork;
  readonly place: WatchPlace;
  readonly rules: readonly WatchedRule[];
  readonly list: WatchList;
  readonly kinds: ReadonlyMap<string, PolicyKind>;
  readonly branches: ProtectedBranches;
  readonly project: string;
}

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
  const toolUseId = moment.is === "before" ? moment.toolUseId : null;
  const now = takeSnapshot(
    {
      ...{ list, rules, root: place.root, repository: work.repository },
      policy: [...kinds.keys()],
      branches: branches.names,
    },
    { atMs, toolUseId, held: config.held },
  );
  if (before === null) {
    const { keepPolicy } = await import("./facts.ts");
    keepPolicy(db, [...kinds].flatMap(([path, kind]) => kind === "program" ? [] : [path]), atMs);
  }
  const open = openViolations(db, project);
  const changes = before === null ? [] : changesBetween(before, now, list);
  const left = open.length === 0 ? open : await settle(open, now, ground);
  const found = changes.length === 0
    ? []
    : await judge({ changes, before: before!, now, moment, isLifted, open }, ground);
  // A new file is watched from now on, so the list is made anew.
  if (changes.some(({ became }) => became === "made")) {
    saveWatched(db, place.root, { stamp: "", list });
  }
  const isKnown = before !== null && changes.length === 0 && before.toolUseId === toolUseId;
  if (!isKnown) {
    const isListed = new Set(ground.list.files.map(([path]) => path));
    const files = Object.entries(now.files).filter(([path]) => isListed.has(path));
    saveSnapshot(db, sessionId, { ...now, files: Object.fromEntries(files) });
  }
  const own = left.filter((one) => one.sessionId === sessionId);
  return { found, open: [...own, ...found], unwatched: list.left };
}

async function groundOf(work: EffectWork): Promise<Ground | null> {
  const { db, config, repository, projectDir } = work;
  if (db === null || config.guards === "" || projectDir === null) return null;
  const policy: GuardPolicy = JSON.parse(config.guards);
  if (!policy.looksAfter) return null;
  const place: WatchPlace = { ...work, projectDir, root: policy.root ?? projectDir };
  const rules = watchedRules(policy);
  return {
    ...{ db, work, place, rules },
    list: await watchList(db, rules, place),
    kinds: new Map(policy.protectsItself ? policyFiles(place) : []),
    branches: protectedBranches(config.requirements),
    project: repository?.commonDir ?? projectDir,
  };
}

interface Found {
  readonly changes: readonly Change[];
  readonly before: Snapshot;
  readonly now: Snapshot;
  readonly moment: Moment;
  readonly isLifted: boolean;
  readonly open: readonly Violation[];
}

async function judge(
  { changes, before, now, moment, isLifted, open }: Found,
  ground: Ground,
): Promise<Violation[]> {
  const { db, kinds, branches, place, rules, project, work } = ground;
  const { factsAbout } = await import("./facts.ts");
  const isDuring = moment.is === "after" && before.toolUseId === moment.toolUseId;
  const command = moment.is === "after" ? moment.command : null;
  const facts = await factsAbout(db, { changes, before, now, kinds, branches, command }, place);
  const news = violated(changes, facts, rules).filter(({ subject, kind }) =>
    !(isLifted && kind === "file") && open.every((one) => one.subject !== subject)
  );
  const found: Violation[] = [];
  for (const change of news) {
    const { subject, kind } = change;
    const isOwn = isDuring && command !== null && (kind !== "file" || mentions(command, subject));
    const rule = kind === "file" ? rules[change.rule ?? 0] : undefined;
    const violation: Violation = {
      id: newId(work.atMs),
      ...{ sessionId: work.sessionId, project, subject, kind },
      name: kind === "ref" ? subject : nameOf(subject, place.projectDir),
      rule: rule?.name ?? (kind === "policy" ? PROTECT_RULE : "protected branch"),
      who: isOwn ? "command" : "unknown",
      blocks: kind !== "file" || (isOwn && rule?.blocks === true),
      before: change.before,
      undo: await undoOf(change, { before, now }, ground),
      logBytes: before.logBytes,
      createdAtMs: work.atMs,
      settledAtMs: null,
    };
    addViolation(db, violation);
    found.push(violation);
  }
  return found;
}

/** The command that takes a change back; null where neither git nor a kept copy has what was there. */
async function undoOf(
  { subject, kind, became, before }: Change,
  { before: was, now }: { readonly before: Snapshot; readonly now: Snapshot },
  { db, place: { repository, projectDir, environment }, kinds }: Ground,
): Promise<string | null> {
  if (kind === "ref") return `git update-ref ${quoteWord(subject)} ${before}`;
  const name = quoteWord(nameOf(subject, projectDir));
  if (kind === "policy") {
    const isKept = keptText(db, subject) !== undefined || now.held.includes(subject) ||
      (became === "made" && kinds.get(subject) !== "program");
    return isKept ? `conclaude config undo ${name}` : null;
  }
  if (became === "made") return `rm -- ${name}`;
  const commit = was.commit === now.commit || was.commit === "" ? "HEAD" : was.commit;
  const asked = { commit, path: subject };
  if (repository === undefined || !await isInCommit(repository, asked, environment)) return null;
  return `git restore --source=${commit} --staged --worktree -- ${name}`;
}

/** Settles what is as before again. @returns What is still open. */
async function settle(
  open: readonly Violation[],
  now: Snapshot,
  { db, place, work }: Ground,
): Promise<Violation[]> {
  const { settledAmong } = await import("./settled.ts");
  const settled = await settledAmong(db, open, { now, place });
  if (settled.size > 0) settleViolations(db, [...settled], work.atMs);
  return open.filter(({ id }) => !settled.has(id));
}
