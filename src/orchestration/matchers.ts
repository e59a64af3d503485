/** Which workflow a task gets, and why. */
import type { Matcher, MatcherConditions } from "./matcher_file.ts";
import type { TaskFacts } from "./task_facts.ts";

/** A task that a workflow is chosen for. */
export interface ChoosingTask extends TaskFacts {
  /** The workflow that the task itself asks for. */
  readonly workflowHint: string | null;
  readonly hasParent: boolean;
}

/** A matcher that was looked at. */
export interface Considered {
  readonly name: string;
  readonly matched: boolean;
  /** The first condition that the task does not fulfil, or that it fulfils all. */
  readonly why: string;
}

/** The workflow of a task. */
export interface WorkflowChoice {
  readonly name: string;
  /** One line for a person. */
  readonly why: string;
  readonly by: "hint" | "tag" | "matcher" | "default";
  /** The matchers up to the one that decided; empty when a hint or a tag did. */
  readonly considered: readonly Considered[];
}

/** Tags that name a workflow; the second is the one of old. */
const TAG_PREFIXES = ["workflow:", "grimoire:"];

/**
 * Chooses a workflow: the task's own hint, then a tag `workflow:X`, then the first matcher whose conditions the task
 * fulfils, then the default. A matcher that takes the parent's workflow does not match where the parent never ran.
 */
export function chooseWorkflow(
  task: ChoosingTask,
  matchers: readonly Matcher[],
  options: {
    /** The workflow that the parent task ran; null when it never ran, or when there is none. */
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

/** Each condition in the order in which it is looked at: why a task does not fulfil it, or null. */
const CONDITIONS: readonly ((task: ChoosingTask, match: MatcherConditions) => string | null)[] = [
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
  for (const condition of CONDITIONS) {
    const fault = condition(task, match);
    if (fault !== null) return fault;
  }
  return null;
}
