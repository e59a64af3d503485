import { UserError } from "../base/errors.ts";

/** The exit status for a command line that cannot be understood. */
export const USAGE = 2;

export function usageError(
  what: string,
  details: { readonly why: string; readonly next: string },
): UserError {
  return new UserError(what, { ...details, exitCode: USAGE });
}

/** Turns `install-hooks` into `installHooks`. */
export function camel(name: string): string {
  return name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Turns `installHooks` into `install-hooks`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Requires exactly one of two things. @param given `{ "an id": true, "--all": false }`. @throws {UserError} */
export function requireOneOfTwo(
  what: string,
  { given, next, exitCode = USAGE }: {
    readonly given: Readonly<Record<string, boolean>>;
    readonly next: string;
    readonly exitCode?: number;
  },
): void {
  const names = Object.keys(given);
  const givenCount = Object.values(given).filter(Boolean).length;
  if (givenCount === 1) return;
  const why = givenCount === 0
    ? `neither ${names.join(" nor ")} is given`
    : `both ${names.join(" and ")} are given`;
  throw new UserError(`Cannot tell ${what}`, {
    why: `${why}; nothing was changed`,
    next,
    exitCode,
  });
}

/** `since` is the first moment in the range, `until` the first one after it; both in epoch milliseconds. */
type TimeFlags = Readonly<Partial<Record<"since" | "until", number | undefined>>>;

/** Explains why no moment lies between the two flags; returns null if one does. */
export function whyEmpty({ since, until }: TimeFlags): string | null {
  if (since === undefined || until === undefined || since < until) return null;
  return since === until
    ? "--until means before then, and --since is the same time, so nothing can lie between them"
    : "--since is later than --until, so nothing can lie between them";
}

/** @throws {UserError} If no moment lies between the two flags. */
export function requireForwards(flags: TimeFlags, verb: string): void {
  const why = whyEmpty(flags);
  if (why === null) return;
  throw usageError("Cannot tell which time is meant", { why, next: `conclaude ${verb} --help` });
}
