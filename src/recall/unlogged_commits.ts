/** Which of some commits stand on another branch only: asked of git at most once for each state of its branches. */
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../environment.ts";
import { commitsElsewhere, refsState } from "../git/commits_elsewhere.ts";
import { keptJson } from "../memory/kept_json.ts";
import { keepAnswer, keptAnswer } from "../store/git_answer_table.ts";

/** Git is not waited for longer, in milliseconds. */
const GIT_MS = 8;

/** Whether a commit stands on another branch only; `unknown` where git did not tell in time. */
export type Unlogged = "elsewhere" | "no" | "unknown";

/** What git said, as it is kept. */
interface Answer {
  readonly state?: string;
  readonly asked?: readonly string[];
  readonly elsewhere?: readonly string[];
}

/**
 * Tells of commits, by their ids or how these begin, whether they stand on a branch, but not below `HEAD`. One that was
 * amended, rebased or reset away stands nowhere.
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
    // Somebody else writes: the next session asks again.
  }
  return (id) => elsewhere.includes(id) ? "elsewhere" : "no";
}
