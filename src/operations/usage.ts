import { UserError } from "../base/errors.ts";

/** The exit status of a command line that makes no sense. */
export const USAGE = 2;

export function usageError(
  what: string,
  details: { readonly why: string; readonly next: string },
): UserError {
  return new UserError(what, { ...details, exitCode: USAGE });
}

/** `install-hooks` as `installHooks`. */
export function camel(name: string): string {
  return name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** `installHooks` as `install-hooks`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Refuses both and neither of two things. @param given `{ "an id": true, "--all": false }`. */
export function requireOneOfTwo(
  what: string,
  { given, next, exitCode = USAGE }: {
    readonly given: Readonly<Record<string, boolean>>;
    readonly next: string;
    readonly exitCode?: number;
  },
): void {
  const names = Object.keys(given);
  const there = Object.values(given).filter(Boolean).length;
  if (there === 1) return;
  const why = there === 0
    ? `neither ${names.join(" nor ")} is given`
    : `both ${names.join(" and ")} are given`;
  throw new UserError(`Cannot tell ${what}`, {
    why: `${why}; nothing was changed`,
    next,
    exitCode,
  });
}

/** `since` is the first moment that counts, `until` the first one that does not; epoch milliseconds. */
type TimeFlags = Readonly<Partial<Record<"since" | "until", number | undefined>>>;

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
  throw usageError("Cannot tell which time is meant", { why, next: `conclaude ${verb} --help` });
}
