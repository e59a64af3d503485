/**
 * Finds the commands and scripts that a program runs: the command behind `sudo`, `npx`, `bundle exec` or
 * `docker exec APP`, the script of `su -c`. Rows of `runners.json` say where they stand among the arguments.
 */
import {
  codeFor,
  type Inner,
  join,
  type Language,
  meantByAlias,
  scriptFrom,
  scriptOnInput,
  type ShellCommand,
} from "./shell_command.ts";
import { inFind, listedBy } from "./find_command.ts";
import { gitCall, settingsOf } from "./git_call.ts";
import { isOwnVerb } from "./git_verbs.ts";
import { inAwk, inInterpreter, MAX_CODE_CHARS } from "./interpreters.ts";
import { leading, split, type ValuedOptions } from "./operands.ts";
import { rowsByName } from "./rows.ts";
import { type Argument, literal, OPEN } from "./word.ts";
import type { POWERSHELL } from "./powershell.ts";
import TABLES from "./runners.json" with { type: "json" };

interface Runner extends ValuedOptions {
  /** Whether it runs programs out of packages, or in a container with another file system; absent for neither. */
  readonly kind?: "package" | "container";
  /** Words that may stand before the verb, such as `compose`. Blanks separate the words of all lists. */
  readonly groups?: string;
  /** Verbs that stand before the program. */
  readonly verbs?: string;
  /** The runner's own verbs, which run no program; any other first word is taken for the program. */
  readonly own?: string;
  /** How many operands stand before the program: the seconds of `timeout`. */
  readonly operands?: number;
  /** Words after which the program stands, if one of them is given; with `needsAfter`, one must be. */
  readonly after?: string;
  readonly needsAfter?: boolean;
  /** Options with which it runs no program. */
  readonly unless?: string;
  /** Whether the rest of the line is a script and no list of words; options may follow the operands. */
  readonly joins?: boolean;
  /** Whether it adds arguments from elsewhere, at the end or in the place of `{}`. */
  readonly appends?: boolean;
}

const RUNNERS = rowsByName<Runner>(TABLES.runners);

/** Code among the arguments of a program. */
interface WithCode extends ValuedOptions {
  /** Options whose value is a script: `su -c "…"`. */
  readonly scripts?: string;
  /** Options that name a file with code: `vim -S x.vim`. */
  readonly files?: string;
  /** Matches arguments that contain code. */
  readonly telltale?: RegExp;
}

const CODE = rowsByName<WithCode>(TABLES.code);

/** Tells whether an option of a program may name a file with code; such a program may change files of other words. */
export function takesFile(name: string): boolean {
  return CODE.find(name)?.files !== undefined;
}

/** Tells whether a program runs others out of packages or in a container, or runs modules (`python -m black`). */
export function isRunner(name: string): boolean {
  return RUNNERS.find(name)?.kind !== undefined || /^python[\d.]*$/.test(name);
}

export function isContaining(name: string): boolean {
  return RUNNERS.find(name)?.kind === "container";
}

/** Returns the verb of a program that lies beside `git`: `push` for `git-push`; null for other programs. */
export function verbOfProgram(name: string): string | null {
  const verb = name.startsWith("git-") ? name.slice(4) : "";
  return isOwnVerb(verb) ? verb : null;
}

/** Returns the language of a shell's scripts, undefined for Bash; `sh` may know less than Bash. */
export function dialectOf({ program }: ShellCommand): Language | undefined {
  return /^(?:sh|dash|ash)$/.test(program) ? "posix" : undefined;
}

export function findInner(command: ShellCommand): readonly Inner[] {
  const { program: name, words: [program], args } = command;
  if (program === undefined || program.isOpen) return [];
  const all = ALL_INNER.get(name)?.(command) ?? powerShell()?.inCmdlet(command) ??
    inForeignShell(command);
  if (all !== undefined) return all;
  const verb = verbOfProgram(name);
  if (verb !== null) return [{ kind: "command", words: [literal("git"), literal(verb), ...args] }];
  const row = CODE.find(name);
  const valuesOf = (options: string | undefined) =>
    row === undefined || options === undefined ? [] : split(args, row).values(options);
  return [
    // The script may have just written the program.
    program.text.includes("/") ? fromFile("sh", program, command) : [],
    valuesOf(row?.scripts).map(scriptFrom),
    innerOf(command, row?.telltale) ?? [],
    valuesOf(row?.files).map((file) => fromFile(name, file, command)),
  ].flat();
}

/** Programs with a syntax of their own, and what finds all that they run. */
const ALL_INNER = new Map<string, (command: ShellCommand) => readonly Inner[]>([
  ["find", ({ args }) => inFind(args)],
  ["git", ({ words }) => inGit(words)],
  ["xargs", inXargs],
  // Each word with a blank in it is a script; the other words are names of scripts.
  ["concurrently", ({ args }) => args.filter(({ text }) => /\s/.test(text)).map(scriptFrom)],
  ...["awk", "gawk", "mawk", "nawk"].map((name) => [name, inAwk] as const),
]);

function innerOf(command: ShellCommand, telltale: RegExp | undefined): Inner | undefined {
  const { program: name, args } = command;
  const [first] = args;
  if (name === "source" || name === ".") return first && fromFile(name, first, command);
  if (name === "at" || name === "batch") return scriptOnInput(command);
  const isCode = ({ text }: Argument) => text.length > MAX_CODE_CHARS || telltale!.test(text);
  if (telltale !== undefined && args.some(isCode)) return codeFor(name);
  if (name === "trap" && first !== undefined && !first.text.startsWith("-")) {
    return scriptFrom(first);
  }
  return inRunner(name, args) ?? inInterpreter(command);
}

/** Returns the code in a file; unknown code if only the running shell knows the file. */
function fromFile(program: string, file: Argument, by: ShellCommand): Inner {
  if (file.text === "/dev/stdin") return scriptOnInput(by);
  return file.isOpen ? codeFor(program) : { kind: "file", program, file };
}

const DYNAMIC_LINKER = /^ld-(?:linux|musl)[\w-]*\.so\.\d+$/;

/** Returns the command or script that a row of `runners` finds; undefined where there is none. */
function inRunner(name: string, rest: readonly Argument[]): Inner | undefined {
  const runner = RUNNERS.find(name.replace(DYNAMIC_LINKER, "ld.so"));
  if (runner === undefined) return undefined;
  const { groups, verbs, own, operands = 0, after, needsAfter, unless, joins, appends } = runner;
  const isIn = (words: string | undefined, text = "") => words?.split(" ").includes(text);
  if (rest.some(({ text }) => isIn(unless, text))) return undefined;
  const skip = (at: number) => at + leading(rest.slice(at), runner).end;
  let at = skip(0);
  if (isIn(groups, rest[at]?.text)) at = skip(at + 1);
  const verb = rest[at]?.text;
  if (isIn(verbs, verb)) at = skip(at + 1);
  else if (verbs !== undefined && isIn(own, verb) !== false) return undefined;
  const sign = rest.findIndex(({ text }) => isIn(after, text));
  if (needsAfter && sign < 0) return undefined;
  at = sign >= 0 ? sign + 1 : at + operands;
  if (joins) at = skip(at);
  while (/^[A-Za-z_]\w*=/.test(rest[at]?.text ?? "")) at++;
  const [program, ...others] = rest.slice(at);
  if (program === undefined) return undefined;
  if (joins) return scriptFrom(join([program, ...others]));
  if (appends && /\s/.test(program.text)) {
    return scriptFrom({ ...program, text: program.text.replace(/\{[./#%\d]*\}/g, '"$INPUT"') });
  }
  // `rimraf@5` is the program of that package.
  const named = { ...program, text: program.text.replace(/(.)@[^/@]*$/, "$1") };
  const words = [named, ...others];
  if (!appends) return { kind: "command", words };
  const placed = words.map((word) => word.text.includes("{}") ? OPEN : word);
  return { kind: "command", words: placed.includes(OPEN) ? placed : [...words, OPEN] };
}

/** How many lines `xargs -I` may read; if there are more, they count as unknown. */
const MAX_LINES = 32;

/** Returns the commands of `xargs`, which reads a text, or a listing that one argument stands for. */
function inXargs({ args, input, listing }: ShellCommand): Inner[] {
  const { end, has, values } = leading(args, RUNNERS.find("xargs")!);
  const words = args.slice(end);
  const command = words.length === 0 ? [literal("echo")] : words;
  const isElsewhere = has("-a --arg-file");
  const isListed = listing !== undefined;
  const listed = isListed && !isElsewhere ? listedBy(listing.slice(1)) : OPEN;
  const isOther = isListed || isElsewhere || has("-0 -d --null --delimiter");
  const known = isOther ? undefined : input;
  const replaced = values("-I --replace").at(-1)?.text ?? (has("-i --replace") ? "{}" : undefined);
  if (replaced === undefined) {
    const read = known?.split(/\s+/).filter((word) => word !== "").map(literal);
    return [{ kind: "command", words: [...command, ...read ?? [listed]] }];
  }
  const lines = known?.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const given = lines === undefined || lines.length > MAX_LINES ? [undefined] : lines;
  return given.map((line) => ({
    kind: "command",
    words: command.map((word) => {
      if (!word.text.includes(replaced)) return word;
      if (line === undefined) return word.text === replaced ? listed : OPEN;
      return { ...word, text: word.text.replaceAll(replaced, line) };
    }),
  }));
}

/** Settings whose value git runs. */
const RUN_BY_GIT =
  /^[^=]*(?:pager|editor|command|helper|external|program|cmd|textconv|fsmonitor|askpass)=(.+)$/is;

/** Finds what a call of git runs: aliases and programs that it sets, commands of `bisect` or `rebase --exec`. */
function inGit(words: readonly Argument[]): Inner[] {
  const { verb, after, means, values } = gitCall(words)!;
  const set = settingsOf(words).flatMap((setting) => {
    const [, run] = RUN_BY_GIT.exec(setting) ?? [];
    const [, alias] = /^alias\.[^=]+=(.*)$/s.exec(setting) ?? [];
    return run?.replace(/^!/, "") ?? (alias === undefined ? [] : meantByAlias(alias));
  });
  return [
    set.map((script) => scriptFrom(literal(script))),
    values(means.runs ?? "").map(scriptFrom),
    inRunner(`git-${verb}`, after) ?? [],
  ].flat();
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
function inForeignShell({ program: name, args, input }: ShellCommand): Inner[] | undefined {
  if (/^cmd$/i.test(name)) {
    return args.some(({ text }) => /^\/{1,2}[ck]$/i.test(text)) ? [codeFor(name)] : [];
  }
  if (!/^(?:pwsh|powershell)(?:-preview)?$/i.test(name)) return undefined;
  const at = args.findIndex(({ text }) => /^-{1,2}(?:c|com\w*|ec?|en\w*|f|fi\w*)$/i.test(text));
  const option = args[at]?.text ?? "";
  if (/^-+e/i.test(option)) return [codeFor(name)];
  // A script in a file is not read; `powershell`, the older program, takes plain words as a command.
  if (/^-+f/i.test(option)) return [];
  const isOlder = at < 0 && /^powershell/i.test(name);
  const plain = isOlder ? args.filter(({ text }) => !text.startsWith("-")) : [];
  const words = at < 0 ? plain : args.slice(at + 1);
  const isOnInput = words.length === 0 || words[0]!.text === "-";
  if (isOnInput && at < 0 && input === undefined) return [];
  const read = input === undefined ? OPEN : literal(input);
  return [{ ...scriptFrom(isOnInput ? read : join(words)), language: "powershell" }];
}
