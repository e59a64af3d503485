/** Chooses the observations that a session may be told. */
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../../system/environment.ts";
import { formerBranchNames } from "../../system/git/reflogs.ts";
import type { goneBranches } from "../../system/git/branches.ts";
import type { ToldLine } from "./context_text.ts";
import {
  type ProjectBranch,
  renameBranch,
  type Tellable,
  tellableOfBranch,
  tellableOfProject,
} from "./memory_context_table.ts";

export interface ContextPlace {
  readonly sessionId: string;
  /** The common git directory; the folder of a project without git. */
  readonly project: string;
  readonly branch: string | null;
  /** The folder to which paths are relative. */
  readonly root: string | null;
  /** What started the session: `startup`, `resume`, `compact`, …. */
  readonly source: string;
  /** When the session had its last event before this one, in epoch milliseconds; null for a new session. */
  readonly seenAtMs: number | null;
  /** Captures of other sessions that wait for a drain. */
  readonly waiting: readonly ToldLine[];
  readonly nowMs: number;
  readonly home: string | null;
  readonly environment: Environment;
}

/** The most rows that are read of this branch, of each other branch, and of the project. */
const OF_BRANCH = { among: 200, limit: 60 };
const OF_OTHERS = { among: 100, limit: 16 };
export const OF_PROJECT = 60;
/** The most other branches that are read: those with the latest work. */
const MAX_OTHER_BRANCHES = 3;

/**
 * Returns the time up to which a session knows everything, in epoch milliseconds; null when it must be told everything.
 * Resumed and forked sessions still have their earlier context.
 */
export function sinceMs({ source, seenAtMs, nowMs }: ContextPlace): number | null {
  if (source === "fork") return seenAtMs ?? nowMs;
  return source === "resume" ? seenAtMs : null;
}

/** Tells whether a session is told a row: a resumed one only others' newer rows, a compacted one also its own. */
export function isToldTo(
  { sessionId, updatedAtMs }: Pick<Tellable, "sessionId" | "updatedAtMs">,
  place: Pick<ContextPlace, "sessionId" | "source">,
  since: number | null,
): boolean {
  if (since !== null) return sessionId !== place.sessionId && updatedAtMs > since;
  return place.source === "compact" || sessionId !== place.sessionId;
}

/** Returns the rows that may be told, each once. Rows under a former name of the branch get its present name. */
export function rowsOf(
  db: DatabaseSync,
  here: ProjectBranch,
  isGone: ReturnType<typeof goneBranches>,
): Tellable[] {
  const { project, branch } = here;
  let rows = readRows(db, here);
  const gone = new Set(rows.map((row) => row.branch).filter(isGone));
  const former = branch === null || gone.size === 0
    ? new Set<string>()
    : formerBranchNames({ commonDir: project }, branch);
  const renamed = [...gone].filter((name) => name !== null && former.has(name));
  if (renamed.length > 0) {
    try {
      for (const name of renamed) renameBranch(db, { project, branch: branch! }, name!);
    } catch {
      // The database is busy or read-only; the next session tries again.
    }
    rows = readRows(db, here);
  }
  return [...new Map(rows.map((row) => [row.id, row])).values()].map((row) =>
    renamed.includes(row.branch) ? { ...row, branch } : row
  );
}

/** Returns the newest summaries, decisions and notes of a project, newest first. */
export function newestOfProject(db: DatabaseSync, project: string): Tellable[] {
  return newestFirst(tellableOfProject(db, project, OF_PROJECT));
}

/** Reads rows of this branch, of the branches with the latest work, and of the project. */
function readRows(db: DatabaseSync, here: ProjectBranch): Tellable[] {
  const { project, branch } = here;
  const own = tellableOfBranch(db, here, OF_BRANCH);
  const ofProject = tellableOfProject(db, project, OF_PROJECT);
  const named = [...ofProject, ...own].flatMap((row) => [row.branch, ...row.facts.branches ?? []]);
  const others = new Set(named).difference(new Set([branch, null]));
  // Imported rows have no branch.
  const elsewhere = [...[...others].slice(0, MAX_OTHER_BRANCHES), ...branch === null ? [] : [null]];
  const ofOthers = elsewhere.flatMap((other) =>
    tellableOfBranch(db, { project, branch: other }, OF_OTHERS)
  );
  return [...own, ...ofOthers, ...ofProject];
}

export function newestFirst(rows: readonly Tellable[]): Tellable[] {
  return rows.toSorted((a, b) => b.updatedAtMs - a.updatedAtMs || b.id - a.id);
}
