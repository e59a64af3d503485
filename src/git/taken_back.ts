/** Commits that a branch held and holds no more, as its log tells: it was reset, or they were amended. */
import { branchLogPath, readLog } from "./branch_log.ts";
import { branchNames } from "./branches.ts";
import type { Repository } from "./repository.ts";

/** A commit that is not on its branch any more. */
export interface TakenBackCommit {
  /** Its whole id. */
  readonly id: string;
  /** The commit that was put in its place; null where it was reset away. */
  readonly replacedBy: string | null;
}

/** A longer log, in bytes, is not looked through. */
const MAX_LOG_BYTES = 1_048_576;
const AMENDED = "\tcommit (amend): ";
const RESET = "\treset: ";
/** `<from> <to> <who> <seconds> <zone><tab><what was done>` */
const MOVE = /^([\da-f]{40,64}) ([\da-f]{40,64}) .*?(\t.*)?$/gm;

/**
 * The commits that were taken back on a branch and are on no other one, as far as the logs tell; none where git keeps no
 * log. Where a branch was reset to what it had not held before, nobody knows what it holds since.
 */
export function takenBackOn(
  repository: Pick<Repository, "commonDir">,
  branch: string,
): TakenBackCommit[] {
  const logOf = (name: string) => readLog(branchLogPath(repository, name), MAX_LOG_BYTES);
  const log = logOf(branch);
  if (!log.includes(AMENDED) && !log.includes(RESET)) return [];
  const gone = goneIn(log);
  if (gone.size === 0) return [];
  const others = [...branchNames(repository) ?? []].filter((name) => name !== branch)
    .map(logOf);
  // What another branch has held holds all that was before it.
  const isHeld = (id: string) => others.some((other) => other.includes(id));
  return [...gone].filter(([, { until }]) => !until.some(isHeld))
    .map(([id, { replacedBy }]) => ({ id, replacedBy }));
}

interface Gone {
  readonly replacedBy: string | null;
  /** Itself, and those after it that went with it. */
  readonly until: readonly string[];
}

function goneIn(log: string): Map<string, Gone> {
  const gone = new Map<string, Gone>();
  const held: string[] = [];
  for (const [, from, to, what = ""] of log.matchAll(MOVE)) {
    if (held.length === 0) held.push(from!);
    const before = gone.get(to!);
    if (what.startsWith(AMENDED) && held.at(-1) === from) {
      gone.set(held.pop()!, { replacedBy: to!, until: [from!] });
    } else if (what.startsWith(RESET) && held.includes(to!)) {
      const back = held.splice(held.lastIndexOf(to!) + 1);
      back.forEach((id, at) => gone.set(id, { replacedBy: null, until: back.slice(at) }));
    } else if (before !== undefined) {
      // It came back, with all that was before it.
      const back = [...gone].filter(([, { until }]) => until.includes(to!)).map(([id]) => id);
      held.push(...back.filter((id) => id !== to));
      for (const id of back) gone.delete(id);
    }
    gone.delete(to!);
    if (held.at(-1) !== to) held.push(to!);
  }
  return gone;
}
