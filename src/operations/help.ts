/** The help texts of all verbs. Running a verb does not load this file. */
import HELP from "./help.json" with { type: "json" };
import { kebab } from "./usage.ts";

export interface HelpText {
  /** One line, for the list of verbs. */
  readonly brief: string;
  /** What the verb does and does not do; a group of verbs has no such text. */
  readonly about?: string;
  /** At least one command line to paste. */
  readonly examples: readonly string[];
}

/** Returns the help of a verb. @param words Its names as identifiers: `["memory", "search"]`. */
export function helpOf(words: readonly string[]): HelpText {
  const texts: Readonly<Record<string, HelpText>> = HELP;
  return texts[words.map(kebab).join(" ")]!;
}
