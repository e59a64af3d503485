/** Reads the matchers of a project, and chooses a task's workflow with them. */
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { parse as parseYaml } from "yaml";
import { foldersOf, leftOutText, MATCHERS, whyNotOf } from "../config/left_out.ts";
import type { OrchestrationSettings } from "./orchestration_section.ts";
import { messageOf } from "../base/errors.ts";
import { joinPath } from "../base/paths.ts";
import { isNotFound, readTextFileSync } from "../system/files.ts";
import { isMapping } from "../base/mapping.ts";
import { field, orElse, readFields } from "./field_reader.ts";
import type { Task, TaskFacts } from "./task.ts";
import { DEFAULT_WORKFLOW } from "./engine/workflow_files.ts";
import { readWorkflowOfTask } from "./workflows_table.ts";

export type ChoosingTask = TaskFacts & Pick<Task, "workflow" | "parentId">;

export interface WorkflowChoice {
  readonly name: string;
  readonly why: string;
  readonly by: "hint" | "tag" | "matcher" | "default";
  /** The matchers up to the deciding one, each with its first failed condition; empty when no matcher was needed. */
  readonly considered: readonly {
    readonly name: string;
    readonly matched: boolean;
    readonly why: string;
  }[];
}

/** Prefixes of tags that name a workflow; old files use the second. */
const TAG_PREFIXES = ["workflow:", "grimoire:"];

/**
 * Chooses a workflow: the task's own hint, then a tag `workflow:X`, then the first matcher that matches, then the
 * default. A matcher that inherits does not match when the parent never ran a workflow.
 */
export function chooseWorkflow(
  task: ChoosingTask,
  matchers: readonly Matcher[],
  options: {
    /** The workflow that the parent task ran; null when it ran none. */
    readonly parentWorkflow: string | null;
    readonly default: string;
  },
): WorkflowChoice {
  const { workflow: hint } = task;
  if (hint) return { name: hint, why: "the task asks for it", by: "hint", considered: [] };
  for (const prefix of TAG_PREFIXES) {
    const tag = task.tags.find((one) => one.startsWith(prefix) && one.length > prefix.length);
    if (tag !== undefined) {
      return { name: tag.slice(prefix.length), why: `the tag ${tag}`, by: "tag", considered: [] };
    }
  }
  const considered: WorkflowChoice["considered"][number][] = [];
  for (const { name, match, workflow } of matchers) {
    const found = workflow ?? options.parentWorkflow;
    const fault = faultOf(task, match) ??
      (found === null ? "the parent never ran a workflow" : null);
    const why = fault ?? "all conditions are fulfilled";
    considered.push({ name, matched: fault === null, why });
    if (fault !== null || found === null) continue;
    const reason = `the matcher '${name}'${workflow === null ? ", as the parent" : ""}`;
    return { name: found, why: reason, by: "matcher", considered };
  }
  return { name: options.default, why: "the default", by: "default", considered };
}

const PRIORITY = z.int({ error: "must be 0-4" })
  .check(z.gte(0, "must be 0-4"), z.lte(4, "must be 0-4"));

const PRIORITIES = z.pipe(
  z.union([PRIORITY, z.array(PRIORITY)], { error: "must be 0-4" }),
  z.transform((value) => [value].flat()),
);

/** Accepts `[min, max]`, or `{min, max}` where either may be missing. */
const PRIORITY_RANGE = z.pipe(
  z.transform((given) => isMapping(given) ? [given["min"] ?? 0, given["max"] ?? 4] : given),
  z.tuple([PRIORITY, PRIORITY], { error: "must be two priorities, 0-4" })
    .check(z.refine(([min, max]) => min <= max, "min must be <= max")),
);

/** The conditions of a matcher, in the order of the checks. A condition that is null is not set. */
const CONDITIONS = {
  any_tags: field.texts,
  all_tags: field.texts,
  priority: orElse(PRIORITIES, null),
  priority_range: orElse(PRIORITY_RANGE, null),
  type: field.texts,
  body_contains: field.texts,
  has_parent: field.truth,
  not_tags: field.texts,
};

const MATCH = z.object(CONDITIONS);

type Conditions = z.output<typeof MATCH>;

/** Checks of the conditions: each explains why a task fails, or returns false or undefined. */
const CHECKS: {
  readonly [Name in keyof Conditions]: (
    task: ChoosingTask,
    wanted: NonNullable<Conditions[Name]>,
  ) => string | false | undefined;
} = {
  any_tags: ({ tags }, wanted) =>
    !wanted.some((tag) => tags.includes(tag)) && `it has none of the tags ${wanted.join(", ")}`,
  all_tags: ({ tags }, wanted) =>
    wanted.filter((tag) => !tags.includes(tag)).map((tag) => `it has no tag ${tag}`)[0],
  priority: ({ priority }, wanted) => !wanted.includes(priority) && `its priority is ${priority}`,
  priority_range: ({ priority }, [min, max]) =>
    (priority < min || priority > max) && `its priority is ${priority}`,
  type: ({ type }, wanted) => !wanted.includes(type) && `its type is ${type}`,
  body_contains: ({ body }, wanted) =>
    !wanted.some((text) => body.toLowerCase().includes(text.toLowerCase())) &&
    `its body has none of the texts ${wanted.join(", ")}`,
  has_parent: ({ parentId }, wanted) =>
    wanted !== (parentId !== null) && `it has ${parentId === null ? "no parent" : "a parent"}`,
  not_tags: ({ tags }, wanted) =>
    wanted.filter((tag) => tags.includes(tag)).map((tag) => `it has the tag ${tag}`)[0],
};

/** Explains the first condition that a task does not fulfil; null when it fulfils all. */
function faultOf(task: ChoosingTask, match: Conditions): string | null {
  for (const name of Object.keys(CONDITIONS) as (keyof Conditions)[]) {
    const wanted = match[name];
    const fault = wanted !== null && CHECKS[name](task, wanted as never);
    if (fault) return fault;
  }
  return null;
}

interface Matcher {
  readonly name: string;
  /** The conditions; a matcher without any matches every task. */
  readonly match: Conditions;
  /** The name; null for the workflow of the parent task. */
  readonly workflow: string | null;
}

/** The valid matchers of a file, and warnings for a person. */
interface MatcherFile {
  readonly matchers: readonly Matcher[];
  readonly warnings: readonly string[];
}

const MATCHER = z.object({
  name: field.any,
  match: field.any,
  workflow: field.text,
  grimoire: field.text,
  inherit: field.truth,
});

/**
 * Reads a list of matchers, or a mapping with the list `matchers`. Each has `name`, `match`, and `workflow` (in old
 * files `grimoire`) or `inherit: true`. Leaves a wrong matcher out with a warning, and warns of an unknown field.
 */
export function parseMatchers(value: unknown): MatcherFile {
  const warnings: string[] = isMapping(value)
    ? [...readFields(z.object({ matchers: field.any }), value).unknown]
    : [];
  const list = isMapping(value) ? value["matchers"] : value;
  if (list === null || list === undefined) return { matchers: [], warnings };
  if (!Array.isArray(list)) return { matchers: [], warnings: ["matchers must be a list"] };
  const matchers = list.flatMap((one, index) => readMatcher(one, index + 1, warnings) ?? []);
  return { matchers, warnings: [...warnings, ...unreachable(matchers)] };
}

function readMatcher(value: unknown, number: number, warnings: string[]): Matcher | null {
  const whole = isMapping(value) ? value : {};
  const name = typeof whole["name"] === "string" && whole["name"] || `${number}`;
  const given = whole["match"] ?? {};
  const read = readFields(MATCHER, whole);
  const { fields: match, ...found } = readFields(MATCH, isMapping(given) ? given : {});
  const errors = [...found.errors, ...read.errors];
  const { workflow: own, grimoire = null, inherit } = read.fields ?? {};
  const workflow = own ?? grimoire;
  if (!isMapping(given)) errors.push("match must be a mapping of conditions");
  if (read.fields !== null && !workflow && !inherit) {
    errors.push("matcher must specify workflow or inherit");
  }
  if (workflow && inherit) errors.push("matcher must not specify both workflow and inherit");
  const tell = (warning: string) => warnings.push(`matcher '${name}': ${warning}`);
  for (const error of errors) tell(`${error}; the matcher is left out`);
  for (const key of [...read.unknown, ...found.unknown]) tell(`${key}; it is ignored`);
  return errors.length > 0 || match === null ? null : { name, workflow, match };
}

/** Warns of matchers behind one that matches every task. */
function unreachable(matchers: readonly Matcher[]): string[] {
  const first = matchers.findIndex(({ match, workflow }) =>
    workflow !== null && Object.values(match).every((condition) => condition === null)
  );
  if (first < 0) return [];
  return matchers.slice(first + 1).map(({ name }) =>
    `matcher '${name}' will never be reached because '${matchers[first]!.name}' matches everything`
  );
}

interface ProjectMatchers extends MatcherFile {
  readonly path: string | null;
}

/** Reads the matchers of a project, anew for each task. Never throws: faults become warnings. */
export function readMatchers(projectDir: string): ProjectMatchers {
  const warnings: string[] = [];
  for (const folder of foldersOf(projectDir)) {
    const path = joinPath(folder, MATCHERS);
    const tell = (warning: string) => void warnings.push(`${path}: ${warning}`);
    const leftOut = whyNotOf(projectDir, path);
    if (leftOut !== null) {
      tell(leftOutText(leftOut));
      continue;
    }
    try {
      const found = parseMatchers(parseYaml(readTextFileSync(path)));
      found.warnings.forEach(tell);
      return { path, matchers: found.matchers, warnings };
    } catch (thrown) {
      if (isNotFound(thrown)) continue;
      tell(messageOf(thrown));
      return { path, matchers: [], warnings };
    }
  }
  return { path: null, matchers: [], warnings };
}

/** Chooses the workflow of a task; also returns why, and the faults of the project's matchers. */
export function chooseFor(
  db: DatabaseSync,
  task: Task & { readonly projectDir: string },
  { defaultWorkflow }: Pick<OrchestrationSettings, "defaultWorkflow">,
): WorkflowChoice & Omit<ProjectMatchers, "matchers"> {
  const { path, matchers, warnings } = readMatchers(task.projectDir);
  const choice = chooseWorkflow(task, matchers, {
    parentWorkflow: task.parentId === null
      ? null
      : readWorkflowOfTask(db, task.parentId)?.name ?? null,
    default: defaultWorkflow ?? DEFAULT_WORKFLOW,
  });
  return { ...choice, path, warnings };
}
