/** `conclaude req import`: takes over what the older requirements framework has. */
import "../../config_sections.ts";
import { count } from "../../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { plain } from "../../capture/plain.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { type FrameworkFiles, readFrameworkFiles } from "../../project/framework_files.ts";
import type { LeftOut } from "../../requirement/import_fields.ts";
import { transaction } from "../../store/database.ts";
import type { CliContext } from "../context.ts";
import { planPolicy, type PolicyPlan, writePolicy } from "./req_import_policy.ts";
import {
  collectState,
  type FoundState,
  recordState,
  type StateReport,
} from "./req_import_records.ts";
import { lookIntoStore, openStore } from "../store.ts";
import type { View } from "../view.ts";

/** `conclaude req import` */
export async function importRequirements(
  context: CliContext,
  flags: { readonly dryRun: boolean; readonly local: boolean; readonly force: boolean },
): Promise<View> {
  const { dryRun } = flags;
  const repository = findRepository(lookUpwards(context.cwd));
  const files = readFrameworkFiles(context.cwd, { home: context.locations.home, repository });
  const policy = planPolicy(context, files, flags);
  const found = collectState(files, { repository, nowMs: Date.now() });
  const state = await withStore(context, { isNeeded: found.satisfactions.length > 0, dryRun }, {
    work: (db) => {
      const report = recordState(db, found, { dryRun });
      if (!dryRun) writePolicy(policy);
      return report;
    },
    without: () => {
      if (!dryRun) writePolicy(policy);
      return { ...found.report, satisfied: 0, present: 0 };
    },
  });
  return {
    json: {
      config: {
        path: policy.path,
        files: policy.files.map(({ target, added }) => ({ path: target.path, added })),
        added: [...new Set(policy.files.flatMap(({ added }) => added))],
        kept: policy.kept,
        skipped: policy.skipped,
        notTaken: policy.notTaken,
      },
      state,
      searched: files.searched,
      dryRun,
    },
    text: isAnythingThere(files)
      ? textOf({ policy, state, found }, dryRun)
      : ["Nothing to take over. Looked for:", ...files.searched.map((path) => `  ${plain(path)}`)]
        .join("\n"),
  };
}

/** The rows and the files go together: when one of them cannot be written, none is. */
async function withStore<Result>(
  context: CliContext,
  { isNeeded, dryRun }: { readonly isNeeded: boolean; readonly dryRun: boolean },
  { work, without }: {
    readonly work: (db: DatabaseSync) => Result;
    readonly without: () => Result;
  },
): Promise<Result> {
  if (!isNeeded) return without();
  if (dryRun) return await lookIntoStore(context, work);
  const { db } = await openStore(context, "write");
  return transaction(db, () => work(db));
}

/** The registry alone is nothing to take over. */
function isAnythingThere({ global, project, local, states }: FrameworkFiles): boolean {
  return states.length > 0 || [global, project, local].some((file) => file !== undefined);
}

function textOf(
  { policy, state, found }: {
    readonly policy: PolicyPlan;
    readonly state: StateReport;
    readonly found: FoundState;
  },
  dryRun: boolean,
): string {
  const lines = [
    dryRun
      ? "What would be taken over of the requirements framework; nothing was written."
      : "Took over what the requirements framework has here.",
    "",
    ...policy.files.map(({ target, added }) =>
      `${target.path}: ${dryRun ? "would get" : "got"} ${added.join(", ")}`
    ),
    ...(policy.files.length > 0 ? [] : ["Configuration: nothing to add."]),
    ...(policy.kept.length === 0 ? [] : [`Stays as it is here: ${policy.kept.join(", ")}`]),
    ...section("Left out:", policy.skipped),
    ...section("Not taken over:", policy.notTaken),
    `Branches: ${count(state.satisfied, "satisfaction")} ${dryRun ? "to record" : "recorded"}, ` +
    `${state.present} known already, from ${count(state.files, "file")}.`,
    ...(found.isInRepository
      ? []
      : ["This folder is in no git repository: no branch, no records."]),
    ...section("Left out:", state.skipped.map(({ path, why }) => ({ name: path, why }))),
    "",
    ...(policy.files.some(({ target }) => target.isNew && target.mode === 0o600)
      ? ["What is yours alone is in .conclaude.local.yaml: add it to .gitignore."]
      : []),
    ...(policy.isFirst && policy.files.length > 0
      ? [
        "With its first configuration file the project has conclaude's guards too: `conclaude guard list`.",
      ]
      : []),
    "The older files are as they were. Its hooks ask as well until they are out of Claude Code's settings.",
  ];
  return lines.map(plain).join("\n");
}

function section(title: string, rows: readonly LeftOut[]): string[] {
  return rows.length === 0 ? [] : [title, ...rows.map(({ name, why }) => `  ${name}: ${why}`)];
}
