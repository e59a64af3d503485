/** What the help of every verb says, by its words as they are typed; loaded where somebody asks for it. */
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
