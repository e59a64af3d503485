/** Gathers what may explain changes: the commands that ran, the files that edits named, and what git has brought. */
import { resolvePath } from "../../base/paths.ts";
import { sessionStartMs } from "../../db/sessions.ts";
import { type Brought, broughtFiles } from "../../system/git/brought_files.ts";
import { filesAsIn, filesIn, keptApart, sizesIn, versionsIn } from "../../system/git/versions.ts";
import type { Repository } from "../../system/git/repository.ts";
import { readCommand } from "../files/shell_lookup.ts";
import { allowedSince } from "./effects_table.ts";
import type { Change, Ground, Moment, Snapshot, Violation, WatchList } from "./types.ts";

/** Two looks, and the context of the second one. */
export interface Compared extends Ground {
  /** Null at the session's first look. */
  readonly before: Snapshot | null;
  readonly now: Snapshot;
  readonly list: WatchList;
  readonly moment: Moment;
  /** Whether a person has lifted the rules. */
  readonly isLifted: boolean;
  /** The violations that were open at the second look. */
  readonly open: readonly Violation[];
}

/** Everything that is known about the changes between two looks. */
export interface Look extends Compared {
  readonly before: Snapshot;
  /** The files that edits named, in any session. */
  readonly edited: ReadonlySet<string>;
  /** The files that git has restored or brought, from a commit or a stash. */
  readonly brought: ReadonlySet<string>;
  /** The files that came with commits written elsewhere during the session, and those that commits have changed. */
  readonly carried: ReadonlySet<string>;
  /** The files that commits made here have changed. */
  readonly committed: ReadonlySet<string>;
  /** The commit that `HEAD` left first since the last look; null where it has not moved. */
  readonly from: string | null;
  /** The changed files that this commit has. */
  readonly inFrom: ReadonlySet<string>;
  /** Asks git for the versions of the changed files in a commit, once for each commit. */
  readonly versionsOf: (tree: Repository, commit: string) => ReturnType<typeof versionsIn>;
  /** The commands of all sessions that may have written those files, split at their separators. */
  readonly earlier: readonly string[];
  /** The commands that ran meanwhile, taken apart. */
  readonly commands: readonly string[];
  /** Whether git alone ran, and may have merged a file's versions line by line. */
  readonly isMerged: boolean;
  /** Whether one of them pushes, or somebody else may have done so. */
  readonly isPushed: boolean;
  /** Whether the command that has run only looks at something. */
  readonly onlyLooked: boolean;
}

export const NONE: Brought = {
  brought: new Set(),
  carried: new Set(),
  committed: new Set(),
  from: null,
};

/** Returns when the session began, in epoch milliseconds. */
export function beganAt({ db, sessionId, atMs }: Ground): number {
  return sessionStartMs(db, sessionId) ?? atMs;
}

/** Asks git and the audit trail about changes. @param command The command that has run; null between tool uses. */
export async function lookAt(
  changes: readonly Change[],
  command: string | null,
  looks: Compared & { readonly before: Snapshot },
  apart: readonly Change[],
): Promise<Look> {
  const { projectDir, home, before } = looks;
  const told = allowedSince(looks, before.atMs);
  const around = { folder: projectDir, home: home ?? undefined };
  const edited = new Set(told.files.map((path) => resolvePath(path, around)));
  const files = changes.filter(({ kind }) => kind !== "ref").map(({ subject }) => subject);
  const isAsked = changes.some(({ kind }) => kind !== "policy");
  const ran = [...command === null ? [] : [command], ...isAsked ? told.commands : []];
  const read = await Promise.all(ran.map((one) => takenApart(one, looks)));
  const onlyLooked = command !== null && read[0]!.isPlain;
  const commands = read.flatMap((one) => one.commands);
  const isPushed = command === null || read.some(({ pushes }) => pushes);
  const ofGit = await broughtByGit(files, looks);
  const carried = new Set([...ofGit.carried, ...apart.map(({ subject }) => subject)]);
  const acting = read.flatMap((one) => one.acting);
  const isMerged = command !== null && acting.every((one) => one.startsWith("git ")) &&
    acting.some((one) => MERGES.test(one));
  const once = carried.size === 0 && !isMerged
    ? null
    : allowedSince(looks, beganAt(looks) - DAY_MS);
  const earlier = (once?.commands ?? [])
    .flatMap((text) => text.split(/[;&|\n]+/).map((part) => part.trim()));
  for (const path of once?.files ?? []) {
    const file = resolvePath(path, around);
    if (carried.has(file)) edited.add(file);
  }
  const { repository, environment } = looks;
  const { from } = ofGit;
  const inFrom = repository === undefined || from === null
    ? NONE.brought
    : await filesIn(repository, { commit: from, paths: files }, environment);
  const versions = new Map<string, ReturnType<typeof versionsIn>>();
  const versionsOf = (tree: Repository, commit: string) => {
    const key = `${commit} ${tree.root}`;
    const known = versions.get(key) ?? versionsIn(tree, { commit, paths: files }, environment);
    versions.set(key, known);
    return known;
  };
  return {
    ...{ ...looks, ...ofGit, inFrom, versionsOf },
    ...{ isMerged, edited, commands, isPushed, onlyLooked, carried, earlier },
  };
}

/** Matches calls of git that may merge a file's versions line by line, into the working tree too. */
const MERGES = / (?:stash (?:pop|apply)|merge|pull|rebase|cherry-pick|revert|checkout|switch)\b/;

/** How long before the session another one may have run what wrote a file that git brings now, in milliseconds. */
const DAY_MS = 86_400_000;

async function broughtByGit(
  files: readonly string[],
  look: Ground & Pick<Look, "before" | "now">,
): Promise<Brought> {
  const { before, now, repository, environment } = look;
  if (files.length === 0 || repository === undefined) return NONE;
  const since = { since: before, beganAtMs: beganAt(look), environment };
  const ofGit = await broughtFiles(repository, files, since);
  const brought = new Set(ofGit.brought);
  const sizeBefore = (path: string) => before.files[path]?.split(" ", 1)[0];
  if (now.stash !== before.stash && now.stash !== "") {
    // If a file's size in the stash differs from its size before, it was changed before git stashed and restored it.
    const sizes = await sizesIn(repository, { commit: now.stash, paths: files }, environment);
    for (const [path, size] of sizes) {
      if (sizeBefore(path) !== size) brought.delete(path);
    }
  }
  const gone = files.filter((path) =>
    now.files[path] === "" && !ofGit.committed.has(path) && !brought.has(path)
  );
  // Git did not have the content of a file with a digest. It takes other files away itself, as when it aborts a merge.
  const isUnknown = (path: string) => before.digests?.[path] !== undefined;
  const sizes = new Map(
    gone.filter((path) => !isUnknown(path)).map((path) => [path, sizeBefore(path) ?? ""]),
  );
  // A stash keeps untracked files in a commit of their own.
  const stashed = { commit: `${now.stash}^3`, paths: gone.filter(isUnknown) };
  const inStash = before.stash === "" ? [] : [before.stash, `${before.stash}^3`];
  const found = await Promise.all([
    keptApart(repository, sizes, environment),
    now.stash === before.stash ? NONE.brought : filesIn(repository, stashed, environment),
    ...inStash.map((commit) =>
      filesAsIn(repository, { commit, paths: files, where: "disk" }, environment)
    ),
  ]);
  return {
    ...ofGit,
    brought: found.reduce<ReadonlySet<string>>((all, one) => all.union(one), brought),
  };
}

async function takenApart(command: string, { projectDir, home }: Ground) {
  try {
    const { commands, acting, ...read } = await readCommand(command, { folder: projectDir, home });
    const [all, some] = [commands, acting].map((them) => them.map((words) => words.join(" ")));
    return { ...read, commands: all!, acting: some! };
  } catch {
    return { commands: [command], acting: [command], isPlain: false, pushes: false };
  }
}
