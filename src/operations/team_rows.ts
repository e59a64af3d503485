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
  SHARED_KINDS,
  type SharedObservation,
  takeSharedObservation,
} from "../memory/store.ts";
import { compileRedactPatterns, type RedactRules, redactText } from "../secrets/redact.ts";
import { suspectedSecret } from "../secrets/suspect.ts";
import { isThere } from "../system/on_disk.ts";
import { joinPath } from "../base/paths.ts";
import type { SharedRows } from "../team/types.ts";
import { redactRow } from "../upkeep/transfer/import.ts";
import { admitAgain, forgottenRows } from "../upkeep/store.ts";
import {
  listSharedTasks,
  readSharedTask,
  removeSharedTasks,
  type SharedTask,
  takeSharedTask,
} from "../work/store.ts";

/** Rows that others have forgotten. */
export interface GoneRows {
  /** Of observations. */
  readonly uids: readonly string[];
  readonly tasks: readonly string[];
}

/** @param options `forget`: forgets rows in every file of this machine; of tasks, what people wrote into them. */
export function teamRows(
  db: DatabaseSync,
  { redactPatterns, forget }: {
    readonly redactPatterns: readonly string[];
    readonly forget: (gone: GoneRows) => Promise<void>;
  },
): SharedRows {
  const rules = { patterns: compileRedactPatterns(redactPatterns).patterns };
  return {
    read(kind, uid) {
      const row = kind === "task" ? readSharedTask(db, uid) : readSharedObservation(db, uid);
      // It may have become what is not shared since it was named.
      if (row === null || !isTask(row) && row["kind"] !== kind) return null;
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
        for (const { kind, uid, op, body } of rows) {
          try {
            const shared = masked(JSON.parse(body), rules);
            requireNamed(shared, { kind, uid });
            allOrNothing(db, () => {
              if (isTask(shared)) takeSharedTask(db, shared, home);
              else if (op === "forget" || admit("observation", shared) !== null) {
                takeSharedObservation(db, project, shared);
              }
            });
          } catch (thrown) {
            refused.set(uid, messageOf(thrown));
          }
        }
        after(refused);
      });
    },
    async forget(rows) {
      const idsOf = (is: (row: typeof rows[number]) => boolean) =>
        rows.filter(is).map(({ uid }) => uid);
      const uids = idsOf(({ kind }) => kind !== "task");
      await forget({ uids, tasks: idsOf(({ kind }) => kind === "task") });
      transaction(db, () => {
        dropShared(db, rows.map(({ uid }) => uid));
        removeSharedTasks(db, idsOf(({ kind, body }) => kind === "task" && body === null));
        // What comes in anew was not forgotten as a whole.
        admitAgain(db, idsOf(({ body }) => body !== null));
      });
    },
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

/** A row is what its name says, and of a kind that is shared. @throws {Error} */
function requireNamed(
  row: SharedTask | SharedObservation,
  { kind, uid }: { readonly kind: string; readonly uid: string },
): void {
  const is = isTask(row) ? ["task", row.columns["id"]] : [row["kind"], row["uid"]];
  const isKnown = isTask(row) || SHARED_KINDS.includes(kind);
  if (isKnown && is[0] === kind && is[1] === uid) return;
  throw new Error(`it is called "${kind} ${uid}", and holds another row`);
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
