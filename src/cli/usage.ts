/** Command lines that make no sense, told as what / why / next instead of the library's own sentences. */
import {
  type ApplicationText,
  ArgumentParseError,
  EnumValidationError,
  FlagNotFoundError,
  type RouteMap,
  text_en,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from "@stricli/core";
import { editDistance } from "../config/suggest.ts";
import { isUserError, messageOf, UserError } from "../errors.ts";
import type { CliContext } from "./context.ts";

/** Exit status for a command line that makes no sense. */
export const USAGE = 2;

/** Flags that are taken out before a verb sees its own, so the library does not know them. */
const GLOBAL_FLAGS = ["json", "db", "no-db", "no-color", "help", "version"];
/** Letters that may be wrong in a word that is still recognised. */
const MAX_SLIPS = 2;

/**
 * The library's texts, with its errors thrown as `UserError` (exit code 2) out of `run()`.
 *
 * @param args The command line as the verbs see it, for advice that names the verb.
 */
export function usageText(root: RouteMap<CliContext>, args: readonly string[]): ApplicationText {
  return {
    ...text_en,
    noCommandRegisteredForInput({ input, corrections }): never {
      const before = verbOf(root, args);
      const near = corrections.map((name) => name.replaceAll("`", ""));
      throw usageError(`Unknown command "${[...before.slice(1), input].join(" ")}"`, {
        why: `\`${before.join(" ")}\` has no command "${input}"`,
        next: near.length > 0
          ? `did you mean ${alternatives(near.map((name) => [...before, name].join(" ")))}?`
          : `run \`${before.join(" ")} --help\` to see the commands`,
      });
    },
    exceptionWhileParsingArguments(thrown): never {
      throw isUserError(thrown) ? thrown : argumentError(thrown, verbOf(root, args));
    },
    exceptionWhileLoadingCommandFunction(thrown): never {
      throw new UserError("Cannot load the command", {
        why: messageOf(thrown),
        next: "install conclaude again: a part of it is missing",
        cause: thrown,
      });
    },
  };
}

function argumentError(thrown: unknown, verb: readonly string[]): UserError {
  const name = verb.join(" ");
  const help = `run \`${name} --help\` to see what it takes`;
  if (thrown instanceof FlagNotFoundError) {
    const near = [...thrown.corrections.map(kebab), ...slipsOf(thrown.input, GLOBAL_FLAGS)];
    return usageError(`Unknown flag --${thrown.input}`, {
      why: `\`${name}\` has no such flag`,
      next: near.length > 0
        ? `did you mean ${alternatives(near.map((flag) => `--${flag}`))}?`
        : help,
    });
  }
  if (thrown instanceof EnumValidationError) {
    const { externalFlagName: flag, input, values } = thrown;
    const near = slipsOf(input, values);
    return usageError(`Cannot read --${flag} "${input}"`, {
      why: `it must be one of ${values.join(", ")}`,
      next: near.length > 0
        ? `did you mean ${alternatives(near.map((value) => `--${flag} ${value}`))}?`
        : help,
    });
  }
  if (thrown instanceof ArgumentParseError) {
    return usageError(
      `Cannot read "${thrown.input}" for ${thrown.externalFlagNameOrPlaceholder}`,
      { why: messageOf(thrown.exception), next: help },
    );
  }
  if (thrown instanceof UnexpectedPositionalError) {
    // The library takes `--settings=` for a word that is no flag.
    const [, flag] = /^--([a-z-]+)=$/.exec(thrown.input) ?? [];
    if (flag !== undefined) {
      return usageError(`Cannot read "" for ${flag}`, { why: "the value is empty", next: help });
    }
    return usageError(`Unexpected argument "${thrown.input}"`, {
      why: `\`${name}\` takes ${thrown.expectedCount === 0 ? "none" : thrown.expectedCount}`,
      next: help,
    });
  }
  if (thrown instanceof UnsatisfiedPositionalError) {
    return usageError(`Missing argument: ${thrown.placeholder}`, {
      why: `\`${name}\` needs it`,
      next: help,
    });
  }
  if (thrown instanceof UnsatisfiedFlagError) {
    return usageError(`Missing value for --${thrown.externalFlagName}`, {
      why: "the flag needs one",
      next: help,
    });
  }
  return usageError("Cannot read the command line", { why: messageOf(thrown), next: help });
}

function usageError(
  what: string,
  details: { readonly why: string; readonly next: string },
): UserError {
  return new UserError(what, { ...details, exitCode: USAGE });
}

/** `conclaude` and the words of the command line that lead to a verb: `["conclaude", "session", "list"]`. */
function verbOf(root: RouteMap<CliContext>, args: readonly string[]): string[] {
  const words = ["conclaude"];
  let at: RouteMap<CliContext> | undefined = root;
  for (const arg of args) {
    const next: ReturnType<RouteMap<CliContext>["getRoutingTargetForInput"]> | undefined = at
      ?.getRoutingTargetForInput(camel(arg));
    if (next === undefined) break;
    words.push(arg);
    at = "getRoutingTargetForInput" in next ? next : undefined;
  }
  return words;
}

function slipsOf(typed: string, known: readonly string[]): string[] {
  return known.filter((name) => editDistance(typed, name) <= MAX_SLIPS);
}

function alternatives(texts: readonly string[]): string {
  return texts.map((text) => `\`${text}\``).join(" or ");
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function camel(name: string): string {
  return name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}
