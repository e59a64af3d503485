/** Flags and arguments that several verbs of tasks take. */
import { someText, wholeNumber } from "../command.ts";

/** Most rows that a list gives at once. */
const MAX_ROWS = 1000;

/** A text that may also be empty, which takes away what was there. */
export const anyText = (text: string): string => text;

/** Words between commas; blank ones are left out. */
export function words(text: string): string[] {
  return text.split(",").map((word) => word.trim()).filter((word) => word !== "");
}

/** Tags between commas. Where nothing else stands there is one that is blank, for the check of tags to refuse. */
export function tagWords(text: string): string[] {
  const tags = words(text);
  return tags.length === 0 ? [""] : tags;
}

/** The one task that a verb is about. */
export const ONE_TASK = {
  kind: "tuple",
  parameters: [{
    parse: someText,
    brief: "The task, by its id, or 4 or more characters of its beginning or end",
    placeholder: "id",
  }],
} as const;

/** Who does it. */
export const AGENT_FLAG = {
  kind: "parsed",
  parse: anyText,
  optional: true,
  brief: "Who does it; without it the session of Claude Code that this runs in, else `user`",
  placeholder: "name",
} as const;

/** The number of the claim, for a holder who wants to be sure that it is still the same one. */
export const TOKEN_FLAG = {
  kind: "parsed",
  parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  optional: true,
  brief: "The number of the claim (`claimToken`); refused when the task was claimed anew since",
  placeholder: "n",
} as const;

/** A text that may be left out. */
export function textFlag(brief: string, placeholder = "text") {
  return { kind: "parsed", parse: anyText, optional: true, brief, placeholder } as const;
}

/** Words between commas that may be left out. */
export function wordsFlag(brief: string, placeholder: string) {
  return { kind: "parsed", parse: words, optional: true, brief, placeholder } as const;
}

/** A switch. */
export function switchFlag(brief: string) {
  return { kind: "boolean", default: false, withNegated: false, brief } as const;
}

/** How many rows at most. */
export const LIMIT_FLAG = {
  kind: "parsed",
  parse: wholeNumber(1, MAX_ROWS),
  default: "100",
  brief: "How many at most",
  placeholder: "n",
} as const;

/** The ways to give the body of a task. */
export const BODY_FLAGS = {
  body: textFlag("The body: what there is to know"),
  bodyFile: textFlag("Read the body from this file", "file"),
  stdin: switchFlag("Read the body from stdin"),
} as const;

/** Tasks beyond this project. */
export const ALL_PROJECTS = switchFlag("Of all projects, not only of this repository");
