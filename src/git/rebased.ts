/** Commits of a branch that git has written anew on top of others, as its logs tell: each has another id since. */
import { joinPath } from "../paths.ts";
import { branchLogPath, readLog } from "./branch_log.ts";
import { type Repository, worktreeDirs } from "./repository.ts";

/** A commit that a rebase has made, or has let stand where it goes on. */
interface MadeCommit {
  /** Its whole id. */
  readonly id: string;
  /** Empty where it is the one that it was. */
  readonly subject: string;
  /** The subject that it had when it was picked, else empty, and its id then, where the logs tell that. */
  readonly was: string;
  readonly wasId: string | null;
}

/** One rebase of a branch. */
export interface Rebase {
  /** The ids that the branch had held, and that it may hold no more. */
  readonly before: readonly string[];
  /** Whether these are of its own commits alone, as far as they are of commits that were made on it. */
  readonly areOwn: boolean;
  /** The commits that were made in their place; oldest first. */
  readonly made: readonly MadeCommit[];
  /** How many commits have become a part of the one before them. */
  readonly joined: number;
}

/** A longer log, in bytes, is not looked through. */
const MAX_LOG_BYTES = 1_048_576;
const FINISHED = /^(?:rebase|pull)\b.*? \(finish\): /;
/** `<from> <to> <who> <seconds> <zone><tab><what was done>` */
const MOVE = /^([\da-f]{40,64}) ([\da-f]{40,64}) .*?\t(.*)$/gm;
/** `rebase (pick): Add a`, `pull --rebase (pick): Add a`, `rebase: Add a`, `commit: Add a` */
const STEP = /^(rebase|pull|commit)\b.*?(?: \(([a-z]+)\))?: (.*)$/;
const JOINS: ReadonlySet<string> = new Set(["fixup", "squash"]);
const MAKES_NONE: ReadonlySet<string> = new Set(["start", "finish", "abort", "reset", "label"]);

/** The rebases of a branch, the oldest first; none where git keeps no log, or none that tells what each has made. */
export function rebasesOf(
  repository: Pick<Repository, "commonDir">,
  branch: string,
): readonly Rebase[] {
  const log = readLog(branchLogPath(repository, branch), MAX_LOG_BYTES);
  if (!log.includes(" (finish): ")) return [];
  const heads = [repository.commonDir, ...worktreeDirs(repository)]
    .map((gitDir) => movesIn(readLog(joinPath(gitDir, "logs/HEAD"), MAX_LOG_BYTES)));
  const rebases: Rebase[] = [];
  let held: string[] = [];
  const moves = movesIn(log);
  const isMadeHere = moves[0]?.what.startsWith("branch: Created from ") === true;
  for (const { from, to, what } of moves) {
    if (held.length === 0) held.push(from);
    if (!FINISHED.test(what)) {
      held.push(to);
      continue;
    }
    const steps = heads.map((moves) => stepsBetween(moves, from, to)).find((one) => one !== null);
    if (steps == null) {
      held = [to];
      continue;
    }
    // What was there before it began is what it let stand, but for the last of it.
    const at = held.lastIndexOf(steps[0]!.to);
    const before = held.slice(Math.max(0, at));
    const rebase = { before, areOwn: at >= 0 || isMadeHere, ...madeBy(steps) };
    rebases.push(rebase);
    held = [...held.slice(0, at + 1), ...rebase.made.map(({ id }) => id)];
  }
  return rebases;
}

/** Whether another branch has held one of some ids, as far as the logs tell. */
export function areHeldBeside(
  repository: Pick<Repository, "commonDir">,
  { ids, others }: { readonly ids: readonly string[]; readonly others: Iterable<string> },
): boolean {
  return [...others].some((name) => {
    const log = readLog(branchLogPath(repository, name), MAX_LOG_BYTES);
    return ids.some((id) => log.includes(id));
  });
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly what: string;
}

function movesIn(log: string): Move[] {
  return Array.from(log.matchAll(MOVE), ([, from, to, what]) => ({
    from: from!,
    to: to!,
    what: what!,
  }));
}

/** The moves of `HEAD` from the beginning of a rebase until it is done; null where they are not told. */
function stepsBetween(moves: readonly Move[], from: string, to: string): readonly Move[] | null {
  for (const [at, move] of moves.entries()) {
    if (move.from !== from || !move.what.includes(" (start): ")) continue;
    const length = moves.slice(at + 1).findIndex(({ what }) =>
      / \((?:start|finish|abort)\): /.test(what)
    );
    const end = moves[at + 1 + length];
    if (length >= 0 && end?.to === to && FINISHED.test(end.what)) {
      return moves.slice(at, at + 1 + length);
    }
  }
  return null;
}

function madeBy([start, ...steps]: readonly Move[]): Pick<Rebase, "made" | "joined"> {
  const made: MadeCommit[] = [];
  let joined = 0;
  let isReached = false;
  for (const { to, what } of steps) {
    const [, verb, kind = "", subject = ""] = STEP.exec(what) ?? [];
    if (verb === undefined || MAKES_NONE.has(kind)) continue;
    const isKept = verb === "rebase" && kind === "" && subject === "fast-forward";
    const isJoined = JOINS.has(kind);
    // What is reworded is reached first where it need not be made anew.
    const isSame = isJoined || kind === "amend" || kind === "reword" && isReached;
    const last = isSame ? made.pop() : undefined;
    const before = isSame ? last ?? { was: "", wasId: start!.to } : { was: "", wasId: null };
    const isPicked = !isSame && !isKept && kind !== "reword";
    made.push({
      id: to,
      subject: isKept ? "" : subject,
      was: isPicked ? subject : before.was,
      wasId: isKept ? to : before.wasId,
    });
    if (isJoined) joined++;
    isReached = isKept;
  }
  return { made, joined };
}
