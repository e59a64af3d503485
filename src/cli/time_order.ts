import { UserError } from "../errors.ts";
import { USAGE } from "./usage.ts";

/** Whether a time ends before it begins. */
export function isBackwards(
  { since, until }: { readonly since?: number | undefined; readonly until?: number | undefined },
): boolean {
  return since !== undefined && until !== undefined && since > until;
}

/** @throws {UserError} When a time ends before it begins. */
export function requireForwards(
  flags: { readonly since?: number; readonly until?: number },
  verb: string,
): void {
  if (!isBackwards(flags)) return;
  throw new UserError("Cannot tell which time is meant", {
    why: "--since is later than --until, so nothing can lie between them",
    next: `conclaude ${verb} --help`,
    exitCode: USAGE,
  });
}
