/** Decides which requirements a tool use falls under. */
import { EDITING_TOOLS, SHELL_TOOLS } from "../../claude/payload.ts";
import type { RequiredUses } from "../../config/hook_config.ts";
import type { BashUses } from "../guards/bash.ts";
import { isAbout } from "../guards/guard_policy.ts";
import type { Requirement, Trigger } from "./requirement_policy.ts";

const ANYTHING = "^";

export interface TriggerUse {
  readonly tool: string;
  readonly commands: readonly CommandText[];
  /** Whether a shell tool surely changes files of the project. */
  readonly changesFiles: boolean;
}

/** A command as two texts that patterns search. */
export interface CommandText {
  /** All words, joined by single blanks; a pattern must match from the start. */
  readonly whole: string;
  /** The same without words that hold blanks, such as a commit message; a pattern may match anywhere. */
  readonly shown: string;
  /** Whether it runs in another repository or an unknown folder: then the reflog here does not show it. */
  readonly isElsewhere: boolean;
}

export function triggeredBy<Triggered extends Pick<Requirement, "triggers">>(
  requirements: readonly Triggered[],
  use: TriggerUse,
): Triggered[] {
  return requirements.filter(({ triggers }) => triggers.some((trigger) => isHit(trigger, use)));
}

/** Tells whether a tool use falls under a trigger. A shell command that writes files counts as an edit. */
function isHit(trigger: Trigger, { tool, commands, changesFiles }: TriggerUse): boolean {
  if (!isAbout(trigger, tool)) return changesFiles && isAboutEdits(trigger);
  if (trigger.command === null || !SHELL_TOOLS.has(tool)) return true;
  return commandsOf(trigger.command, commands).length > 0;
}

function commandsOf(pattern: string, commands: readonly CommandText[]): CommandText[] {
  const regex = new RegExp(pattern, "i");
  return commands.filter(({ whole, shown }) => regex.test(shown) || regex.exec(whole)?.index === 0);
}

export function commandsUnder(
  { triggers }: Pick<Requirement, "triggers">,
  commands: readonly CommandText[],
): CommandText[] {
  return triggers.filter(isAboutShell)
    .flatMap(({ command }) => command === null ? commands : commandsOf(command, commands));
}

function isAboutShell(trigger: Trigger): boolean {
  return [...SHELL_TOOLS].some((tool) => isAbout(trigger, tool));
}

function isAboutEdits(trigger: Trigger): boolean {
  return [...EDITING_TOOLS].some((tool) => isAbout(trigger, tool));
}

/** A part of a pattern that keeps it from being joined with others: a back reference, a lookaround or a named group. */
const REFERRING = /\\[1-9k]|\(\?[<=!]/;

/** An escaped character, a character class, or an assertion about the position. */
const PIECE = /\\[bB]|\\.|\[(?:\\.|[^\]])*\]|[$^]/gs;

/** Removes `^`, `$` and `\b` from a pattern, since other commands of a script may surround the matching command. */
function anywhere(source: string): string {
  return source.replace(PIECE, (piece) => /^(?:\\[bB]|[$^])$/.test(piece) ? "(?:)" : piece);
}

/** Returns the tool uses that requirements cover, for the quick look. */
export function usesOf(requirements: readonly Requirement[]): RequiredUses {
  const triggers = requirements.flatMap((requirement) => requirement.triggers);
  const sources = triggers.filter(isAboutShell).map(({ command }) => command ?? ANYTHING);
  // Commands that the triggers do not name move a protected branch, too.
  const isMoved = requirements.some(({ condition }) => condition.type === "protected_branch");
  if (isMoved && sources.length > 0) sources.push(MOVING);
  return {
    tools: [...new Set(triggers.map(({ tool, toolPattern }) => toolPattern === null ? tool : "*"))],
    edits: triggers.some(isAboutEdits),
    commands: sources.some((source) => source === ANYTHING || REFERRING.test(source))
      ? ANYTHING
      : [...new Set(sources)].map((source) => `(?:${anywhere(source)})`).join("|"),
  };
}

const MOVING = "push|send-pack|fetch|pull|branch|checkout|switch|worktree|-ref\\s|replace";

export interface Doubt {
  readonly requirement: Requirement;
  readonly why: string;
}

/** Returns the requirements that a command may fall under because a part of it is unknown. */
export function mayTrigger(
  requirements: readonly Requirement[],
  untold: BashUses["untold"] & { readonly tool: string },
): Doubt[] {
  return requirements.flatMap((requirement) => {
    const { name, triggers } = requirement;
    const ofShell = triggers.filter((trigger) => isAbout(trigger, untold.tool));
    const isOfEdits = triggers.some(isAboutEdits);
    const heads = ofShell.flatMap(({ command }) => headsOf(command ?? ""));
    const begun = untold.beginnings
      .filter((text) => heads.some((head) => head.startsWith(text.toLowerCase())))
      .map((text) => text === "" ? "a command that only the running shell knows" : `"${text}…"`);
    return [
      ...(isOfEdits || ofShell.length > 0 ? untold.commands : []),
      ...(isOfEdits ? untold.files : []),
      ...begun.map((text) => `${text} may be what requirements.${name} is about`),
    ].map((why) => ({ requirement, why }));
  });
}

/** Returns the plain texts with which a pattern may begin, with single blanks; empty where it begins otherwise. */
function headsOf(pattern: string): string[] {
  let rest = pattern.replace(/^(?:\^|\\b|\(\?:\^\|\\s\))+/, "").replace(/\\s[+*]?| +/g, " ")
    .replaceAll("\\b", "").toLowerCase();
  let heads = [""];
  while (heads.length <= MAX_HEADS) {
    // A letter before `?` or `*` may be missing.
    const [plain] = /^[\w ./:@-]+(?![?*{])/.exec(rest) ?? [];
    const [group, choices = ""] = /^\((?:\?:)?([\w ./:@|-]+)\)(?![?*+{])/.exec(rest) ?? [];
    const read = plain ?? group;
    if (read === undefined) break;
    const next = plain === undefined ? choices.split("|") : [plain];
    heads = heads.flatMap((head) => next.map((choice) => head + choice));
    rest = rest.slice(read.length);
  }
  return heads.filter((head) => head !== "");
}

const MAX_HEADS = 64;

/** How many characters of a command patterns search, because they can take polynomial time. */
const MAX_SEARCHED_CHARS = 2_000;

export function commandText(words: readonly string[], isElsewhere: boolean): CommandText {
  const shown = words.map((word) => /\s/.test(word) ? "''" : word).join(" ");
  return {
    whole: words.join(" ").slice(0, MAX_SEARCHED_CHARS),
    shown: shown.slice(0, MAX_SEARCHED_CHARS),
    isElsewhere,
  };
}
