/** Collects facts of a project that still hold: fixes, decisions, notes, and work that the branch's log does not show. */
import type { DatabaseSync } from "node:sqlite";
import { loggedCommits } from "../../system/git/reflogs.ts";
import { type Tellable, type ToldLine, withState } from "./context_text.ts";
import { liesOutside } from "../drain/describe_fix.ts";
import { keptJson } from "../observe/observation.ts";
import { editsOfBranch, keepAnswer, keptAnswer, triesOf } from "./memory_context_table.ts";
import { putBackAmong, withStale } from "./stale_files.ts";
import { type ContextPlace, isToldTo, newestFirst } from "./told_rows.ts";
import type { Environment } from "../../system/environment.ts";
import { commitsElsewhere, refsState } from "../../system/git/branches.ts";

const MAX_FIXES = 6;
const MAX_KEPT = 40;
const MAX_COMMITS = 6;
const MAX_EDITS = 6;
/** The most edits that are read, the newest. */
const OF_EDITS = 12;
/** The failures from which on a fix is worth telling. */
const MIN_TRIES = 2;

/**
 * Fixes that took more than one try, or whose cause lay outside of the code: of each command the newest. A fix whose files
 * were put back is left out.
 */
export function fixes(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace,
): ToldLine[] {
  const all = newestFirst(rows.filter(({ kind }) => kind === "fix"));
  const tries = triesOf(db, all.flatMap(({ facts }) => facts.mended ?? []));
  const isOutside = ({ files, facts }: Tellable) =>
    files.length === 0 || liesOutside(facts.error ?? "");
  const worth = newestBy(
    all.filter((one) => isOutside(one) || (tries.get(one.facts.mended ?? 0) ?? 0) >= MIN_TRIES),
    ({ sessionId, facts }) => `${sessionId} ${facts.command}`,
  );
  const back = putBackAmong(db, worth, place.root);
  const told = worth.filter(({ id }) => !back.has(id)).slice(0, MAX_FIXES);
  return withStale(db, told, place).map((one) => withState(one, "fix"));
}

/** Decisions and notes, of equal ones the newest. */
export function keptFacts(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace,
): ToldLine[] {
  const all = newestBy(
    newestFirst(rows.filter(({ kind }) => kind === "decision" || kind === "note")),
    ({ title }) => title,
  );
  return withStale(db, all.slice(0, MAX_KEPT), place).map((one) => withState(one, one.kind));
}

/** Commits that another branch has, and this one has not. */
export async function commits(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace,
): Promise<ToldLine[]> {
  const made = newestFirst(
    rows.filter(({ kind, branch, facts }) =>
      kind === "commit" && branch !== place.branch && facts.commit?.hash != null
    ),
  ).slice(0, 2 * MAX_COMMITS);
  const isUnlogged = await unloggedCommits(db, place, made.map(({ facts }) => facts.commit!.hash!));
  return made.flatMap((one): ToldLine[] => {
    const found = isUnlogged(one.facts.commit!.hash!);
    if (found === "no") return [];
    return [{ ...withState(one, "commit"), note: found === "unknown" ? " (not checked)" : "" }];
  }).slice(0, MAX_COMMITS);
}

/** Edits since the last commit on this branch that were not put back: of each file the last one. */
export function edits(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace & { readonly since: number | null },
): ToldLine[] {
  if (place.root === null) return [];
  const committedMs = committedAtMs(rows, place);
  const made = editsOfBranch(db, place, OF_EDITS)
    .filter((row) => isToldTo(row, place, place.since) && row.updatedAtMs > committedMs)
    .map((row): Tellable => ({
      ...row,
      files: keptJson<string[]>(row.files, []),
      facts: {},
      stale: null,
    }));
  const last = newestBy(made, ({ files }) => files.join());
  const back = putBackAmong(db, last, place.root);
  const told = last.filter(({ id }) => !back.has(id)).slice(0, MAX_EDITS);
  return withStale(db, told, place).map((one) => withState(one, "edit"));
}

/** When the last commit was made on this branch. Git tells the second; within it, what was seen of the commit tells more. */
function committedAtMs(
  rows: readonly Tellable[],
  { project, branch }: Pick<ContextPlace, "project" | "branch">,
): number {
  if (branch === null) return -Infinity;
  const atMs = loggedCommits({ commonDir: project }, branch).at(-1)?.atMs ?? -Infinity;
  const seen = rows.filter((one) => one.kind === "commit" && one.branch === branch)
    .map(({ updatedAtMs }) => Math.min(updatedAtMs, atMs + 999));
  return Math.max(atMs, ...seen);
}

/** The first row of each key. */
function newestBy(rows: readonly Tellable[], keyOf: (row: Tellable) => string): Tellable[] {
  const seen = new Set<string>();
  return rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
}

/** How long git may take to answer, in milliseconds. */
const GIT_MS = 8;

/** Whether a commit stands only on another branch; `unknown` when git did not answer in time. */
type Unlogged = "elsewhere" | "no" | "unknown";

interface Answer {
  readonly state?: string;
  readonly asked?: readonly string[];
  readonly elsewhere?: readonly string[];
}

/**
 * Returns a function that tells of commits whether they stand only on another branch. A commit that was amended, rebased or
 * reset away stands on none. @param ids Whole ids, or their beginnings.
 */
export async function unloggedCommits(
  db: DatabaseSync,
  { project, root, environment }: {
    /** The common git directory. */
    readonly project: string;
    readonly root: string | null;
    readonly environment: Environment;
  },
  ids: readonly string[],
): Promise<(id: string) => Unlogged> {
  if (ids.length === 0 || root === null) return () => "no";
  const state = refsState({ root, commonDir: project });
  if (state === null) return () => "unknown";
  const kept = keptJson<Answer>(keptAnswer(db, project) ?? "{}", {});
  if (kept.state === state && ids.every((id) => kept.asked?.includes(id))) {
    return (id) => kept.elsewhere?.includes(id) === true ? "elsewhere" : "no";
  }
  const found = await commitsElsewhere(root, { timeoutMs: GIT_MS, environment });
  if (found === null) return () => "unknown";
  const elsewhere = ids.filter((id) => found.some((one) => one.startsWith(id)));
  const answer: Answer = { state, asked: ids, elsewhere };
  try {
    keepAnswer(db, project, JSON.stringify(answer));
  } catch {
    // Another process writes; the next session asks git again.
  }
  return (id) => elsewhere.includes(id) ? "elsewhere" : "no";
}
