/** Finds the commands and scripts that a program runs. */
import {
  codeFor,
  type Inner,
  join,
  type Language,
  scriptFrom,
  scriptOnInput,
  type ShellCommand,
} from "./shell_command.ts";
import { inFind, listedBy } from "./find_command.ts";
import { inAwk, inInterpreter, MAX_CODE_CHARS } from "./interpreters.ts";
import { inGit, verbOfProgram } from "./aliases.ts";
import { split, type ValuedOptions } from "./operands.ts";
import { rowsByName } from "./rows.ts";
import { inRunner, inXargs } from "./runners.ts";
import { type Argument, literal, OPEN } from "./word.ts";
import type { POWERSHELL } from "./powershell.ts";
import TABLES from "./runners.json" with { type: "json" };

type WithScripts = ValuedOptions & { readonly scripts: string };

/** Programs with options whose value is a script: `su -c "…"`. */
const SCRIPTS = rowsByName<WithScripts>(TABLES.scripts);

/** Programs with options that name a file with code: `vim -S x.vim`. */
const FILES = rowsByName<WithScripts>(TABLES.files);

/** Programs whose arguments may contain code, and the patterns of such code. */
const TELLTALES = rowsByName<{ readonly pattern: RegExp }>(TABLES.telltales);

/** Tells whether an option of a program may name a file with code; its other words count as well. */
export function takesFile(name: string): boolean {
  return FILES.has(name);
}

export function findInner(command: ShellCommand): readonly Inner[] {
  const { program: name, words, args, input, listing } = command;
  const [program] = words;
  if (program === undefined || program.isOpen) return [];
  if (name === "find") return inFind(args);
  if (name === "git") return inGit(words);
  const verb = verbOfProgram(name);
  if (verb !== null) return [{ kind: "command", words: [literal("git"), literal(verb), ...args] }];
  const foreign = powerShell()?.inCmdlet(command) ?? inForeignShell(command);
  if (foreign !== undefined) return foreign;
  if (name === "xargs") {
    return inXargs(args, listing === undefined ? input : listedBy(listing.slice(1)));
  }
  if (/^[gmn]?awk$/.test(name)) return inAwk(name, args);
  // Each word with a blank in it is a script; the other words are names of scripts.
  if (name === "concurrently") return args.filter(({ text }) => /\s/.test(text)).map(scriptFrom);
  const valuesIn = (row: WithScripts | undefined) =>
    row === undefined ? [] : split(args, row).values(row.scripts);
  return [
    // The script may have just written the program.
    ...(program.text.includes("/") ? [fromFile("sh", program, input)] : []),
    ...valuesIn(SCRIPTS.find(name)).map(scriptFrom),
    innerOf(command),
    ...valuesIn(FILES.find(name)).map((file) => fromFile(name, file, input)),
  ].filter((inner) => inner !== undefined);
}

/** Returns the language of a shell's scripts, undefined for Bash; `sh` may know less than Bash. */
export function dialectOf({ program }: ShellCommand): Language | undefined {
  return /^(?:sh|dash|ash)$/.test(program) ? "posix" : undefined;
}

function innerOf(command: ShellCommand): Inner | undefined {
  const { program: name, args, input } = command;
  const [first] = args;
  if (name === "source" || name === ".") return first && fromFile(name, first, input);
  if (name === "at" || name === "batch") return scriptOnInput(input);
  const telltale = TELLTALES.find(name)?.pattern;
  const isTold = ({ text }: Argument) => text.length > MAX_CODE_CHARS || telltale?.test(text);
  if (telltale !== undefined && args.some(isTold)) return codeFor(name);
  if (name === "trap" && first !== undefined && !first.text.startsWith("-")) {
    return scriptFrom(first);
  }
  return inRunner(name, args) ?? inInterpreter(command);
}

/** Returns the code in a file; unknown code if only the running shell knows the file. */
function fromFile(program: string, file: Argument, input: string | undefined): Inner {
  if (file.text === "/dev/stdin") return scriptOnInput(input);
  return file.isOpen ? codeFor(program) : { kind: "file", program, file };
}

type PowerShell = typeof POWERSHELL;

let reader: PowerShell | null = null;

/** Sets the reader of PowerShell, which is loaded on demand, since most commands contain no PowerShell. */
export function readPowerShellWith(loaded: PowerShell): void {
  reader = loaded;
}

export function powerShell(): PowerShell | null {
  return reader;
}

/** Returns the scripts in calls of `powershell`, `pwsh` and `cmd`; undefined for any other program. */
function inForeignShell(
  { program: name, args, input }: ShellCommand,
): readonly Inner[] | undefined {
  const script = (text: Argument): Inner[] => [{ ...scriptFrom(text), language: "powershell" }];
  if (/^cmd$/i.test(name)) {
    return args.some(({ text }) => /^\/{1,2}[ck]$/i.test(text)) ? [codeFor(name)] : [];
  }
  if (!/^(?:pwsh|powershell)(?:-preview)?$/i.test(name)) return undefined;
  const at = args.findIndex(({ text }) => /^-{1,2}(?:c|com\w*|ec?|en\w*|f|fi\w*)$/i.test(text));
  if (/^-+e/i.test(args[at]?.text ?? "")) return [codeFor(name)];
  // A script in a file is not read; `powershell`, the older program, takes plain words as a command.
  if (/^-+f/i.test(args[at]?.text ?? "")) return [];
  const words = at >= 0
    ? args.slice(at + 1)
    : /^powershell/i.test(name)
    ? args.filter(({ text }) => !text.startsWith("-"))
    : [];
  if (words.length > 0 && words[0]!.text !== "-") return script(join(words));
  return at < 0 && input === undefined ? [] : script(input === undefined ? OPEN : literal(input));
}
