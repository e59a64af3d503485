/** Texts of the configuration that have to be well formed. */
import * as z from "zod/mini";
import { globFault } from "./globs.ts";

/** A new one each time: what is kept about a schema belongs to one key. */
export function globText() {
  return z.string().check(z.check<string>(({ value, issues }) => {
    const fault = globFault(value);
    if (fault) issues.push({ code: "custom", message: fault, input: value });
  }));
}

/** The source of a regular expression that does not match everything. */
export const pattern = z.string().check(z.check<string>(({ value, issues }) => {
  const fault = patternFault(value);
  if (fault) issues.push({ code: "custom", message: fault, input: value });
}));

/** The source of any regular expression. A new one each time. */
export function regexText() {
  return z.string().check(
    z.minLength(1),
    z.check<string>(({ value, issues }) => {
      const fault = regexFault(value, "i");
      if (fault) issues.push({ code: "custom", message: fault, input: value });
    }),
  );
}

/** Why a text is no regular expression that can be used; undefined when it is one. */
function regexFault(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, flags);
    return isEndless(source, flags)
      ? "it may take for ever: a group that is repeated holds another repetition or a choice"
      : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What keeps the engine from switching to one that reads every text once. */
const NEEDS_BACKTRACKING = /\\[1-9k]|\(\?<?[=!]|\{(?:\d*,)?\d{2,}/;
/** A group with a repetition or a choice in it that is itself repeated; groups within groups as far as it matters. */
const NESTED_REPETITION =
  /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*(?:[*+|]|\{\d*,)(?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)(?:[*+]|\{\d*,)/s;

/**
 * Whether a pattern may take a time that grows without bound: a hook has to answer. Other patterns that backtrack are
 * handed to an engine that cannot.
 */
function isEndless(source: string, flags: string): boolean {
  // That engine does not know patterns in which upper and lower case are alike.
  return (flags.includes("i") || NEEDS_BACKTRACKING.test(source)) && NESTED_REPETITION.test(source);
}

function patternFault(source: string): string | undefined {
  const fault = regexFault(source, "g");
  if (fault !== undefined) return fault;
  return new RegExp(source, "g").test("")
    ? "it matches the empty text, so it would mask everything"
    : undefined;
}
