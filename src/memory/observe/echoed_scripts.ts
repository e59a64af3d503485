/** The commands that a script of a project says it runs: `npm run lint` prints `> eslint .` before it does. */
import { builds } from "./builders.ts";
import { nameOf, withoutLaunchers } from "./launchers.ts";
import { type ScriptCommand, scriptCommands, tellsItsStatus } from "./shell_words.ts";

interface Echo {
  /** The program, with its verb. */
  readonly of: RegExp;
  /** What it prints before a command, which is the first group. */
  readonly line: RegExp;
  /** Whether other lines of the output look alike: only builds, checks and tests count then. */
  readonly isBare?: true;
}

const ECHOES: readonly Echo[] = [
  // A line that names the package and the script, and one with the command.
  { of: /^p?npm /, line: /^> (?:\S+@\S+ )?[\w:.-]+(?: \/.*)?\r?\n> (.+)$/gm },
  { of: /^(?:yarn|bun) /, line: /^\$ (.+)$/gm },
  { of: /^composer /, line: /^> (.+)$/gm },
  { of: /^deno task /, line: /^Task \S+ (.+)$/gm },
  { of: /^tox(?: |$)/, line: /^\S+: commands\[\d+\]> (.+)$/gm },
  { of: /^(?:g?make|just)(?: |$)/, line: /^([a-z.][\w./-]*(?: .*)?)$/gm, isBare: true },
];
/** By these it is run somewhere else. */
const ELSEWHERE =
  /^(?:(?:-C|-F|-r|-w|-ws|--(?:prefix|workspaces?|filter|dir|cwd|directory|recursive|working-directory|justfile|file))(?:=|$)|workspaces?$)/;
const MAX_CHARS = 4_000;
const MAX_ECHOES = 20;

/**
 * A script as it would be if it called, in the place of a script of the project, the commands that this says it runs: one for
 * each of them, in their order. None where nothing is said, or where the shell hides how one of them ended.
 */
export function echoedScripts(script: string, output: string): string[] {
  const told = scriptCommands(script).map((call) => ({ call, echo: echoOf(call) }))
    .filter(({ echo }) => echo !== undefined);
  const [only] = told;
  if (told.length !== 1 || only!.call.words.some((word) => ELSEWHERE.test(word))) return [];
  const { call: { source, sets }, echo } = only!;
  const lines = [...output.slice(0, MAX_CHARS).matchAll(echo!.line)]
    .map(([, line = ""]) => line.trim())
    .filter((line) => echo!.isBare !== true || scriptCommands(line).some(builds))
    .slice(0, MAX_ECHOES);
  if (!lines.every((line) => tellsItsStatus(scriptCommands(line)))) return [];
  return lines.map((line) => script.replace(source, () => [...sets, line].join(" ")));
}

function echoOf({ words }: ScriptCommand): Echo | undefined {
  const [program = "", ...args] = withoutLaunchers(words);
  const call = [nameOf(program), ...args].join(" ");
  return ECHOES.find(({ of }) => of.test(call));
}
