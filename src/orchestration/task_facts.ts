/** What the rules of orchestration know of a task. */
import type { TemplateValue } from "./template_syntax.ts";

/** A task, as far as workflows are about it. */
export interface TaskFacts {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** `task`, `feature`, `bug`. */
  readonly type: string;
  /** 0 (critical) to 4. */
  readonly priority: number;
  readonly tags: readonly string[];
}

/** A task as templates see it; `labels` is what tags were called in workflows of old. */
export function taskValue(task: TaskFacts): TemplateValue {
  const { id, title, body, type, tags } = task;
  return { id, title, body, type, priority: `P${task.priority}`, tags, labels: tags };
}
