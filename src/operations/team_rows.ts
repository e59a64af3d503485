/** Reads and writes the rows of memory and work that a team shares, for `team/`, which knows neither room. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../base/errors.ts";
import { dropShared } from "../db/team_outbox.ts";
import { allOrNothing, transaction } from "../db/transaction.ts";
import { folderOfProject } from "../memory/project_paths.ts";
import * as memory from "../memory/store.ts";
import { compileRedactPatterns, type RedactRules, redactText } from "../secrets/redact.ts";
import { redactValue } from "../secrets/redact_value.ts";
import { suspectedSecret } from "../secrets/suspect.ts";
import { isThere } from "../system/on_disk.ts";
import { joinPath } from "../base/paths.ts";
import { readTeamRequirement, takeTeamRequirement, type TeamRequirement } from "../team/store.ts";
import type { SharedRows } from "../team/types.ts";
import { redactRow } from "../upkeep/transfer/import.ts";
import { admitAgain, forgottenRows } from "../upkeep/store.ts";
import * as work from "../work/store.ts";
import { ownValue } from "../base/mapping.ts";

/** The server's lease for a task that is completed without a claim here, in milliseconds. */
const USUAL_LEASE_MS = 60_000;

/** The uids of rows that others have forgotten. */
export interface GoneRows {
  /** The uids of observations and requirements. */
  readonly uids: readonly string[];
  readonly tasks: readonly string[];
}

/** @param options `forget` removes rows from every file of this machine; of tasks, it removes their texts. */
export function teamRows(
  db: DatabaseSync,
  { redactPatterns, sharesPrompts, forget }: {
    readonly redactPatterns: readonly string[];
    /** Whether summaries are shared with the prompts that they quote. */
    readonly sharesPrompts: boolean;
    readonly forget: (gone: GoneRows) => Promise<void>;
  },
): SharedRows {
  const rules = { patterns: compileRedactPatterns(redactPatterns).patterns };
  return {
    read(kind, uid) {
      const row = rowOf(db, kind, uid);
      // The row may have become one that is not shared since the outbox named it.
      if (
        row === null ||
        ownValue(ROWS, kind) === undefined && (row as memory.SharedObservation)["kind"] !== kind
      ) {
        return null;
      }
      const sent = kind === "summary" && !sharesPrompts
        ? withoutPrompts(row as memory.SharedObservation)
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
      yield* work.listSharedTasks(db, project);
      yield* memory.listSharedObservations(db, project);
    },
    take(project, rows, { before, after }) {
      const home = homeOf(project);
      const refused = new Map<string, string>();
      const catching = <Result>(uid: string, job: () => Result): Result | undefined => {
        try {
          return job();
        } catch (thrown) {
          refused.set(uid, messageOf(thrown));
        }
      };
      // Rows are read and masked before the transaction, so that hooks wait less.
      const read = rows.flatMap((row) =>
        catching(row.uid, () => {
          const shared = masked(JSON.parse(row.body), rules);
          requireNamed(shared, row);
          return [{ ...row, shared }];
        }) ?? []
      );
      memory.indexTogether(db, () => {
        before();
        const admit = forgottenRows(db);
        const tasks = new Map<string, work.TakenTask>();
        const take = ({ uid, op, author, shared }: typeof read[number]) => {
          if (isRequirement(shared)) {
            takeTeamRequirement(db, project, { ...shared, author: author ?? "" });
          } else if (isTask(shared)) tasks.set(uid, work.takeSharedTask(db, shared, home));
          else if (op === "forget" || admit("observation", shared) !== null) {
            memory.takeSharedObservation(db, { project, author }, shared);
          }
        };
        for (const row of read) catching(row.uid, () => allOrNothing(db, () => take(row)));
        const uidsThat = (is: keyof work.TakenTask) =>
          [...tasks].filter(([, taken]) => taken[is]).map(([uid]) => uid);
        after({ refused, ahead: uidsThat("isAhead"), whole: uidsThat("isWhole") });
      });
    },
    async forget(rows) {
      const idsOf = (is: (row: typeof rows[number]) => boolean) =>
        rows.filter(is).map(({ uid }) => uid);
      const here = new Set(idsOf(({ kind, uid }) => rowOf(db, kind, uid) !== null));
      const uids = idsOf(({ kind }) => kind !== "task");
      const tasks = idsOf(({ kind }) => kind === "task");
      transaction(db, () => work.removeTaskEvents(db, tasks));
      await forget({ uids, tasks });
      transaction(db, () => {
        dropShared(db, rows.map(({ uid }) => uid));
        work.removeSharedTasks(db, idsOf(({ kind, body }) => kind === "task" && body === null));
        // A row that comes with a body counts again.
        admitAgain(db, idsOf(({ body }) => body !== null));
      });
      return here;
    },
    differ: (mine, theirs) => differences(mine, theirs).length > 0,
    wanted: (task) => work.wantedTask(db, task),
    claimable: (project, limit) => work.listClaimable(db, project, limit),
    claimsHere: (project) => work.listClaimsHere(db, project),
    leaseLeft(task) {
      const untilMs = work.readTask(db, task)?.leaseUntilMs ?? null;
      return untilMs === null ? USUAL_LEASE_MS : Math.max(untilMs - Date.now(), 0);
    },
    obey: (claim, word) =>
      allOrNothing(db, () => work.obeyServer(db, claim, { ...word, atMs: Date.now() })),
  };
}

/** Removes the prompts below `Asked:` from a summary. The session's name, which begins the title, stays. */
function withoutPrompts(row: memory.SharedObservation): memory.SharedObservation {
  const text = String(row["text"] ?? "")
    .replace(
      /^Asked:\n[^]*?(?=^(?:Done|Decided|Changed|Open|Passed over):\n|^Last: |(?![^]))/m,
      "",
    );
  return { ...row, text };
}

/** Lists a task's fields that differ, but for times and claims' numbers. @param theirs Undefined if it is gone. */
export function differences(mine: string, theirs: string | undefined) {
  if (theirs === undefined) return [];
  const [ownFields, theirFields] = [mine, theirs].map((body) => {
    const { columns, tags, dependsOn } = JSON.parse(body);
    const isDeleted = (columns["deleted_at_ms"] ?? null) !== null;
    return { ...columns, tags, dependsOn, isDeleted };
  });
  const textOf = (value: unknown) => JSON.stringify(value ?? null);
  return Object.keys(ownFields)
    .filter((field) =>
      !/_ms$|^claim_token$/.test(field) && textOf(ownFields[field]) !== textOf(theirFields[field])
    )
    .map((field) => ({ field, yours: ownFields[field], theirs: theirFields[field] }));
}

function homeOf(project: string) {
  const isRepository = isThere(joinPath(project, "HEAD"));
  return {
    repository: isRepository ? project : null,
    projectDir: isRepository ? folderOfProject(project) : project,
  };
}

type Definition = Pick<TeamRequirement, "uid" | "name" | "definition">;
type SharedRow = work.SharedTask | memory.SharedObservation | Definition;

/** The readers of rows other than observations, by kind. */
const ROWS: Readonly<Record<string, (db: DatabaseSync, uid: string) => SharedRow | null>> = {
  task: work.readSharedTask,
  requirement: readTeamRequirement,
};

function rowOf(db: DatabaseSync, kind: string, uid: string): SharedRow | null {
  return (ownValue(ROWS, kind) ?? memory.readSharedObservation)(db, uid);
}

/** Requires that a row's content matches its kind and uid, and that this kind is shared. @throws {Error} */
function requireNamed(
  row: SharedRow,
  { kind, uid }: { readonly kind: string; readonly uid: string },
): void {
  const is = isRequirement(row)
    ? ["requirement", row.uid]
    : isTask(row)
    ? ["task", row.columns["id"]]
    : [row["kind"], row["uid"]];
  const isKnown = ownValue(ROWS, kind) !== undefined || memory.SHARED_KINDS.includes(kind);
  if (isKnown && is[0] === kind && is[1] === uid) return;
  throw new Error(`it is called "${kind} ${uid}", and holds another row`);
}

function isTask(row: SharedRow): row is work.SharedTask {
  return "columns" in row;
}

function isRequirement(row: SharedRow): row is Definition {
  return "definition" in row;
}

/** Masks the secrets of a row by this machine's current rules. */
function masked<Row extends SharedRow>(row: Row, rules: RedactRules): Row;
function masked(row: SharedRow, rules: RedactRules) {
  const mask = (type: "task" | "taskChange" | "observation", columns: memory.SharedObservation) => {
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
