import { UserError } from "../errors.ts";
import { USAGE } from "./usage.ts";

/** Whether a time ends before it begins, or there: `--until` is the first moment that it is not. */
export function isBackwards(
  { since, until }: { readonly since?: number | undefined; readonly until?: number | undefined },
): boolean {
  return since !== undefined && until !== undefined && since >= until;
}

/** @throws {UserError} When nothing can lie between its begin and its end. */
export function requireForwards(
  flags: { readonly since?: number; readonly until?: number },
  verb: string,
): void {
  if (!isBackwards(flags)) return;
  throw new UserError("Cannot tell which time is meant", {
    why: flags.since === flags.until
      ? "--until means before then, and --since is the same time, so nothing can lie between them"
      : "--since is later than --until, so nothing can lie between them",
    next: `conclaude ${verb} --help`,
    exitCode: USAGE,
  });
}
