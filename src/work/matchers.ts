/** Reads the matchers of a project, and chooses the workflow of a task with them. */
import type { TaskFacts } from "./task.ts";
import * as z from "zod/mini";
import { field, isMapping, orElse, readFields } from "./field_reader.ts";

export interface ChoosingTask extends TaskFacts {
  /** The workflow that the task asks for. */
  readonly workflowHint: string | null;
  readonly hasParent: boolean;
}

/** A matcher that was checked. */
export interface Considered {
  readonly name: string;
  readonly matched: boolean;
  /** The first condition that fails, or that all are fulfilled. */
  readonly why: string;
}

export interface WorkflowChoice {
  readonly name: string;
  readonly why: string;
  readonly by: "hint" | "tag" | "matcher" | "default";
  /** The matchers up to the one that decided; empty when none was needed. */
  readonly considered: readonly Considered[];
}

/** Tags that name a workflow; old files use the second. */
const TAG_PREFIXES = ["workflow:", "grimoire:"];

/**
 * Chooses a workflow: the task's own hint, then a tag `workflow:X`, then the first matcher that matches, then the
 * default. A matcher that inherits does not match when the parent never ran a workflow.
 */
export function chooseWorkflow(
  task: ChoosingTask,
  matchers: readonly Matcher[],
  options: {
    /** The workflow that the parent task ran; null when there was none. */
    readonly parentWorkflow: string | null;
    readonly default: string;
  },
): WorkflowChoice {
  if (task.workflowHint) {
    return { name: task.workflowHint, why: "the task asks for it", by: "hint", considered: [] };
  }
  for (const prefix of TAG_PREFIXES) {
    const tag = task.tags.find((one) => one.startsWith(prefix) && one.length > prefix.length);
    if (tag !== undefined) {
      return { name: tag.slice(prefix.length), why: `the tag ${tag}`, by: "tag", considered: [] };
    }
  }
  const considered: Considered[] = [];
  for (const { name, match, workflow } of matchers) {
    const found = workflow ?? options.parentWorkflow;
    const fault = faultOf(task, match) ??
      (found === null ? "the parent never ran a workflow" : null);
    considered.push({
      name,
      matched: fault === null,
      why: fault ?? "all conditions are fulfilled",
    });
    if (fault !== null || found === null) continue;
    const why = `the matcher '${name}'${workflow === null ? ", as the parent" : ""}`;
    return { name: found, why, by: "matcher", considered };
  }
  return { name: options.default, why: "the default", by: "default", considered };
}

/** Each condition in the order in which it is checked: why a task does not fulfil it, or null. */
const CHECKS: readonly ((task: ChoosingTask, match: MatcherConditions) => string | null)[] = [
  ({ tags }, { anyTags }) =>
    anyTags === null || anyTags.some((tag) => tags.includes(tag))
      ? null
      : `it has none of the tags ${anyTags.join(", ")}`,
  ({ tags }, { allTags }) => {
    const missing = allTags?.find((tag) => !tags.includes(tag));
    return missing === undefined ? null : `it has no tag ${missing}`;
  },
  ({ priority }, { priority: wanted }) =>
    wanted === null || wanted.includes(priority) ? null : `its priority is ${priority}`,
  ({ priority }, { priorityRange: range }) =>
    range === null || (range.min <= priority && priority <= range.max)
      ? null
      : `its priority is ${priority}`,
  ({ type }, { type: wanted }) =>
    wanted === null || wanted.includes(type) ? null : `its type is ${type}`,
  ({ body }, { bodyContains }) =>
    bodyContains === null ||
      bodyContains.some((text) => body.toLowerCase().includes(text.toLowerCase()))
      ? null
      : `its body has none of the texts ${bodyContains.join(", ")}`,
  ({ hasParent }, { hasParent: wanted }) =>
    wanted === null || wanted === hasParent
      ? null
      : `it has ${hasParent ? "a parent" : "no parent"}`,
  ({ tags }, { notTags }) => {
    const unwanted = notTags?.find((tag) => tags.includes(tag));
    return unwanted === undefined ? null : `it has the tag ${unwanted}`;
  },
];

function faultOf(task: ChoosingTask, match: MatcherConditions): string | null {
  for (const condition of CHECKS) {
    const fault = condition(task, match);
    if (fault !== null) return fault;
  }
  return null;
}

/** The conditions of a matcher; null for a condition that is not set. Without any, it matches every task. */
interface MatcherConditions {
  readonly anyTags: readonly string[] | null;
  readonly allTags: readonly string[] | null;
  readonly notTags: readonly string[] | null;
  readonly priority: readonly number[] | null;
  readonly priorityRange: { readonly min: number; readonly max: number } | null;
  readonly type: readonly string[] | null;
  /** At least one of them, in any case of letters. */
  readonly bodyContains: readonly string[] | null;
  readonly hasParent: boolean | null;
}

interface Matcher {
  readonly name: string;
  readonly match: MatcherConditions;
  /** Null for the workflow of the parent task. */
  readonly workflow: string | null;
}

/** The valid matchers of a file, and warnings for a person. */
export interface MatcherFile {
  readonly matchers: readonly Matcher[];
  readonly warnings: readonly string[];
}

const PRIORITY = z.int({ error: "must be 0-4" })
  .check(z.gte(0, "must be 0-4"), z.lte(4, "must be 0-4"));

const MATCHER = z.object({
  name: field.any,
  match: field.any,
  workflow: field.text,
  grimoire: field.text,
  inherit: field.truth,
});

const CONDITIONS = z.object({
  any_tags: field.texts,
  all_tags: field.texts,
  not_tags: field.texts,
  priority: orElse(
    z.pipe(
      z.union([PRIORITY, z.array(PRIORITY)], { error: "must be 0-4" }),
      z.transform((value) => [value].flat()),
    ),
    null,
  ),
  priority_range: field.any,
  type: field.texts,
  body_contains: field.texts,
  has_parent: field.truth,
});

/**
 * Reads a list of matchers, or a mapping with the list `matchers`. Each has `name`, `match`, and `workflow` (in old files
 * `grimoire`) or `inherit: true`. A wrong matcher is left out with a warning; an unknown field gets a warning.
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
  const name = typeof whole["name"] === "string" && whole["name"] !== ""
    ? whole["name"]
    : `${number}`;
  const given = whole["match"] ?? {};
  const read = readFields(MATCHER, whole);
  const conditions = readFields(CONDITIONS, isMapping(given) ? given : {});
  const errors = [...conditions.errors, ...read.errors];
  const { workflow: own, grimoire = null, inherit } = read.fields ?? {};
  const workflow = own ?? grimoire;
  if (!isMapping(given)) errors.push("match must be a mapping of conditions");
  if (read.fields !== null && !workflow && inherit !== true) {
    errors.push("matcher must specify workflow or inherit");
  }
  if (workflow && inherit === true) {
    errors.push("matcher must not specify both workflow and inherit");
  }
  const range = rangeOf(conditions.fields?.priority_range);
  if (typeof range === "string") errors.push(range);
  const tell = (warning: string) => warnings.push(`matcher '${name}': ${warning}`);
  for (const error of errors) tell(`${error}; the matcher is left out`);
  for (const key of [...read.unknown, ...conditions.unknown]) tell(`${key}; it is ignored`);
  const { fields } = conditions;
  if (errors.length > 0 || fields === null || typeof range === "string") return null;
  return {
    name,
    workflow,
    match: {
      anyTags: fields.any_tags,
      allTags: fields.all_tags,
      notTags: fields.not_tags,
      priority: fields.priority,
      priorityRange: range,
      type: fields.type,
      bodyContains: fields.body_contains,
      hasParent: fields.has_parent,
    },
  };
}

/** `[min, max]`, or `{min, max}` with an end left out; null where there is none. @returns What is wrong with it as a text. */
function rangeOf(given: unknown): MatcherConditions["priorityRange"] | string {
  if (given === null || given === undefined) return null;
  const ends = isMapping(given) ? [given["min"] ?? 0, given["max"] ?? 4] : given;
  const { data } = z.safeParse(z.tuple([PRIORITY, PRIORITY]), ends);
  if (data === undefined) return "priority_range: priority must be 0-4";
  const [min, max] = data;
  return min > max ? "priority_range min must be <= max" : { min, max };
}

/** Warnings for matchers after one that matches every task. */
function unreachable(matchers: readonly Matcher[]): string[] {
  const first = matchers.findIndex(({ match, workflow }) =>
    workflow !== null && Object.values(match).every((condition) => condition === null)
  );
  if (first < 0) return [];
  return matchers.slice(first + 1).map(({ name }) =>
    `matcher '${name}' will never be reached because '${matchers[first]!.name}' matches everything`
  );
}
