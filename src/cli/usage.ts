import { UserError } from "../errors.ts";

/** Exit status for a command line that makes no sense. */
export const USAGE = 2;

/** An error that a command line makes, and no state of the machine. */
export function usageError(
  what: string,
  details: { readonly why: string; readonly next: string },
): UserError {
  return new UserError(what, { ...details, exitCode: USAGE });
}

/** A value that is no time. A flag whose words are loaded when it is given cannot say by itself which flag it is. */
export class UnreadableTime extends SyntaxError {
  override readonly name = "UnreadableTime";
  constructor(readonly input: string, message: string) {
    super(message);
  }
}

/** `install-hooks` as `installHooks`. */
export function camel(name: string): string {
  return name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** `installHooks` as `install-hooks`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
