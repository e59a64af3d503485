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
import { redactValue } from "../secrets/redact_value.ts";
import { suspectedSecret } from "../secrets/suspect.ts";
import { isThere } from "../system/on_disk.ts";
import { joinPath } from "../base/paths.ts";
import { readTeamRequirement, takeTeamRequirement, type TeamRequirement } from "../team/store.ts";
import type { SharedRows } from "../team/types.ts";
import { redactRow } from "../upkeep/transfer/import.ts";
import { admitAgain, forgottenRows } from "../upkeep/store.ts";
import {
  listClaimable,
  listClaimsHere,
  listSharedTasks,
  obeyServer,
  readSharedTask,
  readTask,
  removeSharedTasks,
  removeTaskEvents,
  type SharedTask,
  type TakenTask,
  takeSharedTask,
  wantedTask,
} from "../work/store.ts";

/** What is completed without a claim has one on the server for a moment. */
const USUAL_LEASE_MS = 60_000;

/** Rows that others have forgotten. */
export interface GoneRows {
  /** Of observations. */
  readonly uids: readonly string[];
  readonly tasks: readonly string[];
}

/** @param options `forget`: forgets rows in every file of this machine; of tasks, what people wrote into them. */
export function teamRows(
  db: DatabaseSync,
  { redactPatterns, sharesPrompts, forget }: {
    readonly redactPatterns: readonly string[];
    /** Without it summaries go without the prompts that they quote. */
    readonly sharesPrompts: boolean;
    readonly forget: (gone: GoneRows) => Promise<void>;
  },
): SharedRows {
  const rules = { patterns: compileRedactPatterns(redactPatterns).patterns };
  return {
    read(kind, uid) {
      const row = rowOf(db, kind, uid);
      // It may have become what is not shared since it was named.
      if (row === null || ROWS[kind] === undefined && (row as SharedObservation)["kind"] !== kind) {
        return null;
      }
      const sent = kind === "summary" && !sharesPrompts
        ? withoutAsked(row as SharedObservation)
        : row;
      const body = JSON.stringify(masked(sent, rules));
      const suspect = suspectedSecret(body);
      return {
        body,
        isDeleted: isTask(row) && row.columns["deleted_at_ms"] !== null,
        suspect: suspect === null ? null : `"${suspect}…" may be the beginning of a secret`,
      };
    },
    *list(project) {
      yield* listSharedTasks(db, project);
      yield* listSharedObservations(db, project);
    },
    take(project, rows, { before, after }) {
      const home = homeOf(project);
      const refused = new Map<string, string>();
      const refusing = <Result>(uid: string, work: () => Result): Result | undefined => {
        try {
          return work();
        } catch (thrown) {
          refused.set(uid, messageOf(thrown));
        }
      };
      // Read and masked before the transaction, so that hooks wait less.
      const read = rows.flatMap((row) =>
        refusing(row.uid, () => {
          const shared = masked(JSON.parse(row.body), rules);
          requireNamed(shared, row);
          return [{ ...row, shared }];
        }) ?? []
      );
      indexTogether(db, () => {
        before();
        const admit = forgottenRows(db);
        const tasks = new Map<string, TakenTask>();
        const take = ({ uid, op, author, shared }: typeof read[number]) => {
          if (isRequirement(shared)) {
            takeTeamRequirement(db, project, { ...shared, author: author ?? "" });
          } else if (isTask(shared)) tasks.set(uid, takeSharedTask(db, shared, home));
          else if (op === "forget" || admit("observation", shared) !== null) {
            takeSharedObservation(db, { project, author }, shared);
          }
        };
        for (const row of read) refusing(row.uid, () => allOrNothing(db, () => take(row)));
        const where = (is: keyof TakenTask) =>
          [...tasks].filter(([, taken]) => taken[is]).map(([uid]) => uid);
        after({ refused, ahead: where("isAhead"), whole: where("isWhole") });
      });
    },
    async forget(rows) {
      const idsOf = (is: (row: typeof rows[number]) => boolean) =>
        rows.filter(is).map(({ uid }) => uid);
      const here = new Set(idsOf(({ kind, uid }) => rowOf(db, kind, uid) !== null));
      const uids = idsOf(({ kind }) => kind !== "task");
      const tasks = idsOf(({ kind }) => kind === "task");
      transaction(db, () => removeTaskEvents(db, tasks));
      await forget({ uids, tasks });
      transaction(db, () => {
        dropShared(db, rows.map(({ uid }) => uid));
        removeSharedTasks(db, idsOf(({ kind, body }) => kind === "task" && body === null));
        // What comes in anew was not forgotten as a whole.
        admitAgain(db, idsOf(({ body }) => body !== null));
      });
      return here;
    },
    differ: (mine, theirs) => differences(mine, theirs).length > 0,
    wanted: (task) => wantedTask(db, task),
    claimable: (project, limit) => listClaimable(db, project, limit),
    claimsHere: (project) => listClaimsHere(db, project),
    leaseLeft(task) {
      const untilMs = readTask(db, task)?.leaseUntilMs ?? null;
      return untilMs === null ? USUAL_LEASE_MS : Math.max(untilMs - Date.now(), 0);
    },
    obey: (claim, word) =>
      allOrNothing(db, () => obeyServer(db, claim, { ...word, atMs: Date.now() })),
  };
}

/** A summary without the prompts below `Asked:`; the session's name, which begins its title, stays. */
function withoutAsked(row: SharedObservation): SharedObservation {
  const text = String(row["text"] ?? "")
    .replace(
      /^Asked:\n[^]*?(?=^(?:Done|Decided|Changed|Open|Passed over):\n|^Last: |(?![^]))/m,
      "",
    );
  return { ...row, text };
}

/** What differs between two versions of a task; times and numbers of claims are left out. @param theirs Undefined where it is gone. */
export function differences(mine: string, theirs: string | undefined) {
  if (theirs === undefined) return [];
  const [yours, counting] = [mine, theirs].map((body) => {
    const { columns, tags, dependsOn } = JSON.parse(body);
    const isDeleted = (columns["deleted_at_ms"] ?? null) !== null;
    return { ...columns, tags, dependsOn, isDeleted };
  });
  const said = (value: unknown) => JSON.stringify(value ?? null);
  return Object.keys(yours)
    .filter((field) =>
      !/_ms$|^claim_token$/.test(field) && said(yours[field]) !== said(counting[field])
    )
    .map((field) => ({ field, yours: yours[field], theirs: counting[field] }));
}

/** Where tasks of a project belong. */
function homeOf(project: string) {
  const isRepository = isThere(joinPath(project, "HEAD"));
  return {
    repository: isRepository ? project : null,
    projectDir: isRepository ? folderOfProject(project) : project,
  };
}

type Definition = Pick<TeamRequirement, "uid" | "name" | "definition">;
type SharedRow = SharedTask | SharedObservation | Definition;

/** How rows that are no observations are read, by their kinds. */
const ROWS: Readonly<Record<string, (db: DatabaseSync, uid: string) => SharedRow | null>> = {
  task: readSharedTask,
  requirement: readTeamRequirement,
};

function rowOf(db: DatabaseSync, kind: string, uid: string): SharedRow | null {
  return (ROWS[kind] ?? readSharedObservation)(db, uid);
}

/** A row is what its name says, and of a kind that is shared. @throws {Error} */
function requireNamed(
  row: SharedRow,
  { kind, uid }: { readonly kind: string; readonly uid: string },
): void {
  const is = isRequirement(row)
    ? ["requirement", row.uid]
    : isTask(row)
    ? ["task", row.columns["id"]]
    : [row["kind"], row["uid"]];
  const isKnown = ROWS[kind] !== undefined || SHARED_KINDS.includes(kind);
  if (isKnown && is[0] === kind && is[1] === uid) return;
  throw new Error(`it is called "${kind} ${uid}", and holds another row`);
}

function isTask(row: SharedRow): row is SharedTask {
  return "columns" in row;
}

function isRequirement(row: SharedRow): row is Definition {
  return "definition" in row;
}

/** A row without secrets, by the rules of this machine as they are now. */
function masked<Row extends SharedRow>(row: Row, rules: RedactRules): Row;
function masked(row: SharedRow, rules: RedactRules) {
  const mask = (type: "task" | "taskChange" | "observation", columns: SharedObservation) => {
    const text = JSON.stringify(columns);
    const { terms: _terms, ...masked } = redactRow({ type, columns, text, line: 0 }, rules);
    return masked;
  };
  if (isRequirement(row)) {
    return { ...row, definition: JSON.stringify(redactValue(JSON.parse(row.definition), rules)) };
  }
  if (!isTask(row)) return mask("observation", row);
  return {
    columns: mask("task", row.columns),
    tags: row.tags.map((tag) => redactText(tag, rules)),
    dependsOn: row.dependsOn,
    history: row.history.map((change) => mask("taskChange", change)),
  };
}
