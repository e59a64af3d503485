/** Collects facts of a project that still hold: fixes, decisions, notes, and work that the branch's log does not show. */
import type { DatabaseSync } from "node:sqlite";
import { loggedCommits } from "../../system/git/reflogs.ts";
import { type ToldLine, withState } from "./context_text.ts";
import { liesOutside } from "../drain/describe_fix.ts";
import { keptJson } from "../observe/observation.ts";
import { editsOfBranch, type Tellable, triesOf } from "./memory_context_table.ts";
import { readMeta, writeMeta } from "../../db/statement.ts";
import { digestOf } from "../../base/fnv.ts";
import { putBackAmong, withStale } from "./stale_files.ts";
import { type ContextPlace, isToldTo, newestFirst } from "./told_rows.ts";
import { commitsElsewhere, refsState } from "../../system/git/branches.ts";

const MAX_FIXES = 6;
const MAX_KEPT = 40;
const MAX_COMMITS = 6;
const MAX_EDITS = 6;
/** The most edits that are read; the newest are. */
const MAX_EDITS_READ = 12;
/** The least number of failures that makes their fix worth telling. */
const MIN_TRIES = 2;

/**
 * Returns fixes that took more than one try, or whose cause lay outside of the code, the newest of each command in a
 * session. Fixes whose files were put back are left out.
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
  const chosen = worth.filter(({ id }) => !back.has(id)).slice(0, MAX_FIXES);
  return withStale(db, chosen, place).map((one) => withState(one, "fix"));
}

/** Returns decisions and notes, the newest of those with equal titles. */
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

/** Returns commits that only other branches have, with a remark when git did not answer in time. */
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
  const unlogged = await unloggedCommits(db, place, made.map(({ facts }) => facts.commit!.hash!));
  return made.flatMap((one): ToldLine | [] => {
    const found = unlogged(one.facts.commit!.hash!);
    if (found === "no") return [];
    return { ...withState(one, "commit"), note: found === "unknown" ? " (not checked)" : "" };
  }).slice(0, MAX_COMMITS);
}

/** Returns edits since the last commit on this branch that were not put back, the last one of each file. */
export function edits(
  db: DatabaseSync,
  rows: readonly Tellable[],
  place: ContextPlace & { readonly since: number | null },
): ToldLine[] {
  if (place.root === null) return [];
  const committedMs = committedAtMs(rows, place);
  const made = editsOfBranch(db, place, MAX_EDITS_READ)
    .filter((row) => isToldTo(row, place, place.since) && row.updatedAtMs > committedMs);
  const last = newestBy(made, ({ files }) => files.join());
  const back = putBackAmong(db, last, place.root);
  const chosen = last.filter(({ id }) => !back.has(id)).slice(0, MAX_EDITS);
  return withStale(db, chosen, place).map((one) => withState(one, "edit"));
}

/** Returns when the last commit on this branch was made. Git tells the second; the commit's observation tells more. */
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

/** Returns the first row of each key. */
function newestBy(rows: readonly Tellable[], keyOf: (row: Tellable) => string): Tellable[] {
  const seen = new Set<string>();
  return rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
}

/** The time that git has to answer, in milliseconds. */
const GIT_MS = 8;

/** Whether a commit stands only on other branches; `unknown` when git did not answer in time. */
type Unlogged = "elsewhere" | "no" | "unknown";

interface Answer {
  readonly state?: string;
  readonly asked?: readonly string[];
  readonly elsewhere?: readonly string[];
}

/**
 * Returns a function that tells whether a commit stands only on other branches. A commit that was amended, rebased or
 * reset away stands on no branch. @param ids Whole ids, or their beginnings.
 */
export async function unloggedCommits(
  db: DatabaseSync,
  { project, root, environment }: Pick<ContextPlace, "project" | "root" | "environment">,
  ids: readonly string[],
): Promise<(id: string) => Unlogged> {
  if (ids.length === 0 || root === null) return () => "no";
  const state = refsState({ root, commonDir: project });
  if (state === null) return () => "unknown";
  // The key holds a digest in place of the path, which a person may want forgotten.
  const key = `commits_elsewhere:${digestOf(project)}`;
  const stored = keptJson<Answer>(readMeta(db, key) ?? "{}", {});
  if (stored.state === state && ids.every((id) => stored.asked?.includes(id))) {
    return (id) => stored.elsewhere?.includes(id) === true ? "elsewhere" : "no";
  }
  const found = await commitsElsewhere(root, { timeoutMs: GIT_MS, environment });
  if (found === null) return () => "unknown";
  const elsewhere = ids.filter((id) => found.some((one) => one.startsWith(id)));
  const answer: Answer = { state, asked: ids, elsewhere };
  try {
    writeMeta(db, key, JSON.stringify(answer));
  } catch {
    // Another process is writing; the next session asks git again.
  }
  return (id) => elsewhere.includes(id) ? "elsewhere" : "no";
}
