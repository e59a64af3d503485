/** Finds what commands print and read, as far as the script itself shows it. */
import type {
  Assignment,
  Command,
  CommandNode,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
} from "unbash";
import type { ShellCommand } from "./shell_command.ts";
import {
  type Argument,
  expandToOne,
  expandWord,
  knownText,
  literal,
  type Scope,
  SOME_NUMBER,
  type Substitution,
  textIn,
} from "./word.ts";
import { programName, split } from "./operands.ts";
import { baseName, parentOf } from "../../base/paths.ts";

/** Returns the program and the arguments of a command. */
export function wordsOf({ name, args }: Command, scope: Scope): readonly Argument[] {
  const words = args.flatMap((arg) =>
    arg.type === "Word" ? expandWord(arg, scope) : [assignmentWord(arg, scope)]
  );
  return name === undefined ? words : [...expandWord(name, scope), ...words];
}

function assignmentWord({ name, value, text }: Assignment, scope: Scope): Argument {
  if (value.type !== "Word") return literal(text);
  const right = expandToOne(value, scope);
  return { ...right, text: `${name}=${right.text}`, source: text };
}

/** Returns the redirections from and to files; here-documents and the pipe of `>(…)` are no files. */
export function readRedirects(
  redirections: readonly Redirection[],
  scope: Scope,
): ShellCommand["redirects"] {
  return redirections.flatMap((part) =>
    part.type === "Redirect" && part.target !== undefined && !isPipe(part.target)
      ? [{ operator: part.operator, target: expandToOne(part.target, scope) }]
      : []
  );
}

function isPipe({ parts = [] }: Word): boolean {
  return parts.length === 1 && parts[0]!.type === "ProcessSubstitution";
}

/** The part of a pipe before a command, and the words of that part if it is a command. */
export interface Before {
  readonly node: CommandNode;
  readonly words: readonly Argument[];
}

/** Finds what a command reads: from the command before the pipe, unless a here-document or a file replaces that. */
export function readBy(
  node: Command,
  fed: Before | undefined,
  scope: Scope,
): Pick<ShellCommand, "input" | "isInputOpen" | "isFed" | "listing" | "texts"> {
  const own = ownInput(node);
  const isFed = fed !== undefined;
  if (own !== undefined) {
    return { input: textOf(own, scope), isFed: isFed || own.type === "Redirect" };
  }
  const before = fed?.node;
  if (before?.type === "Command") {
    const isList = programName(before.name?.value ?? "") === "find";
    const output = printed(before, fed!.words, scope);
    const input = { input: output?.text, isInputOpen: output?.isOpen ?? false };
    return { ...input, isFed, ...isList && { listing: fed!.words } };
  }
  const isGroup = before?.type === "Subshell" || before?.type === "BraceGroup";
  // The known outputs of the commands in a group.
  const texts = (isGroup ? before.body.commands : []).flatMap(({ command }) =>
    command.type === "Command" ? printed(command, wordsOf(command, scope), scope)?.text ?? [] : []
  );
  return { input: undefined, isFed, texts };
}

function ownInput({ redirects }: Command): Redirection | undefined {
  return redirects.findLast(({ type, operator }) => type !== "Redirect" || operator === "<");
}

function textOf(own: Redirection, scope: Scope): string | undefined {
  if (own.type === "HereDoc") return own.body.parts === undefined ? own.body.text : undefined;
  return own.type === "HereString" && own.target !== undefined
    ? knownText(expandToOne(own.target, scope))
    : undefined;
}

/** Returns the output of a command substitution, without the last line breaks; undefined where it is unknown. */
export function outputOf({ text, script }: Substitution, scope: Scope): Argument | undefined {
  scope.budget.spend(text.length / 32);
  const command = firstOf(script?.commands ?? []);
  if (command?.type !== "Command") return undefined;
  const words = wordsOf(command, scope);
  const output = printed(command, words, scope);
  if (output !== undefined) return { ...output, text: output.text.replace(/\n+$/, "") };
  if (words.length === 0 || words.some(({ isOpen }) => isOpen)) return undefined;
  const line = words.map(({ text }) => text).join(" ");
  return OUTPUTS.find(([pattern]) => pattern.test(line))?.[1](words.slice(1), scope);
}

/** Returns the only command; the first one of `a || b`, since the second only counts where the first fails. */
function firstOf([only, ...others]: readonly Statement[]): SyntaxNode | undefined {
  if (only === undefined || others.length > 0) return undefined;
  const { command } = only;
  return command.type === "AndOr" && command.operators.every((operator) => operator === "||")
    ? command.commands[0]!
    : command;
}

/**
 * Returns what `echo`, `printf` and a `cat` of a here-document print; undefined for other commands. The text of an `echo`
 * is open where it has escapes, which some shells read without being told to, and others print as they are.
 */
export function printed(
  node: Command,
  [program, ...words]: readonly Argument[],
  scope: Scope,
): Argument | undefined {
  const name = programName(node.name?.value ?? "");
  // `$X/echo` is another program where the variable holds several words.
  const isOther = program?.isOpen === false && programName(program.text) !== name;
  if (name === "cat" && node.args.length === 0) {
    const own = ownInput(node);
    return known(own && textOf(own, scope));
  }
  if (isOther || (name !== "echo" && name !== "printf")) return undefined;
  if (words.length < node.args.length || words.some((word) => knownText(word) === undefined)) {
    return undefined;
  }
  const texts = words.map(({ text }) => text);
  if (name === "echo") {
    let isRaw = true;
    while (/^-[neE]+$/.test(texts[0] ?? "")) isRaw &&= !texts.shift()!.includes("e");
    const text = texts.join(" ");
    return isRaw ? { ...literal(text), isOpen: ESCAPE.test(text) } : known(unescaped(text));
  }
  const [format = "", ...values] = texts[0] === "--" ? texts.slice(1) : texts;
  return known(formatted(format, values));
}

/**
 * Formats like `printf` with only `%s`, `%b` and `%%`. Uses the format again while values are left. Undefined for other
 * places and escapes.
 */
function formatted(format: string, values: readonly string[]): string | undefined {
  const places = format.replaceAll("%%", "");
  const plain = unescaped(format);
  const isUnread = places.includes("%b") && values.some((value) => value.includes("\\"));
  if (plain === undefined || isUnread || /%[^sb]/.test(places)) return undefined;
  const left = [...values];
  const next = () => plain.replace(/%[sb%]/g, (place) => place === "%%" ? "%" : left.shift() ?? "");
  let text = next();
  while (left.length > 0 && /%[sb]/.test(places)) text += next();
  return text;
}

/** Matches what some shell reads as an escape. */
const ESCAPE = /\\[\\0-7abcefnrtuUvx]/;
/** The escapes that every shell reads, by their letters. */
const CONTROLS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

/** Replaces the escapes that every shell reads; undefined where there are others. */
function unescaped(text: string): string | undefined {
  if (/\\[^abfnrtv]/.test(text.replaceAll("\\\\", ""))) return undefined;
  return text.replace(/\\(.)/g, (_, letter) => CONTROLS[letter]!);
}

/** The name of a branch that only git knows. */
const BRANCH: Argument = { text: "", isOpen: true, isGlob: false, isName: true };

type Output = (rest: readonly Argument[], scope: Scope) => Argument | undefined;

/** Outputs of commands, by patterns of their text. */
const OUTPUTS: readonly (readonly [RegExp, Output])[] = [
  [/^pwd(?: -[LP])?$/, (_, { variables }) => known(textIn(variables, "PWD"))],
  [/^git rev-parse --show-toplevel$/, topOf],
  [/^git (?:branch --show-current|rev-parse --abbrev-ref HEAD)$/, () => BRANCH],
  [/^git symbolic-ref (?:-q )?--short (?:-q )?HEAD$/, () => BRANCH],
  [/^date (?:-u )?\+(?:%[sNYymdHMSjFT]|[-_.:T])+$/, () => SOME_NUMBER],
  [/^(?:nproc|id -[ug]|seq(?: .*)?)$/, () => SOME_NUMBER],
  [/^mktemp\b/, temporaryPath],
  // Rules look only at a program's name, so any folder will do; but they protect the path of conclaude.
  [
    /^(?:which|(?:command|type) -[vpP]) (?!conclaude)[\w.+-]+$/,
    (rest) => literal(`/usr/bin/${rest.at(-1)!.text}`),
  ],
  [
    /^dirname\b/,
    ([path, ...others]) =>
      path && others.length === 0 ? { ...path, text: parentOf(path.text) } : undefined,
  ],
  [/^basename\b/, ([path, end, ...others]) => {
    if (path === undefined || path.text.startsWith("-") || others.length > 0) return undefined;
    const name = baseName(path.text);
    const isCut = end !== undefined && end.text !== "" && name.endsWith(end.text);
    return { ...path, text: isCut ? name.slice(0, -end.text.length) : name };
  }],
];

function known(text: string | undefined): Argument | undefined {
  return text === undefined ? undefined : literal(text);
}

/** Returns the top of the repository: the project's folder, if the script runs in it. */
function topOf(_: readonly Argument[], { variables, root }: Scope): Argument | undefined {
  const folder = textIn(variables, "PWD");
  return root !== null && `${folder}/`.startsWith(`${root}/`) ? literal(root) : undefined;
}

/** Returns the path that `mktemp` makes; the letters that it chooses stay `X`. */
function temporaryPath(rest: readonly Argument[], { variables }: Scope): Argument | undefined {
  const { operands: [template], options } = split(rest, {});
  if (!options.every((text) => /^-[dqut]+$|^--(?:directory|quiet|suffix=.*)$/.test(text))) {
    return undefined;
  }
  const suffix = options.find((text) => text.startsWith("--suffix="))?.slice(9) ?? "";
  const isElsewhere = template === undefined || options.some((text) => /^-\w*t/.test(text));
  const folder = isElsewhere ? `${textIn(variables, "TMPDIR") ?? "/tmp"}/` : "";
  return literal(folder + (template?.text ?? "tmp.XXXXXXXXXX") + suffix);
}
