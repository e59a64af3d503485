import { UserError } from "../errors.ts";
import { USAGE } from "./usage.ts";

/** The first moment that counts, and the first one after it that does not; epoch milliseconds. */
interface TimeFlags {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Why no moment lies between the two flags; null where one does. */
export function whyEmpty({ since, until }: TimeFlags): string | null {
  if (since === undefined || until === undefined || since < until) return null;
  return since === until
    ? "--until means before then, and --since is the same time, so nothing can lie between them"
    : "--since is later than --until, so nothing can lie between them";
}

/** @throws {UserError} When no moment lies between the two flags. */
export function requireForwards(flags: TimeFlags, verb: string): void {
  const why = whyEmpty(flags);
  if (why === null) return;
  throw new UserError("Cannot tell which time is meant", {
    why,
    next: `conclaude ${verb} --help`,
    exitCode: USAGE,
  });
}
