/** Commands with which an agent would give itself what only a person may: lift a rule, satisfy a requirement, disarm. */
import type { ShellCommand } from "./shell/command.ts";
import { programName } from "./shell/wrappers.ts";

/** What lifts a rule, satisfies a requirement or takes the hooks away; an agent must not run it. */
const LIFTING: Readonly<Record<string, ReadonlySet<string>>> = {
  guard: new Set(["pause", "resume"]),
  req: new Set(
    ["satisfy", "approve", "clear", "pause", "disable", "enable", "prune", "init", "import"],
  ),
  db: new Set(["reset", "restore"]),
  config: new Set(["init"]),
  counter: new Set(["increment", "reset"]),
};
/** The same, whatever follows: an event that an agent makes up would satisfy what no skill has. */
const ALWAYS_LIFTING = new Set(["install-hooks", "uninstall-hooks", "hook"]);
/** Nouns that no other program has with these verbs. */
const LIFTING_BY_ANY_NAME = new Set(["guard", "req"]);
/** With one of these a command only looks. */
const LOOKING = new Set(["--help", "-h", "--dry-run", "--preview"]);

/** Programs that only print what they are given. */
const PRINTING = new Set(["echo", "printf", "grep", "rg"]);

/** Programs that change a database, and the word that keeps them from it. */
const DATABASE_PROGRAMS = new Set(["sqlite3", "sqlite", "litecli", "sqlcipher"]);
const READ_ONLY = /^--?readonly$|[?&]mode=ro\b|[?&]immutable=1\b/;

/** Why an agent must not run a command; null when it may. */
export function liftedBy(command: ShellCommand): string | null {
  if (lifts(command)) return "only a person lifts a rule";
  if (changesDatabase(command)) {
    return "only a person changes what conclaude knows; `-readonly` may look";
  }
  return null;
}

/** Whether our program is started, by whatever name or runner, with a verb that is a person's. */
function lifts({ words }: ShellCommand): boolean {
  const texts = words.map(({ text }) => text);
  if (PRINTING.has(programName(texts[0] ?? "")) || texts.some((text) => LOOKING.has(text))) {
    return false;
  }
  // Whatever it is called, and wherever it was copied to, its verbs tell.
  const [, noun = "", verb = ""] = texts.filter((text) => !text.startsWith("-"));
  if (LIFTING_BY_ANY_NAME.has(noun) && LIFTING[noun]!.has(verb)) return true;
  return texts.some((text, at) => {
    if (!/conclaude|main\.[jt]s$/.test(text) || /\s/.test(text)) return false;
    const verbs = texts.slice(at + 1).filter((word) => !word.startsWith("-"));
    return verbs.some((verb, i) =>
      ALWAYS_LIFTING.has(verb) ||
      (Object.hasOwn(LIFTING, verb) && LIFTING[verb]!.has(verbs[i + 1] ?? ""))
    );
  });
}

function changesDatabase({ words }: ShellCommand): boolean {
  const [program, ...rest] = words.map(({ text }) => text);
  return DATABASE_PROGRAMS.has(programName(program ?? "")) &&
    rest.some((text) => /conclaude\.db\b/.test(text)) && !rest.some((text) => READ_ONLY.test(text));
}
