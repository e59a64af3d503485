/** What changes mean, by their kind. Loaded only where something has changed or is open. */
import type { DatabaseSync } from "node:sqlite";
import { joinPath, resolvePath } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { keepFile, keptText } from "../../config/store.ts";
import {
  broughtFiles,
  isAsIn,
  isAsInStash,
  isBefore,
  isInBranch,
  isInCommit,
  remotesWith,
  sizesIn,
} from "../../system/git/brought_files.ts";
import { cameToRemote } from "../../system/git/reflogs.ts";
import { exists, readText } from "../../system/on_disk.ts";
import { changesPolicy } from "../guards/protected.ts";
import { PROTECT_RULE } from "../guards/rule_names.ts";
import { withPatterns } from "../shell/rows.ts";
import { changesBetween, isOwned, LISTED, mentions } from "./compare.ts";
import {
  addViolation,
  allowedSince,
  lookedAt,
  saveWatched,
  settleViolations,
} from "./effects_table.ts";
import { enteredAtMs, isSameState, stateOf } from "./file_state.ts";
import { readCommand } from "./read_command.ts";
import RISKY_SETTINGS from "./risky_settings.json" with { type: "json" };
import type {
  Change,
  Ground,
  Moment,
  Snapshot,
  Violation,
  ViolationKind,
  WatchList,
} from "./types.ts";
import { nameOf } from "./watched.ts";

/** Longer policy files are not kept, in bytes. */
const MAX_TEXT_BYTES = 262_144;

/** What is known of all changes between two looks. */
interface Look {
  readonly before: Snapshot;
  readonly now: Snapshot;
  readonly ground: Ground;
  /** The files that edits of the session named. */
  readonly edited: ReadonlySet<string>;
  /** The files that git has brought, from a commit or a stash. */
  readonly brought: ReadonlySet<string>;
  /** The commands that ran meanwhile, taken apart. */
  readonly commands: readonly string[];
  /** Whether one of them pushes, or somebody else may have done so. */
  readonly isPushed: boolean;
}

type Told<Answer> = Answer | Promise<Answer>;

interface Kind {
  /** Whether something has allowed a change. */
  readonly isAllowed: (change: Change, look: Look) => Told<boolean>;
  /** The command that undoes it; null where neither git nor a kept copy has the version before. */
  readonly undo: (change: Change, look: Look) => Told<string | null>;
  /** Whether it is undone. */
  readonly isBack: (
    violation: Violation,
    now: Pick<Look, "now" | "ground" | "brought">,
  ) => Told<boolean>;
}

const KINDS: Readonly<Record<ViolationKind, Kind>> = {
  policy: {
    isAllowed: ({ subject }, look) => !isPolicyChange(subject, look),
    undo({ subject, became }, { now, ground: { db, kinds, projectDir } }) {
      const isKept = keptText(db, subject) !== undefined || now.held.includes(subject) ||
        (became === "made" && kinds.get(subject) !== "program");
      return isKept ? `conclaude config undo ${quoteWord(nameOf(subject, projectDir))}` : null;
    },
    isBack({ subject }, { now, ground: { db } }) {
      if (now.held.includes(subject)) return false;
      const kept = keptText(db, subject);
      return kept === undefined ? !exists(subject) : readText(subject) === kept;
    },
  },
  ref: {
    isAllowed: movedRightly,
    undo({ subject, before, after }, { ground: { repository } }) {
      const came = repository && cameToRemote(repository, { ref: subject, commit: after });
      const isPush = subject.startsWith(REMOTE) && came !== null && typeof came === "object";
      return isPush ? null : `git update-ref ${quoteWord(subject)} ${before}`;
    },
    async isBack({ subject, before: was, createdAtMs }, { now, ground }) {
      const commit = now.refs[subject] ?? "";
      if (commit === was) return true;
      const isRemote = subject.startsWith(REMOTE);
      // What was pushed stays told until a person accepts it.
      const before = { atMs: isRemote ? 0 : createdAtMs, refs: {} };
      const known = { ground, before, isPushed: !isRemote };
      if (commit === "") return isRemote;
      return isRemote
        ? isFromRemote({ ref: subject, commit }, known)
        : await isInRemote(commit, known);
    },
  },
  file: {
    isAllowed({ subject, rule }, { before, now, brought, edited, commands, ground: { rules } }) {
      const was = before.digests?.[subject];
      if (was !== undefined && was === now.digests?.[subject]) return true;
      const by = rules[rule ?? -1]?.writtenBy ?? null;
      return brought.has(subject) || edited.has(subject) || isOwned(subject, commands) ||
        (by !== null && commands.some((one) => new RegExp(by, "s").test(one)));
    },
    async undo({ subject, became }, { before: was, now, ground }) {
      const { repository, projectDir, environment } = ground;
      const name = quoteWord(nameOf(subject, projectDir));
      if (became === "made") return `rm -- ${name}`;
      const commit = was.commit === now.commit || was.commit === "" ? "HEAD" : was.commit;
      const isThere = repository !== undefined &&
        await isInCommit(repository, { commit, path: subject }, environment);
      return isThere ? `git restore --source=${commit} --staged --worktree -- ${name}` : null;
    },
    async isBack({ subject: path, before, undo }, { brought, ground }) {
      if (brought.has(path) || isSameState(before, stateOf(path))) return true;
      // The file may be as in the commit that the command to undo takes it from.
      const commit = / --source=([\da-f]+) /.exec(undo ?? "")?.[1];
      return commit !== undefined && ground.repository !== undefined &&
        await isAsIn(ground.repository, { commit, path }, ground.environment);
    },
  },
};

/** Finds what was changed without being allowed, and keeps it. */
export async function judge(
  { before: last, now, list, moment, isLifted, open }: {
    readonly before: Snapshot;
    readonly now: Snapshot;
    readonly list: WatchList;
    readonly moment: Moment;
    readonly isLifted: boolean;
    readonly open: readonly Violation[];
  },
  ground: Ground,
): Promise<Violation[]> {
  const { db, rules, sessionId } = ground;
  const { toolUseId, command } = moment.is === "after" ? moment : BETWEEN_USES;
  const { isDuring, atMs } = lookedAt(db, sessionId, toolUseId);
  const before = { ...last, atMs: atMs ?? last.atMs };
  // A file that is older than the look before is not new; it is only watched since now.
  const changes = changesBetween(before, now, list).filter(({ became, kind, after }) =>
    became !== "made" || kind !== "file" || after === LISTED || enteredAtMs(after) >= before.atMs
  );
  if (changes.length === 0) return [];
  // The empty stamp makes the next look list the files again, the new ones included.
  if (changes.some(({ became }) => became === "made")) {
    saveWatched(db, ground.root, { stamp: "", list });
  }
  const look = await lookAt(changes, command, { before, now, ground });
  const found: Violation[] = [];
  for (const change of changes) {
    const { subject, kind, after } = change;
    const isKnown = await KINDS[kind].isAllowed(change, look) || (isLifted && kind === "file") ||
      open.some((one) => one.subject === subject);
    if (isKnown) continue;
    const isOlder = kind === "file" && after !== "" && after !== LISTED &&
      enteredAtMs(after) < before.atMs;
    const isOwn = isDuring && !isOlder && command !== null &&
      (kind !== "file" || mentions(command, subject));
    const rule = kind === "file" ? rules[change.rule ?? 0] : undefined;
    found.push(addViolation(ground, {
      ...{ subject, kind, before: change.before, logBytes: before.logBytes },
      name: kind === "ref" ? subject : nameOf(subject, ground.projectDir),
      rule: rule?.name ?? (kind === "policy" ? PROTECT_RULE : "protected branch"),
      who: isOwn ? "command" : "unknown",
      blocks: kind !== "file" || (isOwn && rule?.blocks === true),
      undo: await KINDS[kind].undo(change, look),
    }));
  }
  return found;
}

const BETWEEN_USES = { toolUseId: null, command: null };

/** Settles violations whose file or branch is as it was before. @returns Those that are still open. */
export async function settle(
  open: readonly Violation[],
  now: Snapshot,
  ground: Ground,
): Promise<Violation[]> {
  if (open.length === 0) return [];
  const { db, repository, environment, atMs } = ground;
  const files = open.filter(({ kind, before }) => kind === "file" && before !== "");
  const since = { logBytes: Math.min(...files.map(({ logBytes }) => logBytes)) };
  const brought = files.length === 0 || repository === undefined
    ? new Set<string>()
    : await broughtFiles(repository, files.map(({ subject }) => subject), { since, environment });
  const isBack = await Promise.all(
    open.map((one) => KINDS[one.kind].isBack(one, { now, ground, brought })),
  );
  const settled = open.filter((_, i) => isBack[i]);
  if (settled.length > 0) settleViolations(db, settled.map(({ id }) => id), atMs);
  return open.filter((_, i) => !isBack[i]);
}

/** Asks git and the audit trail about changes. @param command The one that has run; null between tool uses. */
async function lookAt(
  changes: readonly Change[],
  command: string | null,
  looks: Pick<Look, "before" | "now" | "ground">,
): Promise<Look> {
  const { ground: { db, sessionId, projectDir, home }, before } = looks;
  const told = allowedSince(db, { sessionId, sinceMs: before.atMs });
  const around = { folder: projectDir, home: home ?? undefined };
  const edited = new Set(told.files.map((path) => resolvePath(path, around)));
  const files = changes.filter(({ kind }) => kind === "file").map(({ subject }) => subject);
  const isAsked = changes.some(({ kind }) => kind !== "policy");
  const ran = isAsked ? [...command === null ? [] : [command], ...told.commands] : [];
  const commands = (await Promise.all(ran.map((one) => takenApart(one, looks.ground)))).flat();
  const isPushed = command === null || commands.some((one) => /^git\b.* push\b/.test(one));
  return { ...looks, edited, commands, isPushed, brought: await broughtByGit(files, looks) };
}

async function broughtByGit(
  files: readonly string[],
  { before, now, ground: { repository, environment } }: Pick<Look, "before" | "now" | "ground">,
): Promise<ReadonlySet<string>> {
  if (files.length === 0 || repository === undefined) return new Set();
  const brought = new Set(await broughtFiles(repository, files, { since: before, environment }));
  if (now.stash !== before.stash && now.stash !== "") {
    // A stash made from a changed file holds another size than the file had before: git has not restored it.
    const sizes = await sizesIn(repository, { commit: now.stash, paths: files }, environment);
    for (const [path, size] of sizes) {
      if (before.files[path]?.split(" ", 1)[0] !== size) brought.delete(path);
    }
    for (const path of files.filter((path) => now.files[path] === "")) {
      const untracked = { commit: `${now.stash}^3`, path };
      if (await isInCommit(repository, untracked, environment)) brought.add(path);
    }
  }
  for (const path of before.stash === "" ? [] : files) {
    const stashed = { commit: before.stash, path };
    if (await isAsInStash(repository, stashed, environment)) brought.add(path);
  }
  return brought;
}

async function takenApart(command: string, { projectDir, home }: Ground): Promise<string[]> {
  try {
    const { commands } = await readCommand(command, { folder: projectDir, home });
    return commands.map((words) => words.join(" "));
  } catch {
    return [command];
  }
}

/** Whether the change of a policy file is one of policy. If not, the new text is kept for undoing later changes. */
function isPolicyChange(path: string, { now, edited, ground: { db, kinds } }: Look): boolean {
  if (now.held.includes(path)) return true;
  const kind = kinds.get(path) ?? "other";
  if (kind === "program") return true;
  const kept = keptText(db, path) ?? null;
  const text = readText(path, MAX_TEXT_BYTES);
  if (kept === text) return false;
  const matters = !edited.has(path) && (
    kind === "settings"
      ? changesPolicy(kept, text ?? "{}")
      : kind !== "git config" || riskyLines(kept ?? "").join() !== riskyLines(text ?? "").join()
  );
  if (!matters) keepFile(db, path, { text, atMs: now.atMs });
  return matters;
}

/** Keeps policy files as they are, where none is kept. */
export function keepPolicy(db: DatabaseSync, paths: readonly string[], atMs: number): void {
  for (const path of paths) {
    const text = readText(path, MAX_TEXT_BYTES);
    if (text !== null || keptText(db, path) !== undefined) keepFile(db, path, { text, atMs });
  }
}

/**
 * Whether a branch may have moved so: its remote has the commit; or no rule names the branch, and it was checked out and
 * lost no commit that its remote has.
 */
async function movedRightly(change: Change, look: Look): Promise<boolean> {
  const { subject, before, after } = change;
  const { before: was, now, ground: { repository, environment, branches } } = look;
  if (repository === undefined) return true;
  if (subject.startsWith(REMOTE)) {
    return after === "" || isFromRemote({ ref: subject, commit: after }, look);
  }
  if (after !== "" && await isInRemote(after, look)) return true;
  if (branches.isNamed) return false;
  // A branch that got another name loses nothing.
  if (after === "") return await isInBranch(repository, before, environment);
  const isCheckedOut = [was.head, now.head].some((name) => `refs/heads/${name}` === subject);
  if (!isCheckedOut) return false;
  return await isBefore(repository, { earlier: before, later: after }, environment) ||
    !await isInRemote(before, look);
}

const REMOTE = "refs/remotes/";

/** What tells whether a remote has moved its branch itself. */
type Remembered = Pick<Look, "ground"> & {
  readonly before: Pick<Snapshot, "atMs" | "refs">;
  readonly isPushed: boolean;
};

/** Whether a remote-tracking branch that its remote has moved has a commit. */
async function isInRemote(commit: string, look: Remembered): Promise<boolean> {
  const { repository, environment } = look.ground;
  if (repository === undefined) return false;
  const remotes = await remotesWith(repository, commit, environment);
  return remotes.some((one) => isFromRemote(one, look));
}

/** Whether a remote-tracking branch was as it is before, or came so from its remote, or by a push that nobody hid. */
function isFromRemote(
  at: { readonly ref: string; readonly commit: string },
  { before, isPushed, ground: { repository } }: Remembered,
): boolean {
  if (repository === undefined || before.refs[at.ref] === at.commit) return true;
  const came = cameToRemote(repository, at);
  if (came !== null && typeof came === "object") return isPushed || came.pushedAtMs <= before.atMs;
  if (came !== null) return came === "told";
  const { commonDir } = repository;
  const state = stateOf(joinPath(commonDir, at.ref)) || stateOf(joinPath(commonDir, "packed-refs"));
  return !exists(joinPath(commonDir, "logs/HEAD")) || enteredAtMs(state) <= before.atMs;
}

/** Lines of a repository's `config` that make git run something, or send commits elsewhere: `section.name.key=value`. */
export const RISKY_KEYS = withPatterns(RISKY_SETTINGS) as readonly {
  readonly pattern: RegExp;
  readonly example: string;
  readonly counterexample: string;
}[];

/** The risky lines of a configuration, in small letters, each once. */
export function riskyLines(text: string): string[] {
  let section = "";
  const found = new Set<string>();
  for (const line of text.split("\n").map((line) => line.trim())) {
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line);
    if (head !== null) section = head[2] === undefined ? head[1]! : `${head[1]}.${head[2]}`;
    const entry = /^([\w-]+)\s*(?:=\s*(.*))?$/.exec(head === null ? line : head[3]!);
    if (entry === null) continue;
    const full = `${section}.${entry[1]}=${entry[2] ?? "true"}`.toLowerCase();
    if (RISKY_KEYS.some(({ pattern }) => pattern.test(full))) found.add(full);
  }
  return [...found].sort();
}
