/** Texts that people give for a task: where they come from, and what of them may be kept. */
import type { HookConfig } from "../config/hook_config.ts";
import { readAll } from "../system/environment.ts";
import { isUserError, messageOf } from "../base/errors.ts";
import { checkBody } from "../work/task_input.ts";
import { type CliContext, typedPath } from "./context.ts";
import { usageError } from "./usage.ts";
import { readTextFileSync } from "../system/files.ts";

/** Masks secrets in a text, the built-in ones and those of the configuration, and drops what is private. */
export async function maskerOf(
  { redactPatterns }: Pick<HookConfig, "redactPatterns">,
): Promise<(text: string) => string> {
  const { compileRedactPatterns, redactText } = await import("../secrets/redact.ts");
  const { patterns } = compileRedactPatterns(redactPatterns);
  return (text) => redactText(text, { patterns });
}

/** The body from the flag, a file or stdin. @throws {UserError} When it is given twice or cannot be read. */
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
