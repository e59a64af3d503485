/** The rules about commands, tried on every command that a shell tool would start. */
import {
  type Actor,
  type Block,
  blockOf,
  concerns,
  fixedHead,
  type GuardPolicy,
  isAbout,
  ruleText,
  type ToolRule,
  type Verdict,
} from "./guard_policy.ts";
import { formsOf, SPELLINGS } from "./command_forms.ts";
import { type ShellCommand, shownCommand } from "../shell/shell_command.ts";
import { verbOfProgram } from "../shell/aliases.ts";
import { gitCall } from "../shell/git_call.ts";
import { programName } from "../shell/operands.ts";
import { isShell } from "../shell/interpreters.ts";
import { powerShell } from "../shell/wrappers.ts";
import WORDS from "./words.json" with { type: "json" };
import { isRunner } from "../shell/runners.ts";
import { type Argument, literal } from "../shell/word.ts";

/** `maybe`: it depends on a word that only the running shell knows. */
type Match = "yes" | "maybe" | "no";

const MAX_TRIED_CHARS = 16_384;

/** Programs that run the command behind them. */
const TRANSPARENT = new Set(WORDS.wrappers);
/** Commands that the shell runs itself. */
const INSIDE_SHELL = new Set(WORDS.builtIns);

/**
 * Judges the commands of one call. For each command the rules are tried in the order of the configuration: a blocking
 * rule that matches denies it; an allowing rule that matches lets it pass and ends the search. Where there are
 * allowing rules and none matches, it is denied. A pattern with `|`, `&`, `;`, `<` or `>` is tried on `whole`, the
 * text of the call.
 */
export function judgeCommands(
  policy: GuardPolicy,
  commands: readonly ShellCommand[],
  by: Actor & { readonly tool: string; readonly whole: string },
): Verdict {
  const rules = policy.tools.filter((rule) =>
    rule.about === "command" && isAbout(rule, by.tool) && concerns(rule, by)
  );
  if (rules.length === 0) return { blocks: [], doubts: [] };
  const whole = by.whole.slice(0, MAX_TRIED_CHARS).trim();
  const ofWhole = rules.filter(({ action, glob }) => action === "block" && /[|&;<>\n]/.test(glob))
    .flatMap((rule): Said[] =>
      new RegExp(rule.pattern, "s").test(whole)
        ? [{ block: deniedBy(rule, by.tool, whole) }]
        : by.whole.length > MAX_TRIED_CHARS
        ? [{ doubt: `it is too long to be compared with ${rule.name} ("${rule.glob}")` }]
        : []
    );
  const ofEach = commands.filter(({ words }) => words.length > 0)
    .flatMap((command) => judgeCommand(command, rules, by.tool));
  const said = [...ofWhole, ...ofEach];
  const blocks = said.flatMap(({ block }) => block ?? []);
  return {
    blocks: [...new Map(blocks.map((block) => [block.rule, block])).values()],
    doubts: [...new Set(said.flatMap(({ doubt }) => doubt ?? []))],
  };
}

interface Said {
  readonly block?: Block;
  readonly doubt?: string;
}

function judgeCommand(command: ShellCommand, rules: readonly ToolRule[], tool: string): Said[] {
  const shown = shownCommand(command.words);
  const texts = spellings(command.words).map(textOf);
  const forms = formsOf(command.words).map(textOf);
  // PowerShell ignores upper and lower case in names.
  const flags = tool === "PowerShell" ? "si" : "s";
  const said: Said[] = [];
  let allowing: ToolRule | undefined;
  for (const rule of rules) {
    const isBlocking = rule.action === "block";
    // An allowing rule means the words as they are written.
    const match = matchCommand(rule, isBlocking ? [...texts, ...forms] : texts, flags);
    if (!isBlocking && match === "yes") return said;
    if (!isBlocking) allowing ??= rule;
    else if (match === "yes") said.push({ block: deniedBy(rule, tool, shown) });
    else if (match === "maybe") {
      said.push({ doubt: `"${shown}" may be what ${rule.name} forbids ("${rule.glob}")` });
    }
  }
  return allowing === undefined || isCovered(command)
    ? said
    : [...said, { block: deniedBy(allowing, tool, shown) }];
}

/** Commands that no allowing rule has to name: wrappers, built-in commands, and what an allowed runner starts. */
function isCovered({ words, startedBy, callsFunction }: ShellCommand): boolean {
  const starter = startedBy === null ? "" : programName(startedBy.words[0]!.text);
  if (isRunner(starter) || powerShell()?.isCmdlet(starter)) return true;
  const [program, ...rest] = words;
  if (callsFunction || INSIDE_SHELL.has(program!.text)) return true;
  const name = programName(program!.text);
  // Nobody has looked into a script in a file.
  if (isShell(name)) return rest.some(({ text }) => /^-[a-zA-Z]*c$/.test(text));
  return (TRANSPARENT.has(name) && rest.length > 0) || verbOfProgram(name) !== null;
}

/** A usual spelling that a blocking rule passes although it matches others; null where it holds for all or none. */
export function spellingPassed(
  rule: ToolRule,
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

function matchCommand(rule: ToolRule, spellings: readonly KnownText[], flags: string): Match {
  const found = new Set(spellings.map((spelling) => matchSpelling(rule, spelling, flags)));
  return found.has("yes") ? "yes" : found.has("maybe") ? "maybe" : "no";
}

/** The spellings of a command: as it stands, without its path, without git's own options, and as other cmdlets. */
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

function matchSpelling(rule: ToolRule, { text, isOpen }: KnownText, flags: string): Match {
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

/** The known beginning of a command. It ends at a pattern of the shell, which may stand for any name. */
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

function deniedBy(rule: ToolRule, tool: string, command: string): Block {
  return blockOf(rule, `${tool} command ${ruleText(rule)}. Command: ${command}`, { command, tool });
}
