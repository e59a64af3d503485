/** Commits that a rebase has written anew are told by the ids that they have since, and those that became a part of others no more. */
import type { DatabaseSync } from "node:sqlite";
import { branchNames } from "../git/branches.ts";
import { areHeldBeside, type Rebase, rebasesOf } from "../git/rebased.ts";
import { titleLine } from "../memory/text.ts";
import { standingCommitsOn } from "../store/branch_observations.ts";
import { type Observation, readObservations, retellObservation } from "../store/observations.ts";
import { resolveObservation } from "../store/open_failures.ts";

interface Place {
  readonly project: string;
  readonly branch: string;
}

/** So many characters of an id are told. */
const TOLD_CHARS = 7;

/** Tells the commits of a branch as they are there since it was put on top of others. @param by The observation that did it last; 0 where a person did. */
export function retellRebased(
  db: DatabaseSync,
  { project, branch, by }: Place & { readonly by: number },
): void {
  const rebases = rebasesOf({ commonDir: project }, branch);
  for (const rebase of rebases) {
    const standing = standingCommitsOn(db, { project, branch })
      .filter(({ hash }) => rebase.before.some((id) => id.startsWith(hash)));
    if (standing.length === 0) continue;
    const commits = readObservations(db, standing.map(({ id }) => id));
    const found = commits.map((commit) => ({ commit, made: madeOf(commit, rebase) }));
    for (const { commit, made } of found) {
      if (made !== null && made !== undefined) retell(db, commit, made);
    }
    const gone = found.filter(({ made }) => made === undefined).map(({ commit }) => commit);
    if (gone.length === 0 || gone.length > rebase.joined || !rebase.areOwn) continue;
    // What another branch has held holds all that was before it.
    const isGone = (id: string) => gone.some(({ facts }) => id.startsWith(facts.commit!.hash!));
    const ids = rebase.before.slice(rebase.before.findIndex(isGone));
    const others = [...branchNames({ commonDir: project }) ?? []].filter((name) => name !== branch);
    if (areHeldBeside({ commonDir: project }, { ids, others })) continue;
    const joinedTo = found.find(({ made }) => made != null)?.commit.id ?? by;
    for (const { id } of gone) resolveObservation(db, id, joinedTo);
  }
}

type Made = Rebase["made"][number];

/** The commit that was made of one; undefined where none was, null where nobody knows which. */
function madeOf({ facts: { commit } }: Observation, { made }: Rebase): Made | null | undefined {
  const { hash = null, subject = null } = commit ?? {};
  if (hash === null || subject === null) return null;
  const own = made.filter(({ wasId }) => wasId?.startsWith(hash));
  const found = own.length > 0
    ? own
    : made.filter((one) => one.wasId === null && (one.was === subject || one.subject === subject));
  return found.length > 1 ? null : found[0];
}

function retell(db: DatabaseSync, { id, title, facts }: Observation, made: Made): void {
  const { commit } = facts;
  const subject = made.subject || commit!.subject!;
  const hash = made.id.slice(0, commit!.hash!.length);
  if (hash === commit!.hash && subject === commit!.subject) return;
  const head = title.slice(0, title.indexOf(": ") + 2).replace(
    commit!.hash!.slice(0, TOLD_CHARS),
    hash.slice(0, TOLD_CHARS),
  );
  retellObservation(db, id, {
    title: titleLine(`${head}${subject}`),
    facts: { ...facts, commit: { ...commit!, hash, subject } },
  });
}
