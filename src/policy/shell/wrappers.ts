/** Finds the commands and scripts that a program runs. */
import {
  afterOption,
  type Inner,
  join,
  type Language,
  scriptFrom,
  type ScriptOption,
  type ShellCommand,
} from "./shell_command.ts";
import { inFind, listedBy } from "./find_command.ts";
import { inAwk, inInterpreter, MAX_CODE_CHARS, TELLING_OF_ITSELF } from "./interpreters.ts";
import { inGit, verbOfProgram } from "./aliases.ts";
import { MAKE } from "./project_scripts.ts";
import { programName, split } from "./operands.ts";
import { inRunner, inXargs } from "./runners.ts";
import { type Argument, literal, OPEN } from "./word.ts";
import type { POWERSHELL } from "./powershell.ts";

const COMMAND: ScriptOption = { letter: "c", long: "command" };

/** Options of programs that run a script in one word: `su -c "…"`. */
const SCRIPT_OPTIONS: ReadonlyMap<string, ScriptOption> = new Map([
  ...["su", "sg", "runuser", "script", "flock"].map((name) => [name, COMMAND] as const),
  ["env", { letter: "S", long: "split-string" }],
  ...["npx", "npm"].map((name) => [name, { letter: "c", long: "call" }] as const),
  ["nodemon", { letter: "x", long: "exec" }],
  ["tar", { letter: "I", long: "use-compress-program" }],
]);

/** Programs whose arguments may hold code, and how such code looks. */
const TELLTALES: ReadonlyMap<string, RegExp> = new Map([
  ["sed", /^(?:\d+|\$)?\s*e\s+\S|[^\w\s-][gpiImM\d]*e[gpiImM\d]*(?:$|[;}\n])/],
  ["make", /^(?:-|\/dev\/stdin|--eval.*)$/],
  ["expect", /^-c/],
  ["socat", /(?:EXEC|SYSTEM|SHELL):/i],
  ["tar", /^--(?:to-command|checkpoint-action=exec|rsh-command)/],
]);

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish"]);

/** Long options of shells that take a value. */
const SHELL_VALUED = new Set(["--rcfile", "--init-file"]);

export function findInner(
  { words: [program, ...rest], input, listing }: Pick<ShellCommand, "words" | "input" | "listing">,
): readonly Inner[] {
  if (program === undefined || program.isOpen) return [];
  const name = programName(program.text);
  if (name === "find") return inFind(rest);
  if (name === "git") return inGit([program, ...rest]);
  const verb = verbOfProgram(name);
  if (verb !== null) return [{ kind: "command", words: [literal("git"), literal(verb), ...rest] }];
  const foreign = powerShell()?.inCmdlet(name, rest, { input, listing }) ??
    inForeignShell(name, rest, input);
  if (foreign !== undefined) return foreign;
  if (name === "xargs") {
    return inXargs(rest, listing === undefined ? input : listedBy(listing.slice(1)));
  }
  if (/^[gmn]?awk$/.test(name)) return inAwk(name, rest);
  if (name === "fd" || name === "fdfind") return inFd(rest);
  // Each word with a blank in it is a script; others are names of scripts.
  if (name === "concurrently") return rest.filter(({ text }) => /\s/.test(text)).map(scriptFrom);
  return [
    // The script may have just written it.
    program.text.includes("/") ? fromFile("sh", program) : undefined,
    scriptOf(name, rest),
    innerOf(name, rest),
  ].filter((inner) => inner !== undefined);
}

/** The language of a shell's scripts; `sh` may know less than Bash. */
export function dialectOf({ words }: Pick<ShellCommand, "words">): Language | undefined {
  return /^(?:sh|dash|ash)$/.test(programName(words[0]?.text ?? "")) ? "posix" : undefined;
}

export function isShell(name: string): boolean {
  return SHELLS.has(name) || name === "source" || name === ".";
}

function scriptOf(name: string, rest: readonly Argument[]): Inner | undefined {
  const option = SCRIPT_OPTIONS.get(name);
  return option && afterOption(option, rest);
}

function innerOf(name: string, rest: readonly Argument[]): Inner | undefined {
  if (SHELLS.has(name)) return inShell(name, rest);
  if (name === "source" || name === ".") return fromFile(name, rest[0]);
  if (name === "at" || name === "batch") return { kind: "stdin" };
  const telltale = TELLTALES.get(name.replace(/^[gmn](?=sed$|make$|tar$)/, ""));
  const isTold = ({ text }: Argument) => text.length > MAX_CODE_CHARS || telltale?.test(text);
  if (telltale !== undefined && rest.some(isTold)) {
    return { kind: "code", program: name };
  }
  if (name === "make" || name === "gmake") {
    const [file] = split(rest, MAKE).values("-f --file");
    if (file !== undefined) return fromFile(name, file);
  }
  if (name === "trap" && rest[0] !== undefined && !rest[0].text.startsWith("-")) {
    return scriptFrom(rest[0]);
  }
  return inRunner(name, rest) ?? inInterpreter(name, rest);
}

/** A script in a file. One that comes out of another command is unknown. */
function fromFile(program: string, file: Argument | undefined): Inner | undefined {
  if (file === undefined) return undefined;
  if (file.text === "/dev/stdin") return { kind: "stdin" };
  return file.isOpen ? { kind: "code", program } : { kind: "file", program, file };
}

/** The command that `fd` runs with what it finds. */
function inFd(rest: readonly Argument[]): Inner[] {
  const at = rest.findIndex(({ text }) => /^(?:-[xX]|--exec(?:-batch)?)$/.test(text));
  const words = at < 0 ? [] : rest.slice(at + 1);
  const isPlaced = words.some(({ text }) => text.includes("{}"));
  return words.length === 0
    ? []
    : inXargs([...(isPlaced ? [literal("-I{}")] : []), literal("--"), ...words], undefined);
}

function inShell(name: string, rest: readonly Argument[]): Inner | undefined {
  for (let at = 0; at < rest.length; at++) {
    const { text } = rest[at]!;
    if (TELLING_OF_ITSELF.test(text)) return undefined;
    if (text === "-" || text === "/dev/stdin") return { kind: "stdin" };
    if (SHELL_VALUED.has(text)) {
      if (rest[++at]?.isOpen) return { kind: "code", program: name };
    } else if (/^[-+][a-zA-Z]+$/.test(text)) {
      // Each `o` among the letters takes a word: `-euo pipefail`.
      const taken = text.match(/o/gi)?.length ?? 0;
      if (text.startsWith("-") && text.includes("c")) {
        const after = rest.slice(at + 1 + taken);
        const script = after.findIndex((word) => !/^[-+]./.test(word.text));
        if (script < 0) return undefined;
        const [code, name, ...others] = after.slice(script);
        // `xargs` may put more than one word there.
        const parameters = name?.isOpen ? [name, ...others] : others;
        return { kind: "script", text: code!, parameters };
      }
      if (text.startsWith("-") && text.includes("s")) return { kind: "stdin" };
      at += taken;
    } else if (!/^[-+]./.test(text)) return fromFile(name, rest[at]);
  }
  return { kind: "stdin" };
}

type PowerShell = typeof POWERSHELL;

let reader: PowerShell | null = null;

/** Makes the reader of PowerShell known. It is loaded on demand, since most commands hold none. */
export function readPowerShellWith(loaded: PowerShell): void {
  reader = loaded;
}

export function powerShell(): PowerShell | null {
  return reader;
}

/** Options of PowerShell that take the next word; each may be shortened. */
const VALUED =
  "executionpolicy ep ex version windowstyle workingdirectory wd inputformat outputformat configurationname psconsolefile settingsfile"
    .split(" ");

/** The scripts that `powershell`, `pwsh` and `cmd` are given; undefined for any other program. */
function inForeignShell(
  name: string,
  rest: readonly Argument[],
  input: string | undefined,
): readonly Inner[] | undefined {
  const script = (text: Argument): Inner[] => [
    { kind: "script", text, parameters: [], language: "powershell" satisfies Language },
  ];
  if (/^cmd$/i.test(name)) {
    return rest.some(({ text }) => /^\/{1,2}[ck]$/i.test(text))
      ? [{ kind: "code", program: name }]
      : [];
  }
  if (!/^(?:pwsh|powershell)(?:-preview)?$/i.test(name)) return undefined;
  for (let at = 0; at < rest.length; at++) {
    const [, option] = /^-{1,2}([a-z]+)$/i.exec(rest[at]!.text.toLowerCase()) ?? [];
    const after = rest.slice(at + 1);
    // A script in a file is not read; `powershell`, the older program, takes the word as a command.
    if (option === undefined) return /^powershell/i.test(name) ? script(join(rest.slice(at))) : [];
    if (/^ec?$/.test(option) || (option.length > 1 && "encodedcommand".startsWith(option))) {
      return [{ kind: "code", program: name }];
    }
    if ("commandwithargs".startsWith(option)) {
      return script(
        after[0]?.text !== "-" ? join(after) : input === undefined ? OPEN : literal(input),
      );
    }
    if ("file".startsWith(option)) return [];
    if (VALUED.some((valued) => valued.startsWith(option))) at++;
  }
  return input === undefined ? [] : script(literal(input));
}
