/** Reads the fields of a task that people and programs give, checks them, and masks their secrets. */
import type { HookConfig } from "../config/hook_config.ts";
import { readAll } from "../system/environment.ts";
import { isUserError, messageOf } from "../base/errors.ts";
import {
  checkBody,
  checkPriority,
  checkTags,
  checkTitle,
  checkType,
  checkWorkflowName,
} from "../work/task_input.ts";
import { type CliContext, typedPath } from "./context.ts";
import { usageError } from "./usage.ts";
import { readTextFileSync } from "../system/files.ts";
import { DEFAULT_PRIORITY, type TaskType } from "../work/task.ts";

/** Returns a function that masks secrets, by built-in and configured patterns, and removes private parts. */
export async function maskerOf(
  { redactPatterns }: Pick<HookConfig, "redactPatterns">,
): Promise<(text: string) => string> {
  const { compileRedactPatterns, redactText } = await import("../secrets/redact.ts");
  const { patterns } = compileRedactPatterns(redactPatterns);
  return (text) => redactText(text, { patterns });
}

/** Returns the body from the flag, a file or stdin. @throws {UserError} If it is given twice or cannot be read. */
export function readBody(
  context: Pick<CliContext, "cwd" | "locations" | "environment">,
  { body, bodyFile, stdin }: {
    readonly body?: string;
    readonly bodyFile?: string;
    readonly stdin: boolean;
  },
): string | undefined {
  const given = [body !== undefined, bodyFile !== undefined, stdin].filter(Boolean).length;
  if (given > 1) {
    throw usageError("Cannot tell which body is meant", {
      why: "only one of --body, --body-file and --stdin can be given",
      next: "conclaude task create --help",
    });
  }
  if (stdin) return checkBody(readStdin(context));
  if (bodyFile === undefined) return body;
  const path = typedPath(context, bodyFile);
  try {
    return checkBody(readTextFileSync(path));
  } catch (thrown) {
    if (isUserError(thrown)) throw thrown;
    throw usageError(`Cannot read "${path}"`, {
      why: `${messageOf(thrown)}; nothing was changed`,
      next: "conclaude task create --help",
    });
  }
}

export function readStdin({ environment }: Pick<CliContext, "environment">): string {
  return new TextDecoder().decode(readAll(environment.stdin));
}

interface Cleaning {
  readonly mask: (text: string) => string;
  /** The next step for the error if a field is refused. */
  readonly next?: string;
  /** Runs the check of a field. Routes use it to name the field in their refusals. */
  readonly inField?: <Value>(field: string, check: () => Value) => Value;
}

const FIELDS = {
  title: (title: string, { mask, next }: Cleaning) => checkTitle(mask(title), next),
  body: (body: string, { mask }: Cleaning) => checkBody(mask(body)),
  type: (type: string, { next }: Cleaning) => checkType(type, next),
  priority: (priority: string | number, { next }: Cleaning) => checkPriority(priority, next),
  tags: (tags: readonly string[], { mask }: Cleaning) => checkTags(tags.map(mask)),
  workflow: (name: string | null, { next }: Cleaning) =>
    name === null ? null : checkWorkflowName(name, next),
};

type Fields = typeof FIELDS;
type Given = { readonly [Name in keyof Fields]?: Parameters<Fields[Name]>[0] | undefined };
type Cleaned<Named> = {
  [Name in keyof Pick<Named, keyof Named & keyof Fields>]: ReturnType<Fields[Name & keyof Fields]>;
};

/** Returns the given fields as they are stored. @throws {UserError} INVALID_TITLE, INVALID_TAG, … */
export function cleanFields<Named extends Given>(fields: Named, how: Cleaning): Cleaned<Named> {
  const { inField = (_field, check) => check() } = how;
  const entries = Object.entries(FIELDS).flatMap(([name, check]) => {
    const value = fields[name as keyof Given];
    return value === undefined ? [] : [[name, inField(name, () => check(value as never, how))]];
  });
  return Object.fromEntries(entries);
}

export const NEW_TASK: {
  readonly body: string;
  readonly type: TaskType;
  readonly priority: number;
  readonly tags: string[];
  readonly workflow: string | null;
} = { body: "", type: "task", priority: DEFAULT_PRIORITY, tags: [], workflow: null };
