/** Recognises commands with which an agent would lift a rule, satisfy a requirement or disarm the guards. */
import type { ShellCommand } from "../shell/shell_command.ts";
import { DATABASE_PROGRAMS, onlyReads } from "../shell/writers.ts";
import { programName } from "../shell/operands.ts";
import type { Verdict } from "./guard_policy.ts";
import TABLES from "./person_verbs.json" with { type: "json" };
import { PROTECT_RULE } from "./rule_names.ts";

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** The verbs of a person, by noun. The program checks who runs them; here the agent is told before it tries. */
export const PERSON_VERBS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(TABLES.verbs).map(([noun, verbs]) => [noun, setOf(verbs)]),
);
/** Verbs that only a person may run, with any arguments. A made-up event could satisfy requirements. */
const ALWAYS_LIFTING = setOf(TABLES.always);
/** Words that only a person may run as the first word. */
const FIRST_WORDS = setOf(TABLES.first);
/** Nouns whose arguments may be any words. */
const HARMLESS = setOf(TABLES.anyWords);
/** No other program has these nouns with these verbs, so a copy of this program under another name is recognised. */
const LIFTING_BY_ANY_NAME = setOf(TABLES.byAnyName);
const LOOKING = setOf(TABLES.looking);
const PRINTING = setOf(TABLES.printing);
const VALUED = /^--(?:session|branch|ttl|metadata|db|minutes|reason|preset|output|project)$/;
/** The program, by whatever path or runner, also from its source. */
const PROGRAM = /conclaude|main\.[jt]s$/;

/** What only a person may do, and what only the running shell knows to be that or not. */
export function judgeLifting(
  command: ShellCommand,
  { tool, command: whole }: { readonly tool: string; readonly command: string },
): Verdict {
  const why = REASONS.find(([isMeant]) => isMeant(command))?.[1];
  return {
    blocks: why === undefined ? [] : [{
      rule: PROTECT_RULE,
      reason: `Blocked ${tool} operation: ${why}. Command: ${whole}`,
      isLasting: true,
    }],
    doubts: mayLift(command) ? ["what conclaude is told to do is only known when it runs"] : [],
  };
}

const REASONS: readonly (readonly [isMeant: (command: ShellCommand) => boolean, why: string])[] = [
  [lifts, "only a person lifts a rule"],
  [changesPlugins, "only a person chooses which plugins run in Claude Code"],
  [changesDatabase, "only a person changes what conclaude knows; `-readonly` may look"],
];

/** Whether a command may be a person's although its verb is unknown. */
function mayLift({ words }: ShellCommand): boolean {
  const at = words.findIndex(({ text }) => isProgram(text));
  if (at < 0 || PRINTING.has(programName(words[0]!.text))) return false;
  const [noun, verb] = words.slice(at + 1)
    .filter(({ text, isOpen }) => isOpen || !text.startsWith("-"));
  return noun?.isOpen === true ||
    (Object.hasOwn(PERSON_VERBS, noun?.text ?? "") && verb?.isOpen === true);
}

/** Whether a command starts this program with a verb that only a person may run. */
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
      (Object.hasOwn(PERSON_VERBS, verb) && PERSON_VERBS[verb]!.has(verbs[i + 1] ?? ""))
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

/** `claude plugin install x` writes the settings that no tool may write. */
function changesPlugins({ words: [program, ...rest] }: ShellCommand): boolean {
  const verbs = rest.map(({ text }) => text).filter((text) => !text.startsWith("-"));
  return programName(program?.text ?? "") === "claude" && /^plugins?$/.test(verbs[0] ?? "") &&
    !/^(?:list|validate|help)$/.test(verbs[verbs[1] === "marketplace" ? 2 : 1] ?? "help");
}

function changesDatabase({ words }: ShellCommand): boolean {
  const [program, ...rest] = words;
  return DATABASE_PROGRAMS.has(programName(program?.text ?? "")) && !onlyReads(rest) &&
    rest.some(({ text }) => /conclaude\.db\b/.test(text));
}
