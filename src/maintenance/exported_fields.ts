/** How the rows of the database are written in an export: what both `export` and `import` go by. */
import type { ExportType } from "../store/exported_tables.ts";

/** The layout of the lines; a later layout has another number. */
export const FORMAT = 1;

/** Columns that hold JSON; they are exported as values. */
export const JSON_COLUMNS: Readonly<Partial<Record<ExportType, readonly string[]>>> = {
  execution: ["metadata"],
  observation: ["files", "facts", "observed_files"],
  capture: ["files_touched"],
  requirement: ["metadata"],
  taskChange: ["changes"],
  agent: ["command"],
  workflow: ["definition"],
  workflowStep: ["outcome"],
  question: ["options"],
  event: ["data"],
};

/** The count of each type of line. */
export const COUNT_NAMES = {
  session: "sessions",
  execution: "executions",
  capture: "captures",
  counter: "counters",
  requirement: "requirements",
  observation: "observations",
  task: "tasks",
  taskTag: "taskTags",
  taskDependency: "taskDependencies",
  taskChange: "taskChanges",
  agent: "agents",
  workflow: "workflows",
  workflowStep: "workflowSteps",
  question: "questions",
  event: "events",
  summaryRequest: "summaryRequests",
} as const satisfies Record<ExportType, string>;

/** One of {@linkcode COUNT_NAMES}. */
export type CountName = typeof COUNT_NAMES[ExportType];

/** The field of a row's own column `type`, which gives way to the type of the line. */
export function ownTypeName(type: ExportType): string {
  return `${type}Type`;
}

/** The column that a field was; {@linkcode ownTypeName} is the other direction of one of them. */
export function columnOf(type: ExportType, field: string): string {
  return field === ownTypeName(type)
    ? "type"
    : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
