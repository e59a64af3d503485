/** Judges changes by their kind, and settles those that were undone. Loaded only if something changed or is open. */
import { baseName, fromFolder, parentOf, resolvePath } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { keptText } from "../../config/store.ts";
import { broughtFiles, changedByCommits } from "../../system/git/brought_files.ts";
import { filesAsIn, filesIn, textIn } from "../../system/git/versions.ts";
import { cameToRemote } from "../../system/git/reflogs.ts";
import {
  lookUpwards,
  PROJECT_FILES,
  type Repository,
  repositoryAt,
} from "../../system/git/repository.ts";
import { CLOCK_MS, exists, readText } from "../../system/on_disk.ts";
import { changesPolicy } from "../guards/protected.ts";
import { isWrittenBy, PROTECT_RULE } from "../guards/guard_policy.ts";
import { changesBetween, isOwned, LISTED, mentions, REMOTE } from "./compare.ts";
import { addViolation, lookedAt, saveWatched, settleViolations } from "./effects_table.ts";
import { isSameState, latestChangeMs, stateOf } from "./file_state.ts";
import {
  type Change,
  COMMITTED,
  type Ground,
  ofCommit,
  type Snapshot,
  type Violation,
  type ViolationKind,
} from "./types.ts";
import { beganAt, type Compared, type Look, lookAt, NONE } from "./explanations.ts";
import { isFromRemote, isInRemote, movedRightly } from "./moved_refs.ts";
import { isPolicyChange } from "./policy_change.ts";
import { nameOf, ruleFinder } from "./watched.ts";

type MaybeAsync<Answer> = Answer | Promise<Answer>;

interface Kind {
  /** Tells whether a command, a rule or git itself explains the change. */
  readonly isAllowed: (change: Change, look: Look) => MaybeAsync<boolean>;
  /** Returns the command that undoes it; null where there is none. */
  readonly undo: (change: Change, look: Look) => MaybeAsync<string | null>;
  /** Tells whether the change has been undone. */
  readonly isBack: (
    violation: Violation,
    look: Present & Pick<Look, "brought"> & {
      /** The files that are as before the change, in the working tree or in commits. */
      readonly asBefore: ReadonlySet<string>;
    },
  ) => MaybeAsync<boolean>;
}

/** The present state, which shows whether changes have been undone. */
export type Present =
  & Pick<Ground, "db" | "repository" | "environment" | "branches" | "projectDir">
  & {
    readonly now: Pick<Snapshot, "held" | "refs">;
    /** When the session began that was told of the changes, in epoch milliseconds. */
    readonly beganAtMs: number;
  };

const KINDS: Readonly<Record<ViolationKind, Kind>> = {
  policy: {
    isAllowed: ({ subject }, look) => !isPolicyChange(subject, look),
    undo({ subject, became, before }, { now, db, kinds, projectDir, repository }) {
      const isKept = keptText(db, subject) !== undefined || now.held.includes(subject) ||
        (became === "made" && kinds.get(subject) !== "program");
      if (!isKept) return null;
      const undo = `conclaude config undo ${quoteWord(nameOf(subject, projectDir))}`;
      return before.startsWith(COMMITTED)
        ? `${undo} && ${commitOf(subject, repository?.root ?? projectDir)}`
        : undo;
    },
    async isBack({ subject: path, before }, { now, db, repository, environment }) {
      if (now.held.includes(path)) return false;
      const kept = keptText(db, path);
      if (kept === undefined ? exists(path) : readText(path) !== kept) return false;
      return repository === undefined || !before.startsWith(COMMITTED) ||
        await textIn(repository, { commit: "HEAD", path }, environment) === (kept ?? null);
    },
  },
  ref: {
    isAllowed: movedRightly,
    undo({ subject, before, after }, { repository }) {
      const came = repository && cameToRemote(repository, { ref: subject, commit: after });
      const isPush = subject.startsWith(REMOTE) && came !== null && typeof came === "object";
      if (isPush) return null;
      const name = quoteWord(subject);
      return before === ""
        ? `git update-ref --no-deref -d ${name}`
        : `git update-ref --no-deref ${name} ${before}`;
    },
    async isBack({ subject: ref, before: was, createdAtMs }, look) {
      const commit = look.now.refs[ref] ?? "";
      if (commit === was) return true;
      const isRemote = ref.startsWith(REMOTE);
      if (commit === "") return isRemote;
      // A push stays a violation until a person accepts it.
      const before = { atMs: isRemote ? 0 : createdAtMs, refs: {} };
      const known = { ...look, before, isPushed: !isRemote };
      return isRemote ? isFromRemote({ ref, commit }, known) : await isInRemote(commit, known, ref);
    },
  },
  file: {
    isAllowed(change, look) {
      const { subject, before: state } = change;
      const { before, now, list, brought, carried, edited, earlier } = look;
      const was = before.digests?.[subject];
      // A new stash may hold another version, which nobody notices once it is brought back.
      const isSame = was !== undefined && was === now.digests?.[subject] &&
        !state.startsWith(COMMITTED);
      if (isSame && (now.stash === before.stash || list.untracked?.includes(subject))) return true;
      return brought.has(subject) || edited.has(subject) || isByOwner(change, look) ||
        ((carried.has(subject) || look.isMerged) &&
          isByOwner(change, { ...look, commands: earlier }));
    },
    async undo({ subject: path, became, before }, look) {
      const { before: was, now } = look;
      const tree = treeOf(path, look);
      // The command is pasted in any folder.
      const whole = quoteWord(resolvePath(path, { folder: look.projectDir }));
      const name = quoteWord(fromFolder(tree?.root ?? null, path) ?? path);
      const git = `git -C ${quoteWord(tree?.root ?? "")}`;
      const { commit: from, isApart } = committedState(before);
      if (from !== null) {
        const isKept = became !== "made";
        const places = isApart ? "--staged" : "--staged --worktree";
        const restore = isKept
          ? `restore --source=${from} ${places}`
          : `rm -q ${isApart ? "--cached" : "-f"}`;
        const root = tree?.root ?? "";
        return `${git} ${restore} -- ${name} && ${commitOf(isApart ? null : path, root)}`;
      }
      // A later commit must not change what the told command brings back.
      const commit = (tree?.root === now.tree ? was.commit || look.from : null) ?? "HEAD";
      const versions = tree && await look.versionsOf(tree, commit);
      if (!versions?.kept.has(path)) return became === "made" ? `rm -- ${whole}` : null;
      const restore = `${git}${versions.byObjects ? " --no-replace-objects" : ""} restore`;
      const what = `--source=${commit} --staged --worktree -- ${name}`;
      return versions.hidden.has(path)
        ? `touch -- ${whole} && ${restore} --ignore-skip-worktree-bits ${what}`
        : `${restore} ${what}`;
    },
    isBack({ subject: path, before }, { brought, asBefore }) {
      if (asBefore.has(path)) return true;
      return !before.startsWith(COMMITTED) &&
        (brought.has(path) || isSameState(before, stateOf(path)));
    },
  },
};

/** Tells whether one of the commands may write a file: its package manager, or what its rule names. */
function isByOwner(
  { subject, kind, rule }: Change,
  { commands, rules }: Pick<Look, "commands" | "rules">,
): boolean {
  const by = rules[rule ?? -1]?.writtenBy ?? null;
  return kind === "file" &&
    (isOwned(subject, commands) || commands.some((one) => isWrittenBy(by, one)));
}

/** Ends such a state where the working tree does not have the change. */
const APART = " apart";

/** Returns the commit before the commits that have changed a file; null where none have. */
function committedState(
  before: string,
): { readonly commit: string | null; readonly isApart: boolean } {
  const [, commit = null, apart] = before.startsWith(COMMITTED) ? before.split(" ") : [];
  return { commit, isApart: apart !== undefined };
}

/** Returns the command that commits a file's version in the working tree, or with null what git's index has. */
function commitOf(path: string | null, root: string): string {
  const only = path === null ? "" : ` -- ${quoteWord(fromFolder(root, path) ?? path)}`;
  return `git -C ${quoteWord(root)} commit -q -m 'Take back a change'${only}`;
}

/** Returns the working tree in which a file lies; the project's own one for a file outside of the repository. */
function treeOf(path: string, { projectDir }: Pick<Ground, "projectDir">) {
  return repositoryAt(parentOf(path), { projectDir, looks: lookUpwards(projectDir) });
}

/** Returns the new violations, and those of the open ones that are not settled. */
export async function judgeAndSettle(compared: Compared) {
  const { before, now, open } = compared;
  const commits = open.filter(ofCommit);
  const { judgeCommits, settleCommits } = now.heads === undefined && commits.length === 0
    ? NO_COMMITS
    : await import("./unreviewed.ts");
  const left = [
    ...await settle(open.filter((one) => !ofCommit(one)), compared),
    ...await settleCommits(commits, compared),
  ];
  if (before === null) return { found: [], left };
  // The log of another working tree, and its commit, say nothing here.
  const isHere = (before.tree ?? now.tree) === now.tree;
  const here = isHere ? {} : { head: now.head, commit: "", logBytes: now.logBytes };
  const looks = { ...compared, before: { ...before, ...here } };
  const found = [...await judge(looks, left), ...await judgeCommits(looks)];
  const isReplaced = ({ subject, rule }: Violation) =>
    found.some((one) => one.subject === subject && one.rule === rule);
  return { found, left: left.filter((one) => !isReplaced(one)) };
}

/** Stands for the module that is loaded only where commits may be new, or are open violations. */
const NO_COMMITS = { judgeCommits: () => [], settleCommits: () => [] };

/**
 * Finds changes that nothing has allowed, and stores them as violations.
 * @param left The open violations that this look has not settled.
 */
async function judge(
  looks: Compared & { readonly before: Snapshot },
  left: readonly Violation[],
): Promise<Violation[]> {
  const { db, sessionId, projectDir, rules, list, moment, isLifted, open } = looks;
  const { toolUseId, command } = moment.is === "after" ? moment : BETWEEN_USES;
  const { isDuring, atMs } = lookedAt(db, sessionId, toolUseId);
  const before = { ...looks.before, atMs: atMs ?? looks.before.atMs };
  // A file that is older than the last look is not new; rules have only watched it since then.
  const changes = changesBetween(before, looks.now, list).filter(({ became, kind, after }) =>
    became !== "made" || kind !== "file" || after === LISTED || latestChangeMs(after) >= before.atMs
  );
  const apart = await changedInCommits({ ...looks, before }, changes, left);
  changes.push(...apart);
  if (changes.length === 0) return [];
  // The empty stamp makes the next look list the files again, including the new ones.
  if (changes.some(({ became }) => became === "made")) {
    saveWatched(db, looks.roots[0], { stamp: "", list });
  }
  const look = await lookAt(changes, command, { ...looks, before }, apart);
  const found: Violation[] = [];
  for (const one of changes) {
    const change = { ...one, before: beforeOf(one, look) };
    const { subject, kind, after } = change;
    const told = open.find((one) => one.subject === subject);
    // The command that undoes a change must take it out of the commits, too.
    const isNowCommitted = told !== undefined && apart.includes(one) &&
      !told.before.startsWith(COMMITTED);
    const isFree = !isNowCommitted &&
      (await KINDS[kind].isAllowed(change, look) || (isLifted && kind === "file"));
    if (isFree) {
      // What a file's owner has written anew needs no undoing.
      const settled = left.filter((one) => one.subject === subject);
      if (settled.length > 0 && isByOwner(change, look)) {
        settleViolations(db, settled.map(({ id }) => id), looks.now.atMs);
      }
      continue;
    }
    const isOlder = kind === "file" && !apart.includes(one) && after !== "" && after !== LISTED &&
      latestChangeMs(after) < before.atMs;
    const isOwn = (isNowCommitted && told.who === "command") ||
      (isDuring && !isOlder && command !== null && !look.onlyLooked &&
        (kind !== "file" || mentions(command, subject)));
    const isTold = told !== undefined && !isNowCommitted &&
      !(left.includes(told) && isFurther(change, told, { sessionId, isOwn }));
    if (isTold) continue;
    const known = isNowCommitted ? undefined : told;
    const rule = kind === "file" ? rules[change.rule ?? 0] : undefined;
    found.push(addViolation(looks, {
      subject,
      kind,
      // The command that undoes the first change also undoes this one.
      before: known?.before ?? change.before,
      logBytes: told?.logBytes ?? before.logBytes,
      name: kind === "ref" ? subject : nameOf(subject, projectDir),
      rule: rule?.name ?? (kind === "ref" ? "protected branch" : PROTECT_RULE),
      who: isOwn ? "command" : "unknown",
      blocks: kind !== "file" || change.rule === NO_RULE || (isOwn && rule?.blocks === true),
      undo: known?.undo ?? await KINDS[kind].undo(change, look),
    }));
  }
  return found;
}

/** Returns the state before a change; if commits have it and git has the version before, the commit before them. */
function beforeOf({ subject, became, before }: Change, look: Look): string {
  const { carried, committed, from, inFrom } = look;
  const isInCommits = carried.has(subject) || committed.has(subject);
  if (!isInCommits || from === null || before.startsWith(COMMITTED)) return before;
  return became === "made" || inFrom.has(subject) ? `${COMMITTED}${from}` : before;
}

/**
 * Finds the protected files and policy files that commits have changed, and that differ in the working tree or have an
 * open violation.
 * @param left The open violations.
 */
async function changedInCommits(
  { before, now, repository, environment, ...looks }: Compared & { readonly before: Snapshot },
  changes: readonly Change[],
  left: readonly Violation[],
): Promise<Change[]> {
  if (repository === undefined || before.logBytes === now.logBytes) return [];
  const find = ruleFinder(looks);
  const kindOf = (path: string) =>
    looks.kinds.get(path) ??
      (looks.kinds.size > 0 && PROJECT_FILES.includes(baseName(path)) ? "other" : null);
  const known = new Set(changes.map(({ subject }) => subject));
  const uncommitted = left.filter(({ before }) => !before.startsWith(COMMITTED));
  const openKinds = new Map(uncommitted.map(({ subject, kind }) => [subject, kind]));
  const changed = await changedByCommits(
    repository,
    (path) => !known.has(path) && (find(path, true) >= 0 || kindOf(path) !== null),
    { since: before, beganAtMs: beganAt({ ...looks, repository, environment }), environment },
  );
  const meant = changed.filter(({ path, isApart }) => isApart || openKinds.has(path));
  const former = { commit: changed[0]?.from ?? "", paths: meant.map(({ path }) => path) };
  const inFrom = await filesIn(repository, former, environment);
  const found = await Promise.all(
    meant.map(async ({ path: subject, from, isApart }): Promise<Change | null> => {
      const textAt = (commit: string) => textIn(repository, { commit, path: subject }, environment);
      const was = inFrom.has(subject);
      const rule = find(subject, !was);
      const isHarmless = rule === NO_RULE && kindOf(subject) === "settings" &&
        !changesPolicy(await textAt(from), await textAt("HEAD") ?? "{}");
      return (rule === NO_RULE && kindOf(subject) === null) || isHarmless ? null : {
        subject,
        kind: openKinds.get(subject) ?? "file",
        became: was ? "changed" : "made",
        before: `${COMMITTED}${from}${isApart ? APART : ""}`,
        after: stateOf(subject),
        rule,
      };
    }),
  );
  return found.filter((one) => one !== null);
}

/**
 * Tells whether a file with an open violation has changed once more: by a command of the session that does not know of
 * its own doing yet, or after the time at which another session told of it.
 */
function isFurther(
  { kind, after }: Change,
  told: Violation,
  { sessionId, isOwn }: { readonly sessionId: string; readonly isOwn: boolean },
): boolean {
  if (kind !== "file") return false;
  if (told.sessionId === sessionId) return isOwn && told.who === "unknown";
  return latestChangeMs(after) > told.createdAtMs + CLOCK_MS;
}

/** Stands for the rule of a policy file that only a commit has changed. */
const NO_RULE = -1;
const BETWEEN_USES = { toolUseId: null, command: null };
/** Settles violations whose file or branch is as before the change. @returns The violations that stay open. */
async function settle(open: readonly Violation[], look: Compared): Promise<readonly Violation[]> {
  if (open.length === 0) return [];
  const left = await notBack(open, { ...look, beganAtMs: beganAt(look) });
  const settled = open.filter((one) => !left.includes(one));
  if (settled.length > 0) settleViolations(look.db, settled.map(({ id }) => id), look.atMs);
  return left;
}

/** Returns the violations whose file or branch is not as before the change. */
export async function notBack(
  open: readonly Violation[],
  look: Present,
): Promise<readonly Violation[]> {
  const { repository, environment, beganAtMs } = look;
  const left = new Set<Violation>();
  const placed = open.map((one) => {
    return { one, tree: one.kind === "ref" ? repository : treeOf(one.subject, look) };
  });
  // A file may lie in another working tree than the session.
  for (const group of Map.groupBy(placed, ({ tree }) => tree?.root).values()) {
    const { tree } = group[0]!;
    const violations = group.map(({ one }) => one);
    const files = violations.filter(({ kind, before }) => kind === "file" && before !== "");
    const since = { logBytes: Math.min(...files.map(({ logBytes }) => logBytes)) };
    const paths = files.map(({ subject }) => subject);
    const isAsked = paths.length > 0 && tree !== undefined;
    const { brought } = isAsked
      ? await broughtFiles(tree, paths, { since, beganAtMs, environment })
      : NONE;
    const asBefore = isAsked ? await filesAsBefore(tree, files, environment) : NONE.brought;
    const found = { ...look, repository: tree, brought, asBefore };
    for (const one of violations) {
      const isBack = await KINDS[one.kind].isBack(one, found);
      if (!isBack) left.add(one);
    }
  }
  return open.filter((one) => left.has(one));
}

/** Returns the files that are as in the commit from which the command that undoes their change takes them. */
async function filesAsBefore(
  tree: Repository,
  violations: readonly Violation[],
  environment: Ground["environment"],
): Promise<ReadonlySet<string>> {
  const asked = violations.flatMap(({ subject: path, before, undo }) => {
    const { commit, isApart } = committedState(before);
    const source = commit ?? / --source=([\da-f]+) /.exec(undo ?? "")?.[1];
    const where = commit === null ? "disk" : isApart ? "HEAD" : "both";
    return source === undefined ? [] : [{ path, commit: source, where } as const];
  });
  const groups = Map.groupBy(asked, ({ commit, where }) => `${where} ${commit}`);
  const found = await Promise.all(
    [...groups.values()].map((group) =>
      filesAsIn(tree, { ...group[0]!, paths: group.map(({ path }) => path) }, environment)
    ),
  );
  return found.reduce((all, one) => all.union(one), new Set<string>());
}
