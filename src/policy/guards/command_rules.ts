/** Judges every command that a shell tool would start by the rules about commands. */
import {
  type Actor,
  type Block,
  blockOf,
  concerns,
  fixedHead,
  type GuardPolicy,
  isAbout,
  type Rule,
  ruleText,
  type Verdict,
} from "./guard_policy.ts";
import { formsOf, SPELLINGS } from "./command_forms.ts";
import { type ShellCommand, shownCommand } from "../shell/shell_command.ts";
import { gitCall } from "../shell/git_call.ts";
import { programName } from "../shell/operands.ts";
import { isShell } from "../shell/interpreters.ts";
import { isRunner, powerShell, verbOfProgram } from "../shell/wrappers.ts";
import WORDS from "./words.json" with { type: "json" };
import { type Argument, literal } from "../shell/word.ts";

/** Whether a rule matches; `maybe`: that depends on a word that only the running shell knows. */
type Match = "yes" | "maybe" | "no";

const MAX_TRIED_CHARS = 16_384;

/** Programs that run the command in their arguments. */
const TRANSPARENT = new Set(WORDS.wrappers);
/** Commands that are built into the shell. */
const INSIDE_SHELL = new Set(WORDS.builtIns);

/**
 * Judges the commands of one call. Tries the rules on each command in the order of the configuration: a matching
 * blocking rule denies the command; a matching allowing rule lets it pass and ends the search. If there are allowing
 * rules and none matches, the command is denied. A blocking pattern with `|`, `&`, `;`, `<`, `>` or a line break is
 * also tried on `whole`, the text of the call.
 */
export function judgeCommands(
  policy: GuardPolicy,
  commands: readonly ShellCommand[],
  use: Actor & { readonly tool: string; readonly whole: string },
): Verdict {
  const { tool } = use;
  const rules = policy.rules.filter((rule) =>
    rule.about === "command" && isAbout(rule, tool) && concerns(rule, use)
  );
  if (rules.length === 0) return { blocks: [], doubts: [] };
  const blocks = new Map<string, Block>();
  const doubts = new Set<string>();
  const deny = (rule: Rule, command: string) => {
    const reason = `${tool} command ${ruleText(rule)}. Command: ${command}`;
    blocks.set(rule.name, blockOf(rule, reason, { command, tool }));
  };
  const whole = use.whole.slice(0, MAX_TRIED_CHARS).trim();
  for (const rule of rules) {
    if (rule.action === "allow" || !/[|&;<>\n]/.test(rule.glob)) continue;
    if (new RegExp(rule.pattern, "s").test(whole)) deny(rule, whole);
    else if (use.whole.length > MAX_TRIED_CHARS) {
      doubts.add(`it is too long to be compared with ${rule.name} ("${rule.glob}")`);
    }
  }
  for (const command of commands) {
    if (command.words.length > 0) judgeCommand(command, { rules, tool, deny, doubts });
  }
  return { blocks: [...blocks.values()], doubts: [...doubts] };
}

/** Tries the rules on one command; ends at the first allowing rule that matches. */
function judgeCommand(command: ShellCommand, { rules, tool, deny, doubts }: {
  readonly rules: readonly Rule[];
  readonly tool: string;
  readonly deny: (rule: Rule, command: string) => void;
  readonly doubts: Set<string>;
}): void {
  const shown = shownCommand(command.words);
  const texts = spellings(command.words).map(textOf);
  const forms = formsOf(command.words).map(textOf);
  // PowerShell does not distinguish upper and lower case in names.
  const flags = tool === "PowerShell" ? "si" : "s";
  let missed: Rule | undefined;
  const tried = [...texts, ...forms];
  const isKnown = flags === "s" && !tried.some(({ isOpen }) => isOpen);
  const all = tried.map(({ text }) => text).join("\n");
  for (const rule of rules) {
    const isBlocking = rule.action === "block";
    if (isBlocking && isKnown && !all.includes(rule.needle)) continue;
    // An allowing rule covers only the words as they are written.
    const match = matchCommand(rule, isBlocking ? tried : texts, flags);
    if (!isBlocking && match === "yes") return;
    if (!isBlocking) missed ??= rule;
    else if (match === "yes") deny(rule, shown);
    else if (match === "maybe") {
      doubts.add(`"${shown}" may be what ${rule.name} forbids ("${rule.glob}")`);
    }
  }
  if (missed !== undefined && !isCovered(command)) deny(missed, shown);
}

/** Tells whether no allowing rule has to name a command: a wrapper, a built-in, or what an allowed runner starts. */
function isCovered({ words, startedBy, callsFunction }: ShellCommand): boolean {
  const starter = startedBy === null ? "" : programName(startedBy.words[0]!.text);
  if (isRunner(starter) || powerShell()?.isCmdlet(starter)) return true;
  const [program, ...rest] = words;
  if (callsFunction || INSIDE_SHELL.has(program!.text)) return true;
  const name = programName(program!.text);
  // Only a script in the arguments has been judged, not one in a file.
  if (isShell(name)) return rest.some(({ text }) => /^-[a-zA-Z]*c$/.test(text));
  return (TRANSPARENT.has(name) && rest.length > 0) || verbOfProgram(name) !== null;
}

/** Finds a usual spelling that a blocking rule misses although it matches others; null if it matches all or none. */
export function spellingPassed(
  rule: Rule,
): { readonly spelling: string; readonly holds: string } | null {
  if (rule.about !== "command" || rule.action !== "block") return null;
  for (const { holds, all } of SPELLINGS) {
    const passed = all.filter((text) => {
      const words = text.split(" ").map(literal);
      const tried = [...spellings(words), ...formsOf(words)].map(textOf);
      return matchCommand(rule, tried, "s") !== "yes";
    });
    if (passed.length > 0 && passed.length < all.length) return { spelling: passed[0]!, holds };
  }
  return null;
}

function matchCommand(rule: Rule, spellings: readonly KnownText[], flags: string): Match {
  const found = new Set(spellings.map((spelling) => matchSpelling(rule, spelling, flags)));
  return found.has("yes") ? "yes" : found.has("maybe") ? "maybe" : "no";
}

/** Returns a command's spellings: as written, without its path, without git's own options, and as other cmdlets. */
export function spellings(words: readonly Argument[]): (readonly Argument[])[] {
  const [program, ...rest] = words;
  if (program === undefined || program.isOpen) return [words];
  const name = programName(program.text);
  const named = [{ ...program, text: name }, ...rest];
  const all = name === program.text ? [words] : [words, named];
  const ofVerb = gitCall(words)?.words ?? rest;
  if (ofVerb.length < rest.length) all.push([named[0]!, ...ofVerb]);
  const others = powerShell()?.namesOfCmdlet(name) ?? [];
  return [...all, ...others.map((text) => [{ ...program, text }, ...rest])];
}

function matchSpelling(rule: Rule, { text, isOpen }: KnownText, flags: string): Match {
  if (!isOpen && flags === "s" && !text.includes(rule.needle)) return "no";
  const regex = new RegExp(rule.pattern, flags);
  if (regex.test(text)) return isOpen && !rule.glob.endsWith("*") ? "maybe" : "yes";
  if (rule.isPrefix) {
    for (let end = text.indexOf(" "); end >= 0; end = text.indexOf(" ", end + 1)) {
      if (regex.test(text.slice(0, end))) return "yes";
    }
  }
  if (!isOpen) return "no";
  const plain = fixedHead(rule.glob);
  return plain.startsWith(text) || text.startsWith(plain) ? "maybe" : "no";
}

export interface KnownText {
  readonly text: string;
  readonly isOpen: boolean;
}

/** Returns the known beginning of a command, which ends at a shell pattern, since that may stand for any name. */
export function textOf(words: readonly Argument[]): KnownText {
  const open = words.findIndex(({ isOpen, isGlob }) => isOpen || isGlob);
  const known = open < 0 ? words : words.slice(0, open + 1);
  const texts = known.map(({ text, isGlob }) => isGlob ? /^[^*?[]*/.exec(text)![0] : text);
  const text = texts.join(" ").trimEnd();
  return {
    text: text.slice(0, MAX_TRIED_CHARS),
    isOpen: open >= 0 || text.length > MAX_TRIED_CHARS,
  };
}
