/**
 * Recognises commands by which an agent would lift a rule, satisfy a requirement, disarm the guards, or start another
 * agent, whose tool uses no gate here judges.
 */
import { rowsByName } from "../shell/rows.ts";
import type { ShellCommand } from "../shell/shell_command.ts";
import { opensDatabase } from "../shell/writes.ts";
import { programName } from "../shell/operands.ts";
import { PROTECT_RULE, type Verdict } from "./guard_policy.ts";
import TABLES from "./person_verbs.json" with { type: "json" };
import AGENTS from "./second_agents.json" with { type: "json" };
import { ownValue } from "../../base/mapping.ts";

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** The verbs that only a person may run, by noun. The program checks who runs them; this tells the agent earlier. */
export const PERSON_VERBS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(TABLES.verbs).map(([noun, verbs]) => [noun, setOf(verbs)]),
);
/** Verbs that only a person may run, at any position. `hook` is one: a made-up event could satisfy requirements. */
const ALWAYS_LIFTING = setOf(TABLES.always);
/** Verbs that only a person may run, if they come first. */
const FIRST_WORDS = setOf(TABLES.first);
/** Nouns whose arguments may be any words. */
const HARMLESS = setOf(TABLES.anyWords);
/** Nouns that no other program has with these verbs, so that they reveal a copy of this program under another name. */
const LIFTING_BY_ANY_NAME = setOf(TABLES.byAnyName);
const LOOKING = setOf(TABLES.looking);
const PRINTING = setOf(TABLES.printing);
const VALUED = /^--(?:session|branch|ttl|metadata|db|minutes|reason|preset|output|project)$/;
/** The program's file, also its source, behind any path or runner. */
const PROGRAM = /conclaude|main\.[jt]s$/;

/** Denies a person's commands, and doubts those that may turn out to be one when they run. */
export function judgeLifting(
  command: ShellCommand,
  { tool, command: whole }: { readonly tool: string; readonly command: string },
): Verdict {
  const why = REASONS.find(([isMeant]) => isMeant(command))?.[1];
  const reason = `Blocked ${tool} operation: ${why}. Command: ${whole}`;
  return {
    blocks: why === undefined ? [] : [{ rule: PROTECT_RULE, reason, isLasting: true }],
    doubts: mayLift(command) ? ["what conclaude is told to do is only known when it runs"] : [],
  };
}

const REASONS = [
  [lifts, "only a person lifts a rule"],
  [changesPlugins, "only a person chooses which plugins run in Claude Code"],
  [changesDatabase, "only a person changes what conclaude knows; `-readonly` may look"],
] as const;

/** Tells whether a command with an unknown noun or verb may be a person's. */
function mayLift({ words }: ShellCommand): boolean {
  const at = words.findIndex(({ text }) => isProgram(text));
  if (at < 0 || PRINTING.has(programName(words[0]!.text))) return false;
  const [noun, verb] = words.slice(at + 1)
    .filter(({ text, isOpen }) => isOpen || !text.startsWith("-"));
  return noun?.isOpen === true ||
    (Object.hasOwn(PERSON_VERBS, noun?.text ?? "") && verb?.isOpen === true);
}

/** Tells whether a command starts this program with a verb that only a person may run. */
function lifts({ words }: ShellCommand): boolean {
  const texts = words.map(({ text }) => text);
  if (PRINTING.has(programName(texts[0] ?? "")) || onlyLooks(texts)) return false;
  const [, noun = "", verb = ""] = texts.filter((text) => !text.startsWith("-"));
  if (LIFTING_BY_ANY_NAME.has(noun) && PERSON_VERBS[noun]!.has(verb)) return true;
  const at = texts.findIndex(isProgram);
  if (at < 0) return false;
  const rest = texts.slice(at + 1);
  if (HARMLESS.has(rest[0] ?? "") && !rest.some(isProgram)) return false;
  const verbs = rest.filter((word) => !word.startsWith("-"));
  return verbs[0] !== "help" &&
    verbs.some((verb, i) =>
      ALWAYS_LIFTING.has(verb) || (i === 0 && FIRST_WORDS.has(verb)) ||
      ownValue(PERSON_VERBS, verb)?.has(verbs[i + 1] ?? "")
    );
}

function isProgram(text: string): boolean {
  return PROGRAM.test(text) && !/\s/.test(text);
}

function onlyLooks(texts: readonly string[]): boolean {
  const end = texts.indexOf("--");
  return (end < 0 ? texts : texts.slice(0, end)).some((text, i) =>
    LOOKING.has(text) && !VALUED.test(texts[i - 1] ?? "")
  );
}

/** Recognises `claude plugin install x`, which writes settings that no tool may write. */
function changesPlugins({ words: [program, ...rest] }: ShellCommand): boolean {
  const verbs = rest.map(({ text }) => text).filter((text) => !text.startsWith("-"));
  return programName(program?.text ?? "") === "claude" && /^plugins?$/.test(verbs[0] ?? "") &&
    !/^(?:list|validate|help)$/.test(verbs[verbs[1] === "marketplace" ? 2 : 1] ?? "help");
}

function changesDatabase({ words }: ShellCommand): boolean {
  const [program, ...rest] = words;
  return opensDatabase(programName(program?.text ?? ""), rest) &&
    rest.some(({ text }) => /conclaude\.db\b/.test(text));
}

interface Agent {
  /** Matches arguments, joined by blanks, that make the agent act by itself or without its hooks. */
  readonly signs: RegExp;
  readonly what: string;
}

const AGENT_BY_NAME = rowsByName<Agent>(AGENTS);

/** Says why a command is in doubt because it starts an agent that no gate here sees; empty for other commands. */
export function doubtsOfAgent({ program: name, args, hasOtherHome }: ShellCommand): string[] {
  const text = args.map(({ text }) => text).join(" ");
  const agent = AGENT_BY_NAME.find(name);
  if (agent === undefined || /(?:^| )(?:--help|-h|--version)(?: |$)/.test(text)) return [];
  if (name === "claude" && hasOtherHome) {
    return ["`claude` with another home starts Claude Code without these gates"];
  }
  return agent.signs.test(text) ? [`\`${name}\` ${agent.what}`] : [];
}
