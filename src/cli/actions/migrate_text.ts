/** What `conclaude migrate` says: the plan, and what came of it. */
import { plain } from "../../capture/plain.ts";
import {
  countPlanned,
  type Counts,
  KINDS,
  type MigrationPlan,
  type Present,
} from "../../engine/migration/plan.ts";
import type { ConfigPlan } from "./migrate_config.ts";

/** All that is known before anything is written. */
export interface Migration {
  readonly plan: MigrationPlan;
  readonly config: ConfigPlan;
  /** What is in the database already. */
  readonly present: Present;
  /** The process of the older daemon, when it still runs. */
  readonly livePid: number | null;
}

/** Rows by kind, and files. */
export type AllCounts = Counts & { readonly files: number };

/** What was done. */
export interface Report {
  readonly imported: AllCounts;
  readonly alreadyThere: AllCounts;
  readonly notes: readonly string[];
}

export const NOTHING: AllCounts = { tasks: 0, workflows: 0, agents: 0, questions: 0, files: 0 };

/** How many files are to be written, and how many are there already. */
export function countOfFiles({ plan, config }: Migration) {
  const isWritten = config.text !== null;
  return {
    fresh: plan.files.writes.length + (isWritten ? 1 : 0),
    present: plan.files.present.length + (!isWritten && config.kept.length > 0 ? 1 : 0),
  };
}

/** Whether nothing is left to do. */
export function isDone(migration: Migration): boolean {
  const { plan, present } = migration;
  const all = countPlanned(plan);
  return present.isFinished && countOfFiles(migration).fresh === 0 &&
    KINDS.every((kind) => all[kind] === present[kind]);
}

/** The plan for programs. */
export function planJson(migration: Migration) {
  const { plan, config, present, livePid } = migration;
  const all = countPlanned(plan);
  const fresh = KINDS.map((kind) => [kind, all[kind] - present[kind]] as const);
  return {
    from: plan.place.folder,
    project: plan.place.root,
    ...Object.fromEntries(fresh),
    files: [
      ...plan.files.writes.map(({ from, to }) => ({ from, to })),
      ...config.text === null
        ? []
        : [{ to: config.target.path, added: config.added.map(({ path }) => path.join(".")) }],
    ],
    statuses: statusesOf(migration),
    config: { path: config.target.path, kept: config.kept, notTaken: notTakenOf(migration) },
    notes: plan.notes,
    ...livePid === null ? {} : { olderDaemon: livePid },
  };
}

/** The plan for people. */
export function planText(migration: Migration): string {
  const { plan, config, present, livePid } = migration;
  const all = countPlanned(plan);
  const counts = KINDS.map((kind) => {
    const there = present[kind] === 0 ? "" : `, ${present[kind]} there already`;
    return `  ${kind.padEnd(10)} ${all[kind] - present[kind]} to bring over${there}`;
  });
  const files = countOfFiles(migration);
  return [
    `From ${plan.place.folder}, which stays as it is:`,
    ...counts,
    `  ${"files".padEnd(10)} ${files.fresh} to write${
      files.present === 0 ? "" : `, ${files.present} there already`
    }`,
    ...section("Files:", [
      ...plan.files.writes.map(({ to }) => to),
      ...config.added.map(({ path, value }) =>
        `${config.target.path}: ${path.join(".")}: ${JSON.stringify(value)}`
      ),
    ]),
    ...section("Tasks that change their status:", statusesOf(migration).map(statusText)),
    ...section(
      "Workflows that had not ended are history: none is started. Their worktrees and branches stay.",
      plan.workflows.flatMap(({ old, reason }) =>
        reason?.startsWith("imported") && !present.isThere("workflows", old.id)
          ? [`task ${old.taskId}: ${reason}`]
          : []
      ),
    ),
    ...config.text !== null && config.target.isNew
      ? [
        "",
        "With its first configuration file the project has conclaude's guards too: `conclaude guard list`.",
      ]
      : [],
    ...section("Stays as your configuration says it:", config.kept),
    ...section("To know:", plan.notes),
    ...section(
      "Not brought over:",
      notTakenOf(migration).map(({ name, why }) => `${name}: ${why}`),
    ),
    ...section("Skipped:", skippedLines(plan)),
    ...livePid === null ? [] : [
      "",
      `The older daemon still runs (process ${livePid}): stop it first, or it goes on writing.`,
    ],
  ].map(plain).join("\n");
}

/** What was done, for people. */
export function reportText({ plan }: Migration, { imported, alreadyThere, notes }: Report): string {
  const tell = (counts: AllCounts) =>
    [...KINDS, "files" as const].map((kind) => `${counts[kind]} ${kind}`).join(", ");
  return [
    `Brought over: ${tell(imported)}.`,
    `There already: ${tell(alreadyThere)}.`,
    ...notes,
    ...plan.skipped.length === 0 ? [] : [`Skipped: ${plan.skipped.length}, named above.`],
    `${plan.place.folder} is as it was.`,
  ].map(plain).join("\n");
}

/** What is skipped, a line each. */
export function skippedLines({ skipped }: MigrationPlan): string[] {
  return skipped.map(({ path, why }) => plain(`${path}: ${why}`));
}

interface StatusChange {
  readonly from: string;
  readonly to: string;
  readonly why: string;
  readonly tasks: readonly string[];
}

/** Why a status does not stay, by the one that it was and the one that it becomes. */
const WHY: Readonly<Record<string, string>> = {
  "in_progress open": "nobody here has claimed it",
  "in_progress blocked": "its worktree is still there, so that nobody begins anew",
  "pending_merge blocked": "its merge was not finished",
};

/** Of the tasks that are to be brought over. */
function statusesOf({ plan, present }: Migration): StatusChange[] {
  const changed = plan.tasks.filter(({ old, status }) =>
    old.status !== status && old.deletedAtMs === null && !present.isThere("tasks", old.id)
  );
  const groups = Map.groupBy(changed, ({ old, status }) => `${old.status} ${status}`);
  return [...groups].map(([key, group]) => ({
    from: group[0]!.old.status,
    to: group[0]!.status,
    why: WHY[key] ?? "",
    tasks: group.map(({ old }) => old.id),
  }));
}

/** So many ids are named in the text; a program gets all of them. */
const MAX_NAMED = 10;

function statusText({ from, to, why, tasks }: StatusChange): string {
  const more = tasks.length > MAX_NAMED ? ` and ${tasks.length - MAX_NAMED} more` : "";
  return `${from} becomes ${to} (${why}): ${tasks.slice(0, MAX_NAMED).join(", ")}${more}`;
}

function notTakenOf({ plan, config }: Migration) {
  return [...plan.files.notTaken, ...config.notTaken];
}

function section(title: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : ["", title, ...rows.map((row) => `  ${row}`)];
}
