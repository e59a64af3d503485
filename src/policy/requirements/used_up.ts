/** Satisfactions for a single use: what an action will use up, and what it has used up. */
import type { DatabaseSync } from "node:sqlite";
import { doneSince, headLogBytes } from "../../system/git/reflogs.ts";
import {
  findRepository,
  lookUpwards,
  readRef,
  type Repository,
} from "../../system/git/repository.ts";
import type { Requirement } from "./requirement_policy.ts";
import type { Standing } from "./standing.ts";
import {
  type AllowedUse,
  type Moves,
  readAllowedUses,
  readUnendedUses,
} from "./judged_uses_table.ts";
import { type BranchKey, type Clearing, readStandings } from "./requirements_table.ts";
import { type MeantPlace, requirementsFor } from "./asked_requirements.ts";
import { quietly } from "../../base/errors.ts";
import { type AskedUse, commandOf } from "../guards/judge_use.ts";
import { commandsUnder, type CommandText } from "./trigger_match.ts";

/** The single uses that an action at a place is. */
export function usesOf(place: MeantPlace): Omit<AllowedUse, "untilMs">[] {
  const { triggered, repository, startsAt, commands } = place;
  const singleUse = triggered.filter(({ scope }) => scope === "single_use");
  return singleUse.map((requirement) => {
    const moving = movesOf(requirement, commands);
    const isMoved = moving.moves.length > 0;
    return {
      requirement: requirement.name,
      repository: repository.commonDir,
      branch: repository.branch ?? "",
      worktree: repository.root,
      ...moving,
      stoodAt: isMoved && startsAt !== null ? readRef(repository, `heads/${startsAt}`) : null,
      loggedBytes: isMoved ? headLogBytes(repository) : null,
    };
  });
}

/** The satisfactions that an ended action has used up: those that allowed it, else those on the checked-out branch. */
export async function usedUp(
  requirements: Parameters<typeof requirementsFor>[0],
  use: AskedUse & { readonly toolUseId: string | null; readonly succeeded: boolean },
  { repository, db, sessionId }: {
    readonly repository: Repository;
    /** Null when the beginning of the use cannot be looked up. */
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
  },
): Promise<Clearing[]> {
  const singleUse = requirements.filter(({ scope }) => scope === "single_use");
  const places = await requirementsFor(singleUse, use, repository);
  if (places.every(({ triggered }) => triggered.length === 0)) return [];
  const { toolUseId, succeeded } = use;
  const allowed = db === null || toolUseId === null
    ? []
    : quietly(() => readAllowedUses(db, { sessionId, toolUseId })) ?? [];
  if (allowed.length === 0) {
    return places.flatMap(({ triggered, repository: { commonDir, branch } }) =>
      branch === null || !succeeded ? [] : triggered.map(({ name }): Clearing => ({
        kind: "clear",
        repository: commonDir,
        branch,
        requirement: name,
        sessionId,
      }))
    );
  }
  const ended = { succeeded, tellsOfAll: endTellsOfAll(commandOf(use.input) ?? "") };
  // A command that goes to another branch may have done the same only there.
  const isOnOne = allowed.every(({ branch }) => branch === allowed[0]!.branch);
  return allowed
    .filter((one) => isUsedUp(ended, hasMoved(one, isOnOne) ?? standsElsewhere(one), one))
    .map((one) => clearingOf(one, sessionId));
}

/** The satisfactions that actions without a reported end have used up: in the background, or with a late report. */
export function usedUpUntold(
  requirements: readonly string[],
  { db, key, sessionId }: {
    readonly db: DatabaseSync | null;
    readonly key: BranchKey;
    readonly sessionId: string;
  },
): Clearing[] {
  if (db === null || requirements.length === 0) return [];
  const unended = quietly(() => readUnendedUses(db, { ...key, sessionId })) ?? [];
  // Other branches may have seen much since, so only moves of this one count.
  return unended.filter((one) =>
    one.repository === key.repository && one.branch === key.branch &&
    requirements.includes(one.requirement) && hasMoved(one, false) === true
  ).map((one) => clearingOf(one, sessionId));
}

/** Leaves out satisfactions that are used up; newer ones of the session stay. */
export function withoutSpent(
  stored: readonly Standing[],
  spent: readonly Clearing[],
  { sessionId, atMs }: { readonly sessionId: string; readonly atMs: number },
): Standing[] {
  return stored.filter((standing) =>
    standing.sessionId !== sessionId ||
    !spent.some(({ requirement, untilMs }) =>
      requirement === standing.requirement && (standing.satisfiedAtMs ?? 0) <= (untilMs ?? atMs)
    )
  );
}

/** The standings on a branch for a session, without what is used up and not reported yet. */
export function standingsOf(
  requirements: readonly Requirement[],
  { db, key, ...at }: {
    readonly db: DatabaseSync;
    readonly key: BranchKey;
    readonly sessionId: string;
    readonly atMs: number;
  },
): Standing[] {
  const names = requirements.filter(({ scope }) => scope === "single_use").map(({ name }) => name);
  const spent = usedUpUntold(names, { db, key, sessionId: at.sessionId });
  return withoutSpent(readStandings(db, key, at.sessionId), spent, at);
}

function clearingOf(
  { repository, branch, requirement, untilMs }: AllowedUse,
  sessionId: string,
): Clearing {
  return { kind: "clear", repository, branch, requirement, sessionId, untilMs };
}

/** Whether a use has moved its branch, by the reflog; null where that does not tell. `isOnOne`: no other branch is meant. */
function hasMoved(use: AllowedUse, isOnOne: boolean): boolean | null {
  const { worktree, repository, moves, loggedBytes } = use;
  const tree = { root: worktree, commonDir: repository };
  const done = loggedBytes === null ? null : doneSince(tree, loggedBytes);
  if (done === null) return null;
  return haveMoved(moves, done) && (isOnOne || standsAsBefore(use) !== true);
}

/** Whether the tip of the use's branch has moved; null when unknown, or when another branch may have moved instead. */
function standsElsewhere(use: AllowedUse): boolean | null {
  const asBefore = standsAsBefore(use);
  if (asBefore !== true) return asBefore === null ? null : true;
  return findRepository(lookUpwards(use.worktree))?.branch === use.branch ? false : null;
}

/** Whether the branch's tip is the same as before; null when unknown. */
function standsAsBefore({ repository, branch, stoodAt }: AllowedUse): boolean | null {
  const standsAt = stoodAt === null ? null : readRef({ commonDir: repository }, `heads/${branch}`);
  return standsAt === null ? null : standsAt === stoodAt;
}

/** Git commands that move the branch, and their names in the reflog. */
const LOGGED: Readonly<Record<string, RegExp>> = {
  commit: /^commit\b/,
  "cherry-pick": /^(?:cherry-pick|commit \(cherry-pick\)):/,
  // After a conflict it goes on as a usual commit.
  revert: /^(?:revert|commit):/,
  merge: /^(?:merge .*|commit \(merge\)):/,
  // Of its several steps the last one counts: `rebase (pick)`, `pull --rebase (finish)`.
  rebase: /^rebase[^:(]*(?:\(finish\)|finished):/,
  pull: /^pull[^:(]*(?:\(finish\))?:/,
  am: /^am:/,
};

const MOVING = new RegExp(
  `^(?:\\S*/)?git(?: -\\S+(?: [^-\\s]\\S*)?)*? (${Object.keys(LOGGED).join("|")})(?![\\w-])`,
  "i",
);

export function movesOf(
  requirement: Pick<Requirement, "triggers">,
  commands: readonly CommandText[],
): Moves {
  const under = commandsUnder(requirement, commands);
  const moves = under.flatMap(({ whole }) => MOVING.exec(whole)?.[1]?.toLowerCase() ?? []);
  const onlyMoves = moves.length === under.length && !under.some(({ isElsewhere }) => isElsewhere);
  return { moves: [...new Set(moves)], onlyMoves };
}

/** @param done What was done since, in the words of the reflog. */
export function haveMoved(moves: readonly string[], done: readonly string[]): boolean {
  return done.some((what) => moves.some((command) => LOGGED[command]?.test(what)));
}

/** Signs in a script that may succeed although one of its commands fails. */
const MASKING = /[;|!`\n]|\$\(|(?<!&)&(?!&)/;

/** Whether a script succeeds only if each of its commands does. */
export function endTellsOfAll(script: string): boolean {
  return !MASKING.test(script);
}

/** Whether an ended action has used up what allowed it. @param moved Whether it moved the branch; null when unknown. */
export function isUsedUp(
  ended: { readonly succeeded: boolean; readonly tellsOfAll: boolean },
  moved: boolean | null,
  { moves, onlyMoves }: Moves,
): boolean {
  if (moved === true) return true;
  if (moved === null || !onlyMoves) return ended.succeeded;
  // A successful commit was made, even if somewhere else; a merge may have had nothing to do.
  return ended.succeeded && ended.tellsOfAll && moves.includes("commit");
}
