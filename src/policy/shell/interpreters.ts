/** Reads calls of shells and interpreters: which code or file they run, and which files awk and sed write. */
import {
  codeFor,
  type Inner,
  scriptFrom,
  scriptOnInput,
  type ShellCommand,
} from "./shell_command.ts";
import ROWS from "./interpreters.json" with { type: "json" };
import { rowsByName } from "./rows.ts";
import { type Argument, literal } from "./word.ts";

interface Interpreter {
  /** Whether it is a shell, whose code is a shell script. */
  readonly isShell?: boolean;
  /** Options whose next word is code, or with which it reads code. */
  readonly code: RegExp;
  /** Code that plainly only prints: it reads no file but JSON, and calls nothing else. */
  readonly prints?: RegExp;
  /** Options with which it reads code from its standard input although a file may follow. */
  readonly reads?: RegExp;
  /** Options with which it needs no script: it prints information about itself, or finds what it runs. */
  readonly idle?: RegExp;
  /** Options that take the next word as their value. */
  readonly valued?: RegExp;
  /** Options before the name of a program, to which all words after the name belong. */
  readonly module?: RegExp;
  /** The verb before its script: `run` of `bun run x.ts`. Any other word is a script itself. */
  readonly verb?: string;
  /** Verbs whose next word is code. */
  readonly codeVerbs?: RegExp;
}

/** Shells and interpreters by their names without versions. */
const INTERPRETERS = rowsByName<Interpreter>(ROWS);

/** Options with which an interpreter or a shell only prints information about itself. */
const INFORMING = /^(?:--version|--help|-V|-h|-\?)$/;

/** The script of a package manager, with the manager's name: `npm-cli.js`. */
const PACKAGED = /(?:^|\/)(npm|npx|yarn|pnpm|corepack)(?:-cli)?\.c?js$/;

export function isShell(name: string): boolean {
  return name === "source" || name === "." || INTERPRETERS.find(name)?.isShell === true;
}

/** Returns the code or the file that a shell or an interpreter runs; undefined where it runs neither. */
export function inInterpreter(command: ShellCommand): Inner | undefined {
  const { program, args } = command;
  const row = INTERPRETERS.find(program.replace(/[\d.]+$/, ""));
  if (row === undefined) return undefined;
  const { isShell = false } = row;
  const unknown = codeFor(program);
  const onInput = isShell ? scriptOnInput(command) : unknown;
  let isIdle = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const { text, isOpen } = word;
    const isInforming = INFORMING.test(text);
    if (isShell && isInforming) return undefined;
    // A word that begins like a file's name is no option, whatever follows the known beginning.
    if (isOpen && (isShell || !/^[^-]/.test(text))) return unknown;
    if (text === "-" || text === "/dev/stdin" || row.reads?.test(text)) return onInput;
    if (row.code.test(text)) {
      const given = args[at + 1];
      if (given !== undefined && !given.isOpen && row.prints?.test(given.text)) return undefined;
      return isShell ? scriptIn(args.slice(/o/i.test(text) ? at + 2 : at + 1)) : unknown;
    }
    if (row.codeVerbs?.test(text)) return unknown;
    if (text === row.verb) continue;
    const rest = args.slice(at + 1);
    const [, packaged] = PACKAGED.exec(text) ?? [];
    if (packaged !== undefined) return { kind: "command", words: [literal(packaged), ...rest] };
    if (!/^[-+]/.test(text)) return { kind: "file", program, file: word };
    if (row.module?.test(text)) return { kind: "command", words: rest };
    isIdle ||= isInforming || row.idle?.test(text) === true;
    if (row.valued?.test(text) && args[++at]?.isOpen && isShell) return unknown;
  }
  // Without a script, an interpreter reads code from its standard input.
  return isIdle ? undefined : onInput;
}

/** Returns the script behind `-c` and its parameters. */
function scriptIn(words: readonly Argument[]): Inner | undefined {
  const at = words.findIndex(({ text }) => !/^[-+]./.test(text));
  if (at < 0) return undefined;
  const [text, name, ...others] = words.slice(at);
  // `xargs` may replace the name by several words.
  return { kind: "script", text: text!, parameters: name?.isOpen ? [name, ...others] : others };
}

/** The length up to which code is searched: patterns can take polynomial time. */
export const MAX_CODE_CHARS = 16_384;
const TEXT = /"((?:\\.|[^"\\\n])*)"/g;
/** Commands in code of awk, in which a number stands for each text. */
const RUN = [
  /\bsystem\s*\(\s*"(\d+)"\s*\)/g,
  /\|&?\s*"(\d+)"/g,
  /"(\d+)"\s*\|\s*getline/g,
];
const WRITTEN = /\bprintf?\b[^;}\n]*?>>?\s*"(\d+)"(?=\s*(?:[;}\n]|$))/g;
/** Signs of commands and files that are known only when the script runs. */
const UNKNOWN = /\bsystem\s*\(|\bprintf?\b[^;}\n]*[>|]|\|&?\s*getline/;

/** Finds the commands that a script of awk runs, the files that it writes, and whether there may be more. */
function readAwk(script: string) {
  const texts: string[] = [];
  let code = script.replace(TEXT, (_, text: string) => `"${texts.push(text) - 1}"`);
  const take = (pattern: RegExp) => {
    const found: Argument[] = [];
    code = code.replace(pattern, (_, number) => {
      found.push(literal(texts[Number(number)]!));
      return ";";
    });
    return found;
  };
  return { commands: RUN.flatMap(take), files: take(WRITTEN), isUnknown: UNKNOWN.test(code) };
}

export function inAwk({ program, args }: ShellCommand): Inner[] {
  return args.flatMap(({ text }): Inner[] => {
    if (text.length > MAX_CODE_CHARS) return [codeFor(program)];
    const { commands, isUnknown } = readAwk(text);
    return [...commands.map(scriptFrom), ...(isUnknown ? [codeFor(program)] : [])];
  });
}

/** Substitutions and patterns of sed, in which a `w` is not a command. */
const REPLACED = /[sy]([/|,#@!:])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1/g;
/** The address of a command of sed: line numbers or patterns. */
const ADDRESS = String.raw`(?:[\d$,~+! ]|\/(?:\\.|[^/\\\n])*\/[IM]?)*`;
const WRITES = new RegExp(
  String.raw`(?:^|[;{}\n])\s*(?:${ADDRESS}|s[gpiImMe\d]*)w\s*(\S[^\n]*)`,
  "g",
);

/** Returns the files that a script of awk or sed writes. */
export function writtenByCode({ program, args }: ShellCommand): Argument[] {
  const isSed = /^g?sed$/.test(program);
  if (!isSed && !/^[gmn]?awk$/.test(program)) return [];
  return args.flatMap(({ text }) => {
    if (!text.includes(isSed ? "w" : ">") || text.length > MAX_CODE_CHARS) return [];
    if (!isSed) return readAwk(text).files;
    return [...text.replace(REPLACED, "s").matchAll(WRITES)].map(([, file]) =>
      literal(file!.trim())
    );
  });
}
