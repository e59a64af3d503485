/** Rules that choose a workflow for a task, read from an already parsed YAML value. */
import { FieldReader, isMapping } from "./field_reader.ts";

/** What a task must have for a matcher; null where it does not ask. All null: every task. */
export interface MatcherConditions {
  /** At least one of them. */
  readonly anyTags: readonly string[] | null;
  readonly allTags: readonly string[] | null;
  /** None of them. */
  readonly notTags: readonly string[] | null;
  readonly priority: readonly number[] | null;
  /** Both ends included. */
  readonly priorityRange: { readonly min: number; readonly max: number } | null;
  readonly type: readonly string[] | null;
  /** At least one of them, in any case of letters. */
  readonly bodyContains: readonly string[] | null;
  readonly hasParent: boolean | null;
}

/** A rule that chooses a workflow. */
export interface Matcher {
  readonly name: string;
  readonly match: MatcherConditions;
  /** Null: the one that the parent task ran. */
  readonly workflow: string | null;
}

/** What a file of matchers comes to: the valid ones, and what a person should know. */
export interface MatcherFile {
  readonly matchers: readonly Matcher[];
  readonly warnings: readonly string[];
}

/**
 * Reads a list of matchers, or a mapping with the list `matchers`: each with `name`, `match`, and `workflow` (of old:
 * `grimoire`) or `inherit: true`. One that is wrong is left out, and told; an unknown field is told.
 */
export function parseMatchers(value: unknown): MatcherFile {
  const warnings: string[] = [];
  const list = isMapping(value) ? value.matchers : value;
  if (isMapping(value)) {
    const fields = new FieldReader(value, (warning) => warnings.push(warning));
    fields.value("matchers");
    fields.finish();
  }
  if (list === null || list === undefined) return { matchers: [], warnings };
  if (!Array.isArray(list)) return { matchers: [], warnings: ["matchers must be a list"] };
  const matchers = list.flatMap((one, index) => readMatcher(one, index + 1, warnings) ?? []);
  return { matchers, warnings: [...warnings, ...unreachable(matchers)] };
}

function readMatcher(value: unknown, number: number, warnings: string[]): Matcher | null {
  const whole = isMapping(value) ? value : {};
  const name = typeof whole.name === "string" && whole.name !== "" ? whole.name : `${number}`;
  const errors: string[] = [];
  const fail = (error: string) => errors.push(error);
  const fields = new FieldReader(whole, fail);
  fields.value("name");
  const match = fields.value("match") ?? {};
  const conditions = new FieldReader(isMapping(match) ? match : {}, fail);
  const [own, old] = [fields.text("workflow"), fields.text("grimoire")];
  const matcher = { name, match: readConditions(conditions, fail), workflow: own ?? old };
  const inherits = fields.truth("inherit") === true;
  if (!isMapping(match)) fail("match must be a mapping of conditions");
  if (!matcher.workflow && !inherits) fail("matcher must specify workflow or inherit");
  if (matcher.workflow && inherits) fail("matcher must not specify both workflow and inherit");
  const tell = (warning: string) => warnings.push(`matcher '${name}': ${warning}`);
  for (const error of errors) tell(`${error}; the matcher is left out`);
  for (const key of [...fields.unknown(), ...conditions.unknown()]) tell(`${key}; it is ignored`);
  return errors.length > 0 ? null : matcher;
}

function readConditions(
  fields: FieldReader,
  fail: (error: string) => void,
): MatcherConditions {
  const priority = fields.value("priority");
  const priorities = priority === null ? null : [priority].flat();
  const range = fields.value("priority_range");
  const [min, max] = Array.isArray(range)
    ? range
    : isMapping(range)
    ? [range.min ?? 0, range.max ?? 4]
    : [null, null];
  if (!(priorities ?? []).every(isPriority)) fail("priority must be 0-4");
  if (range !== null) {
    if (!isPriority(min) || !isPriority(max)) fail("priority_range: priority must be 0-4");
    else if (min > max) fail("priority_range min must be <= max");
  }
  return {
    anyTags: fields.texts("any_tags"),
    allTags: fields.texts("all_tags"),
    notTags: fields.texts("not_tags"),
    priority: priorities as number[] | null,
    priorityRange: range === null ? null : { min, max },
    type: fields.texts("type"),
    bodyContains: fields.texts("body_contains"),
    hasParent: fields.truth("has_parent"),
  };
}

function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 4;
}

/** Matchers that stand after one that takes every task. */
function unreachable(matchers: readonly Matcher[]): string[] {
  const first = matchers.findIndex(({ match, workflow }) =>
    workflow !== null && Object.values(match).every((condition) => condition === null)
  );
  if (first < 0) return [];
  return matchers.slice(first + 1).map(({ name }) =>
    `matcher '${name}' will never be reached because '${matchers[first]!.name}' matches everything`
  );
}
