import { UserError } from "../errors.ts";

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
