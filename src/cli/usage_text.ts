/** Turns the library's errors about a command line into errors with what, why and next. */
import * as stricli from "@stricli/core";
import { isUserError, messageOf, UserError } from "../base/errors.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import type { CliContext } from "../operations/context.ts";
import { GLOBAL_FLAGS } from "./global_flags.ts";
import { nearestWords } from "../base/likeness.ts";
import { camel, kebab, usageError } from "../operations/usage.ts";

/** The placeholders of arguments that take free text. */
const FREE_TEXT: ReadonlySet<string> = new Set(["query", "text"]);

/** A verb or group and its words: `["conclaude", "session", "list"]`. */
interface Reached {
  readonly words: readonly string[];
  readonly target: stricli.RouteMap<CliContext> | stricli.Command<CliContext>;
}

/** Returns texts for the library that throw a `UserError` (exit status 2) instead of printing the library's message. */
export function usageText(
  root: stricli.RouteMap<CliContext>,
  args: readonly string[],
): stricli.ApplicationText {
  return {
    ...stricli.text_en,
    noCommandRegisteredForInput({ input }): never {
      const reached = reach(root, args);
      throw input.startsWith("-")
        ? unknownFlag(input, reached, args)
        : unknownCommand(input, reached, args);
    },
    exceptionWhileParsingArguments(thrown): never {
      throw isUserError(thrown) ? thrown : argumentError(thrown, reach(root, args), args);
    },
    exceptionWhileRunningCommand(thrown): never {
      throw thrown;
    },
    exceptionWhileRunningIntegrationFlag({ exception }): never {
      throw exception;
    },
  };
}

function unknownCommand(input: string, { words, target }: Reached, args: readonly string[]) {
  const names = "getAllEntries" in target
    ? target.getAllEntries().map(({ name }) => name["convert-camel-to-kebab"])
    : [];
  // There is no verb `version`, so it suggests `--version`.
  const flags = words.length > 1 ? [] : GLOBAL_FLAGS.map(({ name }) => name);
  const near = nearestWords(input, [...names, ...flags.filter((name) => name === input)])
    .map((name) => names.includes(name) ? name : `--${name}`);
  return usageError(`Unknown command "${[...words.slice(1), input].join(" ")}"`, {
    why: `\`${words.join(" ")}\` has no command "${input}"${didYouMean(near)}`,
    next: near.length === 1 ? retyped(args, input, near[0]!) : helpCommand(words),
  });
}

/** @param flag The flag as typed, with its dashes. */
function unknownFlag(flag: string, { words, target }: Reached, args: readonly string[]) {
  const own = "parameters" in target ? Object.keys(target.parameters.flags ?? {}) : [];
  const ofAll = GLOBAL_FLAGS.filter(({ rootOnly }) => !rootOnly || words.length === 1);
  const names = [...own.map(kebab), ...ofAll.map(({ name }) => name)];
  const typed = flag.split("=", 1)[0]!;
  const near = nearestWords(typed.replace(/^-+/, ""), names).map((name) => `--${name}`);
  const error = (hint: string, next: string) =>
    usageError(`Unknown flag ${typed}`, {
      why: `\`${words.join(" ")}\` has no such flag${hint}`,
      next,
    });
  if (near.length === 1) return error(didYouMean(near), retyped(args, typed, near[0]!));
  // The library reports `-rf` as `-r`.
  const at = near.length > 0 || !takesText(target)
    ? -1
    : args.findIndex((arg) => arg === flag || /^-[^-]/.test(arg) && arg.includes(flag.slice(1)));
  if (at < 0) return error(didYouMean(near), helpCommand(words));
  const corrected = ["conclaude", ...args.toSpliced(at, 0, "--").map(quoteWord)].join(" ");
  return error("; text that begins with - must stand after --", corrected);
}

function takesText(target: Reached["target"]): boolean {
  if (!("parameters" in target)) return false;
  const { positional } = target.parameters;
  return positional?.kind === "array" &&
    FREE_TEXT.has(String(Reflect.get(positional.parameter, "placeholder")));
}

function argumentError(thrown: unknown, reached: Reached, args: readonly string[]): UserError {
  const name = reached.words.join(" ");
  const error = (what: string, why: string, next = helpCommand(reached.words)) =>
    usageError(what, { why, next });
  if (thrown instanceof stricli.FlagNotFoundError) {
    return unknownFlag(`--${thrown.input}`, reached, args);
  }
  if (thrown instanceof stricli.AliasNotFoundError) {
    return unknownFlag(`-${thrown.input}`, reached, args);
  }
  if (thrown instanceof stricli.EnumValidationError) {
    const { externalFlagName: flag, input, values } = thrown;
    const near = nearestWords(input, values);
    const next = near.length === 1 ? retyped(args, input, near[0]!) : undefined;
    return error(
      `Cannot read --${flag} "${input}"`,
      `it must be one of ${values.join(", ")}`,
      next,
    );
  }
  if (thrown instanceof stricli.ArgumentParseError) {
    const { input, externalFlagNameOrPlaceholder: flag, exception } = thrown;
    return error(`Cannot read "${input}" for ${flag}`, messageOf(exception));
  }
  if (thrown instanceof stricli.UnexpectedFlagError) {
    const { externalFlagName: flag, previousInput, input } = thrown;
    return error(`Cannot take --${flag} twice`, `it is "${previousInput}" first, then "${input}"`);
  }
  if (thrown instanceof stricli.UnexpectedPositionalError) {
    const { input, expectedCount: n } = thrown;
    const takes = n === 0 ? "none" : `only ${n}`;
    return error(`Unexpected argument "${input}"`, `\`${name}\` takes ${takes}`);
  }
  if (thrown instanceof stricli.UnsatisfiedPositionalError) {
    return error(`Missing argument: ${thrown.placeholder}`, `\`${name}\` needs it`);
  }
  if (thrown instanceof stricli.UnsatisfiedFlagError) {
    const flag = `--${thrown.externalFlagName}`;
    return args.includes(flag)
      ? error(`Missing value for ${flag}`, "the flag stands there without one")
      : error(`Missing flag ${flag}`, `\`${name}\` needs it, with a value`);
  }
  return error("Cannot read the command line", messageOf(thrown));
}

/** Finds the verb or group that the words of a command line name. */
function reach(root: stricli.RouteMap<CliContext>, args: readonly string[]): Reached {
  const words = ["conclaude"];
  let target: Reached["target"] = root;
  for (const arg of args) {
    if (!("getRoutingTargetForInput" in target)) break;
    const next: Reached["target"] | undefined = target.getRoutingTargetForInput(camel(arg));
    if (next === undefined) break;
    words.push(arg);
    target = next;
  }
  return { words, target };
}

function helpCommand(words: readonly string[]): string {
  return `${words.join(" ")} --help`;
}

/** Returns the whole command line with one word corrected, ready to paste. */
function retyped(args: readonly string[], wrong: string, right: string): string {
  const at = args.findIndex((arg) =>
    arg === wrong || arg.startsWith(`${wrong}=`) || arg.endsWith(`=${wrong}`)
  );
  const words = at < 0 ? [right] : args.with(at, args[at]!.replace(wrong, () => right));
  return ["conclaude", ...words.map(quoteWord)].join(" ");
}

function didYouMean(near: readonly string[]): string {
  const names = near.map((name) => `\`${name}\``).join(" or ");
  return names === "" ? "" : `; did you mean ${names}?`;
}
