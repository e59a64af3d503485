import { UserError } from "../errors.ts";
import { USAGE } from "./usage.ts";

/** When a time begins, and the first moment that it is not; epoch milliseconds. */
interface TimeFlags {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Why nothing can lie in a time: it ends before it begins, or there; null where something can. */
export function whyEmpty({ since, until }: TimeFlags): string | null {
  if (since === undefined || until === undefined || since < until) return null;
  return since === until
    ? "--until means before then, and --since is the same time, so nothing can lie between them"
    : "--since is later than --until, so nothing can lie between them";
}

/** @throws {UserError} When nothing can lie between its begin and its end. */
export function requireForwards(flags: TimeFlags, verb: string): void {
  const why = whyEmpty(flags);
  if (why === null) return;
  throw new UserError("Cannot tell which time is meant", {
    why,
    next: `conclaude ${verb} --help`,
    exitCode: USAGE,
  });
}
