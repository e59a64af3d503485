/** What a team shares of memory and work, and how it is taken in: `team/` itself knows neither. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../base/errors.ts";
import { dropShared } from "../db/team_outbox.ts";
import { allOrNothing, transaction } from "../db/transaction.ts";
import { folderOfProject } from "../memory/project_paths.ts";
import {
  indexTogether,
  listSharedObservations,
  readSharedObservation,
  type SharedObservation,
  takeSharedObservation,
} from "../memory/store.ts";
import { compileRedactPatterns, type RedactRules, redactText } from "../secrets/redact.ts";
import { suspectedSecret } from "../secrets/suspect.ts";
import { isThere } from "../system/on_disk.ts";
import { joinPath } from "../base/paths.ts";
import type { SharedRows } from "../team/types.ts";
import { redactRow } from "../upkeep/transfer/import.ts";
import { forgottenRows } from "../upkeep/store.ts";
import {
  listClaimable,
  listSharedTasks,
  obeyServer,
  readSharedTask,
  readTask,
  removeSharedTasks,
  type SharedTask,
  type TakenTask,
  takeSharedTask,
  wantedTask,
} from "../work/store.ts";

/** What is completed without a claim has one on the server for a moment. */
const USUAL_LEASE_MS = 60_000;

/** @param options `forget`: forgets observations by their uids, in every file of this machine. */
export function teamRows(
  db: DatabaseSync,
  { redactPatterns, forget }: {
    readonly redactPatterns: readonly string[];
    readonly forget: (uids: readonly string[]) => Promise<void>;
  },
): SharedRows {
  const rules = { patterns: compileRedactPatterns(redactPatterns).patterns };
  return {
    read(kind, uid) {
      const row = kind === "task" ? readSharedTask(db, uid) : readSharedObservation(db, uid);
      if (row === null) return null;
      const body = JSON.stringify(masked(row, rules));
      const suspect = suspectedSecret(body);
      return {
        body,
        suspect: suspect === null ? null : `"${suspect}…" may be the beginning of a secret`,
      };
    },
    *list(project) {
      yield* listSharedTasks(db, project);
      yield* listSharedObservations(db, project);
    },
    take(project, rows, { before, after }) {
      const home = homeOf(project);
      indexTogether(db, () => {
        before();
        const admit = forgottenRows(db);
        const refused = new Map<string, string>();
        const tasks = new Map<string, TakenTask>();
        for (const { uid, body } of rows) {
          try {
            const shared = masked(JSON.parse(body), rules);
            allOrNothing(db, () => {
              if (isTask(shared)) tasks.set(uid, takeSharedTask(db, shared, home));
              else if (admit("observation", shared) !== null) {
                takeSharedObservation(db, project, shared);
              }
            });
          } catch (thrown) {
            refused.set(uid, messageOf(thrown));
          }
        }
        const where = (is: keyof TakenTask) =>
          [...tasks].filter(([, taken]) => taken[is]).map(([uid]) => uid);
        after({ refused, ahead: where("isAhead"), whole: where("isWhole") });
      });
    },
    async forget(uids) {
      transaction(db, () => {
        dropShared(db, uids);
        removeSharedTasks(db, uids);
      });
      await forget(uids);
    },
    wanted: (task) => wantedTask(db, task),
    claimable: (project, limit) => listClaimable(db, project, limit),
    leaseLeft(task) {
      const untilMs = readTask(db, task)?.leaseUntilMs ?? null;
      return untilMs === null ? USUAL_LEASE_MS : Math.max(untilMs - Date.now(), 0);
    },
    obey: (claim, word) =>
      allOrNothing(db, () => obeyServer(db, claim, { ...word, atMs: Date.now() })),
  };
}

/** Where tasks of a project belong. */
function homeOf(project: string) {
  const isRepository = isThere(joinPath(project, "HEAD"));
  return {
    repository: isRepository ? project : null,
    projectDir: isRepository ? folderOfProject(project) : project,
  };
}

function isTask(row: SharedTask | SharedObservation): row is SharedTask {
  return "columns" in row;
}

/** A row without secrets, by the rules of this machine as they are now. */
function masked<Row extends SharedTask | SharedObservation>(row: Row, rules: RedactRules): Row;
function masked(row: SharedTask | SharedObservation, rules: RedactRules) {
  const mask = (type: "task" | "taskChange" | "observation", columns: SharedObservation) => {
    const text = JSON.stringify(columns);
    const { terms: _terms, ...masked } = redactRow({ type, columns, text, line: 0 }, rules);
    return masked;
  };
  if (!isTask(row)) return mask("observation", row);
  return {
    columns: mask("task", row.columns),
    tags: row.tags.map((tag) => redactText(tag, rules)),
    dependsOn: row.dependsOn,
    history: row.history.map((change) => mask("taskChange", change)),
  };
}
