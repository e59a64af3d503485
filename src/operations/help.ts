/** The help texts of all verbs, by the words that people type. Verbs run without loading them. */
import HELP from "./help.json" with { type: "json" };
import { kebab } from "./usage.ts";

export interface HelpText {
  /** One line, for the list of verbs. */
  readonly brief: string;
  /** What the verb does, and what it leaves alone; a group of verbs has none. */
  readonly about?: string;
  /** Lines to paste; at least one. */
  readonly examples: readonly string[];
}

/** @param words Names as identifiers: `["memory", "search"]`. */
export function helpOf(words: readonly string[]): HelpText {
  const texts: Readonly<Record<string, HelpText>> = HELP;
  return texts[words.map(kebab).join(" ")]!;
}
