import { UserError } from "../errors.ts";
import type { CliContext } from "./context.ts";
import { USAGE } from "./usage.ts";

/**
 * Asks a person whether to go on.
 * @param question `what` is for the error, `ask` is the sentence on the terminal, `again` is the command that does
 * not ask. @throws {UserError} When the answer is no; when there is no terminal (exit status 2).
 */
export function confirmOrThrow(
  { globals, environment }: CliContext,
  question: { readonly what: string; readonly ask: string; readonly again: string },
): void {
  if (globals.json || !environment.isTerminal("stdin") || !environment.isTerminal("stdout")) {
    throw new UserError(`Cannot ${question.what}`, {
      why: "it needs a yes, and there is no terminal to ask on; nothing was changed",
      next: question.again,
      exitCode: USAGE,
    });
  }
  if (/^y(?:es)?$/i.test(prompt(`${question.ask} [y/N]`)?.trim() ?? "")) return;
  throw new UserError(`Did not ${question.what}`, {
    why: "the answer was no; nothing was changed",
    next: "",
  });
}
