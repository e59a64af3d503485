/** Which requirements a tool use falls under. */
import { EDITING_TOOLS } from "../capture/payload.ts";
import type { Requirement, Trigger } from "./policy.ts";

/** A tool use, with a shell command taken apart. */
export interface TriggerUse {
  readonly tool: string;
  /** The commands that a Bash call would start; empty for other tools. */
  readonly commands: readonly CommandText[];
  /** Whether a Bash call plainly changes files of the project. */
  readonly changesFiles: boolean;
}

/** One command in two ways to search it. */
export interface CommandText {
  /** All words with one blank between them; a pattern has to begin at the first. */
  readonly whole: string;
  /** The same without words that hold blanks: those are texts, such as the message of a commit, and no commands. */
  readonly shown: string;
}

/** The requirements that a tool use falls under, in the order of the configuration. */
export function triggeredBy(
  requirements: readonly Requirement[],
  use: TriggerUse,
): Requirement[] {
  return requirements.filter(({ triggers }) => triggers.some((trigger) => isHit(trigger, use)));
}

/** A shell command that writes files is an edit, whatever tool it is called by. */
function isHit(trigger: Trigger, { tool, commands, changesFiles }: TriggerUse): boolean {
  if (!isAboutTool(trigger, tool)) return changesFiles && isAboutEdits(trigger);
  if (trigger.command === null || tool !== "Bash") return true;
  const pattern = new RegExp(trigger.command, "i");
  return commands.some(({ whole, shown }) =>
    pattern.test(shown) || pattern.exec(whole)?.index === 0
  );
}

function isAboutTool({ tool, toolPattern }: Trigger, used: string): boolean {
  return toolPattern === null ? tool === used : new RegExp(toolPattern, "s").test(used);
}

/** Whether it means one of the tools that change files. */
function isAboutEdits(trigger: Trigger): boolean {
  return [...EDITING_TOOLS].some((tool) => isAboutTool(trigger, tool));
}

/** Signs that a command is not what its text says, or that it starts another one. */
const VEILED =
  /[$`{*?[<]|\b(?:eval|xargs|alias|env|command|exec|find|perl|python3?|node|ruby|awk|(?:ba|da|k|z)?sh)\b|\bgit\s+-/;

/** Signs that a command may change files. */
const WRITING =
  />|\b(?:rm|mv|cp|tee|sed|ln|dd|install|rsync|touch|truncate|shred|link|unlink|rmdir|perl|curl|wget|sort|patch|checkout|restore|ed|ex)\b/;

/** A command of plain words: what it says is what it is. */
const PLAIN = /^[\w ./=:@,%+-]*$/;

/**
 * A cheap look at a Bash command: `no` when no requirement can mean it, `plain` when it is one command whose text can be
 * judged as it is, else `parse`. Quotes and backslashes are disregarded, since the shell takes them away.
 */
export function lookAtCommand(
  requirements: readonly Requirement[],
  command: string,
): "no" | "plain" | "parse" {
  const triggers = requirements.flatMap((requirement) => requirement.triggers);
  const unquoted = command.replace(/['"\\]/g, "");
  const isVeiled = VEILED.test(unquoted);
  const mayWrite = (isVeiled || WRITING.test(unquoted)) && triggers.some(isAboutEdits);
  const mayMatch = triggers.some((trigger) =>
    isAboutTool(trigger, "Bash") &&
    (trigger.command === null || isVeiled || new RegExp(trigger.command, "i").test(unquoted))
  );
  if (!mayWrite && !mayMatch) return "no";
  return !mayWrite && !isVeiled && PLAIN.test(command) ? "plain" : "parse";
}

/** A command of these words. */
export function commandText(words: readonly string[]): CommandText {
  return {
    whole: words.join(" "),
    shown: words.map((word) => /\s/.test(word) ? "''" : word).join(" "),
  };
}
